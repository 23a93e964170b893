"""Schemas of an OpenAPI document → plain JSON Schema, references kept as ``$defs`` so that a cycle needs no end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.openapi.references import BrokenReference, References, Scope
from toolcurator.sources.openapi.shape import (
    BELOW,
    DEFINITIONS,
    LISTS,
    MAPS,
    SCHEMAS,
    has_parts,
    is_read_only,
    may_be_object,
)
from toolcurator.sources.openapi.text import text
from toolcurator.sources.parameters import standard
from toolcurator.tool import JsonSchema

_DROPPED = frozenset(
    "xml externalDocs discriminator readOnly writeOnly example examples nullable $id $schema $anchor $comment $defs definitions"
    " $dynamicRef $dynamicAnchor $vocabulary collectionFormat allowEmptyValue".split()
)
_MOST_DEPTH = 60
_MOST_PARTS = 100  # of an object put together by `allOf`, which may lead around in a circle
_LONG_EXAMPLE = 100
_NOT_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass
class _Named:
    """A schema that references name: where it stands, and what it became once it was needed."""

    node: Any
    scope: Scope
    schema: JsonSchema | None = None


@dataclass
class Schemas:
    """Converts the schemas of one document; each that is named by a reference is converted once.

    Attributes:
        references: The references of the document.
        doubt: Called with what is wrong in a schema; the rest of it is still used.
    """

    references: References
    doubt: Callable[[str], None]
    _named: dict[str, _Named] = field(default_factory=dict[str, _Named])
    _names: dict[int, str] = field(default_factory=dict[int, str])
    _done: dict[tuple[str, int], tuple[Any, JsonSchema | None, list[str]]] = field(
        default_factory=dict[tuple[str, int], tuple[Any, "JsonSchema | None", list[str]]]
    )

    def once(self, kind: str, node: Any, make: Callable[[], JsonSchema | None]) -> JsonSchema | None:
        """What a part of the document becomes, made once however many operations share it; its doubts are told each time.

        Args:
            kind: What is made of it.
            node: The part, which is told from others by identity.
            make: Makes it.
        """
        if (kind, id(node)) not in self._done:
            told, tell = list[str](), self.doubt
            self.doubt = told.append
            try:
                made = make()
            finally:
                self.doubt = tell
            self._done[kind, id(node)] = (
                node,
                made,
                told,
            )  # holding the part keeps its identity from being given to another
        _, made, told = self._done[kind, id(node)]
        for doubt in told:
            self.doubt(doubt)
        return made

    def convert(self, node: Any, scope: Scope) -> JsonSchema:
        """One schema. References in it become ``#/$defs/NAME``; what has no parts of its own is put in place."""
        return standard(self._schema(node, scope, 0))

    def definition(self, name: str) -> JsonSchema:
        """The schema that ``#/$defs/NAME`` stands for."""
        named = self._named[name]
        if named.schema is None:
            named.schema = self.convert(named.node, named.scope)
        return named.schema

    def as_object(self, node: Any, scope: Scope) -> JsonSchema | None:
        """A schema as one object with properties, references and ``allOf`` laid together.

        Returns:
            ``properties``, and ``required`` and ``description`` if there are any; None if the schema is something else: no
            object, a choice (``oneOf``, ``anyOf``), a map with free keys, or an object whose properties are not known.
        """
        try:
            node, scope = self.references.follow(node, scope)
        except BrokenReference:
            return None  # `convert` reports it
        found = self.once("object", node, lambda: self._laid_together(node, scope, [_MOST_PARTS]))
        return found if found and found.get("properties") else None

    def _laid_together(self, node: Any, scope: Scope, left: list[int]) -> JsonSchema | None:
        body = as_object(node)
        left[0] -= 1
        if body is None or left[0] < 0 or not may_be_object(body):
            return None
        whole: JsonSchema = {"properties": {}, "required": []}
        for part in as_array(body.get("allOf")) or ():
            try:
                laid = self._laid_together(*self.references.follow(part, scope), left)
            except BrokenReference:
                laid = None
            if laid is None:
                return None
            whole["properties"] |= laid["properties"]
            whole["required"] += laid.get("required", [])
        own = self.convert({key: body[key] for key in ("properties", "required") if key in body}, scope)
        whole["properties"] |= as_object(own.get("properties")) or {}
        whole["required"] += [name for name in as_array(own.get("required")) or () if isinstance(name, str)]
        whole["required"] = list(dict.fromkeys(whole["required"]))
        if said := text(body.get("description")):
            whole["description"] = said
        return whole

    def _schema(self, node: Any, scope: Scope, depth: int) -> JsonSchema:
        if node is False:
            return {"not": {}}
        body = as_object(node)
        if not body or depth > _MOST_DEPTH:
            return {}
        if isinstance(reference := body.get("$ref"), str):
            return self._reference(reference, body, scope, depth)
        schema: JsonSchema = {}
        for key, value in body.items():
            if key in _DROPPED or key.startswith("x-"):
                continue
            if key in MAPS:
                members = as_object(value) or {}
                kept = {name: each for name, each in members.items() if not is_read_only(each)}
                schema[key] = {str(name): self._schema(each, scope, depth + 1) for name, each in kept.items()}
            elif key in LISTS:
                schema[key] = [self._schema(each, scope, depth + 1) for each in as_array(value) or ()]
            elif key in SCHEMAS:
                schema[key] = value if isinstance(value, bool) else self._schema(value, scope, depth + 1)
            else:
                schema[key] = value
        if isinstance(schema.get("required"), list) and isinstance(below := body.get("properties"), dict):
            hidden = {name for name, each in below.items() if is_read_only(each)}  # pyright: ignore[reportUnknownVariableType]
            schema["required"] = [name for name in schema["required"] if isinstance(name, str) and name not in hidden]
        if schema.get("type") == "file":  # 2.0
            schema |= {"type": "string", "format": "binary"}
        return _nullable(_with_example(_one_part(schema), body), body)

    def _reference(self, reference: str, body: JsonSchema, scope: Scope, depth: int) -> JsonSchema:
        beside = {
            key: body[key] for key in ("description", "title", "default", "nullable", "deprecated") if key in body
        }
        try:
            node, scope = self.references.look_up(reference, scope)
            if isinstance((as_object(node) or {}).get("$ref"), str):
                node, scope = self.references.follow(node, scope)
        except BrokenReference as error:
            self.doubt(str(error))
            return _nullable(beside, beside)
        target = as_object(node)
        if target is None:
            return _nullable(self._schema(node, scope, depth + 1) | beside, beside)
        if not has_parts(target):
            return self._schema({**target, **beside}, scope, depth + 1)
        schema = {"$ref": DEFINITIONS + self._name(reference, node, scope)} | beside
        return _nullable({key: value for key, value in schema.items() if key != "nullable"}, body)

    def _name(self, reference: str, node: Any, scope: Scope) -> str:
        if (known := self._names.get(id(node))) is not None:  # the document keeps it alive, so its identity is its own
            return known
        last = (
            reference.rsplit("/", 1)[-1]
            if "#/" in reference
            else reference.split("#")[0].rsplit("/", 1)[-1].split(".")[0]
        )
        wanted = _NOT_NAME.sub("_", last).strip("_") or "schema"
        name, number = wanted, 2
        while name in self._named:
            name, number = f"{wanted}_{number}", number + 1
        self._names[id(node)] = name
        self._named[name] = _Named(node, scope)
        return name


