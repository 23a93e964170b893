"""What became of a call: the tool answered, or it failed before or after it could have changed something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FailedKind = Literal[
    "arguments",  # they do not fit the tool
    "unconfirmed",  # it may change something, and nobody said yes
    "refused",  # our own rules do not let it go out: host, address, redirect, secret, state, role
    "unreachable",  # no connection, or one that broke
    "timeout",
    "status",  # the service answered with an error
    "answer",  # the service answered with something that is not what it says
    "tool",  # the function raised, or the MCP tool reports an error
]


@dataclass(frozen=True)
class Button:
    """Something that the user may choose next.

    Attributes:
        title: What stands on it.
        tool: Id of the tool it calls; empty for one that only says ``text``.
        arguments: With which arguments.
        text: What the user says by choosing it. It is text like any other, never a command (pitfall C15).
        token: Signed by `toolcurator.routing.actions.Actions`; without one it calls nothing.
    """

    title: str
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    token: str = ""


@dataclass(frozen=True)
class Called:
    """The tool answered.

    Attributes:
        tool: Id of the tool.
        text: What it says, for a model or a person; content that is no text stands as a note in brackets.
        structured: The same as a JSON value, if it gives one.
        buttons: What the user may choose next, unsigned.
        content_type: As the service declared it; empty if it did not.
        status: HTTP status; 0 for other kinds.
        cut: The answer was longer than the limit, and what lies beyond is missing.
        ms: Milliseconds, all tries together.
    """

    tool: str
    text: str
    structured: Any = None
    buttons: tuple[Button, ...] = ()
    content_type: str = ""
    status: int = 0
    cut: bool = False
    ms: float = 0.0


@dataclass(frozen=True)
class Failed:
    """The call failed.

    Attributes:
        tool: Id of the tool.
        why: One sentence, without secrets, fit for a log and a model.
        before_effect: Nothing can have changed: it was not sent, it was turned down, or the tool only reads. If False, the
            tool may have done what it does, and the turn ends here: no second try, no other layer (pitfall C13).
        kind: What went wrong.
        status: HTTP status; 0 if there was none.
        missing: Names of required arguments that are not there.
        ms: Milliseconds, all tries together.
    """

    tool: str
    why: str
    before_effect: bool
    kind: FailedKind
    status: int = 0
    missing: tuple[str, ...] = ()
    ms: float = 0.0

    @property
    def may_fall_through(self) -> bool:
        """Whether another layer may answer instead."""
        return self.before_effect


CallOutcome = Called | Failed
