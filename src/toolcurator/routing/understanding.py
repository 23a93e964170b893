"""Message → which tool, with what arguments: decided by the index, checked by a model if there is one."""

from __future__ import annotations

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
from toolcurator.routing.slots import Reader, Slots, fill
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
    """

    decision: Decision
    tool: Tool | None = None
    slots: Slots = field(default_factory=Slots)
    choice: tuple[Tool, ...] = ()
    why: str = ""
    intent: Intent | None = None
    follows: bool = False


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
