"""Argument values as text, the way OpenAPI says that lists and objects are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

_SEPARATORS = {"spaceDelimited": " ", "pipeDelimited": "|", "ssv": " ", "tsv": "\t", "pipes": "|", "csv": ","}


def as_text(value: Any) -> str:
    """One value as text: numbers and truth values as JSON writes them, nothing as an empty text."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def as_pairs(name: str, value: Any, place: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A query, cookie or form argument as name and text, several if it is a list that is repeated.

    Args:
        name: Its name on the wire.
        value: Its value.
        place: ``style``, ``explode`` and ``collectionFormat`` as declared; without them lists are repeated (OpenAPI 3).
    """
    style, explode = _manner(place, "form")
    if isinstance(value, list):
        texts = list(map(as_text, cast("list[Any]", value)))
        return [(name, text) for text in texts] if explode else [(name, _SEPARATORS.get(style, ",").join(texts))]
    if isinstance(value, dict):
        inner = {str(key): as_text(each) for key, each in cast("dict[Any, Any]", value).items()}
        if style == "deepObject":
            return [(f"{name}[{key}]", text) for key, text in inner.items()]
        if "style" in place or "explode" in place:
            return list(inner.items()) if explode else [(name, ",".join(_flat(inner)))]
    return [(name, as_text(value))]


def as_part(value: Any, place: Mapping[str, Any]) -> list[str]:
    """A path or header argument (style ``simple``) as the texts that commas join."""
    _, explode = _manner(place, "simple")
    if isinstance(value, list):
        return list(map(as_text, cast("list[Any]", value)))
    if isinstance(value, dict):
        inner = {str(key): as_text(each) for key, each in cast("dict[Any, Any]", value).items()}
        return [f"{key}={text}" for key, text in inner.items()] if explode else _flat(inner)
    return [as_text(value)]


def _manner(place: Mapping[str, Any], default: str) -> tuple[str, bool]:
    declared = place.get("collectionFormat")
    style = declared if isinstance(declared, str) else str(place.get("style", default))
    return style, place.get("explode", style in ("form", "multi", "deepObject")) is True


def _flat(inner: Mapping[str, str]) -> list[str]:
    return [text for pair in inner.items() for text in pair]
