"""What is known of a conversation between two turns: what was said, and which tool waits for an answer."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal

from toolcurator.lexical.english import STOP_WORDS
from toolcurator.lexical.language import detect_language
from toolcurator.routing.slots import Slots

LANGUAGES = ("en", "et", "ru")
"""Languages that we answer in; any other is answered in English."""

_FEWEST = 12  # letters; a shorter message does not say in what language it is


@dataclass(frozen=True, slots=True)
class Pending:
    """A tool that waits for the user.

    Attributes:
        tool: Its id.
        slots: What is known so far.
        waits_for: ``slots`` that are missing, a ``yes``, or a ``choice`` between tools.
        choice: Ids of the tools to choose from.
        query: What the user said at first.
        title: What a person calls the tool, to say so if it is offered no longer.
    """

    tool: str
    slots: Slots
    waits_for: Literal["slots", "yes", "choice"]
    choice: tuple[str, ...] = ()
    query: str = ""
    title: str = ""


@dataclass
class Conversation:
    """One conversation. The router changes it; keep it between the turns, one turn at a time.

    Attributes:
        id: Signed actions are bound to it.
        language: ISO 639-1 code of the user's language; empty follows what the user writes.
        turns: (role, message), the latest last; role is ``user`` or ``assistant``.
        pending: The tool that waits; None if none does.
        waiting: What else the user asked for in the same message, in order: served once nothing is pending.
        last: The last call, for follow-ups such as "and for yen?".
    """

    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    language: str = ""
    turns: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    pending: Pending | None = None
    waiting: list[Pending] = field(default_factory=list[Pending])
    last: Pending | None = None

    def speaks(self, message: str, otherwise: str = "en") -> str:
        """The language to answer a message in: ``en``, ``et`` or ``ru``.

        Args:
            message: What the user says now.
            otherwise: The catalogue's language, for a message that might be in any.
        """
        found = self.language
        if not found:
            said = [message, *(text for role, text in reversed(self.turns) if role == "user")]
            long = next((text for text in said if sum(map(str.isalpha, text)) >= _FEWEST), message)
            found = detect_language([long])
            if found == "en" and STOP_WORDS.isdisjoint(long.lower().split()):  # nothing shows that it is English
                found = otherwise
        return found if found in LANGUAGES else "en"

    def said(self) -> list[str]:
        """What the user said before, the latest last."""
        return [text for role, text in self.turns if role == "user"]
