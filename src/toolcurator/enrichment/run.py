"""A whole catalogue enriched: tools taken in turn by parallel workers, every answer kept, stopped and resumed."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.enrichment.model import EnrichmentError, Unusable
from toolcurator.enrichment.patience import Stopped
from toolcurator.enrichment.pipeline import Outcome, Pipeline
from toolcurator.enrichment.rollback import keep_peoples
from toolcurator.enrichment.source import source_of, stale_fields
from toolcurator.tool import Profile, Tool

ANSWERS = "answers.jsonl"
_ABOUT = "run.json"

Progress = Callable[[int, int], None]


class About(BaseModel):
    """What a run folder says of itself.

    Attributes:
        id: Id of the run, in the provenance of all it wrote.
        at: When it began.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    at: datetime


@dataclass(frozen=True)
class Report:
    """What a run did.

    Attributes:
        outcomes: What became of each tool that was finished, in the order of the catalogue.
        left: Ids of tools that were due and not finished.
        stopped: Why it stopped early; empty if it did not.
    """

    outcomes: tuple[Outcome, ...]
    left: tuple[str, ...] = ()
    stopped: str = ""

    def count(self, state: str) -> int:
        """How many tools ended in a state."""
        return sum(outcome.state == state for outcome in self.outcomes)

    def profiles(self, tools: Iterable[Tool]) -> dict[str, Profile]:
        """The profiles that the tools have now: the new ones, and those from before where nothing new was written.

        What people wrote or decided is kept (`keep_peoples`).

        Args:
            tools: The tools of the catalogue, with the profiles they had.
        """
        new = {outcome.id: outcome.profile for outcome in self.outcomes}
        found = {tool.id: keep_peoples(tool.profile, new.get(tool.id)) for tool in tools}
        return {key: profile for key, profile in found.items() if profile is not None}


def open_run(folder: Path) -> About:
    """The id of the run in a folder; a new one if the folder is new.

    Raises:
        EnrichmentError: The folder cannot be read or written, or holds something else.
    """
    path = folder / _ABOUT
    try:
        if path.exists():
            return About.model_validate_json(path.read_bytes())
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / ANSWERS).exists() or not any(folder.iterdir()):
            now = datetime.now(UTC).replace(microsecond=0)
            about = About(id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}", at=now)
            path.write_text(about.model_dump_json() + "\n", encoding="utf-8")
            return about
    except ValidationError:
        raise EnrichmentError(f"{path} is no description of a run: name another --run") from None
    except OSError as error:
        raise EnrichmentError(f"{folder}: {error.strerror or error}") from None
    raise EnrichmentError(f"{folder} holds other files: name a new or empty folder with --run")


def due(
    tools: Iterable[Tool],
    *,
    only_stale: bool = False,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> tuple[Tool, ...]:
    """The tools to enrich.

    Args:
        tools: All tools, with the profiles they have.
        only_stale: Leave out tools whose profile was written from the document they have now (pitfall B4).
        limit: At most so many, the first ones.
        sample: At most so many, drawn by chance.
        seed: Of the chance.
    """
    chosen = [tool for tool in tools if not only_stale or tool.profile is None or stale_fields(tool, tool.profile)]
    if sample is not None and sample < len(chosen):
        drawn = set(random.Random(seed).sample(range(len(chosen)), sample))  # noqa: S311
        chosen = [tool for number, tool in enumerate(chosen) if number in drawn]
    return tuple(chosen[:limit])


async def enrich(
    tools: Iterable[Tool], pipeline: Pipeline, *, parallel: int = 16, progress: Progress | None = None
) -> Report:
    """Enrich tools, several at a time.

    Args:
        tools: The tools.
        pipeline: The stages.
        parallel: Calls at a time; a tool has one at a time.
        progress: Told how many tools are finished, and how many there are.

    Returns:
        What became of them. If the endpoint stops answering, the run stops, and what was finished counts.

    Raises:
        EnrichmentError: Answers cannot be kept (the disk is full), or the like.
    """
    tools = tuple(tools)
    finished: dict[str, Outcome] = {}
    waiting = iter(tools)

    async def work() -> None:
        for tool in waiting:
            finished[tool.id] = await pipeline(source_of(tool))
            if progress:
                progress(len(finished), len(tools))

    workers = [asyncio.create_task(work()) for _ in range(max(1, min(parallel, len(tools))))]
    try:
        await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for worker in workers:
            worker.cancel()
        ends = await asyncio.gather(*workers, return_exceptions=True)
    failures = [end for end in ends if isinstance(end, Exception)]
    for failure in failures:
        if not isinstance(failure, Stopped | Unusable):
            raise failure
    outcomes = tuple(finished[tool.id] for tool in tools if tool.id in finished)
    left = tuple(tool.id for tool in tools if tool.id not in finished)
    return Report(outcomes, left, str(failures[0]) if failures else "")


def stale(tools: Iterable[Tool]) -> Mapping[str, tuple[str, ...]]:
    """Id of each tool whose profile is stale → the stale fields."""
    found = {tool.id: stale_fields(tool, tool.profile) for tool in tools if tool.profile is not None}
    return {key: fields for key, fields in found.items() if fields}
