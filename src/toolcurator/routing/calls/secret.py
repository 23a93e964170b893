"""Secrets by name: a tool names one, and only here does its value come in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import cast

SECRET_PREFIX = "TOOLCURATOR_SECRET_"  # noqa: S105  the name of a variable, no secret
_LEAST = 6  # a shorter text is found in too much else to be taken out
MASK = "•••"


class Secrets:
    """Gives the value of a named secret. Neither its text form nor any message shows one.

    Args:
        source: Name → value; a function from a name to a value or None; or None for the environment, where the secret
            ``deskKey`` is ``TOOLCURATOR_SECRET_DESKKEY``.
    """

    def __init__(self, source: Mapping[str, str] | Callable[[str], str | None] | None = None) -> None:
        self._source = cast("Mapping[str, str]", source).get if isinstance(source, Mapping) else source

    def value(self, name: str) -> str | None:
        """The secret of that name, None if there is none."""
        if self._source is None:
            return os.environ.get(variable(name)) or None
        return self._source(name) or None

    def __repr__(self) -> str:
        return "Secrets()"


def variable(name: str) -> str:
    """The environment variable of a secret."""
    return SECRET_PREFIX + re.sub(r"\W", "_", name, flags=re.ASCII).upper()


def masked(text: str, values: tuple[str, ...]) -> str:
    """A text without the values of secrets, which a service may send back."""
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= _LEAST:
            text = text.replace(value, MASK)
    return text
