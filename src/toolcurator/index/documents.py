"""A tool → the texts that are indexed: points for the encoder, fields for BM25."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from toolcurator.tool import JsonSchema, Profile, Tool, as_object, resolve

NO_PROFILE = Profile()
VERSION = 2
"""Of what is read of a tool; a change makes every index be built again."""

PointKind = Literal["document", "example"]

_DEPTH = 3  # levels of nested properties that are read
_ENUM_VALUES = 12  # a longer enum is data (currencies, countries), not description
_MOST_CHARACTERS = 20_000  # of one part; what an encoder reads is far less
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_JOINTS = re.compile(r"[_\-./:]+")


@dataclass(frozen=True, slots=True)
class Point:
    """One indexed text of a tool.

    Attributes:
        kind: ``document`` for the tool's own text, ``example`` for one example query.
        text: What the encoder reads.
    """

    kind: PointKind
    text: str


def in_words(name: str) -> str:
    """A name as words: ``getAccount_summary`` → ``get Account summary``."""
    return " ".join(_JOINTS.sub(" ", _CAMEL.sub(" ", name)).split())


def dense_text(tool: Tool, parts: Sequence[str]) -> str:
    """The tool's dense document.

    Args:
        tool: The tool.
        parts: Which parts, in order: keys of `text_parts`.
    """
    return _joined(text_parts(tool), parts, tool)


def _joined(texts: Mapping[str, str], parts: Sequence[str], tool: Tool) -> str:
    return " ".join([texts[part] for part in parts if texts[part]]) or tool.name


class Texts(NamedTuple):
    """All that is indexed of a tool.

    Attributes:
        document: Its dense document.
        examples: Its distinct example queries, the author's and the profile's, each a point (seed 3, per-example indexing).
        fields: The text of each BM25 field; ``text`` is the dense document.
        queries: The text of BM25 over the examples.
    """

    document: str
    examples: list[str]
    fields: dict[str, str]
    queries: str


def texts_of(tool: Tool, parts: Sequence[str]) -> Texts:
    """Read a tool once.

    Args:
        tool: The tool.
        parts: Parts of the dense document, in order.
    """
    texts = text_parts(tool)
    document = _joined(texts, parts, tool)
    written = tool.profile.example_queries if tool.profile is not None else ()
    examples = list(dict.fromkeys([text for example in (*tool.examples, *written) if (text := example.strip())]))
    texts |= {"name": tool.leaf, "text": document}  # names in words are split by the tokenizer
    return Texts(document, examples, texts, "\n".join(examples)[:_MOST_CHARACTERS])


def points_of(tool: Tool, parts: Sequence[str]) -> list[Point]:
    """The tool's points: its document first, then one for each example query."""
    document, examples, *_ = texts_of(tool, parts)
    return [Point("document", document), *(Point("example", text) for text in examples)]


def text_parts(tool: Tool) -> dict[str, str]:
    """The parts of a tool's own text, by name."""
    title = tool.metadata.get("title")
    profile = tool.profile or NO_PROFILE
    parts = {
        "name": in_words(tool.leaf),
        "description": f"{title} {tool.description}" if isinstance(title, str) else tool.description,
        "slots": " ".join(_slot_texts(tool)),
        "server": in_words(tool.server),
        "tags": " ".join(tool.tags),
        "extra_context": tool.extra_context,
        "function_description": profile.function_description,
        "when_to_use": profile.when_to_use,
        "limitations": profile.limitations,
        "profile_tags": " ".join(profile.tags),
    }
    return {name: text.strip()[:_MOST_CHARACTERS] for name, text in parts.items()}


def _slot_texts(tool: Tool) -> Iterator[str]:
    for name, schema in as_object(tool.parameters.get("properties")).items():
        yield from _schema_texts(name, resolve(schema, tool.parameters), tool.parameters, _DEPTH)


def _schema_texts(name: str, schema: JsonSchema, root: JsonSchema, depth: int) -> Iterator[str]:
    """Name, description and enum values of a property, then those below it; ends at a depth, so cycles do too."""
    if name:
        yield in_words(name)
    if isinstance(description := schema.get("description"), str) and description:
        yield description
    if isinstance(values := schema.get("enum"), list):
        yield from map(str, cast(list[Any], values)[:_ENUM_VALUES])
    if depth > 0:
        if isinstance(below := schema.get("properties"), dict):
            for key, value in cast(dict[str, Any], below).items():
                yield from _schema_texts(str(key), resolve(value, root), root, depth - 1)
        if isinstance(items := schema.get("items"), dict):
            yield from _schema_texts("", resolve(items, root), root, depth - 1)
