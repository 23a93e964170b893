"""The line on which each operation of an OpenAPI text begins, worked out only when a message needs it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from toolcurator.sources.openapi.document import METHODS

Lines = dict[tuple[str, str], int]
"""Path and method in upper case (empty for the path itself) → line, from 1."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def operation_lines(text: str, *, yaml: bool) -> Lines:
    """Find the operations in a text that is known to be JSON, or YAML, of an OpenAPI document."""
    return _yaml_lines(text) if yaml else _json_lines(text)


def _json_lines(text: str) -> Lines:
    starts = [match.end() for match in re.finditer("\n", text)]
    lines: Lines = {}
    for key, _, value in _members(text, _skip(text, 0)):
        if key != "paths":
            continue
        for path, at, item in _members(text, value):
            lines[path, ""] = bisect_right(starts, at) + 1
            for method, place, _ in _members(text, item):
                if method in METHODS:
                    lines[path, method.upper()] = bisect_right(starts, place) + 1
    return lines


def _members(text: str, index: int) -> Iterator[tuple[str, int, int]]:
    """The members of the object at an index: key, where the key stands, where the value stands. Nothing if it is no object."""
    if text[index : index + 1] != "{":
        return
    while text[index] != "}":
        place = _skip(text, index + 1)  # past "{" or ","
        if text[place] == "}":
            return
        key, index = _DECODER.raw_decode(text, place)
        value = _skip(text, _skip(text, index) + 1)  # past ":"
        yield key, place, value
        index = _skip(text, _DECODER.raw_decode(text, value)[1])


def _skip(text: str, index: int) -> int:
    space = _SPACE.match(text, index)
    return space.end() if space else index


def _yaml_lines(text: str) -> Lines:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    lines: Lines = {}
    for key, paths in _pairs(loader.get_single_node()):
        if key.value != "paths":
            continue
        for path, item in _pairs(paths):
            lines[path.value, ""] = path.start_mark.line + 1
            for method, _ in _pairs(item):
                if method.value in METHODS:
                    lines[path.value, method.value.upper()] = method.start_mark.line + 1
    return lines


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    import yaml

    return node.value if isinstance(node, yaml.MappingNode) else []
