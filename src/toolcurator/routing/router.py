"""The router: messages of a conversation through the layers, to an outcome, or to a stream of events."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from toolcurator.catalog import Catalog, may_see
from toolcurator.retrieval import Curator
from toolcurator.routing.actions import Actions
from toolcurator.routing.call import Caller
from toolcurator.routing.conversation import Conversation
from toolcurator.routing.events import Event, ended
from toolcurator.routing.intent import IntentModel
from toolcurator.routing.joined import last_events
from toolcurator.routing.layers import Context, OutOfDomain, Tools
from toolcurator.routing.log import DecisionLog, DecisionRecord
from toolcurator.routing.outcome import Outcome
from toolcurator.routing.serving import Servings
from toolcurator.routing.turn import Layer, Turn
from toolcurator.routing.understanding import Decide, Understanding
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.enrichment.model import Model
    from toolcurator.live import LiveCurator
    from toolcurator.routing.intent_program import IntentProgram

_NAMED = 4
_TITLE = 60


class Router:
    """Routes messages to tools, and what no tool serves to other layers.

    Args:
        curator: Finds tools. With a `LiveCurator` every turn is served with the tools that there are at its start.
        decide: Message and role → decision; None takes a `Decider` of the curator, with its calibration.
        calibration: Of that decider: ``own``, ``packaged``, or ``classic`` for the third seed's fixed limits.
        llm: A model (`toolcurator.enrichment.model.open_model`) or its LiteLLM name that confirms intents and reads slots; None
            does without.
        intent: What `toolcurator train intent` learned for that model: a file, or an `IntentProgram`.
        caller: Calls tools; None calls HTTP endpoints of the catalogue's own hosts, and whatever a `LiveCurator` calls.
        layers: Layers after the tools, in order; None means `Context` and `OutOfDomain`. Put a `Rag` between them.
        actions: Signs what buttons call.
        log: Where decisions are recorded; None for nowhere.
        lenient: The third seed's behavior: what is missing is sent empty.
        **understanding: ``synonyms`` and ``now`` of `Understand`.

    Raises:
        CalibrationError: The calibration beside the index was made for another encoder or an older catalogue.
        SettingsError: ``intent`` is no such file, or was made for another signature.
    """

    def __init__(
        self,
        curator: Curator | LiveCurator,
        *,
        decide: Decide | None = None,
        calibration: Literal["own", "packaged", "classic"] = "own",
        llm: Model | str | None = None,
        intent: IntentProgram | str | os.PathLike[str] | None = None,
        caller: Caller | None = None,
        layers: Sequence[Layer] | None = None,
        actions: Actions | None = None,
        log: DecisionLog | None = None,
        lenient: bool = False,
        **understanding: Any,
    ) -> None:
        self._servings = Servings(
            curator,
            caller,
            decide=decide,
            calibration=calibration,
            intent=_intent(llm, intent),
            lenient=lenient,
            **understanding,
        )
        rest = [Context(self.able), OutOfDomain(self.able)] if layers is None else layers
        self.layers: tuple[Layer, ...] = (Tools(actions or Actions(), lenient=lenient), *rest)
        self._log = log
        self._spoken = self.curator.index.manifest.language

    @property
    def curator(self) -> Curator:
        """The curator of the latest turn."""
        return self._servings.latest.curator

    @property
    def catalog(self) -> Catalog:
        """The catalogue of the latest turn."""
        return self.curator.index.catalog

    async def understand(self, message: str, *, role: str | None = None, language: str = "") -> Understanding:
        """Which tool a message is about and with what arguments, without calling or asking anything."""
        conversation = Conversation(language=language)
        understand = (await self._servings.now()).understand
        decision = understand.decide(message, role)
        return await understand(
            message, decision, conversation, role=role, language=conversation.speaks(message, self._spoken)
        )

    async def route(
        self, message: str, conversation: Conversation | None = None, *, role: str | None = None, action: str = ""
    ) -> Outcome:
        """Serve one message.

        Args:
            message: What the user says.
            conversation: What was said before; it is brought up to date.
            role: The persona; a tool it may not see is unknown to it.
            action: Token of a button that the user chose, never text that was typed.
        """
        return await self._routed(await self._turn(message, conversation, role, action))

    async def stream(
        self, message: str, conversation: Conversation | None = None, *, role: str | None = None, action: str = ""
    ) -> AsyncGenerator[Event]:
        """Serve one message, and tell what happens as it happens.

        Args:
            message: As for ``route``.
            conversation: As for ``route``.
            role: As for ``route``.
            action: As for ``route``.

        Yields:
            Numbered events with exactly one end. The decision comes before any language model is asked.
        """
        async for event in ended(self._told(message, conversation, role, action)):
            yield event

    async def _turn(self, message: str, conversation: Conversation | None, role: str | None, action: str) -> Turn:
        conversation = conversation if conversation is not None else Conversation()
        language = conversation.speaks(message, self._spoken)
        return Turn(message, conversation, role, action, language, serving=await self._servings.now())

    async def _told(
        self, message: str, conversation: Conversation | None, role: str | None, action: str
    ) -> AsyncIterator[Event]:
        turn = await self._turn(message, conversation, role, action)
        heard: asyncio.Queue[Event | None] = asyncio.Queue()
        turn.say = heard.put_nowait
        task = asyncio.create_task(self._routed(turn))
        task.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (event := await heard.get()) is not None:
                yield event
            outcome = await task
        finally:
            task.cancel()
        for event in last_events(outcome):
            yield event

    async def _routed(self, turn: Turn) -> Outcome:
        start = time.perf_counter()
        outcome = Outcome("declined", "", why="no layer answered")
        for layer in self.layers:
            came = await layer.answer(turn)
            if came is not None:
                outcome = came
                break
            turn.path.append(f"{layer.name} declined")
        else:
            if turn.failure is not None:
                outcome = Outcome("failed_before", "", tool=turn.failure.tool, why=turn.failure.why)
        outcome = replace(outcome, decision=turn.decision, ms=round(1000 * (time.perf_counter() - start), 2))
        turn.conversation.turns += [("user", turn.message), ("assistant", outcome.text)]
        if self._log is not None:
            self._log.write(self._record(turn, outcome))
        return outcome

    def _record(self, turn: Turn, outcome: Outcome) -> DecisionRecord:
        decision = turn.decision
        manifest = (turn.serving.curator if turn.serving is not None else self.curator).index.manifest
        return DecisionRecord(
            conversation=turn.conversation.id,
            role=turn.role,
            query=turn.message,
            decision=decision.kind if decision is not None else "match",
            tool=outcome.tool or (decision.tool if decision is not None else None) or "",
            outcome=outcome.kind,
            parts={each.tool: each.kind for each in outcome.parts if each.tool},
            path=tuple(turn.path),
            scores={each.tool: each.score for each in decision.candidates} if decision is not None else {},
            probability=decision.right if decision is not None else None,
            gap=decision.gap if decision is not None else None,
            thresholds={
                name: getattr(decision.thresholds, name) for name in ("minimum", "high", "margin")
            } if decision is not None else {},
            slots=dict(outcome.slots),
            missing=outcome.missing,
            timings_ms={"turn": outcome.ms},
            tokens=turn.tokens,
            error=outcome.why if outcome.kind.startswith("failed") else "",
            encoder=manifest.encoder,
            catalog=manifest.key,
        )  # fmt: skip

    def able(self, role: str | None = None) -> str:
        """A few things that the catalogue can do for a role, in its own words, from different servers first."""
        seen = [tool for tool in self.catalog if may_see(tool, role)]
        first = {tool.server: tool for tool in reversed(seen)}
        chosen = {tool.id: tool for tool in (*reversed([*first.values()]), *seen)}
        return ", ".join(_short(tool) for tool in list(chosen.values())[:_NAMED])


def _intent(
    llm: Model | str | None, program: IntentProgram | str | os.PathLike[str] | None = None
) -> IntentModel | None:
    if llm is None:
        return None
    if isinstance(llm, str):
        from toolcurator.enrichment.model import open_model

        llm = open_model(llm)
    if isinstance(program, str | os.PathLike):
        from toolcurator.routing.intent_program import IntentProgram

        program = IntentProgram.read(program)
    return IntentModel(llm, program=program)


def _short(tool: Tool) -> str:
    text = " ".join(tool.description.split()).split(". ")[0].rstrip(".") or tool.name
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rsplit(" ", 1)[0] + "…"