def _one_part(schema: JsonSchema) -> JsonSchema:
    """``allOf`` with one part, which 3.0 needs to say anything beside a ``$ref``, says the same without ``allOf``."""
    parts = as_array(schema.get("allOf"))
    if parts is None or len(parts) != 1:
        return schema
    part, rest = as_object(parts[0]) or {}, {key: value for key, value in schema.items() if key != "allOf"}
    if rest.get("type") == part.get("type") or "$ref" in part:
        rest.pop("type", None)
    if rest.keys() & part.keys() - {"description", "title", "default"} or rest.keys() & BELOW:
        return schema
    return {**part, **rest}


def _with_example(schema: JsonSchema, body: JsonSchema) -> JsonSchema:
    """The first example, if it is short and plain: a model learns a format from it."""
    listed = as_array(body.get("examples")) or [body.get("example")]
    example = listed[0]
    if isinstance(example, bool) or not isinstance(example, str | int | float) or len(str(example)) > _LONG_EXAMPLE:
        return schema
    return {**schema, "examples": [example]} if example != "" else schema


def _nullable(schema: JsonSchema, body: JsonSchema) -> JsonSchema:
    """3.0's ``nullable`` as a type."""
    if body.get("nullable") is not True:
        return {key: value for key, value in schema.items() if key != "nullable"} if "nullable" in schema else schema
    schema = {key: value for key, value in schema.items() if key != "nullable"}
    if isinstance(kind := schema.get("type"), str):
        values = as_array(schema.get("enum"))
        more = {"enum": [*values, None]} if values is not None and None not in values else {}
        return {**schema, "type": [kind, "null"], **more} if kind != "null" else schema
    if (choices := as_array(schema.get("anyOf"))) is not None:
        return {**schema, "anyOf": [*choices, {"type": "null"}]}
    if "$ref" in schema or "allOf" in schema or "oneOf" in schema:
        said = {key: schema[key] for key in ("title", "description", "default") if key in schema}
        rest = {key: value for key, value in schema.items() if key not in said}
        return {**said, "anyOf": [rest, {"type": "null"}]}
    return schema
