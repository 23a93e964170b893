"""Types as people and Python write them (``str, optional``, ``List[int]``, ``(city: str)``) → JSON Schema."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from toolcurator.tool import JsonSchema

TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_ALIASES = {
    "str": "string", "text": "string", "char": "string", "date": "string", "datetime": "string", "bytes": "string",
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "set": "array", "sequence": "array", "iterable": "array",
    "dict": "object", "map": "object", "mapping": "object", "json": "object", "none": "null", "nonetype": "null",
}  # fmt: skip


_NESTING = re.compile(r"[\[({'\"]")


def type_words(words: str) -> tuple[JsonSchema, bool]:
    """A type as people and Python write it → schema, and whether the words call the argument optional.

    ``List[int]`` → array of integers; ``str, optional, default='x'`` → string with default, optional; unknown → ``{}``.
    """
    base, *notes = _split(words)
    schema = base_type(base)
    optional = any(note.lower().startswith(("optional", "default")) for note in notes)
    for note in notes:
        if found := re.match(r"default\s*[=:]?\s*(.+)", note, re.IGNORECASE):
            schema = {**schema, "default": _literal(found[1])}
    return schema, optional


def signature(text: str) -> tuple[JsonSchema, list[str]] | None:
    """``(city: str, days: int = 3)`` → properties, and the names without a default; None if it is no signature."""
    text = text.strip()
    if not text.startswith("("):
        return None
    try:
        statement = ast.parse(f"def f{text.rstrip(':')}: ...").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(statement, ast.FunctionDef):
        return None
    arguments = statement.args
    plain = [*arguments.posonlyargs, *arguments.args]
    named = [*plain, *arguments.kwonlyargs]
    defaults = {each.arg: value for each, value in zip(reversed(plain), reversed(arguments.defaults), strict=False)}
    defaults |= {
        each.arg: value for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    }
    properties = {
        each.arg: _from_expression(each.annotation) if each.annotation else {} for each in named if each.arg != "self"
    }
    return properties, [name for name in properties if name not in defaults]


def base_type(word: str) -> JsonSchema:
    """One type without notes (``List[int]``) → schema; ``{}`` if the word names none."""
    name = word.strip().lower()
    if name in TYPES:
        return {"type": name}
    if name in _ALIASES:
        return {"type": _ALIASES[name]}
    try:
        return _from_expression(ast.parse(word.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _from_expression(node: ast.expr) -> JsonSchema:
    """A Python annotation, as syntax → schema."""
    if isinstance(node, ast.Constant):
        return {"type": "null"} if node.value is None else base_type(node.value) if isinstance(node.value, str) else {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _any_of([node.left, node.right])
    if isinstance(node, ast.Subscript):
        return _from_subscript(node)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    kind = name.lower() if name.lower() in TYPES else _ALIASES.get(name.lower())
    return {"type": kind} if kind else {}


def _from_subscript(node: ast.Subscript) -> JsonSchema:
    outer = node.value
    name = (outer.attr if isinstance(outer, ast.Attribute) else outer.id if isinstance(outer, ast.Name) else "").lower()
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "literal":
        return {"enum": [each.value for each in inner if isinstance(each, ast.Constant)]}
    if name == "union":
        return _any_of(inner)
    if name == "optional":
        return _any_of([*inner, ast.Constant(value=None)])
    kind = _ALIASES.get(name)
    if kind == "array":
        members = [_from_expression(each) for each in inner if not _is_ellipsis(each)]
        same = bool(members) and all(each == members[0] for each in members)
        return {"type": "array", "items": members[0]} if same and members[0] else {"type": "array"}
    if kind == "object" and len(inner) == 2 and (values := _from_expression(inner[1])):
        return {"type": "object", "additionalProperties": values}
    return {"type": kind} if kind else {}


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _any_of(nodes: Sequence[ast.expr]) -> JsonSchema:
    choices = [_from_expression(each) for each in nodes]
    if all(choice.keys() == {"type"} and isinstance(choice["type"], str) for choice in choices):
        return {"type": list(dict.fromkeys(choice["type"] for choice in choices))}
    return {"anyOf": choices} if all(choices) else {}


def _split(words: str) -> list[str]:
    """Split at commas outside brackets and quotes."""
    if not _NESTING.search(words):
        return [part.strip() for part in words.split(",")]
    parts: list[str] = []
    depth, quote, start = 0, "", 0
    for index, char in enumerate(words):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "[({":
            depth += 1
        elif char in "])}":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(words[start:index].strip())
            start = index + 1
    return [*parts, words[start:].strip()]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
