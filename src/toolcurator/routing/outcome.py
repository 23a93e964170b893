"""What became of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcurator.routing.calls.result import Button
from toolcurator.routing.decide import Decision

OutcomeKind = Literal["answered", "asked", "declined", "failed_before", "failed_after"]


@dataclass(frozen=True)
class Outcome:
    """What became of a turn.

    Attributes:
        kind: ``answered``; ``asked`` the user something; ``declined``, since nothing here can serve it; ``failed_before`` or
            ``failed_after`` a tool could have changed something (pitfall C13).
        text: For the user, in the user's language.
        layer: Name of the layer that it came from.
        tool: Id of the tool it is about; empty if it is about none.
        slots: The tool's arguments as far as they are known.
        missing: Names of the slots that were asked for.
        buttons: What the user may choose; those that call a tool are signed.
        structured: The tool's answer as a JSON value, if it gave one.
        decision: The decision of the turn; None for a button, or an answer to a question.
        why: How it came about, in words, for developers.
        ms: Milliseconds.
        parts: What each tool's part of the turn came to, where it served several; ``text`` joins theirs, and ``tool``,
            ``slots`` and ``missing`` are those of the one that asks or failed, else of the first.
    """

    kind: OutcomeKind
    text: str
    layer: str = ""
    tool: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    structured: Any = None
    decision: Decision | None = None
    why: str = ""
    ms: float = 0.0
    parts: tuple[Outcome, ...] = ()
