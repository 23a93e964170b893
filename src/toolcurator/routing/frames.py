"""Events as server-sent events: in our own form, as chat-completions chunks of OpenAI, or as the third seed's frames."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from toolcurator.routing.calls.result import Button
from toolcurator.routing.events import EndEvent, ErrorEvent, Event, QuestionEvent, ResultEvent, ResumeError, TokenEvent

FrameFormat = Literal["toolcurator", "openai", "seed"]
HEADERS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""Headers of an answer that streams; the last one keeps nginx from holding it back."""

KEEP_ALIVE = b": keep-alive\n\n"
_END = "END"


class FrameStyle(BaseModel):
    """How events are written.

    Attributes:
        format: The form.
        chat: Id of the conversation or of the answer (``chatId``; ``id`` of a chunk).
        model: Name that stands in chunks of OpenAI's form.
        keep_alive_s: After so many seconds of silence a comment is sent, so that nothing on the way closes the connection.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: FrameFormat = "toolcurator"
    chat: str = ""
    model: str = "toolcurator"
    keep_alive_s: float = 15.0


class _Writer(Protocol):
    def write(self, event: Event) -> Iterator[str]:
        """The data of the frames of an event."""
        ...


async def frames(
    events: AsyncIterator[Event], style: FrameStyle | None = None, *, after: int = 0
) -> AsyncIterator[bytes]:
    """Write events as frames.

    Args:
        events: Numbered events up to an end, as `ended` or `EventStream.read` gives them.
        style: How.
        after: Events up to this number are not sent, since the reader has them (``Last-Event-ID``). The other two forms need
            the events from the start, to know what was said before; ours may begin behind that number.

    Yields:
        One frame, or one comment, at a time, in UTF-8.
    """
    style = style or FrameStyle()
    writer = _writer(style)
    stream = aiter(events)
    waiting: asyncio.Task[Event] | None = None
    try:
        while True:
            waiting = asyncio.ensure_future(anext(stream))  # pyright: ignore[reportArgumentType]
            while not (await asyncio.wait({waiting}, timeout=style.keep_alive_s))[0]:
                yield KEEP_ALIVE
            try:
                event = waiting.result()
            except StopAsyncIteration:
                return
            except ResumeError as error:
                for event in (ErrorEvent(message=str(error)), EndEvent(outcome="failed")):
                    for data in writer.write(event):
                        yield _frame(data, 0, event.type, style)
                return
            written = list(writer.write(event))
            if event.id <= after:
                continue
            for place, data in enumerate(written, start=1):
                # a reader that has got part of an event gets all of it again: only the last frame bears its number
                yield _frame(data, event.id if place == len(written) else 0, event.type, style)
            if isinstance(event, EndEvent):
                return
    finally:
        if waiting is not None and not waiting.done():
            waiting.cancel()
            await asyncio.wait({waiting})


def _frame(data: str, number: int, kind: str, style: FrameStyle) -> bytes:
    head = f"event: {kind}\n" if style.format == "toolcurator" else ""
    identity = f"id: {number}\n" if number and data != "[DONE]" else ""
    return f"{identity}{head}data: {data}\n\n".encode("utf-8", "replace")


def _writer(style: FrameStyle) -> _Writer:
    if style.format == "openai":
        return _OpenAi(style)
    return _Seed(style) if style.format == "seed" else _Own()


class _Own:
    """One frame an event: its type as ``event``, its number as ``id``, the event as JSON."""

    def write(self, event: Event) -> Iterator[str]:
        yield _json(event.model_dump(mode="json"))


class _OpenAi:
    """Chunks of a chat completion. Our own calls of tools are not shown: a client would take them for its own to make."""

    def __init__(self, style: FrameStyle) -> None:
        self._style = style
        self._created = int(time.time())
        self._said = _Said()
        self._failed = False

    def write(self, event: Event) -> Iterator[str]:
        if isinstance(event, ErrorEvent):
            self._failed = True
            yield _json({"error": {"message": event.message, "type": "server_error", "param": None, "code": None}})
        elif isinstance(event, EndEvent):
            if not self._failed:
                yield self._chunk({}, "stop")
            yield "[DONE]"
        else:
            first = not self._said.anything
            if text := self._said.next(event):
                yield self._chunk({"role": "assistant", "content": text} if first else {"content": text}, None)

    def _chunk(self, delta: dict[str, Any], why: str | None) -> str:
        return _json(
            {
                "id": f"chatcmpl-{self._style.chat or self._created}",
                "object": "chat.completion.chunk",
                "created": self._created,
                "model": self._style.model,
                "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": why}],
            }
        )


class _Seed:
    """The third seed's frames. ``END`` as content ends its stream, so an answer that says only that comes in two frames."""

    def __init__(self, style: FrameStyle) -> None:
        self._style = style
        self._said = _Said()

    def write(self, event: Event) -> Iterator[str]:
        if isinstance(event, EndEvent):
            yield self._payload({"content": _END})
        elif isinstance(event, ErrorEvent):
            yield from self._content(event.message, {"error": True})
        elif isinstance(event, ResultEvent | QuestionEvent) and event.buttons:
            shown = [_button(each) for each in event.buttons]
            yield from self._content(self._said.next(event), {"buttons": shown})
        elif text := self._said.next(event):
            yield from self._content(text, {})

    def _content(self, text: str, more: dict[str, Any]) -> Iterator[str]:
        if text.strip() == _END:
            cut = text.index(_END) + 1
            yield self._payload({"content": text[:cut]})
            text = text[cut:]
        yield self._payload({"content": text, **more})

    def _payload(self, payload: dict[str, Any]) -> str:
        at = datetime.now(UTC).isoformat()
        return _json({"chatId": self._style.chat, "payload": payload, "timestamp": at, "sentTo": []})


class _Said:
    """What the user has been told: a result repeats the tokens before it, and a second answer begins a new paragraph."""

    def __init__(self) -> None:
        self.anything = False
        self._token = False

    def next(self, event: Event) -> str:
        """What an event says to the user; empty if nothing, or nothing new."""
        again = isinstance(event, ResultEvent) and self._token
        if again or not isinstance(event, TokenEvent | QuestionEvent | ResultEvent) or not event.text:
            self._token = self._token and not again
            return ""
        token = isinstance(event, TokenEvent)
        gap = "\n\n" if self.anything and not (token and self._token) else ""
        self.anything, self._token = True, token
        return gap + event.text


def _button(button: Button) -> dict[str, str]:
    return {"title": button.title, "payload": button.token or button.text}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
