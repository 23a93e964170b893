"""Names and texts of an OpenAPI document: what a tool is called, what its server is called, what is said of them."""

from __future__ import annotations

import re
from typing import Any

_LONGEST_SERVER = 40
_READS = frozenset(
    "calculate check compute convert count describe estimate explain export fetch find get list lookup match parse predict"
    " preview query read recognize render resolve retrieve search suggest test translate validate verify view".split()
)
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def text(value: Any) -> str:
    """The value if it is text, stripped; else nothing."""
    return value.strip() if isinstance(value, str) else ""


def short(value: Any, longest: int) -> str:
    """The first paragraph of a text, in one line of at most so many characters, cut at a word."""
    line = " ".join(text(value).split("\n\n", 1)[0].split())
    return line if len(line) <= longest else f"{line[: longest - 1].rsplit(' ', 1)[0]}…"


def description_of(*parts: Any) -> str:
    """Summary and description together, the author's own words; one that repeats the other counts once."""
    said: list[str] = []
    for part in map(text, parts):
        if part and not any(part in other for other in said):
            said = [other for other in said if other.rstrip(".") not in part]
            said.append(part)
    return "\n".join([*(part if part[-1] in ".!?:>" else f"{part}." for part in said[:-1]), *said[-1:]])


def path_name(method: str, path: str) -> str:
    """A name for an operation that has none: ``GET /users/{id}`` → ``get_users_by_id``."""
    words = re.findall(r"[^\W_]+(?:_+[^\W_]+)*", re.sub(r"\{([^{}]*)\}", r" by \1 ", path))
    return "_".join([method.lower(), *(words or ["root"])])


def server_name(title: str) -> str:
    """A title as a short server name: ``Swagger Petstore - OpenAPI 3.0`` → ``swagger_petstore_openapi_3_0``."""
    name = "_".join(_WORD.findall(title.casefold()))
    return (
        name
        if len(name) <= _LONGEST_SERVER
        else name[: _LONGEST_SERVER + 1].rpartition("_")[0] or name[:_LONGEST_SERVER]
    )


def side_effect(method: str, path: str, name: str) -> bool | None:
    """Whether an operation changes something.

    GET, HEAD, OPTIONS and TRACE are safe by RFC 9110; PUT, PATCH and DELETE change. POST changes too, unless the first
    word of its name or the last part of its path is a word of reading (``search``, ``validate``): then it is unknown.
    """
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        return False
    if method == "POST":
        fixed = [part for part in re.split(r"[/:.]", path) if part and "{" not in part]
        words = [_words(name)[:1], _words(fixed[-1])[:1] if fixed else []]
        if any(word in _READS for found in words for word in found):
            return None
    return True


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", name))]
