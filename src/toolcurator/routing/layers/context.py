"""Greetings, thanks, and questions about the conversation itself: answered without a model."""

from __future__ import annotations

import re
from collections.abc import Callable

from toolcurator.routing.conversation import LANGUAGES
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.phrases import phrase
from toolcurator.routing.turn import Turn

_KINDS = {
    "hello": (
        r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: there| everyone| all)?",
        r"(?:tere(?: hommikust| õhtust| päevast)?|tervist|hommikust)",
        r"(?:здравствуй(?:те)?|привет|добрый (?:день|вечер)|доброе утро)",
    ),
    "thanks": (
        r"(?:thanks?(?: you)?|thx|cheers)(?: (?:very much|a lot|so much))?",
        r"(?:suur )?(?:aitäh|tänan)(?: väga)?",
        r"(?:большое )?(?:спасибо|благодарю)(?: большое)?",
    ),
    "bye": (r"(?:good)?bye|see you", r"head aega|nägemist|tšau", r"до свидания|пока"),
    "able": (
        r"what (?:can|do) you (?:do|offer)(?: for me)?|what can (?:i ask|you help)(?: (?:you|me))?(?: with)?|who are you|help",
        r"mida (?:sa oskad|te oskate|sa teed|te teete)|millega (?:sa saad|te saate) aidata|kes (?:sa oled|te olete)|abi",
        r"что (?:ты|вы) (?:умеешь|умеете|можешь|можете)|кто (?:ты|вы)|помощь",
    ),
    "you_said": (
        r"what did i (?:just )?(?:say|ask)(?: you| before)?",
        r"mida ma (?:just )?(?:ütlesin|küsisin)",
        r"что я (?:только что )?(?:сказал|спросил)а?",
    ),
}
_PATTERNS = [
    (kind, language, re.compile(rf"^\W*(?:{body})\W*$", re.IGNORECASE))
    for kind, bodies in _KINDS.items()
    for language, body in zip(LANGUAGES, bodies, strict=True)
]


class Context:
    """Answers what is about the conversation and not about any tool.

    Args:
        able: Says what the router can do, for a role and in words; None says so without examples.
    """

    name = "context"

    def __init__(self, able: Callable[[str | None], str] | None = None) -> None:
        self._able = able

    async def answer(self, turn: Turn) -> Outcome | None:
        """See `toolcurator.routing.turn.Layer`."""
        found = next(((kind, of) for kind, of, pattern in _PATTERNS if pattern.match(turn.message)), None)
        if found is None:
            return None
        kind, spoken = found
        what = ""
        if kind == "able":
            if self._able is None:
                return None
            what = self._able(turn.role)
        elif kind == "you_said":
            before = turn.conversation.said()
            kind, what = ("you_said", before[-1]) if before else ("nothing_said", "")
        return Outcome(
            "answered",
            phrase(kind, turn.conversation.language or spoken, what=what),
            self.name,
            why=f"a message of the kind {kind}",
        )
