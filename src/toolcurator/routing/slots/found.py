"""What is found in a query: mentions of values, and the slots they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mention:
    """A value that stands in a text.

    Attributes:
        kind: ``date``, ``time``, ``number``, ``currency``, ``place``, ``address``, ``code``, ``email``, ...
        value: Normalized: an ISO date, a number, a currency code.
        start: First character.
        end: Behind the last one.
        role: ``from``, ``to``, ``at`` or ``until``, as case endings and prepositions say; empty if nothing does.
        unit: What a number counts, as a plain word or a currency code.
        sure: From 0 to 1: how clearly it is what it seems.
        note: How something ambiguous was read.
    """

    kind: str
    value: Any
    start: int
    end: int
    role: str = ""
    unit: str = ""
    sure: float = 1.0
    note: str = ""

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.start, self.end

    def touches(self, other: Mention) -> bool:
        """Whether two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Slots:
    """The arguments of one call, as far as they are known.

    Attributes:
        values: Slot → JSON value, in the order the tool declares them.
        spans: Slot → where in the query its value stands.
        missing: Required slots without a value.
        ignored: Given names that the tool does not know, with their values.
        said: Notes: what could not be filled or read, and how something ambiguous was read.
        normalized_from: Slot → the text its value was made of, where they differ.
    """

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    spans: Mapping[str, Span] = field(default_factory=dict[str, Span])
    missing: tuple[str, ...] = ()
    ignored: Mapping[str, Any] = field(default_factory=dict[str, Any])
    said: tuple[str, ...] = ()
    normalized_from: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def complete(self) -> bool:
        """Whether the tool can be called."""
        return not self.missing
