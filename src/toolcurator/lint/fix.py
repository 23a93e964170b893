"""What can be put right without thinking: invisible characters, white space, examples that stand twice."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolcurator.lint.credentials import redact
from toolcurator.lint.finding import visible
from toolcurator.lint.hidden import stripped
from toolcurator.tool import Tool, as_object

_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_WITHIN = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_EMPTY = re.compile(r"\n{3,}")
_CODE = re.compile(r"^```|^ {4,}\S|^\t|^\s*\|", re.MULTILINE)
_SPOKEN = ("description", "title")
_NAMED = ("properties", "$defs", "definitions", "patternProperties")


@dataclass(frozen=True, slots=True)
class Change:
    """What one field was, and what it is now.

    Attributes:
        tool: Id of the tool.
        where: The field.
        old: What stood there.
        new: What stands there now.
    """

    tool: str
    where: str
    old: str
    new: str

    def diff(self) -> list[str]:
        """Lines with ``-`` and ``+``; invisible characters are spelled out, secrets masked."""
        old, new = (visible(redact(text)).split("\n") for text in (self.old, self.new))
        return [
            line
            for line in difflib.unified_diff(old, new, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))
        ]


def fixed(tools: Iterable[Tool]) -> tuple[tuple[Tool, ...], tuple[Change, ...]]:
    """Put right what is mechanical. Names and ids stay as they are, since callers know them; so do values.

    Args:
        tools: The tools.

    Returns:
        All tools in their order, and what changed.
    """
    changes: list[Change] = []
    result: list[Tool] = []
    for tool in tools:
        new = _fixed(tool)
        if new != tool:
            changes += _changes(tool, new)
        result.append(new)
    return tuple(result), tuple(changes)


def tidy(text: str) -> str:
    """A text without invisible characters and superfluous white space; code blocks and tables keep their columns."""
    text = _TRAILING.sub("", stripped(text.replace("\r\n", "\n"))).strip()
    if not _CODE.search(text):
        text = _WITHIN.sub(" ", text)
    return _EMPTY.sub("\n\n", text)


def _fixed(tool: Tool) -> Tool:
    examples = tuple(dict.fromkeys(text for example in tool.examples if (text := tidy(example))))
    update: dict[str, Any] = {
        "description": tidy(tool.description),
        "parameters": _schema(tool.parameters),
        "examples": examples,
        "tags": tuple(dict.fromkeys(text for tag in tool.tags if (text := tidy(tag)))),
        "extra_context": tidy(tool.extra_context),
    }
    if tool.declaration is not None:  # what goes out again says the same
        body = cast("dict[str, Any]", _declared(tool.declaration.body))
        update["declaration"] = tool.declaration.model_copy(update={"body": body})
    # a frozen model keeps what it has worked out from the old fields, so the copy is made anew
    changed = {name: value for name, value in update.items() if value != getattr(tool, name)}
    return Tool(**{**{name: getattr(tool, name) for name in Tool.model_fields}, **changed}) if changed else tool


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema with its descriptions and titles tidied, wherever they stand; names and values are left."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _SPOKEN and isinstance(value, str):
            result[key] = tidy(value)
        elif key in _NAMED and isinstance(value, dict):
            result[key] = {name: _below(below) for name, below in cast("dict[str, Any]", value).items()}
        elif key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "prefixItems"):
            result[key] = _below(value)
        else:
            result[key] = value
    return result


def _below(value: Any) -> Any:
    if isinstance(value, dict):
        return _schema(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return [_below(each) for each in cast("list[Any]", value)]
    return value


def _declared(value: Any) -> Any:
    """A provider's declaration: its own description, and the schema in it."""
    if not isinstance(value, dict):
        return value
    result: dict[str, Any] = {}
    for key, each in cast("dict[str, Any]", value).items():
        if key in _SPOKEN and isinstance(each, str):
            result[key] = tidy(each)
        elif key == "function":
            result[key] = _declared(each)
        elif key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema"):
            result[key] = _below(each)
        else:
            result[key] = each
    return result


def _changes(old: Tool, new: Tool) -> Iterator[Change]:
    for field in ("description", "extra_context"):
        if getattr(old, field) != getattr(new, field):
            yield Change(old.id, field, getattr(old, field), getattr(new, field))
    for field in ("examples", "tags"):
        if getattr(old, field) != getattr(new, field):
            yield Change(old.id, field, "\n".join(getattr(old, field)), "\n".join(getattr(new, field)))
    yield from _schema_changes(old.id, "slots", old.parameters, new.parameters)


def _schema_changes(tool: str, where: str, old: Any, new: Any) -> Iterator[Change]:
    if old == new:
        return
    if isinstance(old, str):
        yield Change(tool, where, old, str(new))
    elif isinstance(old, list):
        for number, (one, other) in enumerate(zip(cast("list[Any]", old), cast("list[Any]", new), strict=True)):
            yield from _schema_changes(tool, f"{where}[{number}]", one, other)
    else:
        for key, value in as_object(old).items():
            place = where if key == "properties" else f"{where}.{key}"
            yield from _schema_changes(tool, place, value, as_object(new).get(key))
