"""Messages with several requests: taken apart only where that is sure, and each request served."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from faulty_service import Service

from toolcurator import Curator, Tool
from toolcurator.routing.call import Caller, CallPolicy
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.decide import Candidate, Decision, Thresholds, decide
from toolcurator.routing.decider import Decider
from toolcurator.routing.events import Event, ResultEvent
from toolcurator.routing.frames import FrameFormat, FrameStyle, frames
from toolcurator.routing.layers import OutOfDomain, Rag
from toolcurator.routing.log import DecisionLog, LoggedDecision
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.requests import requests
from toolcurator.routing.router import Router

WORDS = {
    "exchange": ("yen", "dollar", "baht"),
    "weather": ("weather", "rain"),
    "pay_invoice": ("invoice",),
    "library_hours": ("library",),
    "rename": ("rename",),
}
LIMITS = Thresholds(0.3, 0.5)


@pytest.fixture(scope="module")
def curator(opened: Callable[..., Curator], service: Service) -> Curator:
    def tool(name: str, description: str, path: str, slots: dict[str, Any], **more: Any) -> Tool:
        return Tool(
            name=name,
            description=description,
            parameters={"type": "object", "properties": slots, "required": [*slots]},
            endpoint={"kind": "http", "method": more.pop("method", "GET"), "url": f"{service.url}/{path}"},  # type: ignore[arg-type]
            **more,
        )

    currency = {"type": "string", "description": "Currency that is wanted.", "enum": ["EUR", "USD", "JPY", "THB"]}
    amount, number = (
        {"type": "number", "description": "How much."},
        {"type": "integer", "description": "Number of the invoice."},
    )
    return opened(
        [
            tool("exchange", "Converts money.", "echo", {"amount": amount, "to_currency": currency}, side_effect=False),
            tool("weather", "Tells the weather.", "echo", {"city": {"type": "string", "description": "Name of the city."}},
                 side_effect=False),
            tool("pay_invoice", "Pays an invoice.", "late500", {"number": number}, method="POST", side_effect=True),
            tool("library_hours", "Says when the library is open.", "slow", {}, side_effect=False),
            tool("rename", "Renames the account.", "echo", {}, method="POST", side_effect=True),
        ],
        encoder="none",
    )  # fmt: skip


def one(query: str, right: float = 0.9) -> Decision:
    """Decides by words: the tools in the order in which they are spoken of."""
    said = query.lower()
    at = {key: min(said.find(word) for word in words if word in said) for key, words in WORDS.items()
          if any(word in said for word in words)}  # fmt: skip
    found = sorted(at, key=lambda key: at[key])
    scored = [Candidate(key, 1.0 - 0.1 * place, 0.5) for place, key in enumerate(found)]
    return decide(scored, LIMITS, fits=right if found else 0.1, right=right if found else 0.1, query=query)


def in_parts(query: str, *, role: str | None = None) -> Decision:
    """As the search does: the whole, and its parts, cut at " and "."""
    whole = one(query, 0.7)
    return replace(whole, parts=tuple(one(part) for part in query.split(" and "))) if " and " in query else whole


def router(curator: Curator, **how: Any) -> Router:
    policy = CallPolicy.for_tools(curator.index.catalog, private=("127.0.0.1",), timeout_s=how.pop("timeout_s", 5.0))
    return Router(curator, decide=how.pop("decide", in_parts), caller=Caller(policy), **how)


def say(made: Router, conversation: Conversation, *messages: str, **how: Any) -> list[Outcome]:
    async def talk() -> list[Outcome]:
        return [await made.route(message, conversation, **how) for message in messages]

    return asyncio.run(talk())


def heard(made: Router, message: str, conversation: Conversation | None = None) -> list[Event]:
    async def listened() -> list[Event]:
        return [event async for event in made.stream(message, conversation or Conversation())]

    return asyncio.run(listened())


def paths(service: Service) -> list[dict[str, str]]:
    return [dict(asked.query) for asked in service.asked]


def test_c10_two_requests_are_two_calls_each_with_its_own_slots(curator: Curator, service: Service) -> None:
    before = len(service.asked)
    (outcome,) = say(router(curator), Conversation(), "how many yen for 20 euros and what is the weather in Tartu")
    assert (outcome.kind, [part.tool for part in outcome.parts]) == ("answered", ["exchange", "weather"])
    assert [dict(part.slots) for part in outcome.parts] == [{"amount": 20, "to_currency": "JPY"}, {"city": "Tartu"}]
    assert paths(service)[before:] == [{"amount": "20", "to_currency": "JPY"}, {"city": "Tartu"}]
    assert outcome.text == "\n\n".join(part.text for part in outcome.parts)


def test_one_that_lacks_a_slot_is_asked_for_and_the_complete_one_called(curator: Curator, service: Service) -> None:
    before, conversation = len(service.asked), Conversation()
    asked, answered = say(router(curator), conversation, "what is the weather and how many yen for 20 euros", "Tartu")
    assert (asked.kind, asked.tool, asked.missing) == ("asked", "weather", ("city",))
    assert [part.kind for part in asked.parts] == ["asked", "answered"]
    assert asked.text.endswith(asked.parts[0].text)  # what is asked comes last
    assert (answered.kind, answered.tool, answered.parts) == ("answered", "weather", ())
    assert paths(service)[before:] == [{"amount": "20", "to_currency": "JPY"}, {"city": "Tartu"}]


@pytest.mark.parametrize("then", ["Tartu", "never mind", "when does the library open"])
def test_what_waits_is_served_once_the_pending_one_is_done_cancelled_or_abandoned(curator: Curator, then: str) -> None:
    conversation = Conversation()
    asked, served = say(router(curator), conversation, "what is the weather and change dollars", then)
    assert (asked.tool, [each.tool for each in conversation.waiting]) == ("weather", [])
    assert served.kind == "asked"
    assert (served.tool, served.missing) == ("exchange", ("amount",))
    first = {"Tartu": ("answered", "weather"), "never mind": ("answered", "weather")}.get(
        then, ("answered", "library_hours")
    )
    assert (served.parts[0].kind, served.parts[0].tool) == first
    (last,) = say(router(curator), conversation, "250")
    assert (last.kind, dict(last.slots)) == ("answered", {"amount": 250, "to_currency": "USD"})
    assert conversation.pending is None


def test_what_waits_outlives_a_message_that_nothing_serves(curator: Curator) -> None:
    conversation = Conversation()
    _, declined = say(
        router(curator), conversation, "what is the weather and change dollars", "write me a very long poem about seas"
    )
    assert declined.kind == "declined"
    assert conversation.pending is not None
    assert [each.tool for each in conversation.waiting] == ["exchange"]


def test_a_side_effect_asks_for_a_yes_and_does_not_overtake(curator: Curator, service: Service) -> None:
    conversation, before = Conversation(), len(service.asked)
    made = router(curator)
    first, second, done = say(made, conversation, "what is the weather and rename me", "Tartu", "yes")
    assert (first.tool, first.parts) == ("weather", ())
    assert (second.kind, second.tool, [part.tool for part in second.parts]) == (
        "asked",
        "rename",
        ["weather", "rename"],
    )
    assert len(service.asked) == before + 2  # the weather, and after the yes the name
    assert [button.title for button in second.buttons] == ["Yes", "No"]
    assert (done.kind, done.tool) == ("answered", "rename")
    never = CallPolicy.for_tools(curator.index.catalog, private=("127.0.0.1",), confirm="never")
    made = Router(curator, decide=in_parts, caller=Caller(never))
    (asked,) = say(made, Conversation(), "what is the weather and rename me")
    assert asked.parts == ()
    assert len(service.asked) == before + 2


def test_c13_a_failure_after_the_effect_ends_the_turn_and_says_what_was_done(
    curator: Curator, service: Service
) -> None:
    conversation = Conversation()
    made = router(curator)
    asked, failed = say(made, conversation, "rain in Tartu and pay my invoice 77 and rename me", "yes")
    assert [part.kind for part in asked.parts] == ["answered", "asked"]
    assert (failed.kind, failed.tool) == ("failed_after", "pay_invoice")
    assert "I have not gone on with: Renames the account." in failed.text
    assert (conversation.pending, conversation.waiting) == (None, [])
    never = CallPolicy.for_tools(curator.index.catalog, private=("127.0.0.1",), confirm="never")
    made = Router(curator, decide=in_parts, caller=Caller(never))
    events = heard(made, "rain in Tartu and pay my invoice 77 and rename me")
    assert [event.type for event in events] == [
        "decision", "slots", "tool_call", "result", "slots", "tool_call", "error", "end"
    ]  # fmt: skip
    before = len(service.asked)
    (failed,) = say(made, Conversation(), "rain in Tartu and pay my invoice 77 and rename me")
    assert [part.kind for part in failed.parts] == ["answered", "failed_after"]
    assert failed.text.startswith(failed.parts[0].text)
    assert len(service.asked) == before + 2


def test_c13_a_failure_before_the_effect_loses_no_other_answer(curator: Curator) -> None:
    rag = Rag(lambda message: ["from a document"])
    made = router(curator, timeout_s=0.2, layers=[rag, OutOfDomain(lambda role: "much")])
    (outcome,) = say(made, Conversation(), "when does the library open and will it rain in Tartu")
    assert outcome.kind == "answered"
    assert [part.kind for part in outcome.parts] == ["failed_before", "answered"]
    assert "Says when the library is open: The service could not be reached" in outcome.text
    assert "from a document" not in outcome.text
    events = heard(made, "when does the library open and will it rain in Tartu")
    assert [event.type for event in events][-3:] == ["result", "result", "end"]


def test_the_stream_has_one_decision_a_result_a_part_and_one_end(curator: Curator) -> None:
    events = heard(router(curator), "how many yen for 20 euros and what is the weather in Tartu")
    assert [event.type for event in events] == [
        "decision", "slots", "tool_call", "result", "slots", "tool_call", "result", "end"
    ]  # fmt: skip
    assert [event.tool for event in events if isinstance(event, ResultEvent)] == ["exchange", "weather"]
    assert [event.id for event in events] == [*range(1, 9)]
    events = heard(router(curator), "what is the weather and how many yen for 20 euros")
    assert [event.type for event in events] == ["decision", "slots", "slots", "tool_call", "result", "question", "end"]


@pytest.mark.parametrize("form", ["toolcurator", "openai", "seed"])
def test_every_form_of_frames_says_every_part(curator: Curator, form: FrameFormat) -> None:
    made = router(curator)

    async def written() -> str:
        async def events() -> AsyncIterator[Event]:
            async for event in made.stream("yen for 20 euros and weather in Tartu", Conversation()):
                yield event

        return b"".join([frame async for frame in frames(events(), FrameStyle(format=form, chat="7"))]).decode()

    data = [line.removeprefix("data: ") for line in asyncio.run(written()).splitlines() if line.startswith("data: ")]
    bodies = [json.loads(line) for line in data if line != "[DONE]"]
    if form == "toolcurator":
        texts = [body["text"] for body in bodies if body["type"] == "result"]
    elif form == "openai":
        texts = [body["choices"][0]["delta"].get("content", "") for body in bodies]
        assert "role" not in bodies[1]["choices"][0]["delta"]
    else:
        texts = [body["payload"]["content"] for body in bodies]
        assert texts.pop() == "END"
    texts = [text for text in texts if text]
    assert len(texts) == 2
    assert form == "toolcurator" or texts[1].startswith("\n\n")


def test_a_part_that_asks_for_nothing_is_no_question(curator: Curator) -> None:
    for message in ("will it rain in Tartu and thank you so much", "hello dear bot and will it rain in Tartu"):
        (outcome,) = say(router(curator), Conversation(), message)
        assert (outcome.kind, outcome.tool, outcome.parts) == ("answered", "weather", ())


def test_what_stays_one_request() -> None:
    def found(message: str, whole: float = 0.7, **changed: Any) -> list[str]:
        decision = replace(in_parts(message), right=whole, **changed)
        return [each.decision.candidates[0].tool for each in requests(message, decision, one)]

    both = "yen for 20 euros and weather in Tartu"
    assert found(both) == ["exchange", "weather"]
    assert found(both, 0.97) == []  # surely one tool, whatever its parts look like
    assert found(both, kind="none") == []
    assert found("rain in Tartu and then rain in Riga") == []  # one tool
    assert found(both, thresholds=Thresholds(0.38, 0.4, 0.05, "cosine")) == []  # as the third seed
    others = (Candidate("weather", 1.0, 0.5), Candidate("library_hours", 0.9, 0.5))
    assert found(both, candidates=others) == []  # the whole message is about something else


def test_halves_where_the_search_took_nothing_apart() -> None:
    message = "Mind jäi vihm kätte, will it rain in Tartu? And the yen, how many for 20 euros?"
    sure = requests(message, one(message, 0.7), one)
    assert [each.decision.candidates[0].tool for each in sure] == ["weather", "exchange"]
    assert sure[0].text.endswith("Tartu?")
    assert requests(message, one(message, 0.7), lambda half: one(half, 0.75)) == ()
    whole = one(message, 0.97)
    assert requests(message, whole, one) == ()  # surer than its halves
    assert len(requests(message, whole, lambda half: one(half, 0.96))) == 2
    third = (*whole.candidates[:1], Candidate("library_hours", 0.95, 0.5), *whole.candidates[1:])
    assert requests(message, replace(whole, candidates=third), lambda half: one(half, 0.96)) == ()


def test_understanding_shows_the_parts_and_the_log_their_outcomes(curator: Curator, tmp_path: Any) -> None:
    made = router(curator, log=DecisionLog(tmp_path / "log.jsonl"))
    found = asyncio.run(made.understand("yen for 20 euros and weather"))
    assert [(part.tool.id, part.slots.missing) for part in found.parts if part.tool] == [
        ("exchange", ()), ("weather", ("city",)),
    ]  # fmt: skip
    assert found.tool is not None
    assert found.tool.id == "exchange"
    say(made, Conversation(), "yen for 20 euros and weather")
    (record,) = LoggedDecision.read(tmp_path / "log.jsonl")
    assert record.parts == {"exchange": "answered", "weather": "asked"}


def test_by_the_search_itself(opened: Callable[..., Curator], examples: Any) -> None:
    """The decision knows the text of each part, and a trip there and back is one request."""
    curator = opened(examples / "et_services")
    decider = Decider(curator, "packaged")
    message = "Palju maksab elekter praegu ja mis ilm homme Tartus on?"
    decision = decider.decide(message)
    assert decision.query == message
    assert [part.query for part in decision.parts] == ["Palju maksab elekter praegu", "mis ilm homme Tartus on?"]
    found = asyncio.run(Router(curator, calibration="packaged").understand(message))
    assert [part.tool.id for part in found.parts if part.tool] == ["electricity_price", "weather_forecast"]
    for single in ("book a flight from Tallinn to Riga and back", "Mis ilm homme Tartus on ja suur aitäh!"):
        assert asyncio.run(Router(curator, calibration="packaged").understand(single)).parts == ()
