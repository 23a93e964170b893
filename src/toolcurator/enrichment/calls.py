"""One question answered for sure or given up: from the run folder if it was answered before, else by a model, with patience."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from toolcurator.enrichment.answers import Malformed
from toolcurator.enrichment.journal import Entry, Journal
from toolcurator.enrichment.model import Ask, Busy, EnrichmentError, Model, Refused, Reply
from toolcurator.enrichment.patience import Patience
from toolcurator.enrichment.stage import Stage

T = TypeVar("T")


class GaveUp(EnrichmentError):
    """A tool stays on its raw document; the message says why."""


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """An answer and where it comes from.

    Attributes:
        value: The answer.
        model: Who gave it.
        prompt: Version of the prompt.
        at: When.
    """

    value: T
    model: str
    prompt: str
    at: datetime


class Answerer:
    """Answers the questions of a stage.

    Args:
        model: Who is asked.
        journal: Where answers are kept; None keeps none.
        patience: What is waited for, shared by all that ask the same endpoint.
        attempts: Answers that may be unusable before a tool is given up; each is paid.
        prices: Tokens in and out → US dollars, None if unknown.
    """

    def __init__(
        self,
        model: Model,
        journal: Journal | None = None,
        patience: Patience | None = None,
        *,
        attempts: int = 3,
        prices: Callable[[Reply], float | None] = lambda reply: reply.cost,
    ) -> None:
        self.model = model
        self._journal = journal
        self._patience = patience or Patience()
        self._attempts = attempts
        self._prices = prices

    async def answer(self, stage: Stage[Any], ask: Ask, read: Callable[[str], T]) -> Written[T]:
        """Answer one question.

        Args:
            stage: The stage it belongs to.
            ask: The question.
            read: Makes the answer of the model's text; raises ``Malformed`` if it cannot.

        Raises:
            GaveUp: The question was refused, or answered unusably too often.
            Stopped: The endpoint does not answer at all any more.
        """
        tried = 0
        why = ""
        for entry in self._journal.answers(ask, self.model.name) if self._journal else ():
            try:
                return Written(read(entry.text), entry.model, entry.prompt, entry.at)
            except Malformed as malformed:
                tried, why = tried + 1, str(malformed)
        while tried < self._attempts:
            entry = await self._asked(stage, ask, why)
            if self._journal:
                self._journal.add(ask, entry)
            try:
                return Written(read(entry.text), entry.model, entry.prompt, entry.at)
            except Malformed as malformed:
                tried, why = tried + 1, str(malformed)
        raise GaveUp(f"{stage.name}: no usable answer in {tried} attempts, the last: {why}")

    async def _asked(self, stage: Stage[Any], ask: Ask, complaint: str) -> Entry:
        hint = f"\n\nYour last answer could not be used ({complaint}). Answer with the JSON object alone."
        sent = replace(ask, user=ask.user + hint) if complaint else ask  # at temperature 0 it would only repeat itself
        first = time.monotonic()
        failures = 0
        while True:
            await self._patience.ready()
            start = time.perf_counter()
            try:
                reply = await self.model.ask(sent)
            except Busy as busy:
                failures += 1
                if self._patience.failed(busy, since=first, failures=failures):
                    raise GaveUp(f"{stage.name}: {busy} ({failures} attempts)") from None
            except Refused as refused:
                self._patience.refused(refused)
                raise GaveUp(f"{stage.name}: {refused}") from None
            else:
                self._patience.answered()
                return Entry(
                    stage=stage.name,
                    tool=ask.tool,
                    ask=ask.digest,
                    model=self.model.name,
                    prompt=stage.version,
                    at=datetime.now(UTC),
                    text=reply.text,
                    tokens_in=reply.tokens_in,
                    tokens_out=reply.tokens_out,
                    cost=self._prices(reply),
                    seconds=time.perf_counter() - start,
                )
