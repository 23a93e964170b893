"""The layer that serves a message by a tool: decide, understand, ask for what is missing, confirm, call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcurator.routing.actions import ActionRefused, Actions
from toolcurator.routing.call import Caller
from toolcurator.routing.calls.result import Button, Failed
from toolcurator.routing.conversation import Pending
from toolcurator.routing.events import DecisionEvent, SlotsEvent, ToolCallEvent
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.phrases import phrase
from toolcurator.routing.question import answered, question
from toolcurator.routing.slots import Slots
from toolcurator.routing.turn import Turn
from toolcurator.routing.understanding import Understand
from toolcurator.tool import Tool

_YES = frozenset("yes y ok okay sure jah jaa ja да ага подтверждаю kinnitan".split())
_NO = frozenset("no n nope ei нет не cancel stop".split())


class Tools:
    """Serves messages by tools.

    Args:
        understand: Finds the tool and its arguments.
        caller: Calls tools.
        actions: Signs what buttons call.
        lenient: A call is made although slots are missing, which are sent empty (the third seed's behavior, pitfall C8).
    """

    name = "tools"

    def __init__(self, understand: Understand, caller: Caller, actions: Actions, *, lenient: bool = False) -> None:
        self._understand = understand
        self._caller = caller
        self._actions = actions
        self._lenient = lenient

    async def answer(self, turn: Turn) -> Outcome | None:
        """See `toolcurator.routing.turn.Layer`."""
        if turn.action:
            return await self._acted(turn)
        if turn.conversation.pending is not None:
            outcome = await self._resumed(turn)
            if outcome is not None or turn.failure is not None:
                return outcome
        decision = turn.decision = self._understand.decide(turn.message, turn.role)
        turn.path.append(f"decide: {decision.kind}")
        turn.say(
            DecisionEvent(
                decision=decision.kind,
                tool=decision.tool or "",
                probability=decision.right if decision.calibrated else None,
                candidates=tuple(each.tool for each in decision.candidates),
            )
        )
        found = await self._understand(
            turn.message, decision, turn.conversation, role=turn.role, language=turn.language
        )
        if found.intent is not None:
            turn.path.append(f"intent: {found.intent.tool or 'none'} by {found.intent.by}")
            for name, count in (("input", found.intent.tokens_in), ("output", found.intent.tokens_out)):
                turn.tokens[name] = turn.tokens.get(name, 0) + (count or 0)
        if found.tool is not None:
            turn.conversation.pending = None
            return await self._with(turn, found.tool, found.slots, found.why)
        if found.choice:
            return self._which(turn, found.choice, found.why)
        return None

    async def _acted(self, turn: Turn) -> Outcome | None:
        """A button was chosen."""
        try:
            action = self._actions.take(turn.action, conversation=turn.conversation.id)
        except ActionRefused as error:
            return Outcome("declined", phrase("refused", turn.language), self.name, why=str(error))
        tool = self._understand.catalog.find(action.tool, turn.role)
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
            slots = self._understand.chosen(picked, pending.query, turn.conversation, turn.language)
            return await self._with(turn, picked, slots, "chosen by the user")
        tool = self._understand.catalog.find(pending.tool, turn.role)
        if tool is None:
            turn.conversation.pending = None
            return None
        if pending.waits_for == "yes" and words and words[0] in _YES and len(words) <= 3:
            turn.conversation.pending = None
            return await self._called(turn, tool, pending.slots.values, confirmed=True, why="confirmed by the user")
        found = answered(turn.message, tool, pending.slots, self._understand.reader(turn.language))
        if found.cancelled or (pending.waits_for == "yes" and words and words[0] in _NO and not found.changed):
            turn.conversation.pending = None
            return Outcome("answered", phrase("cancelled", turn.language), self.name, tool.id, why="taken back")
        if not found.changed:
            return None
        turn.conversation.pending = None
        turn.path.append("answer")
        return await self._with(turn, tool, found.slots, f"an answer that fills {', '.join(found.changed)}")

    async def _with(self, turn: Turn, tool: Tool, slots: Slots, why: str) -> Outcome | None:
        """A tool is known: ask for what is missing, or for a yes, or call it."""
        turn.say(SlotsEvent(tool=tool.id, slots=dict(slots.values), missing=slots.missing))
        asked = question(tool, slots, turn.language)
        if asked is not None and not self._lenient:
            turn.conversation.pending = Pending(tool.id, slots, "slots", query=turn.message)
            return Outcome("asked", asked.text, self.name, tool.id, slots.values, asked.slots, why=why)
        if self._caller.needs_confirmation(tool):
            turn.conversation.pending = Pending(tool.id, slots, "yes", query=turn.message)
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
        came = await self._caller.call(
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
        known = self._understand.catalog
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
        turn.conversation.pending = Pending("", Slots(), "choice", tuple(tool.id for tool in tools), turn.message)
        listed = "\n".join(f"{number}. {_title(tool)}" for number, tool in enumerate(tools, 1))
        text = f"{phrase('which', turn.language)}\n{listed}"
        return Outcome("asked", text, self.name, buttons=buttons, why=why)

    def _picked(self, ids: tuple[str, ...], turn: Turn) -> Tool | None:
        said = turn.message.strip(" .!").lower()
        tools = [self._understand.catalog.find(key, turn.role) for key in ids]
        for number, tool in enumerate(tools, 1):
            if tool is not None and said in (str(number), _title(tool).lower(), tool.name.lower(), tool.id.lower()):
                return tool
        return None


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
