"""Arguments in any of the forms found in the wild → one JSON Schema of type object.

Accepted: a JSON Schema (Gemini's upper-case types and ``nullable`` included), a bare map of properties, a list of slots
(``[{name, type, description, required, enum}]``, also with ``schema`` inside as in OpenAPI), and a Python signature.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolcurator.errors import CatalogError
from toolcurator.sources.json_values import as_array, as_object, in_words
from toolcurator.sources.type_words import TYPES, base_type, signature, type_words
from toolcurator.tool import JsonSchema, resolve

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMAS = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_COUNTS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_MARKS = _LISTS | {"$ref", "$schema", "$defs", "additionalProperties"}
_BESIDE = frozenset({"name", "required", "optional", "in", "schema", "desc", "position"})


_PLAIN = frozenset({"type", "description", "title", "enum", "default", "const", "format", "examples", "pattern"})


def parameters_of(value: object, *, required: Iterable[object] | None = None, needed: bool = False) -> JsonSchema:
    """Bring declared arguments into one form.

    Args:
        value: None, a JSON Schema, a map of properties, a list of slots, or a signature ``(city: str, days: int = 3)``.
        required: Names that are required although ``value`` itself does not say so (a list that stands beside it).
        needed: Whether a slot of a list is required when it does not say.

    Returns:
        A JSON Schema with ``type: object`` and ``properties``. Parts that need no repair are the very objects given.

    Raises:
        CatalogError: The value is none of these.
    """
    if value is None:
        return empty()
    if (schema := as_object(value)) is not None:
        return _from_object(schema, required)
    if (slots := as_array(value)) is not None:
        return _from_slots(slots, needed)
    if isinstance(value, str) and (found := signature(value)) is not None:
        properties, needed_names = found
        return _object(properties, needed_names)
    raise CatalogError(f"parameters must be an object, not {in_words(value)}")


def empty() -> JsonSchema:
    """The schema of a tool without arguments."""
    return {"type": "object", "properties": {}}


def is_schema(value: JsonSchema) -> bool:
    """Whether an object is a JSON Schema, not a bare map of properties (one of which may be called ``type``)."""
    kind = value.get("type")
    if isinstance(kind, str | list):
        return True
    inner = as_object(value.get("properties"))
    if inner is not None and all(isinstance(each, dict | bool) for each in inner.values()):
        return True
    return any(_is_keyword(key, value[key]) for key in _MARKS & value.keys())


def standard(schema: JsonSchema) -> JsonSchema:
    """A schema in plain JSON Schema: types in lower case, ``nullable`` as a type, ``required`` as a list of the parent.

    Only schema positions are read, so a property that is called ``type``, ``title`` or ``required`` stays (pitfall D5).
    """
    kind = schema.get("type")
    if isinstance(kind, str) and kind in TYPES and schema.keys() <= _PLAIN:  # most are, in a large catalogue
        return schema
    changed: JsonSchema = {}
    dropped: set[str] = set()
    for key, value in schema.items():
        new: Any = value
        if key == "type":
            if not _is_type(value):
                changed.update(_type_keys(value, schema))
                if "type" not in changed:
                    dropped.add("type")
            continue
        if key in _MAPS and (members := as_object(value)) is not None:
            new = _map(members)
        elif key in _LISTS and (members := as_array(value)) is not None:
            new = _list(members)
        elif key in _SCHEMAS:
            new = _list(items) if (items := as_array(value)) is not None else _schema(value)
        elif key in _COUNTS and isinstance(value, str) and value.isdigit():  # int64 is text in Gemini's JSON
            new = int(value)
        elif key in _BOUNDS and isinstance(value, bool):  # JSON Schema draft 4: a flag beside the bound
            dropped.add(key)
            if value and _BOUNDS[key] in schema:
                dropped.add(_BOUNDS[key])
                changed[key] = schema[_BOUNDS[key]]
            continue
        elif key == "required" and (names := as_array(value)) is not None:
            new = value if all(isinstance(name, str) for name in names) else [n for n in names if isinstance(n, str)]
        elif key in ("nullable", "required"):
            dropped.add(key)
        if new is not value:
            changed[key] = new
    lifted = _lift_required(schema, changed)
    if schema.get("nullable") is True:
        _make_nullable({**schema, **changed}, changed)
    if not changed and not dropped and not lifted:
        return schema
    return {key: changed.get(key, value) for key, value in schema.items() if key not in dropped} | changed


def _is_keyword(key: str, value: object) -> bool:
    if key in _LISTS:
        return isinstance(value, list)
    if key in ("$ref", "$schema"):
        return isinstance(value, str)
    return isinstance(value, bool) or key == "$defs"


def _from_object(value: JsonSchema, required: Iterable[object] | None) -> JsonSchema:
    if not value:
        return empty()
    if not is_schema(value):
        return _from_properties(value, required)
    schema = standard(value)
    if "$ref" in schema:  # a recursive model stands behind a reference; its properties belong at the top
        target = resolve(schema, schema)
        schema = {**target, **{key: schema[key] for key in ("$defs", "definitions") if key in schema}}
    kind = schema.get("type")
    if kind == "object":
        pass
    elif kind is None or (isinstance(kind, list) and "object" in kind):
        schema = {**schema, "type": "object"}
    else:
        raise CatalogError(f"parameters must be a schema of type object, not {kind}")
    if "properties" in schema and not isinstance(schema["properties"], dict):
        raise CatalogError(f"parameters.properties must be an object, not {in_words(schema['properties'])}")
    return schema


def _from_properties(value: JsonSchema, required: Iterable[object] | None) -> JsonSchema:
    properties: JsonSchema = {}
    needed: list[str] = []
    for name, each in value.items():
        declared = as_object(each)
        if declared is None and not isinstance(each, str):
            raise CatalogError(f"parameters must be a JSON Schema or a map of properties; '{name}' is {in_words(each)}")
        schema, optional = _slot(declared) if declared is not None else type_words(str(each))
        properties[name] = schema
        if not optional and "default" not in schema:
            needed.append(name)
    if required is not None:
        needed = [name for name in required if isinstance(name, str) and name in value]
    return _object(properties, needed)


def _from_slots(slots: Sequence[Any], needed: bool) -> JsonSchema:
    properties: JsonSchema = {}
    required: list[str] = []
    for number, each in enumerate(slots, 1):
        declared = {"name": each} if isinstance(each, str) else as_object(each)
        if declared is None:
            raise CatalogError(f"slot {number} must be an object, not {in_words(each)}")
        name = declared.get("name")
        if not isinstance(name, str) or not name.strip():
            raise CatalogError(f"slot {number} has no name")
        if name in properties:
            raise CatalogError(f"slot '{name}' is declared twice")
        values = declared.get("enum")
        if values is not None and not isinstance(values, list):
            raise CatalogError(f"slot '{name}': enum must be a list, not {in_words(values)}")
        properties[name], optional = _slot(declared)
        marked = "required" in declared or "optional" in declared
        if (not optional) if marked else needed:
            required.append(name)
    return _object(properties, required)


def _object(properties: JsonSchema, required: list[str]) -> JsonSchema:
    schema: JsonSchema = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _slot(declared: JsonSchema) -> tuple[JsonSchema, bool]:
    """One slot → its schema, and whether it is optional."""
    inner = as_object(declared.get("schema")) or {}
    own = {key: value for key, value in declared.items() if value is not None and key not in _BESIDE}
    schema = {**inner, **own}
    if isinstance(declared.get("required"), list):  # an object's own list, not "this slot is required"
        schema["required"] = declared["required"]
    if isinstance(declared.get("desc"), str):
        schema.setdefault("description", declared["desc"])
    if schema.get("default", "") is None:  # "no default", written as null
        del schema["default"]
    kind = schema.get("type")
    optional = type_words(kind)[1] if isinstance(kind, str) and "," in kind else False
    if isinstance(declared.get("optional"), bool):
        optional = declared["optional"]
    if isinstance(declared.get("required"), bool):
        optional = not declared["required"]
    return standard(schema), optional


def _map(members: JsonSchema) -> JsonSchema:
    fresh = {name: _schema(each) for name, each in members.items()}
    return fresh if any(fresh[name] is not members[name] for name in members) else members


def _list(members: list[Any]) -> list[Any]:
    fresh = [_schema(each) for each in members]
    return fresh if any(new is not old for new, old in zip(fresh, members, strict=True)) else members


def _schema(value: object) -> Any:
    """A value that stands where a schema is due."""
    if (schema := as_object(value)) is not None:
        return standard(schema)
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return type_words(value)[0] or {"description": value}
    return {}


def _lift_required(schema: JsonSchema, changed: JsonSchema) -> bool:
    """``required: true`` inside a property (JSON Schema draft 3) goes to the parent's list."""
    properties = as_object(changed.get("properties", schema.get("properties")))
    declared = as_object(schema.get("properties"))
    if properties is None or declared is None:
        return False
    needed = [name for name, each in declared.items() if isinstance(each, dict) and each.get("required") is True]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not needed:
        return False
    listed = [name for name in as_array(schema.get("required")) or [] if name not in needed]
    changed["required"] = [*listed, *needed]
    return True


def _make_nullable(schema: JsonSchema, changed: JsonSchema) -> None:
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        changed["type"] = [kind, "null"]
        if (values := as_array(schema.get("enum"))) is not None and None not in values:
            changed["enum"] = [*values, None]
    elif (choices := as_array(schema.get("anyOf"))) is not None:
        changed["anyOf"] = [*choices, {"type": "null"}]


def _is_type(value: object) -> bool:
    kinds = as_array(value) or [value]
    return all(isinstance(kind, str) and kind in TYPES for kind in kinds)


def _type_keys(value: object, schema: JsonSchema) -> JsonSchema:
    """What a ``type`` that is not in lower case means; nothing if it names no type."""
    if (kinds := as_array(value)) is not None:
        names = [base_type(kind).get("type") for kind in kinds if isinstance(kind, str)]
        known = [name for name in names if isinstance(name, str)]
        return {"type": known} if known else {}
    if not isinstance(value, str):
        return {}
    found = type_words(value)[0]
    return {key: each for key, each in found.items() if key == "type" or key not in schema}
