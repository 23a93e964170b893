"""The layer that serves a message by a tool: decide, understand, ask for what is missing, confirm, call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolcurator.errors import SettingsError
from toolcurator.routing.actions import ActionRefused, Actions
from toolcurator.routing.calls.effect import may_change
from toolcurator.routing.calls.result import Button, Failed
from toolcurator.routing.conversation import Pending
from toolcurator.routing.events import DecisionEvent, SlotsEvent, ToolCallEvent
from toolcurator.routing.joined import SETTLED, joined, result_of
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.phrases import phrase
from toolcurator.routing.question import answered, question
from toolcurator.routing.slots import Slots
from toolcurator.routing.turn import Serving, Turn
from toolcurator.routing.understanding import Understanding
from toolcurator.tool import Tool

_YES = frozenset("yes y ok okay sure jah jaa ja да ага подтверждаю kinnitan".split())
_NO = frozenset("no n nope ei нет не cancel stop".split())


class Tools:
    """Serves messages by tools. Which ones, and how they are called, the turn says.

    Args:
        actions: Signs what buttons call.
        lenient: A call is made although slots are missing, which are sent empty (the third seed's behavior, pitfall C8).
    """

    name = "tools"

    def __init__(self, actions: Actions, *, lenient: bool = False) -> None:
        self._actions = actions
        self._lenient = lenient

    async def answer(self, turn: Turn) -> Outcome | None:
        """See `toolcurator.routing.turn.Layer`."""
        gone = self._gone(turn)
        came = await self._came(turn)
        return await self._with_waiting(turn, [each for each in (gone, came) if each is not None])

    async def _came(self, turn: Turn) -> Outcome | None:
        """What the message itself comes to; several requests are left waiting for `_with_waiting`."""
        if turn.action:
            return await self._acted(turn)
        if turn.conversation.pending is not None:
            outcome = await self._resumed(turn)
            if outcome is not None or turn.failure is not None:
                return outcome
        understand = _serving(turn).understand
        decision = turn.decision = understand.decide(turn.message, turn.role)
        turn.path.append(f"decide: {decision.kind}")
        turn.say(
            DecisionEvent(
                decision=decision.kind,
                tool=decision.tool or "",
                probability=decision.right if decision.calibrated else None,
                candidates=tuple(each.tool for each in decision.candidates),
            )
        )
        found = await understand(turn.message, decision, turn.conversation, role=turn.role, language=turn.language)
        for each in found.parts or (found,):
            _count(turn, each)
        if found.parts:
            turn.path.append(f"parts: {len(found.parts)}")
            asked = [_pending(each.tool, each.slots, each.decision.query) for each in found.parts if each.tool]
            turn.conversation.pending = None
            turn.conversation.waiting[:0] = asked
            return None
        if found.tool is not None:
            turn.conversation.pending = None
            return await self._with(turn, found.tool, found.slots, found.why)
        if found.choice:
            return self._which(turn, found.choice, found.why)
        return None

    async def _with_waiting(self, turn: Turn, done: list[Outcome]) -> Outcome | None:
        """What came first, and then what waits: each tool in order, until one has to ask.

        Behind a question only calls that change nothing are made; the rest goes on waiting.
        """
        conversation, catalog = turn.conversation, _serving(turn).understand.catalog
        if turn.failure is not None and (conversation.waiting or done):
            done.append(self._failed(turn))
        queue, conversation.waiting = conversation.waiting, []
        told = 0
        for each in queue:
            tool = catalog.find(each.tool, turn.role)
            asking = conversation.pending is not None
            ready = tool is not None and (self._lenient or not each.slots.missing) and not may_change(tool)
            if done and done[-1].kind == "failed_after":
                conversation.waiting.append(each)
            elif tool is None:
                if catalog.find(each.tool) is None:  # else it is only not for this role, which is told nothing of it
                    done.append(self._vanished(each.title or each.tool, turn.language))
            elif asking and not ready:
                conversation.waiting.append(each)
            else:
                told = _tell(turn, done, told)
                came = await self._with(turn, tool, each.slots, "asked for in the same message", each.query)
                done.append(came if came is not None else self._failed(turn))
        if not done:
            return None
        if done[-1].kind == "failed_after":
            done = self._given_up(turn, done)
        if all(each.kind == "failed_before" for each in done):
            return None  # another layer may answer instead
        if len(done) > 1:
            _tell(turn, done, told)
        if any(each.kind != "failed_before" for each in done):
            turn.failure = None
        return joined(done)

    def _given_up(self, turn: Turn, done: list[Outcome]) -> list[Outcome]:
        """A failure after an effect ends the turn: nothing waits any longer, and the user is told of what was not done."""
        conversation = turn.conversation
        left = [each for each in (conversation.pending, *conversation.waiting) if each is not None and each.tool]
        conversation.pending, conversation.waiting = None, []
        done = [each for each in done if each.kind != "asked"]
        if left:
            what = "; ".join(each.title or each.tool for each in left)
            text = f"{done[-1].text} {phrase('not_done', turn.language, what=what)}"
            done[-1] = replace(done[-1], text=text)
        return done

    def _failed(self, turn: Turn) -> Outcome:
        """A call that failed before it could change anything, where other tools were asked for too."""
        failed = turn.failure
        assert failed is not None
        tool = _serving(turn).understand.catalog.find(failed.tool, turn.role)
        text = f"{_title(tool) if tool else failed.tool}: {phrase('failed_before', turn.language)}"
        return Outcome("failed_before", text, self.name, failed.tool, why=failed.why)

    def _gone(self, turn: Turn) -> Outcome | None:
        """What the user was asked about is no longer offered to anybody."""
        pending, catalog = turn.conversation.pending, _serving(turn).understand.catalog
        ids = (pending.choice or (pending.tool,)) if pending is not None and not turn.action else ()
        if pending is None or not ids or any(catalog.find(key) is not None for key in ids):
            return None
        turn.conversation.pending = None
        return self._vanished(pending.title or ", ".join(ids), turn.language)

    def _vanished(self, what: str, language: str) -> Outcome:
        return Outcome("declined", phrase("gone", language, what=what), self.name, why=f"{what} is no longer offered")

    async def _acted(self, turn: Turn) -> Outcome | None:
        """A button was chosen."""
        try:
            action = self._actions.take(turn.action, conversation=turn.conversation.id)
        except ActionRefused as error:
            return Outcome("declined", phrase("refused", turn.language), self.name, why=str(error))
        tool = _serving(turn).understand.catalog.find(action.tool, turn.role)
        if tool is None:
            return Outcome("declined", phrase("refused", turn.language), self.name, why=f"no tool {action.tool!r}")
        turn.path.append("action")
        turn.conversation.pending = None
        return await self._called(turn, tool, action.arguments, confirmed=True, why="a signed action")

    async def _resumed(self, turn: Turn) -> Outcome | None:
        """The message may answer what was asked; None if it is about something else (pitfall C11)."""
        pending = turn.conversation.pending
        assert pending is not None
        words = turn.message.lower().strip(" .!?").replace(",", " ").split()
        if pending.waits_for == "choice":
            picked = self._picked(pending.choice, turn)
            if picked is None:
                return None
            turn.conversation.pending = None
            slots = _serving(turn).understand.chosen(picked, pending.query, turn.conversation, turn.language)
            return await self._with(turn, picked, slots, "chosen by the user")
        tool = _serving(turn).understand.catalog.find(pending.tool, turn.role)
        if tool is None:
            turn.conversation.pending = None
            return None
        if pending.waits_for == "yes" and words and words[0] in _YES and len(words) <= 3:
            turn.conversation.pending = None
            return await self._called(turn, tool, pending.slots.values, confirmed=True, why="confirmed by the user")
        found = answered(turn.message, tool, pending.slots, _serving(turn).understand.reader(turn.language))
        if found.cancelled or (pending.waits_for == "yes" and words and words[0] in _NO and not found.changed):
            turn.conversation.pending = None
            return Outcome("answered", phrase("cancelled", turn.language), self.name, tool.id, why="taken back")
        if not found.changed:
            return None
        turn.conversation.pending = None
        turn.path.append("answer")
        return await self._with(turn, tool, found.slots, f"an answer that fills {', '.join(found.changed)}")

    async def _with(self, turn: Turn, tool: Tool, slots: Slots, why: str, query: str = "") -> Outcome | None:
        """A tool is known: ask for what is missing, or for a yes, or call it."""
        query = query or turn.message
        turn.say(SlotsEvent(tool=tool.id, slots=dict(slots.values), missing=slots.missing))
        asked = question(tool, slots, turn.language)
        if asked is not None and not self._lenient:
            turn.conversation.pending = _pending(tool, slots, query)
            return Outcome("asked", asked.text, self.name, tool.id, slots.values, asked.slots, why=why)
        if _serving(turn).caller.needs_confirmation(tool):
            turn.conversation.pending = replace(_pending(tool, slots, query), waits_for="yes")
            token = self._actions.offer(tool.id, slots.values, conversation=turn.conversation.id)
            buttons = (
                Button(phrase("yes", turn.language), tool.id, slots.values, token=token),
                Button(phrase("no", turn.language), text=phrase("no", turn.language)),
            )
            text = phrase("confirm", turn.language, what=_said(tool, slots.values))
            return Outcome("asked", text, self.name, tool.id, slots.values, buttons=buttons, why=why)
        return await self._called(turn, tool, slots.values, confirmed=False, why=why)

    async def _called(
        self, turn: Turn, tool: Tool, arguments: Mapping[str, Any], *, confirmed: bool, why: str
    ) -> Outcome | None:
        turn.path.append("call")
        turn.say(ToolCallEvent(tool=tool.id, arguments=dict(arguments)))
        came = await _serving(turn).caller.call(
            tool,
            arguments,
            role=turn.role,
            conversation=turn.conversation.id,
            confirmed=confirmed,
            lenient=self._lenient,
        )
        turn.conversation.last = Pending(tool.id, Slots(values=dict(arguments)), "slots", query=turn.message)
        if isinstance(came, Failed):
            if came.before_effect:  # another layer may answer instead
                turn.failure = came
                return None
            text = phrase("failed_after", turn.language)
            return Outcome("failed_after", text, self.name, tool.id, arguments, why=came.why)
        known = _serving(turn).understand.catalog
        buttons = self._actions.sign(
            came.buttons, conversation=turn.conversation.id, known=lambda key: known.find(key, turn.role) is not None
        )
        text = came.text.strip() or phrase("done", turn.language)
        return Outcome(
            "answered", text, self.name, tool.id, arguments, buttons=buttons, structured=came.structured, why=why
        )

    def _which(self, turn: Turn, tools: tuple[Tool, ...], why: str) -> Outcome:
        """Ask which tool is meant."""
        buttons = tuple(Button(_title(tool), text=_title(tool)) for tool in tools)
        titles = ", ".join(map(_title, tools))
        ids = tuple(tool.id for tool in tools)
        turn.conversation.pending = Pending("", Slots(), "choice", ids, turn.message, titles)
        listed = "\n".join(f"{number}. {_title(tool)}" for number, tool in enumerate(tools, 1))
        text = f"{phrase('which', turn.language)}\n{listed}"
        return Outcome("asked", text, self.name, buttons=buttons, why=why)

    def _picked(self, ids: tuple[str, ...], turn: Turn) -> Tool | None:
        said = turn.message.strip(" .!").lower()
        tools = [_serving(turn).understand.catalog.find(key, turn.role) for key in ids]
        for number, tool in enumerate(tools, 1):
            if tool is not None and said in (str(number), _title(tool).lower(), tool.name.lower(), tool.id.lower()):
                return tool
        return None


def _serving(turn: Turn) -> Serving:
    if turn.serving is None:
        raise SettingsError("a turn without a catalogue cannot be served by tools: let a Router make it")
    return turn.serving


def _pending(tool: Tool, slots: Slots, query: str) -> Pending:
    return Pending(tool.id, slots, "slots", query=query, title=_title(tool))


def _count(turn: Turn, found: Understanding) -> None:
    """Note what a model was asked."""
    if found.intent is None:
        return
    turn.path.append(f"intent: {found.intent.tool or 'none'} by {found.intent.by}")
    for name, count in (("input", found.intent.tokens_in), ("output", found.intent.tokens_out)):
        turn.tokens[name] = turn.tokens.get(name, 0) + (count or 0)


def _tell(turn: Turn, done: list[Outcome], told: int) -> int:
    """Tell what is settled while others are still served; what failed or is asked is told at the end."""
    for each in done[told:]:
        if each.kind in SETTLED:
            turn.say(result_of(each))
    return len(done)


def _title(tool: Tool) -> str:
    """What a person reads: the tool's title, the first sentence of its description, or its name."""
    title = tool.metadata.get("title")
    if isinstance(title, str) and title.strip():
        return title.strip()
    first = " ".join(tool.description.split()).split(". ")[0].rstrip(".")
    return first[:80] if first else tool.name


def _said(tool: Tool, values: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name}: {value}" for name, value in values.items())
    return f"{_title(tool)} ({given})" if given else _title(tool)
