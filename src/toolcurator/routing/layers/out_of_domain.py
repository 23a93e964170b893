"""The last layer: says politely what the catalogue can do."""

from __future__ import annotations

from collections.abc import Callable

from toolcurator.routing.outcome import Outcome
from toolcurator.routing.phrases import phrase
from toolcurator.routing.turn import Turn


class OutOfDomain:
    """Declines what nothing else has answered.

    Args:
        able: Says what the router can do, for a role and in words.
    """

    name = "out_of_domain"

    def __init__(self, able: Callable[[str | None], str]) -> None:
        self._able = able

    async def answer(self, turn: Turn) -> Outcome | None:
        """See `toolcurator.routing.turn.Layer`."""
        if (failed := turn.failure) is not None:
            return Outcome(
                "failed_before", phrase("failed_before", turn.language), self.name, failed.tool, why=failed.why
            )
        text = phrase("decline", turn.language, what=self._able(turn.role))
        return Outcome("declined", text, self.name, why="no tool fits, and no other layer answers")
