"""Message → which tool, with what arguments: decided by the index, checked by a model if there is one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from toolcurator.catalog import Catalog
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.decide import Decision
from toolcurator.routing.intent import Intent, IntentModel
from toolcurator.routing.question import answered
from toolcurator.routing.requests import Request, requests
from toolcurator.routing.slots import Reader, Slots, fill, fill_each, merged
from toolcurator.tool import Tool


class Decide(Protocol):
    """Message → decision."""

    def __call__(self, query: str, *, role: str | None = None) -> Decision:
        """Decide, for a role."""
        ...


_FOLLOWS = re.compile(
    r"^\W*(?:and|also|what about|how about|then|but|ja|aga|kuidas|siis|а|и|ну а|как насчёт|как насчет)\b", re.IGNORECASE
)
_FEW = 4
"""Words of a message that may be a follow-up although it does not begin like one."""


@dataclass(frozen=True)
class Understanding:
    """What a message asks for.

    Attributes:
        decision: What the index says.
        tool: The tool it comes to; None if there is none, or several are left.
        slots: Its arguments.
        choice: The tools that are left to choose from, where nothing chose.
        why: How it came about.
        intent: What the model said; None if none was asked.
        follows: Whether it goes on with the last call.
        parts: What each part asks for, where the message asks for several things, each of another tool; ``tool`` and ``slots``
            are then those of the first.
    """

    decision: Decision
    tool: Tool | None = None
    slots: Slots = field(default_factory=Slots)
    choice: tuple[Tool, ...] = ()
    why: str = ""
    intent: Intent | None = None
    follows: bool = False
    parts: tuple[Understanding, ...] = ()


class Understand:
    """Understands messages.

    Args:
        catalog: The tools.
        decide: Decides.
        intent: Asks a model; None does without: an ambiguous decision is left to the user.
        synonyms: The catalogue's own words for values, for slots.
        lenient: Missing slots become empty texts (the third seed's behavior).
        now: Gives the present moment, for "tomorrow".
    """

    def __init__(
        self,
        catalog: Catalog,
        decide: Decide,
        intent: IntentModel | None = None,
        *,
        synonyms: Mapping[str, Sequence[str]] | None = None,
        lenient: bool = False,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self.catalog = catalog
        self._decide = decide
        self._intent = intent
        self._synonyms = synonyms
        self._lenient = lenient
        self._now = now

    def reader(self, language: str) -> Reader:
        """How slots are read in a language."""
        return Reader(language, self._now() if self._now else None, self._synonyms, self._lenient)

    def decide(self, message: str, role: str | None) -> Decision:
        """What the index says, which takes no model and no time."""
        return self._decide(message, role=role)

    async def __call__(
        self, message: str, decision: Decision, conversation: Conversation, *, role: str | None, language: str
    ) -> Understanding:
        """Understand a message that has been decided.

        Args:
            message: What the user says.
            decision: What the index says of it.
            conversation: What was said before.
            role: The persona.
            language: Of the message.
        """
        reader = self.reader(language)
        if follow := self._follow_up(message, decision, conversation, role, reader):
            return follow
        if decision.kind == "none":
            return Understanding(decision, why=decision.why)
        if parts := await self._parts(message, decision, conversation, role, reader):
            return replace(parts[0], decision=decision, why=f"{len(parts)} requests in one message", parts=parts)
        ids = [decision.tool] if decision.tool else [each.tool for each in decision.candidates]
        tools = [tool for key in ids if key and (tool := self.catalog.find(key, role)) is not None]
        if self._intent is not None and tools:
            found = await self._intent(
                message, tools, history=conversation.turns, retrieved=decision.tool, reader=reader
            )
            chosen = next((tool for tool in tools if tool.id == found.tool), None)
            if chosen is not None or found.by == "model":  # its none is respected on every path (pitfall C4)
                slots = found.slots or Slots()
                slots = self._completed(chosen, slots, conversation, reader) if chosen is not None else slots
                return Understanding(decision, chosen, slots, why=found.why or decision.why, intent=found)
            return Understanding(decision, choice=tuple(tools), why=found.why, intent=found)
        if decision.kind == "match" and tools:
            slots = fill(message, tools[0], reader, history=conversation.said())
            return Understanding(decision, tools[0], slots, why=decision.why)
        return Understanding(decision, choice=tuple(tools), why=decision.why)

    async def _parts(
        self, message: str, decision: Decision, conversation: Conversation, role: str | None, reader: Reader
    ) -> tuple[Understanding, ...]:
        """The requests of a message, two or more, or none: a message that is one request is not taken apart."""

        def decide(half: str) -> Decision:
            return self._decide(half, role=role)

        asked = requests(message, decision, decide, checked=self._intent is not None)
        found = await asyncio.gather(*(self._part(each, message, conversation, role, reader) for each in asked))
        first = {tool.id: (each, tool, intent) for each, tool, intent in reversed(found) if tool is not None}
        served = [(each, tool, intent) for each, tool, intent in found if tool and first[tool.id][0] is each]
        if len(served) < 2:
            return ()
        tools = [tool for _, tool, _ in served]
        slots = fill_each(message, tools, reader, [each.span for each, _, _ in served])
        parts: list[Understanding] = []
        for each, tool, intent in served:
            values = slots[tool.id]
            if intent is not None and intent.slots is not None:
                values = merged(intent.slots, values, tool)
            values = self._completed(tool, values, conversation, reader)
            parts.append(Understanding(each.decision, tool, values, why=each.decision.why, intent=intent))
        return tuple(parts)

    async def _part(
        self, asked: Request, message: str, conversation: Conversation, role: str | None, reader: Reader
    ) -> tuple[Request, Tool | None, Intent | None]:
        """The tool of one request: as decided, or as the model says."""
        decided = asked.decision
        if self._intent is None:
            return asked, self.catalog.find(decided.tool, role) if decided.tool else None, None
        ids = [each.tool for each in decided.candidates]
        tools = [tool for key in ids if (tool := self.catalog.find(key, role)) is not None]
        if not tools:
            return asked, None, None
        history = [*conversation.turns, ("user", message)]
        found = await self._intent(asked.text, tools, history=history, retrieved=decided.tool, reader=reader)
        return asked, next((tool for tool in tools if tool.id == found.tool), None), found

    def chosen(self, tool: Tool, message: str, conversation: Conversation, language: str) -> Slots:
        """The slots of a tool that the user has chosen, from what was said when the choice was offered."""
        return fill(message, tool, self.reader(language), history=conversation.said())

    def _completed(self, tool: Tool, slots: Slots, conversation: Conversation, reader: Reader) -> Slots:
        """What the model left open may have been said before."""
        if not slots.missing:
            return slots
        before = fill("", tool, reader, history=conversation.said())
        added = {name: before.values[name] for name in slots.missing if name in before.values}
        values = {**slots.values, **added}
        return replace(
            slots,
            values={slot.name: values[slot.name] for slot in tool.slots if slot.name in values},
            missing=tuple(name for name in slots.missing if name not in added),
        )

    def _follow_up(
        self, message: str, decision: Decision, conversation: Conversation, role: str | None, reader: Reader
    ) -> Understanding | None:
        """A message that changes a slot of the last call: "and for yen?" (pitfall C12)."""
        last, begins = conversation.last, _FOLLOWS.match(message) is not None
        if last is None or not (begins or (decision.kind != "match" and len(message.split()) <= _FEW)):
            return None
        if decision.kind == "match" and decision.tool != last.tool:
            return None
        tool = self.catalog.find(last.tool, role)
        if tool is None:
            return None
        found = answered(message, tool, last.slots, reader, asked=())
        if found.cancelled or not found.changed:
            return None
        why = f"a follow-up that changes {', '.join(found.changed)} of the last call"
        return Understanding(decision, tool, found.slots, why=why, follows=True)
