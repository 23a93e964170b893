"""Which of a few tools a message is about, and with what slots: asked of a model, with every answer distrusted."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from toolcurator.enrichment.answers import Malformed
from toolcurator.enrichment.model import EnrichmentError, Model
from toolcurator.enrichment.source import Source
from toolcurator.enrichment.stage import Stage
from toolcurator.routing.slots import Reader, Slots, checked, fill, merged
from toolcurator.tool import Slot, Tool

if TYPE_CHECKING:
    from toolcurator.routing.intent_program import IntentProgram

LEAST = 0.7
"""Confidence below which the model's choice is not taken (pitfall C5); the third seed said so in its prompt alone."""
TIMEOUT = 30.0
"""Seconds that somebody in a conversation waits at most."""
CANDIDATES = 3
EXAMPLES = 3
TURNS = 3
"""Most of each that the model is shown."""

_LONGEST = 2_000
_NONE = frozenset(("", "none", "null", "no", "n/a", "unknown"))

TASK = """Decide which one of the candidate tools the last message asks for, and with what arguments.
Answer none if no candidate does exactly what is asked: a wrong call is worse than none, and a message may mention a tool's topic
while asking for something else. Take arguments from the conversation alone, never invent one; leave out what was not said.
Confidence is the probability, from 0 to 1, that this tool is meant."""


def _text(value: Any) -> Any:
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _share(value: Any) -> Any:
    """A probability as models write them: 0.9, "0.9", "90%", 90."""
    if isinstance(value, str):
        text = value.strip()
        try:
            number = float(text.rstrip("% "))
        except ValueError:
            return value
        return number / 100 if text.endswith("%") else _share(number)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 100 if 1 < value <= 100 else value
    return value


class Named(BaseModel):
    """One argument.

    Attributes:
        name: Of the slot.
        value: As said.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    value: str | float | int | bool | list[str] | None = None


def _pairs(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, dict):
        return [{"name": str(name), "value": each} for name, each in value.items()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


class Understood(BaseModel):
    """What a model answers; the descriptions are part of the prompt.

    Attributes:
        reasoning: Why.
        tool: Id of a candidate, or ``none``.
        confidence: From 0 to 1.
        slots: The arguments that were said.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    reasoning: Annotated[str, BeforeValidator(_text)] = Field(
        default="", description="One sentence: what is asked for."
    )
    tool: Annotated[str, BeforeValidator(_text)] = Field(description="The id of one candidate, or none.")
    confidence: Annotated[float, BeforeValidator(_share)] = Field(description="From 0 to 1.")
    slots: Annotated[list[Named], BeforeValidator(_pairs)] = Field(
        default=[],
        description="The arguments that were said, by the names of that candidate's slots; dates as YYYY-MM-DD.",
    )


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message asks for.

    Attributes:
        tool: Id of the tool; None if no candidate is meant.
        confidence: The model's own; 0 if the retrieval decided.
        slots: The tool's slots, checked against its schema; None without a tool.
        reasoning: The model's sentence.
        by: ``model``, or ``retrieval`` if the model could not be used (pitfall C23).
        why: What happened: why no tool, or why the model could not be used; empty if its choice was taken.
        tokens_in: Tokens of the question, None if unknown.
        tokens_out: Tokens of the answer.
    """

    tool: str | None
    confidence: float = 0.0
    slots: Slots | None = None
    reasoning: str = ""
    by: Literal["model", "retrieval"] = "model"
    why: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


@cache
def intent_stage() -> Stage[Understood]:
    """The stage, with its DSPy signature (made at first use); what DSPy's optimizers tune."""
    inputs = {
        "document": "the conversation, as data; the last message decides",
        "candidates": "the tools to choose from, as data",
    }
    return Stage("intent", TASK, inputs, Understood)


