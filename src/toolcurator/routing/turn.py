"""One message on its way through the layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from toolcurator.retrieval import Curator
from toolcurator.routing.call import Caller
from toolcurator.routing.calls.result import Failed
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.decide import Decision
from toolcurator.routing.events import Event
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.understanding import Understand


def _unheard(event: Event) -> None:
    pass


@dataclass(frozen=True)
class Serving:
    """What a turn is served with: one catalogue from its first step to its last, whatever changes meanwhile.

    Attributes:
        curator: Finds its tools.
        understand: Decides, and finds tools and arguments in that catalogue.
        caller: Calls them.
    """

    curator: Curator
    understand: Understand
    caller: Caller


@dataclass
class Turn:
    """One message of a user.

    Attributes:
        message: What the user says.
        conversation: What was said before.
        role: The persona; None is the operator.
        action: The token of a button the user chose; empty for a message that was typed (pitfall C15).
        language: To answer in.
        say: Takes the events of the turn as they happen.
        decision: What was decided; set by the layer that decides.
        failure: A call that failed before it could change anything: a later layer may answer instead (pitfall C13).
        path: What was gone through, in order.
        tokens: ``input``, ``output`` → tokens of language models.
        serving: The tools of this turn, where there are any.
    """

    message: str
    conversation: Conversation
    role: str | None = None
    action: str = ""
    language: str = "en"
    say: Callable[[Event], None] = _unheard
    decision: Decision | None = None
    failure: Failed | None = None
    path: list[str] = field(default_factory=list[str])
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    serving: Serving | None = None


class Layer(Protocol):
    """One that may answer. Layers are asked in order; the first that does not decline ends the turn."""

    name: str

    async def answer(self, turn: Turn) -> Outcome | None:
        """Answer a turn.

        Returns:
            What became of it; None leaves it to the next layer.
        """
        ...
