"""A router over a catalogue that changes under it: every turn is served with the tools that there are at its start (D4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp_house import Older, Shop, listed, until

from toolcurator.live import LiveCurator
from toolcurator.routing.calibration import CalibrationError, folder_of
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.decide import Candidate, Decision, Thresholds, decide
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.router import Router

CITY = {"type": "object", "properties": {"city": {"type": "string", "description": "City."}}, "required": ["city"]}
READS = {"annotations": {"readOnlyHint": True}}
RAIN = listed("rain", "Says whether it will rain in a city", CITY, **READS)
SNOW = listed("snow", "Says how much snow falls in a city", CITY, **READS)


@pytest.fixture
def shop() -> Iterator[Shop]:
    found = Shop()
    yield found
    found.stop()


def by_words(query: str, *, role: str | None = None) -> Decision:
    """Decides by a word, whether or not the catalogue has the tool."""
    found = [f"sky/{name}" for name in ("rain", "snow") if name in query.lower()]
    scored = [Candidate(key, 1.0, 0.5) for key in found]
    return decide(scored, Thresholds(0.3, 0.5), fits=0.9 if found else 0.0, right=0.9 if found else 0.0)


def say(made: Router, conversation: Conversation, *messages: str) -> list[Outcome]:
    async def talk() -> list[Outcome]:
        return [await made.route(message, conversation) for message in messages]

    return asyncio.run(talk())


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Any]:
    opened: list[LiveCurator] = []

    def open_(**servers: Any) -> LiveCurator:
        source = {"mcpServers": servers}
        opened.append(LiveCurator(source, encoder="none", index_dir=tmp_path / "index", refresh_seconds=3600))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()


def test_the_next_turn_sees_and_calls_a_new_tool_of_an_sdk_server(live: Any, shop: Shop) -> None:
    """tools/list_changed of a real server; the decision is the router's own, the call goes through the router."""
    shop.start(("library_hours", "Says when the library is open"))
    curator = live(shop={"url": shop.url})
    made = Router(curator)
    before = made.catalog
    (declined,) = say(made, Conversation(), "translate this sentence into French")
    assert declined.tool == ""
    curator.call("restock", {"add": "translate_sentence", "drop": "library_hours"})
    until(lambda: curator.live.changed)
    found = asyncio.run(made.understand("translate sentence"))
    assert found.decision.candidates[0].tool == "shop/translate_sentence"
    assert made.catalog is not before
    conversation = Conversation()
    asked, done = say(made, conversation, "translate sentence", "yes")
    assert (asked.kind, asked.tool) == (
        "asked",
        "shop/translate_sentence",
    )  # it may change something, so it asks for a yes
    assert (done.kind, done.tool) == ("answered", "shop/translate_sentence")


def test_a_pending_tool_that_vanished_is_told_to_the_user(live: Any, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN, SNOW, announce=True)
    curator = live(sky=sky.config)
    made, conversation = Router(curator, decide=by_words), Conversation()
    (asked,) = say(made, conversation, "will it rain")
    assert (asked.kind, asked.missing) == ("asked", ("city",))
    sky.offer(SNOW)
    until(lambda: curator.live.changed)
    (gone,) = say(made, conversation, "Tartu")
    assert (gone.kind, gone.text) == (
        "declined",
        "This is no longer available: Says whether it will rain in a city.",
    )
    assert conversation.pending is None
    sky.offer(RAIN, SNOW)
    until(lambda: curator.live.changed)
    conversation = Conversation()
    say(made, conversation, "will it rain")
    sky.offer(SNOW)
    until(lambda: curator.live.changed)
    (both,) = say(made, conversation, "then how much snow falls in Tartu")  # the message itself is served
    assert [(part.kind, part.tool) for part in both.parts] == [("declined", ""), ("answered", "sky/snow")]
    assert (both.kind, both.slots["city"]) == ("answered", "Tartu")


def test_what_waits_and_vanished_is_told_too(live: Any, tmp_path: Path) -> None:
    def in_parts(query: str, *, role: str | None = None) -> Decision:
        whole, halves = by_words(query), query.split(" and ")
        parts = tuple(by_words(half) for half in halves) if len(halves) > 1 else ()
        return Decision(whole.kind, whole.tool, whole.fits, 0.7, whole.candidates, whole.thresholds, "", True,
                        tuple(Decision(p.kind, p.tool, p.fits, p.right, p.candidates, p.thresholds, "", True, (), half)
                              for p, half in zip(parts, halves, strict=False)), query)  # fmt: skip

    sky = Older(tmp_path / "sky", RAIN, SNOW, announce=True)
    curator = live(sky=sky.config)
    made, conversation = Router(curator, decide=in_parts), Conversation()
    (asked,) = say(made, conversation, "will it rain and how much snow")
    assert [each.tool for each in conversation.waiting] == ["sky/snow"]
    assert asked.tool == "sky/rain"
    sky.offer(RAIN)
    until(lambda: curator.live.changed)
    (done,) = say(made, conversation, "Tartu")
    assert [(part.kind, part.tool) for part in done.parts] == [("answered", "sky/rain"), ("declined", "")]
    assert "no longer available: Says how much snow falls in a city" in done.text


def test_a_calibration_of_the_catalogue_before_is_given_up_and_said(
    live: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sky = Older(tmp_path / "sky", RAIN, SNOW, announce=True)
    curator = live(sky=sky.config)
    made = Router(curator)
    (folder_of(curator.curator.index) / "calibration.json").write_text("{}")  # as of another version
    sky.offer(RAIN)
    until(lambda: curator.live.changed)
    found = asyncio.run(made.understand("will it rain in Tartu"))
    assert found.decision.candidates[0].tool == "sky/rain"
    assert "the packaged calibration is used" in caplog.text
    with pytest.raises(CalibrationError):
        Router(curator)  # at the start it is refused, as for a catalogue that does not change
