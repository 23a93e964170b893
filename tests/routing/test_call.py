"""Calls of HTTP tools against a real service that misbehaves (pitfalls C8, C9, C13, C14, C18, C21)."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from faulty_service import Service

from toolcurator import Tool
from toolcurator.routing.call import Called, Caller, CallPolicy, Failed, needs_confirmation
from toolcurator.tool import Endpoint

LOOPBACK = ("127.0.0.0/8",)


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.stop()


def http(url: str, method: str = "GET", *, slots: Any = None, auth: str = "", **more: Any) -> Tool:
    properties = slots or {}
    required = [name for name, schema in properties.items() if schema.pop("needed", False)]
    return Tool(
        name="tool",
        endpoint=Endpoint(method=method, url=url, auth=auth),
        parameters={"type": "object", "properties": properties, "required": required},
        **more,
    )


def text(*names: str) -> dict[str, Any]:
    return {name: {"type": "string", "needed": True} for name in names}


def call(tool: Tool, arguments: dict[str, Any] | None = None, *, how: Any = None, **policy: Any) -> Called | Failed:
    """One call with a new caller, confirmed; ``how`` is for the call."""
    secrets = policy.pop("secrets", {})
    rules = CallPolicy.for_tools([tool], **{"private": LOOPBACK, "pause_s": 0.01, **policy})
    return asyncio.run(Caller(rules, secrets).call(tool, arguments or {}, **{"confirmed": True, **(how or {})}))


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_c21_the_declared_method_is_used(service: Service, method: str) -> None:
    outcome = call(http(f"{service.url}/echo", method, slots=text("place")), {"place": "Võru & Põlva"})
    assert isinstance(outcome, Called)
    (asked,) = service.asked
    assert asked.method == method == outcome.structured["method"]
    if method in ("GET", "DELETE"):
        assert (asked.query, asked.body) == ([("place", "Võru & Põlva")], b"")
    else:
        assert (asked.query, asked.json) == ([], {"place": "Võru & Põlva"})


def test_c14_a_part_of_the_path_stays_one_part(service: Service) -> None:
    tool = http(f"{service.url}/services/active/{{name}}", slots=text("name"))
    for name in ("Tax & fees?", "a/b", "%2F#x", "Äri;register", "100 %"):
        assert isinstance(call(tool, {"name": name}), Called)
        asked = service.asked[-1]
        assert (asked.path, asked.query) == (f"/services/active/{name}", [])
        assert asked.raw.count("/") == 3, "what a value holds makes no further part"


@pytest.mark.parametrize(
    "name",
    [
        "a/../../rag-search/x",
        "..",
        ".",
        "../x",
        "..\\x",
        "a%2F..%2Fx",
        "%2e%2e",
        "%252e%252e/x",
        "a/..;/x",
        "",
        " ",
        "a\nb",
    ],
)
def test_c14_what_would_leave_its_part_of_the_path_is_not_sent(service: Service, name: str) -> None:
    outcome = call(http(f"{service.url}/services/active/{{name}}", slots=text("name")), {"name": name})
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect) == ("refused", True)
    assert service.asked == []


def test_c14_no_argument_chooses_the_host(service: Service) -> None:
    tool = http("http://{tenant}.example.org/x", slots=text("tenant"))
    outcome = call(tool, {"tenant": f"{service.host}/#"})
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect, "choose the host" in outcome.why) == ("refused", True, True)


def test_c13_a_connection_that_is_refused_is_before_the_effect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    outcome = call(http(f"http://127.0.0.1:{port}/pay", "POST", side_effect=True))
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.may_fall_through, outcome.kind) == (True, True, "unreachable")
    assert "Connection refused" in outcome.why


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [("late500", "status", 500), ("hangup", "unreachable", 0), ("broken", "answer", 200), ("slow", "timeout", 0)],
)
def test_c13_after_a_post_nobody_knows(service: Service, path: str, kind: str, status: int) -> None:
    tool = http(f"{service.url}/{path}", "POST", slots=text("amount"))
    outcome = call(tool, {"amount": "5"}, timeout_s=0.4)
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.may_fall_through, outcome.kind, outcome.status) == (
        False,
        False,
        kind,
        status,
    )
    assert len(service.asked) == 1, "it is not made a second time"


@pytest.mark.parametrize(("path", "kind"), [("late500", "status"), ("broken", "answer"), ("slow", "timeout")])
def test_c13_after_a_get_nothing_has_changed(service: Service, path: str, kind: str) -> None:
    outcome = call(http(f"{service.url}/{path}"), timeout_s=0.3)
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.kind) == (True, kind)


def test_c13_a_get_that_says_it_changes_something_is_treated_so(service: Service) -> None:
    outcome = call(http(f"{service.url}/busy", side_effect=True))
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, len(service.asked)) == (False, 1)


def test_c13_what_the_service_turns_down_has_no_effect(service: Service) -> None:
    outcome = call(http(f"{service.url}/rejected", "POST"))
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.status) == (True, 422)
    assert outcome.why.startswith("the service answered 422 Unprocessable ")
    assert outcome.why.endswith(": Amount too high")


def test_c13_another_shape_than_the_service_promises(service: Service) -> None:
    tool = http(f"{service.url}/shape", "POST", metadata={"call": {"arguments": "input"}})
    outcome = call(tool)
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.kind) == (False, "answer")


def test_a_slow_drip_ends_in_time(service: Service) -> None:
    start = time.monotonic()
    outcome = call(http(f"{service.url}/drip"), timeout_s=0.4)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.why) == ("timeout", f"{service.host} did not answer within 0.4 s")
    assert time.monotonic() - start < 1.5


def test_only_what_may_be_repeated_is_tried_again(service: Service) -> None:
    assert isinstance(call(http(f"{service.url}/busy")), Called)
    assert len(service.asked) == 3
    for method, tries in (("PUT", 3), ("POST", 1), ("PATCH", 1)):
        service.server.effects = 0
        service.asked.clear()
        call(http(f"{service.url}/busy", method))
        assert len(service.asked) == tries
    service.server.effects = 0
    service.asked.clear()
    assert isinstance(call(http(f"{service.url}/busy", "POST", side_effect=False)), Called), "a search by POST"


def test_a_put_that_may_have_arrived_once_is_not_before_the_effect(service: Service) -> None:
    outcome = call(http(f"{service.url}/hangup", "PUT"), tries=2)
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, len(service.asked)) == (False, 2)


def test_a_put_that_may_have_arrived_stays_so_when_the_next_try_cannot() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def once() -> None:
        connection, _ = listener.accept()
        connection.recv(65_536)
        listener.close()
        connection.close()

    thread = threading.Thread(target=once)
    thread.start()
    outcome = call(http(f"http://127.0.0.1:{listener.getsockname()[1]}/", "PUT"), tries=2)
    thread.join(5)
    assert isinstance(outcome, Failed)
    assert "cannot be reached" in outcome.why
    assert outcome.before_effect is False


def test_a_host_that_keeps_failing_is_left_alone_for_a_while(service: Service) -> None:
    tool = http(f"{service.url}/late500", "POST")
    good = http(f"{service.url}/echo")

    async def turns() -> list[Called | Failed]:
        rules = CallPolicy.for_tools([tool], private=LOOPBACK, breaker_failures=3, breaker_pause_s=0.3)
        caller = Caller(rules, {})
        outcomes = [await caller.call(tool, {}, confirmed=True) for _ in range(4)]
        await asyncio.sleep(0.35)
        return [*outcomes, await caller.call(good, {}), await caller.call(good, {})]

    first, _, third, fourth, probe, after = asyncio.run(turns())
    assert isinstance(first, Failed)
    assert isinstance(third, Failed)
    assert isinstance(fourth, Failed)
    assert (third.before_effect, third.status) == (False, 500)
    assert (fourth.before_effect, fourth.status, "3 times in a row" in fourth.why) == (True, 0, True)
    assert isinstance(probe, Called)
    assert isinstance(after, Called)
    assert len(service.asked) == 5


def test_what_is_too_large_is_cut_off_while_it_comes(service: Service) -> None:
    outcome = call(http(f"{service.url}/large"), most_bytes=100_000)
    assert isinstance(outcome, Called)
    assert (len(outcome.text), outcome.cut, outcome.structured) == (100_000, True, None)
    assert service.server.written < 50_000_000, "the rest is not fetched"


def test_a_compressed_answer_cannot_unpack_into_memory(service: Service) -> None:
    outcome = call(http(f"{service.url}/packed"))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, "compressed" in outcome.why) == ("answer", True)
    assert service.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("path", "said", "structured"),
    [
        ("image", "[image/png, 100 bytes]", None),
        ("text", "tere õhtust", None),
        ("bare", '{"n": 1}', {"n": 1}),
        ("empty", "", None),
    ],
)
def test_content_types(service: Service, path: str, said: str, structured: Any) -> None:
    outcome = call(http(f"{service.url}/{path}"))
    assert isinstance(outcome, Called)
    assert (outcome.text, outcome.structured) == (said, structured)


def test_the_seeds_services_get_an_ordered_list_and_their_buttons_run_nothing(service: Service) -> None:
    tool = http(
        f"{service.url}/seed/valuuta",
        "POST",
        slots={**text("currency_from"), "currency_to": {"type": "string"}},
        metadata={"call": {"arguments": "input"}},
    )
    outcome = call(tool, {"currency_from": "EUR"}, how={"conversation": "c-1", "author": "u-1"})
    assert isinstance(outcome, Called)
    assert service.asked[0].json == {"chatId": "c-1", "authorId": "u-1", "input": ["EUR", ""]}
    assert outcome.text == "1 EUR = 37 THB"
    (button,) = outcome.buttons
    assert (button.title, button.text, button.tool, button.token) == ("Edasi", "#service, /POST/../admin", "", "")
    assert len(service.asked) == 1


def test_services_without_an_address_are_found_under_a_base(service: Service) -> None:
    tool = Tool(id="a/../b c", name="Maksud & lõivud?", endpoint=Endpoint(method="POST", url=""), side_effect=False)
    for base, path in (
        (f"{service.url}/services/active", None),
        (f"{service.url}/services/active/{{name}}", "/services/active/Maksud & lõivud?"),
    ):
        outcome = call(tool, base_url=base)
        if path is None:
            assert isinstance(outcome, Failed), "an id that leads elsewhere"
        else:
            assert isinstance(outcome, Called)
            assert service.asked[-1].path == path
    assert len(service.asked) == 1
    refused = call(tool)
    assert isinstance(refused, Failed)
    assert "base_url" in refused.why


def test_c8_what_is_missing_is_refused_or_sent_empty_if_the_caller_says_so(service: Service) -> None:
    tool = http(
        f"{service.url}/seed/x",
        "POST",
        slots=text("a", "b"),
        metadata={"call": {"arguments": "input"}},
        side_effect=False,
    )
    strict = call(tool, {"a": "EUR"})
    assert isinstance(strict, Failed)
    assert (strict.kind, strict.missing, strict.before_effect, service.asked) == ("arguments", ("b",), True, [])
    assert isinstance(call(tool, {"a": "EUR"}, how={"lenient": True}), Called)
    assert service.asked[0].json["input"] == ["EUR", ""]


def test_c9_arguments_that_do_not_fit_are_not_sent(service: Service) -> None:
    tool = http(f"{service.url}/echo", "POST", slots={"n": {"type": "integer"}, "unit": {"enum": ["m", "km"]}})
    for arguments in ({"n": "three"}, {"unit": "mile"}, {"n": None}, [], None):
        outcome = _raw(tool, arguments)
        assert isinstance(outcome, Failed)
        assert (outcome.kind, outcome.before_effect) == ("arguments", True)
    assert service.asked == []


def _raw(tool: Tool, arguments: Any) -> Called | Failed:
    rules = CallPolicy.for_tools([tool], private=LOOPBACK)
    return asyncio.run(Caller(rules, {}).call(tool, arguments, confirmed=True))


def test_c18_a_draft_is_not_called_and_neither_is_what_a_role_may_not_see(service: Service) -> None:
    for fields, role in (({"state": "draft"}, None), ({"state": "inactive"}, None), ({"roles": ("staff",)}, "student")):
        outcome = call(http(f"{service.url}/echo", **fields), how={"role": role})
        assert isinstance(outcome, Failed)
        assert (outcome.kind, outcome.why) == ("refused", "there is no tool 'tool'")
    assert service.asked == []
    assert isinstance(call(http(f"{service.url}/echo", roles=("staff",)), how={"role": "staff"}), Called)


def test_what_may_change_something_waits_for_a_yes(service: Service) -> None:
    tool = http(f"{service.url}/echo", "POST")
    outcome = call(tool, how={"confirmed": False})
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect, service.asked) == ("unconfirmed", True, [])
    assert isinstance(call(tool), Called)
    assert isinstance(call(tool, how={"confirmed": False}, confirm="never"), Called)
    for method, declared, needed in (
        ("GET", None, False),
        ("GET", True, True),
        ("POST", None, True),
        ("POST", False, False),
        ("DELETE", None, True),
    ):
        assert needs_confirmation(http("http://a.example/", method, side_effect=declared)) is needed
    assert needs_confirmation(http("http://a.example/", metadata={"confirm": True}))
    assert needs_confirmation(Tool(name="says_nothing"))


def test_a_tool_that_cannot_be_called_says_so() -> None:
    for endpoint in (None, Endpoint(kind="mcp", url="shop"), Endpoint(kind="python", url="os:system")):
        outcome = call(Tool(name="tool", endpoint=endpoint))
        assert isinstance(outcome, Failed)
        assert (outcome.kind, outcome.before_effect) == ("refused", True)
