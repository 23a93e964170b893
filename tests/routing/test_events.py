"""Events and their frames, over a real server (pitfalls C16 and C17)."""

import asyncio
import json
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
import uvicorn

from toolcurator.errors import CallError
from toolcurator.routing.calls.result import Button
from toolcurator.routing.events import (
    DecisionEvent,
    EndEvent,
    ErrorEvent,
    Event,
    EventStream,
    QuestionEvent,
    ResultEvent,
    ResumeError,
    SlotsEvent,
    TokenEvent,
    ToolCallEvent,
    ended,
    event_of,
)
from toolcurator.routing.frames import HEADERS, FrameStyle, frames

Source = Callable[[], AsyncIterator[Event]]


async def answer() -> AsyncIterator[Event]:
    """A whole turn."""
    yield DecisionEvent(decision="match", tool="exchange_rate", probability=0.93, candidates=("exchange_rate",))
    yield SlotsEvent(tool="exchange_rate", slots={"from": "EUR", "to": "THB"})
    yield ToolCallEvent(tool="exchange_rate", arguments={"from": "EUR", "to": "THB"})
    for piece in ("1 EUR on ", "37,2 THB\n", "täna."):
        yield TokenEvent(text=piece)
    yield ResultEvent(text="1 EUR on 37,2 THB\ntäna.", structured={"rate": 37.2}, tool="exchange_rate", layer="tools")


async def only_end() -> AsyncIterator[Event]:
    yield ResultEvent(text="END", layer="rag")


async def end_in_tokens() -> AsyncIterator[Event]:
    yield TokenEvent(text="END")
    yield TokenEvent(text="of the story")
    yield ResultEvent(text="ENDof the story")


async def breaks_off() -> AsyncIterator[Event]:
    yield DecisionEvent(decision="match", tool="exchange_rate")
    yield TokenEvent(text="1 EUR on ")
    raise RuntimeError("a secret: s3cret-4711")


async def fails() -> AsyncIterator[Event]:
    yield ErrorEvent(message="the service answered 500", before_effect=False, tool="pay")
    yield ResultEvent(text="but here is a document about it")


async def asks() -> AsyncIterator[Event]:
    buttons = (Button("Jah", "pay", {"n": 1}, "jah", "a1.x.y"), Button("Rohkem", text="räägi veel"))
    yield QuestionEvent(text="Kas maksan?", tool="pay", buttons=buttons)


async def slow() -> AsyncIterator[Event]:
    yield TokenEvent(text="a")
    await asyncio.sleep(0.35)
    yield TokenEvent(text="b")


SOURCES: dict[str, Source] = {
    each.__name__: each for each in (answer, only_end, end_in_tokens, breaks_off, fails, asks, slow)
}


