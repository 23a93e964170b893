"""Every text of a tool that a model or a person may read, each with the field it stands in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

from toolcurator.tool import Tool, as_object

Kind = Literal["name", "description", "slot", "value", "example", "extra", "profile", "metadata"]
"""``slot`` is an argument's name, title or description; ``value`` a default, an allowed value or an example of it."""

MOST_CHARACTERS = 200_000
"""Of one text; what lies behind is not linted."""

_DEPTH = 16
_VALUES = ("default", "const", "enum", "examples", "example")
_SPOKEN = ("title", "description", "$comment", "x-description")
_BELOW = ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "prefixItems", "if", "then", "else")
_NAMED = ("properties", "$defs", "definitions", "patternProperties")
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_CYRILLIC_LIKE = str.maketrans("аеорсухіјѕԁһАВЕКМНОРСТХІЈЅ", "aeopcyxijsdhABEKMHOPCTXIJS")


@dataclass(frozen=True)
class Text:
    """A text of a tool.

    Attributes:
        where: The field: ``description``, ``slots.city.description``, ``examples[2]``, ``metadata.title`` ...
        kind: What sort of field it is.
        value: The text.
    """

    where: str
    kind: Kind
    value: str

    @cached_property
    def plain(self) -> str:
        """As a model reads it: no invisible characters, compatibility forms and look-alike letters folded, single spaces."""
        value = self.value
        if not value.isascii():
            value = unicodedata.normalize("NFKC", _INVISIBLE.sub("", value))
            if re.search("[a-zA-Z]", value):
                value = " ".join(
                    word.translate(_CYRILLIC_LIKE) if re.search("[a-zA-Z]", word) else word for word in value.split(" ")
                )
        return _SPACE.sub(" ", value).strip()


def texts_in(tool: Tool) -> list[Text]:
    """The texts of a tool, empty ones left out."""
    return [Text(where, kind, value[:MOST_CHARACTERS]) for where, kind, value in _all(tool) if value.strip()]


def _all(tool: Tool) -> Iterator[tuple[str, Kind, str]]:
    yield "name", "name", tool.name
    yield "description", "description", tool.description
    yield from _schema(tool.parameters, "slots", _DEPTH)
    for number, example in enumerate(tool.examples):
        yield f"examples[{number}]", "example", example
    for number, tag in enumerate(tool.tags):
        yield f"tags[{number}]", "extra", tag
    yield "extra_context", "extra", tool.extra_context
    if tool.profile is not None:
        for field in ("function_description", "when_to_use", "limitations"):
            yield f"profile.{field}", "profile", getattr(tool.profile, field)
        for field in ("tags", "example_queries"):
            for number, each in enumerate(getattr(tool.profile, field)):
                yield f"profile.{field}[{number}]", "profile", each
    if tool.endpoint is not None:
        yield "endpoint.url", "metadata", tool.endpoint.url
        yield "endpoint.auth", "metadata", tool.endpoint.auth
    for key, value in tool.metadata.items():
        for where, text in _strings(value, f"metadata.{key}", _DEPTH):
            yield where, "metadata", text


def _schema(schema: Any, where: str, depth: int) -> Iterator[tuple[str, Kind, str]]:
    """Texts of a JSON Schema, wherever it keeps them; a depth ends cycles of references made in code."""
    found = as_object(schema)
    if not found or depth < 0:
        return
    for key in _SPOKEN:
        if isinstance(text := found.get(key), str):
            yield f"{where}.{key}", "slot", text
    for key in _VALUES:
        if key in found:
            for place, text in _strings(found[key], f"{where}.{key}", depth):
                yield place, "value", text
    for key in _NAMED:
        for name, below in as_object(found.get(key)).items():
            place = f"{where}.{name}" if key == "properties" else f"{where}.{key}.{name}"
            yield place, "slot", str(name)
            yield from _schema(below, place, depth - 1)
    for key in _BELOW:
        below = found.get(key)
        several = isinstance(below, list)
        for number, each in enumerate(cast("list[Any]", below) if several else [below]):
            yield from _schema(each, f"{where}.{key}[{number}]" if several else f"{where}.{key}", depth - 1)


def _strings(value: Any, where: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict) and depth > 0:
        for key, below in cast("dict[Any, Any]", value).items():
            yield from _strings(below, f"{where}.{key}", depth - 1)
    elif isinstance(value, list | tuple) and depth > 0:
        for number, below in enumerate(cast("list[Any]", value)):
            yield from _strings(below, f"{where}[{number}]", depth - 1)
