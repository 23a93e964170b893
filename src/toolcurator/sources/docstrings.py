"""Docstrings in Google, NumPy and reST style → what a function is for, and what each argument means."""

from __future__ import annotations

import inspect
import re

_GOOGLE = re.compile(
    r"(?:args|arguments|parameters|params|keyword arg(?:ument)?s|other parameters|returns?|yields?|raises|warns|"
    r"attributes|examples?|notes?|references|see also|todo|warnings?)\s*:\s*$",
    re.IGNORECASE,
)
_ARGUMENTS = re.compile(
    r"(?:args|arguments|parameters|params|keyword arg(?:ument)?s|other parameters)\s*:?\s*$", re.IGNORECASE
)
_GOOGLE_ITEM = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_REST = re.compile(r"[:@](?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
_REST_OTHER = re.compile(r"[:@](?:\w+)(?:\s+[^:]*)?:")


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Split a docstring.

    Args:
        text: The docstring as it stands in the source; None if there is none.

    Returns:
        The description (everything before the first section, paragraphs kept), and name → meaning of the arguments.
    """
    lines = inspect.cleandoc(text or "").splitlines()
    description: list[str] = []
    arguments: dict[str, str] = {}
    index, started = 0, False
    while index < len(lines):
        line = lines[index]
        underlined = index + 1 < len(lines) and bool(re.fullmatch(r"\s*-{3,}\s*", lines[index + 1]))
        if found := _REST.match(line.strip()):
            started = True
            end = _end_of_item(lines, index + 1)
            arguments[found[1]] = _join([found[2], *lines[index + 1 : end]])
            index = end
        elif _REST_OTHER.match(line) and not line.startswith(("::", ":`")):
            started = True
            index = _end_of_item(lines, index + 1)
        elif underlined or (_GOOGLE.match(line) and not line.startswith(" ")):
            started = True
            start = index + (2 if underlined else 1)
            end = _end_of_section(lines, start, underlined)
            if _ARGUMENTS.match(line):
                arguments |= _numpy(lines[start:end]) if underlined else _google(lines[start:end])
            index = end
        else:
            if not started:
                description.append(line)
            index += 1
    return _paragraphs(description), arguments


def _google(lines: list[str]) -> dict[str, str]:
    """``name (type): meaning``, continued on deeper lines."""
    body = inspect.cleandoc("\n".join(["", *lines])).splitlines()
    return _items(body, _GOOGLE_ITEM)


def _numpy(lines: list[str]) -> dict[str, str]:
    """``name : type``, the meaning on deeper lines."""
    return _items(lines, _NUMPY_ITEM)


def _items(lines: list[str], head: re.Pattern[str]) -> dict[str, str]:
    items: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        found = None if line.startswith((" ", "\t")) else head.match(line)
        if found:
            current = [found[2]] if head.groups > 1 else []
            for name in found[1].split(","):
                items[name.strip().lstrip("*")] = current
        else:
            current.append(line)
    return {name: _join(parts) for name, parts in items.items()}


def _end_of_section(lines: list[str], start: int, underlined: bool) -> int:
    for index in range(start, len(lines)):
        line = lines[index]
        if underlined:
            if index + 1 < len(lines) and line.strip() and re.fullmatch(r"\s*-{3,}\s*", lines[index + 1]):
                return index
        elif line and not line.startswith((" ", "\t")):
            return index
    return len(lines)


def _end_of_item(lines: list[str], start: int) -> int:
    for index in range(start, len(lines)):
        if not lines[index].startswith((" ", "\t")):
            return index
    return len(lines)


def _join(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _paragraphs(lines: list[str]) -> str:
    """Lines of one paragraph joined, an empty line between paragraphs."""
    parts = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return "\n\n".join(_join([part]) for part in parts if part.strip())
