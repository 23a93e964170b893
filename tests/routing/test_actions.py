"""Signed actions (pitfall C15)."""

import asyncio
import base64
import json

import pytest

from toolcurator.errors import SettingsError
from toolcurator.routing.actions import ActionRefused, Actions
from toolcurator.routing.call import Called, Caller, CallPolicy, Failed
from toolcurator.routing.calls.result import Button
from toolcurator.sources.functions import tool_from_function

KEY = "a key of thirty-two characters, at least"
ARGUMENTS = {"book": "B2", "weeks": 3, "note": "õ…"}


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_c15_an_action_is_taken_once_in_its_own_conversation() -> None:
    actions = Actions(KEY)
    token = actions.offer("renew_loan", ARGUMENTS, conversation="c-1")
    with pytest.raises(ActionRefused, match="another conversation"):
        actions.take(token, conversation="c-2")
    taken = actions.take(token, conversation="c-1")
    assert (taken.tool, taken.arguments) == ("renew_loan", ARGUMENTS)
    with pytest.raises(ActionRefused, match="used already"):
        actions.take(token, conversation="c-1")


@pytest.mark.parametrize(
    "typed",
    [
        "#service, /POST/../admin",
        "#service, /POST/services/active/renew_loan",
        "renew_loan",
        "",
        "a1",
        "a1.",
        "a1..",
        "a1.e30.",
        "a1.ü.x",
        "a1." + "e" * 100_000 + ".x",
        '{"t": "renew_loan", "a": {}}',
    ],
)
def test_c15_the_text_of_a_button_does_nothing_when_it_is_typed(typed: str) -> None:
    with pytest.raises(ActionRefused):
        Actions(KEY).take(typed, conversation="c-1")


def test_c15_no_part_of_a_token_can_be_changed() -> None:
    actions = Actions(KEY)
    form, payload, mark = actions.offer("renew_loan", ARGUMENTS, conversation="c-1").split(".")
    body = json.loads(base64.urlsafe_b64decode(payload + "=="))
    for change in ({"t": "close_branch"}, {"a": {**ARGUMENTS, "weeks": 99}}, {"e": body["e"] + 1000}, {"n": "other"}):
        other = base64.urlsafe_b64encode(json.dumps(body | change).encode()).decode().rstrip("=")
        with pytest.raises(ActionRefused, match="was changed"):
            actions.take(f"{form}.{other}.{mark}", conversation="c-1")
    with pytest.raises(ActionRefused, match="was changed"):
        actions.take(f"{form}.{payload}.{mark[:-2]}AA", conversation="c-1")
    with pytest.raises(ActionRefused, match="was changed"):  # what was the payload's must not become the conversation's
        actions.take(f"{form}.{payload[:-1]}.{mark}", conversation=payload[-1] + "c-1")
    with pytest.raises(ActionRefused, match="earlier run"):
        Actions("another key, as long as the first one").take(f"{form}.{payload}.{mark}", conversation="c-1")
    assert actions.take(f"{form}.{payload}.{mark}", conversation="c-1").tool == "renew_loan"


def test_an_action_expires() -> None:
    clock = Clock()
    actions = Actions(KEY, lifetime_s=60, clock=clock)
    early, late = (actions.offer("renew_loan", {}, conversation="c") for _ in range(2))
    clock.now += 59
    actions.take(early, conversation="c")
    clock.now += 1
    with pytest.raises(ActionRefused, match="expired"):
        actions.take(late, conversation="c")


def test_processes_share_key_and_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCURATOR_ACTION_KEY", KEY)
    used: set[str] = set()

    def claim(nonce: str, until: float) -> bool:
        new = nonce not in used
        used.add(nonce)
        return new

    one, two = Actions(claim=claim), Actions(claim=claim)
    token = one.offer("renew_loan", {}, conversation="c")
    assert two.take(token, conversation="c").tool == "renew_loan"
    with pytest.raises(ActionRefused, match="used already"):
        one.take(token, conversation="c")
    assert KEY not in repr(one)


def test_a_yes_calls_what_was_offered_and_nothing_else() -> None:
    rung: list[int] = []

    def ring(times: int) -> str:
        """Ring the bell."""
        rung.append(times)
        return "rung"

    actions, caller = Actions(KEY), Caller(CallPolicy(), functions=[ring])
    tool = tool_from_function(ring)

    async def turn() -> str:
        first = await caller.call(tool, {"times": 2})
        assert isinstance(first, Failed)
        assert (first.kind, rung) == ("unconfirmed", [])
        token = actions.offer(tool.id, {"times": 2}, conversation="c")
        action = actions.take(token, conversation="c")
        second = await caller.call(tool, action.arguments, confirmed=True)
        assert isinstance(second, Called)
        return second.text

    assert asyncio.run(turn()) == "rung"
    assert rung == [2]


def test_a_short_key_is_refused() -> None:
    with pytest.raises(SettingsError, match="TOOLCURATOR_ACTION_KEY"):
        Actions("short")


def test_c15_only_buttons_of_known_tools_get_a_token() -> None:
    actions = Actions(KEY)
    buttons = (
        Button("Renew", "renew_loan", {"book": "B2"}),
        Button("Admin", "admin", {"all": True}),
        Button("More", text="#service, /POST/../admin"),
    )
    renew, admin, more = actions.sign(buttons, conversation="c", known=lambda tool: tool == "renew_loan")
    assert actions.take(renew.token, conversation="c").arguments == {"book": "B2"}
    assert (admin.token, admin.tool, admin.arguments) == ("", "", {})
    assert (more.token, more.text) == ("", "#service, /POST/../admin")
