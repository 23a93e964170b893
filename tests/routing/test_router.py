"""The router: layers in order, slots asked for, calls made, follow-ups, and a stream that tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty_service import Service

from toolcurator import Curator, Tool
from toolcurator.routing.call import Caller, CallPolicy
from toolcurator.routing.calls.result import Failed
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.decide import CLASSIC, Candidate, Decision, Thresholds, decide
from toolcurator.routing.events import Event
from toolcurator.routing.layers import Context, OutOfDomain, Rag
from toolcurator.routing.log import DecisionLog, LoggedDecision
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.router import Router
from toolcurator.routing.turn import Turn


def currency(text: str) -> dict[str, Any]:
    return {"type": "string", "description": text, "enum": ["EUR", "USD", "JPY", "THB"]}


@pytest.fixture(scope="module")
def curator(opened: Callable[..., Curator], service: Service) -> Curator:
    def tool(name: str, description: str, path: str, slots: dict[str, Any], *examples: str, **more: Any) -> Tool:
        return Tool(
            name=name,
            description=description,
            parameters={"type": "object", "properties": slots, "required": [*slots]},
            examples=examples,
            endpoint={"kind": "http", "method": more.pop("method", "GET"), "url": f"{service.url}/{path}"},  # type: ignore[arg-type]
            **more,
        )

    amount = {"type": "number", "description": "How much."}
    return opened(
        [
            tool(
                "exchange", "Converts an amount of money from one currency to another.", "echo",
                {"amount": amount, "to_currency": currency("Currency that is wanted.")},
                "how many dollars do I get for 100 euros", "convert 20 EUR to THB", "exchange rate to yen",
                side_effect=False,
            ),
            tool(
                "weather", "Tells the weather forecast of a city.", "echo",
                {"city": {"type": "string", "description": "Name of the city."}},
                "what is the weather in Tartu", "will it rain in London", "weather forecast", side_effect=False,
            ),
            tool(
                "pay_invoice", "Pays an open invoice.", "late500",
                {"number": {"type": "integer", "description": "Number of the invoice."}},
                "pay my invoice 123", "please pay invoice 77", method="POST", side_effect=True,
            ),
            tool(
                "library_hours", "Says when the library is open.", "slow", {}, "when does the library open",
                "opening hours of the library", side_effect=False,
            ),
        ]
    )  # fmt: skip


def by_words(query: str, *, role: str | None = None) -> Decision:
    """Decides by a word, so that what is tested here is what follows."""
    words = {
        "exchange": "yen dollar baht thb usd",
        "weather": "weather rain",
        "pay_invoice": "invoice",
        "library_hours": "library",
    }
    found = [key for key, marks in words.items() if any(mark in query.lower() for mark in marks.split())]
    limits = Thresholds(0.5, 0.6, 0.1)
    scored = [Candidate(key, 1.0 - 0.01 * at, 0.5) for at, key in enumerate(found)]
    return decide(scored, limits, fits=0.9 if found else 0.1, right=0.9 if found else 0.1, calibrated=True)


def router(curator: Curator, service: Service, **how: Any) -> Router:
    policy = CallPolicy.for_tools(curator.index.catalog, private=("127.0.0.1",), timeout_s=how.pop("timeout_s", 5.0))
    return Router(curator, decide=how.pop("decide", by_words), caller=Caller(policy), **how)


def say(made: Router, conversation: Conversation, *messages: str, **how: Any) -> list[Outcome]:
    async def talk() -> list[Outcome]:
        return [await made.route(message, conversation, **how) for message in messages]

    return asyncio.run(talk())


def test_three_turns_a_request_a_missing_slot_and_a_follow_up(curator: Curator, service: Service) -> None:
    """C8, C11, C12."""
    made, conversation = router(curator, service), Conversation()
    asked, answered, followed = say(made, conversation, "how many dollars do I get", "250", "and for yen?")
    assert (asked.kind, asked.tool, asked.missing) == ("asked", "exchange", ("amount",))
    assert answered.kind == "answered"
    assert dict(answered.slots) == {"amount": 250, "to_currency": "USD"}
    assert followed.kind == "answered"
    assert dict(followed.slots) == {"amount": 250, "to_currency": "JPY"}
    assert dict(service.asked[-1].query) == {"amount": "250", "to_currency": "JPY"}
    assert [role for role, _ in conversation.turns] == ["user", "assistant"] * 3


def test_an_answer_to_another_question_leaves_the_pending_tool(curator: Curator, service: Service) -> None:
    made, conversation = router(curator, service), Conversation()
    first, other, city = say(
        made, conversation, "what is the weather", "how many yen for 20 dollars", "weather in Tartu"
    )
    assert first.missing == ("city",)
    assert other.tool == "exchange"
    assert (city.kind, city.slots["city"]) == ("answered", "Tartu")
    _, poem = say(made, Conversation(), "what is the weather", "write me a poem about the sea")
    assert poem.kind == "declined"  # no name of a city has so many words
    _, taken_back, nothing = say(made, Conversation(), "what is the weather", "never mind", "write me a poem")
    assert (taken_back.kind, taken_back.tool) == ("answered", "weather")
    assert nothing.kind == "declined"


def test_a_side_effect_is_confirmed_first_and_a_failure_after_it_ends_the_turn(
    curator: Curator, service: Service
) -> None:
    """C13, and confirmation."""
    before = len(service.asked)
    rag = Rag(lambda message: ["a passage about invoices"])
    made, conversation = router(curator, service, layers=[rag, OutOfDomain(lambda role: "much")]), Conversation()
    (asked,) = say(made, conversation, "pay my invoice 77")
    assert asked.kind == "asked"
    assert [button.title for button in asked.buttons] == ["Yes", "No"]
    assert len(service.asked) == before
    (failed,) = say(made, conversation, "yes")
    assert (failed.kind, failed.tool) == ("failed_after", "pay_invoice")
    assert "passage" not in failed.text
    assert len(service.asked) == before + 1  # and not tried again
    asked, no = say(made, Conversation(), "pay invoice 78", "no")
    assert no.kind == "answered"
    assert len(service.asked) == before + 1


def test_a_button_calls_once_and_its_text_calls_nothing(curator: Curator, service: Service) -> None:
    """C15."""
    made, conversation = router(curator, service), Conversation()
    (asked,) = say(made, conversation, "pay my invoice 79")
    token = asked.buttons[0].token
    before = len(service.asked)
    (typed,) = say(made, Conversation(), token)
    assert typed.kind == "declined"
    (foreign,) = say(made, Conversation(), "", action=token)
    assert foreign.kind == "declined"
    assert len(service.asked) == before
    (chosen,) = say(made, conversation, "", action=token)
    assert chosen.kind == "failed_after"  # the service breaks; it was called
    (again,) = say(made, conversation, "", action=token)
    assert again.kind == "declined"
    assert len(service.asked) == before + 1


def test_what_failed_before_any_effect_may_be_answered_by_another_layer(curator: Curator, service: Service) -> None:
    """C13, the other half."""
    rag = Rag(lambda message: ["The library is open from 10 to 18."])
    made = router(curator, service, timeout_s=0.2, layers=[rag, OutOfDomain(lambda role: "much")])
    (outcome,) = say(made, Conversation(), "when does the library open")
    assert (outcome.kind, outcome.layer, outcome.text) == ("answered", "rag", "The library is open from 10 to 18.")
    made = router(curator, service, timeout_s=0.2)
    (outcome,) = say(made, Conversation(), "when does the library open")
    assert (outcome.kind, outcome.tool) == ("failed_before", "library_hours")
    assert "nothing was done" in outcome.text


def test_an_ambiguous_decision_is_left_to_the_user(curator: Curator, service: Service) -> None:
    made, conversation = router(curator, service), Conversation()
    (asked,) = say(made, conversation, "weather or the library in Tartu")
    assert asked.kind == "asked"
    assert [button.text for button in asked.buttons] == [
        "Tells the weather forecast of a city",
        "Says when the library is open",
    ]
    (chosen,) = say(made, conversation, "1")
    assert (chosen.kind, chosen.tool, chosen.slots["city"]) == ("answered", "weather", "Tartu")
    (asked, other) = say(made, Conversation(), "weather or the library", "what is the rate of 5 dollars in yen")
    assert other.tool == "exchange"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Tere!", "Tere! Kuidas saan aidata?"),
        ("hello", "Hello! How can I help?"),
        ("спасибо большое", "Пожалуйста!"),
        ("What can you do?", "I can, for example: Converts an amount of money from one currency to another"),
    ],
)
def test_greetings_and_questions_about_itself(curator: Curator, service: Service, message: str, text: str) -> None:
    (outcome,) = say(router(curator, service), Conversation(), message)
    assert (outcome.kind, outcome.layer) == ("answered", "context")
    assert outcome.text.startswith(text)


def test_questions_about_the_conversation(curator: Curator, service: Service) -> None:
    nothing, _, said = say(
        router(curator, service), Conversation(), "what did I say?", "rain in Tartu please", "what did I ask?"
    )
    assert nothing.text == "You have not said anything yet."
    assert "rain in Tartu please" in said.text


def test_what_no_tool_serves_is_declined_in_the_language_of_the_message(curator: Curator, service: Service) -> None:
    (outcome,) = say(router(curator, service), Conversation(), "Palun kirjuta mulle luuletus merest ja tuulest")
    assert (outcome.kind, outcome.layer) == ("declined", "out_of_domain")
    assert outcome.text.startswith("Sellega ma aidata ei oska.")


def test_a_role_never_reaches_what_it_may_not_see(opened: Callable[..., Curator], service: Service) -> None:
    """A27 on routing and calls."""
    secret = Tool(
        name="secret", description="Opens the safe.", roles=("admin",), endpoint={"kind": "http", "url": service.url}
    )  # type: ignore[arg-type]
    plain = Tool(name="hours", description="Opening hours.", endpoint={"kind": "http", "url": f"{service.url}/echo"})  # type: ignore[arg-type]

    def always(query: str, *, role: str | None = None) -> Decision:
        return decide([Candidate("secret", 1.0, 1.0)], CLASSIC, fits=0.9, right=0.9)

    before = len(service.asked)
    made = router(opened([secret, plain]), service, decide=always)
    (outcome,) = say(made, Conversation(), "open the safe", role="student")
    assert outcome.kind == "declined"
    assert "safe" not in outcome.text
    assert len(service.asked) == before


@pytest.mark.parametrize("form", ["callable", "async", "langchain", "llama_index", "haystack"])
def test_any_retriever_serves_as_rag(form: str) -> None:
    class Document:
        page_content = text = content = "The answer."

    class LangChain:
        def invoke(self, query: str) -> list[Document]:
            return [Document()]

    class LlamaIndex:
        def retrieve(self, query: str) -> list[Any]:
            return [type("NodeWithScore", (), {"node": Document()})()]

    class Haystack:
        def run(self, query: str) -> dict[str, Any]:
            return {"documents": [Document()]}

    async def later(query: str) -> str:
        return "The answer."

    forms: dict[str, Any] = {
        "callable": lambda query: ["The answer."],
        "async": later,
        "langchain": LangChain(),
        "llama_index": LlamaIndex(),
        "haystack": Haystack(),
    }
    turn = Turn("what?", Conversation())
    outcome = asyncio.run(Rag(forms[form]).answer(turn))
    assert outcome is not None
    assert outcome.text == "The answer."
    assert asyncio.run(Rag(lambda query: []).answer(turn)) is None
    written = asyncio.run(Rag(forms[form], lambda query, passages: f"{query} {len(passages)}").answer(turn))
    assert written is not None
    assert written.text == "what? 1"


def test_the_stream_tells_what_happens_and_ends_once(curator: Curator, service: Service) -> None:
    made = router(curator, service)

    async def listened(message: str) -> list[Event]:
        return [event async for event in made.stream(message, Conversation())]

    events = asyncio.run(listened("convert 20 to yen"))
    assert [event.type for event in events] == ["decision", "slots", "tool_call", "result", "end"]
    assert [event.id for event in events] == [1, 2, 3, 4, 5]
    assert [event.type for event in asyncio.run(listened("how many dollars"))] == [
        "decision",
        "slots",
        "question",
        "end",
    ]
    assert [event.type for event in asyncio.run(listened("write a poem about the sea"))] == [
        "decision",
        "result",
        "end",
    ]
    failed = asyncio.run(listened("when does the library open"))  # one second of silence is within the time-out
    assert failed[-1].type == "end"


def test_an_exception_in_a_layer_ends_the_stream_with_one_error(curator: Curator, service: Service) -> None:
    """C17."""

    class Broken:
        name = "broken"

        async def answer(self, turn: Turn) -> Outcome | None:
            raise RuntimeError("secret detail")

    made = router(curator, service, layers=[Broken()])

    async def listened() -> list[Event]:
        return [event async for event in made.stream("write a poem", Conversation())]

    events = asyncio.run(listened())
    assert [event.type for event in events] == ["decision", "error", "end"]
    assert "secret detail" not in str(events)


def test_decisions_are_logged_without_what_was_said(curator: Curator, service: Service, tmp_path: Path) -> None:
    """C20."""
    path = tmp_path / "decisions.jsonl"
    made = router(curator, service, log=DecisionLog(path))
    say(made, Conversation(), "how many dollars for my number 38001085718", "hello")
    text = path.read_text()
    assert "38001085718" not in text
    assert "dollars" not in text
    first, second = LoggedDecision.read(path)
    assert (first.decision, first.tool, first.catalog) == ("match", "exchange", curator.index.manifest.key)
    assert second.decision == "none"


def test_lenient_calls_with_missing_slots_empty(curator: Curator, service: Service) -> None:
    """C8, the seed's behavior."""
    (outcome,) = say(router(curator, service, lenient=True), Conversation(), "what is the weather")
    assert outcome.kind == "answered"
    assert dict(service.asked[-1].query) == {"city": ""}


def test_a_failure_says_before_or_after(service: Service) -> None:
    failed = Failed("t", "no connection", True, "unreachable")
    outcome = asyncio.run(OutOfDomain(lambda role: "").answer(Turn("x", Conversation(), failure=failed)))
    assert outcome is not None
    assert outcome.kind == "failed_before"
    assert asyncio.run(Context().answer(Turn("what can you do", Conversation()))) is None
