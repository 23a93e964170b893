"""How queries are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Reader:
    """How queries are read.

    Attributes:
        language: ISO 639-1 code of the users' language; words of all three languages are understood in any case.
        now: What "tomorrow" is relative to; None is the present moment, local time.
        synonyms: The catalogue's own: a word of a schema → what people say.
        lenient: Whether a missing required slot becomes an empty text, as in the third seed.
    """

    language: str = ""
    now: datetime | None = None
    synonyms: Mapping[str, Sequence[str]] | None = None
    lenient: bool = False


DEFAULT = Reader()