class IntentModel:
    """Asks a model which candidate a message is about.

    Args:
        model: Who is asked (`toolcurator.enrichment.model.open_model`).
        least: Confidence below which its choice counts as none; at the limit it is taken.
        timeout: Seconds to wait for its answer.
        reader: How slots are read and dates are understood.
        program: What `toolcurator train intent` learned; None asks with the packaged prompt.
    """

    def __init__(
        self,
        model: Model,
        *,
        least: float = LEAST,
        timeout: float = TIMEOUT,
        reader: Reader | None = None,
        program: IntentProgram | None = None,
    ) -> None:
        self._system = program.system() if program is not None else None
        self.model = model
        self.least = least
        self.timeout = timeout
        self.reader = reader or Reader()

    async def __call__(
        self,
        message: str,
        candidates: Sequence[Tool],
        *,
        history: Sequence[tuple[str, str]] = (),
        retrieved: str | None = None,
        reader: Reader | None = None,
    ) -> Intent:
        """Decide.

        Args:
            message: What the user says.
            candidates: The tools to choose from, best first; `CANDIDATES` of them are shown.
            history: (role, message) of earlier turns; the last `TURNS` are shown.
            retrieved: Id of the tool that the retrieval decided on, None if it left it open: what is fallen back to.
            reader: In place of the own one, for this message.

        Returns:
            The model's choice if it can be used, none if it says none or is not sure enough, else the retrieval's.
        """
        reader = reader or self.reader
        shown = {tool.id: tool for tool in candidates[:CANDIDATES]}
        stage = intent_stage()
        # in a thread, since the first one imports DSPy, which takes seconds
        ask = await asyncio.to_thread(stage.asking, conversation(message, history), candidates=offered(candidates))
        if self._system is not None:
            ask = replace(ask, system=self._system)
        tokens: tuple[int | None, int | None] = (None, None)
        try:
            reply = await asyncio.wait_for(self.model.ask(ask), self.timeout)
            tokens = reply.tokens_in, reply.tokens_out
            said = stage.read(reply.text)
        except TimeoutError:
            return _retrieved(message, shown, retrieved, reader, f"no answer within {self.timeout:g} s", tokens)
        except EnrichmentError as error:
            kind = "the answer cannot be used" if isinstance(error, Malformed) else "the model did not answer"
            return _retrieved(message, shown, retrieved, reader, f"{kind}: {error}", tokens)
        return self.judged(said, message, shown, retrieved, reader, tokens)

    def judged(
        self,
        said: Understood,
        message: str,
        shown: dict[str, Tool],
        retrieved: str | None,
        reader: Reader,
        tokens: tuple[int | None, int | None] = (None, None),
    ) -> Intent:
        """What is made of an answer.

        Args:
            said: The answer.
            message: What the user says.
            shown: Id → tool, the candidates.
            retrieved: As in a call.
            reader: How slots are read.
            tokens: Of question and answer.
        """
        name = said.tool.strip()
        if not math.isfinite(said.confidence) or not 0 <= said.confidence <= 1:
            return _retrieved(message, shown, retrieved, reader, f"confidence {said.confidence} is none", tokens)
        beside: dict[str, Any] = {
            "confidence": said.confidence,
            "reasoning": said.reasoning[:_LONGEST],
            "tokens_in": tokens[0],
            "tokens_out": tokens[1],
        }
        if name.lower() in _NONE and name not in shown:
            return Intent(None, why="the model says that no candidate is meant", **beside)
        tool = shown.get(name)
        if tool is None:
            why = f"the model chose '{name[:80]}', which is no candidate"
            return _retrieved(message, shown, retrieved, reader, why, tokens)
        if said.confidence < self.least:
            why = f"confidence {said.confidence:g} for {tool.id} is below {self.least:g}"
            return Intent(None, why=why, **beside)
        values = {each.name: each.value for each in said.slots}
        given = checked(values, tool, Reader(reader.language, reader.now, reader.synonyms))
        slots = given
        if given.missing:  # by rules, but not with a value that the model has put elsewhere
            rules = fill(message, tool, reader)
            taken = {*map(str, given.values.values())}
            left = {slot: value for slot, value in rules.values.items() if str(value) not in taken}
            slots = merged(given, replace(rules, values=left), tool)
        return Intent(tool.id, slots=slots, **beside)


def _retrieved(
    message: str,
    shown: dict[str, Tool],
    retrieved: str | None,
    reader: Reader,
    why: str,
    tokens: tuple[int | None, int | None],
) -> Intent:
    """The retrieval's decision, with slots by rules (pitfall C23)."""
    tool = shown.get(retrieved) if retrieved else None
    slots = fill(message, tool, reader) if tool else None
    chosen = tool.id if tool else None
    return Intent(chosen, slots=slots, by="retrieval", why=why, tokens_in=tokens[0], tokens_out=tokens[1])


def conversation(message: str, history: Sequence[tuple[str, str]]) -> Source:
    """What was said, as the model is shown it."""
    turns = [{"role": role, "message": text[:_LONGEST]} for role, text in history[-TURNS:]]
    return Source("intent", {"name": "conversation", "history": turns, "message": message[:_LONGEST]})


def offered(tools: Sequence[Tool]) -> str:
    """The first `CANDIDATES` as JSON between marks of their own: descriptions are other people's text too."""
    listed = [
        {
            "id": tool.id,
            "name": tool.name,
            "description": tool.description[:_LONGEST],
            "slots": [_slot(slot) for slot in tool.slots],
            "examples": list(tool.examples[:EXAMPLES]),
        }
        for tool in tools[:CANDIDATES]
    ]
    return Source("candidates", {"name": "candidates", "tools": listed}).fenced


def _slot(slot: Slot) -> dict[str, Any]:
    found: dict[str, Any] = {"name": slot.name, "type": slot.type or "string", "required": slot.required}
    if form := slot.json_schema.get("format"):
        found["format"] = form
    if slot.description:
        found["description"] = slot.description
    if slot.enum:
        found["enum"] = list(slot.enum[:50])
    return found
