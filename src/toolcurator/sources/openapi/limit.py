"""A bound on the size of a tool's schema: the nearest definitions stay whole, what is left is an open schema."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from toolcurator.sources.json_values import as_object
from toolcurator.sources.openapi.schema import Schemas
from toolcurator.sources.openapi.shape import DEFINITIONS, map_below, references_in
from toolcurator.sources.openapi.text import short
from toolcurator.tool import JsonSchema

MOST_SCHEMA = 64 * 1024
"""Characters of one tool's schema as JSON, about 16,000 tokens. No model reads more about one tool, and a document of recursive
schemas would otherwise give every tool a copy of most of itself."""

MOST_TOGETHER = 256 * 1024 * 1024
"""Characters of all schemas of a document together, as JSON; in memory tools share what they have in common. Kubernetes needs 8
million."""

_DEPTHS = (None, 5, 3, 2, 1, 0)  # levels below an argument; None leaves it whole
_SHORT = 120


@dataclass(frozen=True)
class _Piece:
    """A schema, or what is left of it, measured once however many tools carry it.

    Attributes:
        schema: The schema.
        size: Its characters as JSON.
        references: The definitions it refers to.
        of: What it was made of, held so that its identity is not given to another.
    """

    schema: JsonSchema
    size: int
    references: tuple[str, ...]
    of: JsonSchema


@dataclass
class SchemaLimit:
    """Adds to the arguments of a tool the definitions they refer to, as many as fit.

    Attributes:
        schemas: The schemas of the document.
        most: Characters of one tool's schema.
        left: Characters that are left for all tools together; when none are, arguments are left open.
    """

    schemas: Schemas
    most: int = MOST_SCHEMA
    left: int = MOST_TOGETHER
    _pieces: dict[tuple[int, int | None], _Piece] = field(default_factory=dict[tuple[int, "int | None"], _Piece])

    def complete(self, schema: JsonSchema) -> tuple[JsonSchema, bool]:
        """Add ``$defs``, level by level from the top, so that what is cut lies deepest.

        A definition that does not fit is laid flat (its properties, each with nothing below it); one that does not fit even so
        is an open schema. Where the arguments alone are too large, they are cut at one depth.

        Args:
            schema: A converted schema of type object, without ``$defs``.

        Returns:
            The schema with all definitions it needs, and whether something was cut.
        """
        arguments = as_object(schema.get("properties")) or {}
        around = _size({**schema, "properties": dict.fromkeys(arguments, 0)})
        pieces: dict[str, _Piece] = {}
        size = 0
        for depth in _DEPTHS if self.left > 0 else (0,):
            pieces = {name: self._piece(each, depth) for name, each in arguments.items()}
            size = around + sum(piece.size for piece in pieces.values())
            if size <= self.most:
                break
        cut = any(pieces[name].schema is not each for name, each in arguments.items())
        if cut:
            schema = {**schema, "properties": {name: piece.schema for name, piece in pieces.items()}}
        left = self.most - size
        definitions: JsonSchema = {}
        waiting = deque(name for piece in pieces.values() for name in piece.references)
        while waiting:
            name = waiting.popleft()
            if name in definitions:
                continue
            definition = self.schemas.definition(name)
            found = self._piece(definition, None)
            if found.size > left:
                cut = True
                found = flat if (flat := self._piece(definition, 1)).size <= left else self._piece(definition, 0)
            definitions[name] = found.schema
            left -= found.size + len(name) + 6
            waiting.extend(found.references)
        self.left -= self.most - left
        return ({**schema, "$defs": definitions} if definitions else schema), cut

    def _piece(self, schema: JsonSchema, depth: int | None) -> _Piece:
        key = id(schema), depth
        if key not in self._pieces:
            left = schema if depth is None else self._cut(schema, depth) if depth else self._opened(schema)
            self._pieces[key] = _Piece(left, _size(left), tuple(references_in(left)), schema)
        return self._pieces[key]

    def _cut(self, schema: JsonSchema, depth: int) -> JsonSchema:
        """A copy that says nothing about what lies more levels below; the schema itself if nothing does."""

        def change(each: Any) -> Any:
            body = as_object(each)
            if body is None:
                return each
            return self._cut(body, depth - 1) if depth > 1 else self._opened(body)

        copy = map_below(schema, change)
        return schema if copy == schema else copy

    def _opened(self, schema: JsonSchema) -> JsonSchema:
        """The same kind of value with nothing said about its parts; the schema itself if it has none."""
        if isinstance(reference := schema.get("$ref"), str):
            named = self.schemas.definition(reference.removeprefix(DEFINITIONS))
            return {**_opened(named), **_opened(schema)}
        if map_below(schema, lambda _: None) != schema:
            return _opened(schema)
        said = schema.get("description")
        return {**schema, "description": short(said, _SHORT)} if len(str(said or "")) > _SHORT else schema


def _opened(schema: JsonSchema) -> JsonSchema:
    """The same kind of value with nothing said about its parts."""
    opened: JsonSchema = {"type": schema["type"]} if "type" in schema else {}
    if "type" not in schema and "properties" in schema:
        opened["type"] = "object"
    if said := short(schema.get("description"), _SHORT):
        opened["description"] = said
    return opened


def _size(schema: JsonSchema) -> int:
    return len(json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=str))
