"""JSON Schema → the subset that Gemini's function declarations take (types in upper case, ``nullable``, no ``$ref``).

Keys as in the ``Schema`` object of the Gemini API reference.
"""

from __future__ import annotations

import json
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.plain import inline
from toolcurator.tool import JsonSchema

_KEPT = (
    "title", "description", "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength",
    "pattern", "minimum", "maximum", "default", "example",
)  # fmt: skip
_FORMATS = {
    "string": ("date-time", "enum"),
    "integer": ("int32", "int64"),
    "number": ("float", "double"),
}


def gemini_schema(parameters: JsonSchema) -> JsonSchema:
    """Convert the parameters of a tool.

    Args:
        parameters: JSON Schema of type object.

    Returns:
        A schema with only keys that Gemini knows. References are followed, cycles cut; what has no counterpart
        (``pattern`` of keys, exclusive bounds, conditions) is left out; an enum of numbers moves into the description.
    """
    return _convert(inline(parameters, parameters))


def _convert(schema: JsonSchema) -> JsonSchema:
    schema = _merge_all_of(schema)
    kinds = [kind for kind in as_array(schema.get("type")) or [schema.get("type")] if isinstance(kind, str)]
    choices = [each for word in ("anyOf", "oneOf") for each in map(as_object, as_array(schema.get(word)) or []) if each]
    nullable = "null" in kinds or any(choice.get("type") == "null" for choice in choices)
    kinds = [kind for kind in kinds if kind != "null"]
    choices = [choice for choice in choices if choice.get("type") != "null"]
    if len(choices) == 1:  # Optional[X]: lay the one choice into its place
        outer = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "type")}
        converted = _convert({**choices[0], **outer})
    elif choices:
        converted = _keep(schema) | {"anyOf": [_convert(choice) for choice in choices]}
    elif len(kinds) > 1:
        outer = {key: value for key, value in schema.items() if key != "type"}
        branches = [_convert({**_only(outer, kind), "type": kind}) for kind in kinds]
        converted = _keep({key: outer[key] for key in ("title", "description") if key in outer}) | {"anyOf": branches}
    else:
        converted = _convert_one(schema, kinds[0] if kinds else _guess(schema))
    return converted | {"nullable": True} if nullable else converted


def _convert_one(schema: JsonSchema, kind: str) -> JsonSchema:
    converted: JsonSchema = {"type": kind.upper(), **_keep(schema)}
    values = [schema["const"]] if "const" in schema else list(as_array(schema.get("enum")) or [])
    values = [value for value in values if value is not None]
    if values and kind == "string":
        converted["enum"] = [value if isinstance(value, str) else json.dumps(value) for value in values]
    elif values:
        listed = f"One of: {', '.join(json.dumps(value) for value in values)}."
        converted["description"] = f"{converted.get('description', '')} {listed}".strip()
    if schema.get("format") in _FORMATS.get(kind, ()):
        converted["format"] = schema["format"]
    if kind == "array":
        items = as_object(schema.get("items")) or next(map(as_object, as_array(schema.get("prefixItems")) or []), None)
        converted["items"] = _convert(items or {})
    if kind == "object":
        properties = as_object(schema.get("properties")) or {}
        if properties:
            converted["properties"] = {name: _convert(as_object(each) or {}) for name, each in properties.items()}
        required = [name for name in as_array(schema.get("required")) or [] if name in properties]
        if required:
            converted["required"] = required
    return converted


def _merge_all_of(schema: JsonSchema) -> JsonSchema:
    parts = [each for each in map(as_object, as_array(schema.get("allOf")) or []) if each]
    if not parts:
        return schema
    merged: JsonSchema = {}
    for part in [*map(_merge_all_of, parts), {key: value for key, value in schema.items() if key != "allOf"}]:
        properties = {**(as_object(merged.get("properties")) or {}), **(as_object(part.get("properties")) or {})}
        required = [*(as_array(merged.get("required")) or []), *(as_array(part.get("required")) or [])]
        merged = {**merged, **part}
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = list(dict.fromkeys(required))
    return merged


def _keep(schema: JsonSchema) -> JsonSchema:
    kept: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    return {key: value for key, value in kept.items() if not (key == "default" and value is None)}


def _only(schema: JsonSchema, kind: str) -> JsonSchema:
    """The keys of a schema of several types that concern one of them."""
    concerns = {"array": ("items", "minItems", "maxItems"), "object": ("properties", "required")}
    others = {key for other, keys in concerns.items() if other != kind for key in keys}
    return {key: value for key, value in schema.items() if key not in others | {"title", "description", "default"}}


def _guess(schema: JsonSchema) -> str:
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"