class App:
    """A minimal ASGI app: ``/<source>?format=...&stream=<id>``; a stream with an id can be read again."""

    def __init__(self) -> None:
        self.streams: dict[str, EventStream] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        query = {key: values[0] for key, values in parse_qs(scope["query_string"].decode()).items()}
        source = SOURCES[scope["path"].strip("/")]
        headers = dict(scope["headers"])
        key = query.get("stream", "")
        stream = self.streams.get(key) or EventStream(source())
        if key:
            self.streams[key] = stream
        style = FrameStyle(format=query.get("format", "toolcurator"), chat="c-1", keep_alive_s=0.1)  # type: ignore[arg-type]
        after = int(headers.get(b"last-event-id", b"0"))
        first = after if style.format == "toolcurator" else 0
        start = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": start})
        async for frame in frames(stream.read(first), style, after=after):
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    sock = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(App(), log_level="critical", lifespan="off", timeout_graceful_shutdown=0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    until = time.monotonic() + 5
    while not server.started:
        assert time.monotonic() < until
        time.sleep(0.01)
    yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join(5)
    sock.close()


def parsed(body: str) -> list[dict[str, str]]:
    """Frames as the standard reads them, comments left out."""
    found = []
    for block in body.split("\n\n"):
        fields = [line.partition(": ")[::2] for line in block.split("\n") if line and not line.startswith(":")]
        if fields:
            found.append(dict(fields))
    return found


def data(url: str, name: str, kind: str) -> list[Any]:
    body = httpx.get(f"{url}/{name}", params={"format": kind}).text
    return [each["data"] if each["data"] == "[DONE]" else json.loads(each["data"]) for each in parsed(body)]


def test_our_own_form_gives_every_event_back(url: str) -> None:
    response = httpx.get(f"{url}/answer")
    assert response.headers["content-type"].startswith("text/event-stream")
    found = parsed(response.text)
    assert [each["id"] for each in found] == [str(n) for n in range(1, 9)]
    assert [each["event"] for each in found] == "decision slots tool_call token token token result end".split()
    events = [event_of(each["data"]) for each in found]
    assert events[3:6] == [
        TokenEvent(id=n, text=text) for n, text in ((4, "1 EUR on "), (5, "37,2 THB\n"), (6, "täna."))
    ]
    assert events[-1] == EndEvent(id=8, outcome="answered")


def test_openai_form(url: str) -> None:
    found = data(url, "answer", "openai")
    assert found[-1] == "[DONE]"
    chunks = found[:-1]
    assert {each["object"] for each in chunks} == {"chat.completion.chunk"}
    assert len({each["id"] for each in chunks}) == 1
    deltas = [each["choices"][0]["delta"] for each in chunks]
    assert deltas[0]["role"] == "assistant"
    assert "".join(each.get("content", "") for each in deltas) == "1 EUR on 37,2 THB\ntäna.", (
        "the result is not said twice"
    )
    assert [each["choices"][0]["finish_reason"] for each in chunks] == [None, None, None, "stop"]


def test_seed_form(url: str) -> None:
    found = data(url, "answer", "seed")
    assert {each["chatId"] for each in found} == {"c-1"}
    assert [each["payload"]["content"] for each in found] == ["1 EUR on ", "37,2 THB\n", "täna.", "END"]
    (question, end) = data(url, "asks", "seed")
    assert question["payload"]["content"] == "Kas maksan?"
    assert question["payload"]["buttons"] == [
        {"title": "Jah", "payload": "a1.x.y"},
        {"title": "Rohkem", "payload": "räägi veel"},
    ]
    assert end["payload"] == {"content": "END"}


@pytest.mark.parametrize(("name", "said"), [("only_end", "END"), ("end_in_tokens", "ENDof the story")])
def test_c16_an_answer_that_says_end_does_not_end_the_stream(url: str, name: str, said: str) -> None:
    seed = [each["payload"]["content"] for each in data(url, name, "seed")]
    assert seed.count("END") == 1
    assert seed[-1] == "END"
    assert "".join(seed[:-1]) == said
    openai = data(url, name, "openai")
    assert "".join(each["choices"][0]["delta"].get("content", "") for each in openai[:-1]) == said
    own = data(url, name, "toolcurator")
    assert [each["type"] for each in own].count("end") == 1
    assert own[-1]["type"] == "end"


@pytest.mark.parametrize("kind", ["toolcurator", "openai", "seed"])
def test_c17_an_exception_ends_the_stream_with_an_error(url: str, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = data(url, "breaks_off", kind)
    assert "4711" not in json.dumps(found), "what went wrong inside is for the log alone"
    assert any(record.exc_info for record in caplog.records)
    if kind == "toolcurator":
        assert [each["type"] for each in found] == ["decision", "token", "error", "end"]
        assert (found[2]["before_effect"], found[3]["outcome"]) == (False, "failed")
    elif kind == "openai":
        assert found[0]["choices"][0]["delta"]["content"] == "1 EUR on "
        assert found[1]["error"]["message"].startswith("something went wrong")
        assert found[2:] == ["[DONE]"], "and it did not stop of its own"
    else:
        assert [each["payload"].get("error", False) for each in found] == [False, True, False]
        assert found[-1]["payload"] == {"content": "END"}


@pytest.mark.parametrize("kind", ["toolcurator", "openai", "seed"])
def test_c17_no_second_answer_follows_an_error(url: str, kind: str) -> None:
    assert "document" not in json.dumps(data(url, "fails", kind))


def test_c17_our_own_errors_are_shown() -> None:
    async def source() -> AsyncIterator[Event]:
        yield TokenEvent(text="so far")
        raise CallError("MCP server 'shop' ended before it answered")

    async def read() -> list[Event]:
        return [event async for event in ended(source())]

    _, error, end = asyncio.run(read())
    assert error == ErrorEvent(id=2, message="MCP server 'shop' ended before it answered", before_effect=False)
    assert end == EndEvent(id=3, outcome="failed")


def test_every_stream_ends_once_and_nothing_follows() -> None:
    async def silent() -> AsyncIterator[Event]:
        return
        yield

    async def talkative() -> AsyncIterator[Event]:
        yield EndEvent(outcome="declined")
        yield TokenEvent(text="one more thing")

    async def read(source: AsyncIterator[Event]) -> list[Event]:
        return [event async for event in ended(source)]

    assert asyncio.run(read(silent())) == [EndEvent(id=1, outcome="declined")]
    assert asyncio.run(read(talkative())) == [EndEvent(id=1, outcome="declined")]


def test_silence_is_filled_with_comments(url: str) -> None:
    body = httpx.get(f"{url}/slow").text
    assert 2 <= body.count(": keep-alive\n\n") <= 4
    assert [each["event"] for each in parsed(body)] == ["token", "token", "end"]


@pytest.mark.parametrize("kind", ["toolcurator", "openai", "seed"])
def test_a_stream_is_resumed_where_its_reader_left_it(url: str, kind: str) -> None:
    params = {"format": kind, "stream": f"s-{kind}"}
    whole = parsed(httpx.get(f"{url}/answer", params={"format": kind}).text)
    with httpx.stream("GET", f"{url}/answer", params=params) as response:
        seen: list[dict[str, str]] = []
        for part in response.iter_text():
            seen += parsed(part)
            if any("37,2" in each["data"] for each in seen):
                break
    last = max(int(each["id"]) for each in seen if "id" in each)
    rest = parsed(httpx.get(f"{url}/answer", params=params, headers={"Last-Event-ID": str(last)}).text)
    seen = [each for each in seen if int(each.get("id", 0)) <= last]

    def said(found: list[dict[str, str]]) -> list[str]:
        bodies = [json.loads(each["data"]) for each in found if each["data"] != "[DONE]"]
        for body in bodies:
            for moving in ("created", "timestamp"):
                body.pop(moving, None)
        return [json.dumps(body) for body in bodies]

    assert said(seen + rest) == said(whole)


def test_a_reader_that_comes_too_late_is_told_so() -> None:
    async def many() -> AsyncIterator[Event]:
        for number in range(50):
            yield TokenEvent(text=str(number))

    async def read() -> tuple[list[int], list[str]]:
        stream = EventStream(many(), keep=8)
        first = [event.id async for event in stream.read()]
        refusals = []
        for after in (3, 99):
            try:
                _ = [event async for event in stream.read(after)]
            except ResumeError as error:
                refusals.append(str(error))
        return [event.id async for event in stream.read(45)] + first[:0], refusals

    late, refusals = asyncio.run(read())
    assert late == [46, 47, 48, 49, 50, 51]
    assert refusals == ["events after 3 are no longer kept; ask again", "there is no event 99 in this stream"]


def test_a_frame_says_that_a_stream_cannot_go_on(url: str) -> None:
    body = httpx.get(f"{url}/answer", headers={"Last-Event-ID": "77"}).text
    assert [each["event"] for each in parsed(body)] == ["error", "end"]
    assert "there is no event 77" in body


def test_two_readers_get_the_same_and_the_source_runs_once() -> None:
    runs = 0

    async def counted() -> AsyncIterator[Event]:
        nonlocal runs
        runs += 1
        for number in range(5):
            await asyncio.sleep(0.001)
            yield TokenEvent(text=str(number))

    async def read() -> list[list[Event]]:
        stream = EventStream(counted())

        async def one() -> list[Event]:
            return [event async for event in stream.read()]

        return await asyncio.gather(one(), one())

    first, second = asyncio.run(read())
    assert first == second
    assert (len(first), runs) == (6, 1)


def test_a_stream_that_is_stopped_still_ends() -> None:
    async def endless() -> AsyncIterator[Event]:
        while True:
            await asyncio.sleep(0.01)
            yield TokenEvent(text=".")

    async def read() -> list[Event]:
        stream = EventStream(endless())
        seen: list[Event] = []
        async for event in stream.read():
            seen.append(event)
            if len(seen) == 3:
                asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(stream.close()))
        return seen

    seen = asyncio.run(asyncio.wait_for(read(), 5))
    assert [event.type for event in seen[-2:]] == ["error", "end"]
