"""The shape of JSON Schema: which keywords hold schemas, what a schema refers to, and whether it is an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.tool import JsonSchema

MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
SCHEMAS = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
BELOW = MAPS | SCHEMAS | LISTS
DEFINITIONS = "#/$defs/"
_LONG_ENUM = 20  # a longer one is kept once, in $defs


def references_in(schema: Any) -> list[str]:
    """The names of the definitions that a converted schema refers to, in order, each once."""
    found: dict[str, None] = {}
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        if (body := as_object(value)) is not None:
            if isinstance(reference := body.get("$ref"), str) and reference.startswith(DEFINITIONS):
                found[reference.removeprefix(DEFINITIONS)] = None
            for key in reversed(body):
                if key in MAPS:
                    waiting.extend(reversed((as_object(body[key]) or {}).values()))
                elif key in BELOW:
                    waiting.append(body[key])
        elif isinstance(value, list):
            waiting.extend(reversed(value))  # pyright: ignore[reportUnknownArgumentType]
    return list(found)


def map_below(schema: JsonSchema, change: Callable[[Any], Any]) -> JsonSchema:
    """A copy of a schema with every schema right below it changed."""
    copy: JsonSchema = {}
    for key, value in schema.items():
        if key in MAPS and (members := as_object(value)) is not None:
            copy[key] = {name: change(each) for name, each in members.items()}
        elif key in LISTS and (items := as_array(value)) is not None:
            copy[key] = [change(each) for each in items]
        elif key in SCHEMAS and isinstance(value, dict):
            copy[key] = change(value)
        else:
            copy[key] = value
    return copy


def may_be_object(body: JsonSchema) -> bool:
    """Whether a schema may be an object with properties of its own, not a choice, a map or a plain value."""
    if any(key in body for key in ("oneOf", "anyOf", "not", "if")):
        return False
    if as_object(body.get("additionalProperties")):  # keys of the caller's own choice need a place of their own
        return False
    kinds = as_array(body.get("type")) or [body.get("type")]
    return "object" in kinds or (kinds == [None] and not {"enum", "const", "items", "format"} & body.keys())


def has_parts(target: JsonSchema) -> bool:
    """Whether a schema is more than a plain value, so that it is kept once rather than put in place."""
    values = as_array(target.get("enum"))
    return bool(BELOW & target.keys()) or (values is not None and len(values) > _LONG_ENUM)


def is_read_only(node: Any) -> bool:
    """Whether a property only comes back in answers, so that no request may send it."""
    return (as_object(node) or {}).get("readOnly") is True
