"""A schema that every provider takes: one object at the top, and references followed where they cannot be."""

from __future__ import annotations

import copy
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.tool import JsonSchema, resolve

_MOST_NODES = 10_000
_CHOICES = ("allOf", "anyOf", "oneOf")


def plain_object(parameters: JsonSchema) -> JsonSchema:
    """A copy of a schema with ``type: object`` and ``properties`` at the top and no ``$ref`` or choice there.

    OpenAI and Anthropic refuse ``anyOf``, ``oneOf``, ``allOf`` and ``$ref`` at the top; there the choices are laid
    together: all their properties, and as required those that every choice requires (any that ``allOf`` requires).
    Properties keep their names and order, so one that is called ``title`` or ``description`` stays (pitfall D5).
    """
    top = resolve(copy.deepcopy(parameters), parameters)
    merged = {key: value for key, value in top.items() if key not in (*_CHOICES, "$ref")}
    properties = dict(as_object(top.get("properties")) or {})
    required = list(as_array(top.get("required")) or [])
    for word in _CHOICES:
        branches = [resolve(each, parameters) for each in as_array(top.get(word)) or []]
        for branch in branches:
            properties = {**(as_object(branch.get("properties")) or {}), **properties}
        lists = [as_array(branch.get("required")) or [] for branch in branches]
        for name in dict.fromkeys(name for each in lists for name in each):
            if name not in required and (word == "allOf" or all(name in each for each in lists)):
                required.append(name)
    ordered = [name for name in merged if name not in ("type", "properties", "required")]
    schema: JsonSchema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema | {name: merged[name] for name in ordered}


def inline(schema: JsonSchema, root: JsonSchema) -> JsonSchema:
    """A copy without any ``$ref``: each is replaced by what it names.

    A reference that leads back to itself is cut there: it becomes ``{"type": "object"}`` (with its description). The
    same happens once the copy has 10,000 nodes, so that a few nested references cannot grow without end.
    """
    left = _MOST_NODES

    def copy_of(value: Any, above: tuple[str, ...]) -> Any:
        nonlocal left
        left -= 1
        if (items := as_array(value)) is not None:
            return [copy_of(each, above) for each in items]
        found = as_object(value)
        if found is None:
            return value
        reference = found.get("$ref")
        if isinstance(reference, str):
            target = resolve({"$ref": reference}, root, depth=1)
            if reference in above or target.get("$ref") == reference or left < 0:
                return {"type": "object"} | {key: found[key] for key in ("description", "title") if key in found}
            beside = {key: each for key, each in found.items() if key != "$ref"}
            return copy_of({**target, **beside}, (*above, reference))
        return {key: copy_of(each, above) for key, each in found.items()}

    return copy_of({key: each for key, each in schema.items() if key not in ("$defs", "definitions")}, ())
