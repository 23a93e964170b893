"""A run from its settings: models opened, the run folder taken, the catalogue enriched, the profiles written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolcurator.catalog import Catalog
from toolcurator.enrichment.calls import Answerer
from toolcurator.enrichment.estimate import Estimate, estimate
from toolcurator.enrichment.expand import Expand
from toolcurator.enrichment.journal import Journal
from toolcurator.enrichment.judge import Judge
from toolcurator.enrichment.ledger import Ledger
from toolcurator.enrichment.model import TIMEOUT, Model, open_model
from toolcurator.enrichment.patience import Patience
from toolcurator.enrichment.pipeline import Pipeline
from toolcurator.enrichment.prices import Prices, prices_of
from toolcurator.enrichment.profiles_file import write_profiles
from toolcurator.enrichment.refine import Refine
from toolcurator.enrichment.replay import Replay
from toolcurator.enrichment.run import ANSWERS, Progress, Report, enrich, open_run
from toolcurator.enrichment.source import source_of
from toolcurator.sources.profiles import RecordedProfile, read_profiles
from toolcurator.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Stages:
    """Who does what.

    Attributes:
        llm: Model that expands; empty for a replay.
        judge: Model that judges, empty for none.
        refine: Model that refines, empty for none.
        api_base: Address of all three, empty for each provider's own.
        key_env: Environment variable with the key of an OpenAI-compatible address.
        replay: File of recorded profiles that answers instead.
        parallel: Calls at a time.
        timeout: Seconds to wait for an answer.
        patience: Seconds that the endpoint may fail without one answer before the run stops.
        queries: Whether example queries are wanted.
    """

    llm: str = ""
    judge: str = ""
    refine: str = ""
    api_base: str = ""
    key_env: str = "OPENAI_API_KEY"
    replay: Path | None = None
    parallel: int = 16
    timeout: float = TIMEOUT
    patience: float = 600.0
    queries: bool = True

    @property
    def models(self) -> dict[str, str]:
        """Stage → model, without stages that are left out."""
        found = {"expand": self.llm, "judge": self.judge, "refine": self.refine}
        return {stage: model for stage, model in found.items() if model}

    def prices(self) -> dict[str, Prices | None]:
        """Stage → what its model costs; a model behind an address of one's own costs what its answers say."""
        return {stage: None if self.api_base else prices_of(model) for stage, model in self.models.items()}


class Session:
    """Enriches a catalogue in a run folder. Use it as ``async with``.

    Args:
        catalog: The catalogue, with the profiles its tools have.
        stages: Who does what.
        folder: The run folder; made if there is none.

    Attributes:
        run: Id of the run.
        ledger: What it has cost, earlier sessions included.
        resumed: Answers that earlier sessions paid for.
        faults: What is wrong with the replayed file, and answers that a crash spoiled.

    Raises:
        EnrichmentError: The folder is not a run's, is in use, or cannot be written; a model has no name or address.
        MissingExtra: The extra ``llm`` is not installed.
    """

    def __init__(self, catalog: Catalog, stages: Stages, folder: Path) -> None:
        self._stages = stages
        replay = Replay.of(stages.replay, catalog) if stages.replay else None
        self._models = {"expand": replay} if replay else self._open()
        if replay and replay.judged:
            self._models["judge"] = replay
        self.run = open_run(folder).id
        self._journal = Journal(folder / ANSWERS)
        self.ledger: Ledger = self._journal.ledger
        self.resumed = self._journal.before
        spoiled = self._journal.unreadable
        self.faults: tuple[str, ...] = tuple(map(str, replay.faults)) if replay else ()
        if spoiled:
            self.faults += (f"{folder / ANSWERS}: {spoiled} spoiled lines are left out, and asked again",)

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *_: object) -> None:
        for model in {id(model): model for model in self._models.values()}.values():
            await model.close()
        self._journal.close()

    async def enrich(self, tools: Sequence[Tool], *, progress: Progress | None = None) -> Report:
        """Enrich tools; see `toolcurator.enrichment.enrich`."""
        prices = self._stages.prices()
        patience = Patience(self._stages.patience)

        def answerer(stage: str) -> Answerer:
            price = prices.get(stage)
            return Answerer(
                self._models[stage], self._journal, patience, prices=price.of if price else lambda reply: reply.cost
            )

        pipeline = Pipeline(
            Expand(answerer("expand")),
            Judge(answerer("judge")) if "judge" in self._models else None,
            Refine(answerer("refine")) if "refine" in self._models else None,
            run=self.run,
            queries=self._stages.queries,
        )
        return await enrich(tools, pipeline, parallel=self._stages.parallel, progress=progress)

    def _open(self) -> dict[str, Model]:
        how = self._stages
        opened = {
            name: open_model(name, how.api_base, key_env=how.key_env, timeout=how.timeout)
            for name in dict.fromkeys(how.models.values())
        }
        return {stage: opened[name] for stage, name in how.models.items()}


def estimated(tools: Sequence[Tool], stages: Stages) -> tuple[Estimate, ...]:
    """What a run over these tools would cost; nobody is asked, and answers of earlier sessions are not counted."""
    return estimate(map(source_of, tools), stages.models, stages.prices())


def save(path: Path, report: Report, catalog: Catalog) -> int:
    """Write the profiles of a catalogue after a run; profiles of other tools in the file stay.

    Args:
        path: The file, ``.jsonl``.
        report: What the run did.
        catalog: The catalogue, with the profiles its tools had.

    Returns:
        How many profiles are in use.

    Raises:
        EnrichmentError: The file cannot be written.
        CatalogError: A file that is there holds no profiles.
    """
    profiles = report.profiles(catalog)
    ours = {*(tool.id for tool in catalog), *(tool.name for tool in catalog)}
    others: Sequence[RecordedProfile] = read_profiles(path) if path.exists() and path.stat().st_size else ()
    write_profiles(path, profiles, (each for each in others if each.id not in ours))
    return sum(profile.grounded for profile in profiles.values())
