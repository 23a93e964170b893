"""What happens in a turn, as typed events: numbered, kept for a while, and always ended."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from toolcurator.errors import ToolCuratorError
from toolcurator.routing.calls.result import Button

_log = logging.getLogger(__name__)


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int = 0  # given by the stream, from 1


class DecisionEvent(_Event):
    """What was decided, before any language model was asked.

    Attributes:
        decision: ``match``, ``ambiguous`` or ``none``.
        tool: Id of the tool it is about; empty for none.
        probability: That the tool is right; None if it is not calibrated.
        candidates: Ids of the tools that may be meant, best first.
    """

    type: Literal["decision"] = "decision"
    decision: Literal["match", "ambiguous", "none"]
    tool: str = ""
    probability: float | None = None
    candidates: tuple[str, ...] = ()


class SlotsEvent(_Event):
    """The arguments that were understood.

    Attributes:
        tool: Id of the tool.
        slots: Name → value.
        missing: Names of required ones that are not there.
    """

    type: Literal["slots"] = "slots"
    tool: str
    slots: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()


class ToolCallEvent(_Event):
    """A tool is being called now."""

    type: Literal["tool_call"] = "tool_call"
    tool: str
    arguments: Mapping[str, Any] = Field(default_factory=dict[str, Any])


class TokenEvent(_Event):
    """The next piece of the answer."""

    type: Literal["token"] = "token"
    text: str


class ResultEvent(_Event):
    """The whole answer. Where tokens came before, they are the same text.

    Attributes:
        text: For the user.
        structured: The same as a JSON value, if there is one.
        tool: Id of the tool it came from; empty if another layer answered.
        layer: Name of the layer that answered.
        buttons: What the user may choose next.
    """

    type: Literal["result"] = "result"
    text: str
    structured: Any = None
    tool: str = ""
    layer: str = ""
    buttons: tuple[Button, ...] = ()


class QuestionEvent(_Event):
    """The user is asked: for what is missing, which tool is meant, or for a yes.

    Attributes:
        text: The question.
        tool: Id of the tool that waits.
        missing: Names of the slots that are asked for.
        buttons: What the user may choose.
    """

    type: Literal["question"] = "question"
    text: str
    tool: str = ""
    missing: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()


class ErrorEvent(_Event):
    """Something failed.

    Attributes:
        message: One sentence without secrets.
        before_effect: Nothing can have changed.
        tool: Id of the tool; empty if none was being called.
    """

    type: Literal["error"] = "error"
    message: str
    before_effect: bool = True
    tool: str = ""


class EndEvent(_Event):
    """The last event of every stream, and of nothing else (pitfall C16).

    Attributes:
        outcome: ``answered``, ``asked``, ``declined`` or ``failed``.
    """

    type: Literal["end"] = "end"
    outcome: str = "answered"


Event = Annotated[
    DecisionEvent | SlotsEvent | ToolCallEvent | TokenEvent | ResultEvent | QuestionEvent | ErrorEvent | EndEvent,
    Field(discriminator="type"),
]
_READER: TypeAdapter[Event] = TypeAdapter(Event)


def event_of(data: str | bytes) -> Event:
    """Read an event from its JSON (the ``data`` of a frame in our own form)."""
    return _READER.validate_json(data)


class ResumeError(ToolCuratorError):
    """A stream cannot go on from where a reader left it."""


async def ended(source: AsyncIterator[Event]) -> AsyncGenerator[Event]:
    """The events of a source, numbered from 1, with exactly one end.

    An exception becomes an error event, and after an error event the stream ends: what was already said stays, and no second
    answer follows (pitfall C17). Only the message of an error of our own is shown; any other one goes to the log. What a source
    says after its end is dropped. A layer that fails and leaves the turn to the next one therefore says no error event.

    Args:
        source: Events whose ``id`` does not matter.
    """
    number, outcome = 0, "declined"
    stream = aiter(source)
    try:
        while outcome != "failed":
            try:
                event = await anext(stream)
            except StopAsyncIteration:
                break
            except Exception as error:
                event = _broken(error)
            if isinstance(event, EndEvent):
                outcome = event.outcome
                break
            number += 1
            outcome = {"result": "answered", "question": "asked", "error": "failed"}.get(event.type, outcome)
            yield event.model_copy(update={"id": number})
    finally:
        if (close := getattr(stream, "aclose", None)) is not None:
            await close()
    yield EndEvent(id=number + 1, outcome=outcome)


def _broken(error: Exception) -> ErrorEvent:
    if isinstance(error, ToolCuratorError):
        return ErrorEvent(message=str(error), before_effect=False)
    _log.error("a stream broke off", exc_info=error)
    return ErrorEvent(message="something went wrong; the answer ends here", before_effect=False)


class EventStream:
    """The events of one turn, which go on when a reader goes away, and can be read again from any of the last ones.

    Args:
        source: Events; they are read by a task of its own, which starts with the first reader.
        keep: So many events are kept for readers that come back. One that stays gets every event, however slow it is.
    """

    def __init__(self, source: AsyncIterator[Event], *, keep: int = 512) -> None:
        self._source = source
        self._kept: deque[Event] = deque(maxlen=keep)
        self._readers: set[asyncio.Queue[Event]] = set()
        self._task: asyncio.Task[None] | None = None

    async def read(self, after: int = 0) -> AsyncGenerator[Event]:
        """The events after a number, those to come included, up to the end.

        Args:
            after: The last number that was seen; 0 reads from the start.

        Raises:
            ResumeError: Events after that number are no longer kept, or there is no such number.
        """
        first, last = (self._kept[0].id, self._kept[-1].id) if self._kept else (1, 0)
        if not 0 <= after <= last:
            raise ResumeError(f"there is no event {after} in this stream")
        if after + 1 < first:
            raise ResumeError(f"events after {after} are no longer kept; ask again")
        waiting: asyncio.Queue[Event] = asyncio.Queue()
        for event in self._kept:
            if event.id > after:
                waiting.put_nowait(event)
        if after == last and self._kept and isinstance(self._kept[-1], EndEvent):
            return
        self._readers.add(waiting)
        if self._task is None:
            self._task = asyncio.create_task(self._collect())
        try:
            while True:
                event = await waiting.get()
                yield event
                if isinstance(event, EndEvent):
                    return
        finally:
            self._readers.discard(waiting)

    async def close(self) -> None:
        """Stop the turn; readers get an error and the end."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _collect(self) -> None:
        last = 0
        try:
            async with aclosing(ended(self._source)) as events:
                async for event in events:
                    self._put(event)
                    last = event.id
        except asyncio.CancelledError:
            self._put(ErrorEvent(id=last + 1, message="the answer was stopped", before_effect=False))
            self._put(EndEvent(id=last + 2, outcome="failed"))
            raise

    def _put(self, event: Event) -> None:
        self._kept.append(event)
        for waiting in self._readers:
            waiting.put_nowait(event)
