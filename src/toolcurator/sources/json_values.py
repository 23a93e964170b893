"""JSON values: narrowed for the type checker, and named in words for people."""

from __future__ import annotations

from typing import Any, cast


def as_object(value: object) -> dict[str, Any] | None:
    """The value itself if it is a JSON object, else None."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_array(value: object) -> list[Any] | None:
    """The value itself if it is a JSON array, else None."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def in_words(value: object) -> str:
    """What kind of JSON value this is, with its article (``"a string"``)."""
    if value is None:
        return "null"
    for kinds, words in (
        (bool, "a boolean"),
        (str, "a string"),
        ((int, float), "a number"),
        ((list, tuple, set, frozenset), "a list"),
        (dict, "an object"),
    ):
        if isinstance(value, kinds):
            return words
    return f"a {type(value).__name__}"
