"""What came of an evaluation: answers, sets and runs, frozen, so that they can be saved and compared."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.evaluation.cost import Cost
from toolcurator.evaluation.labels import DatasetError
from toolcurator.evaluation.leakage import LeakReport
from toolcurator.evaluation.metrics import Measures, measure
from toolcurator.sources.fault import explain


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(_Frozen):
    """What came of one query.

    Attributes:
        id: Id of the query.
        query: What was asked.
        kind: Its kind.
        subset: Part of the set it belongs to.
        needs: One list of tool ids for each tool that is needed; empty if no tool fits.
        ranked: Whether it belongs to the sample that rankings are measured on.
        paired: Whether it is one of those that queries without an answer are told apart from.
        hits: Tool ids, best first.
        scores: Their scores.
        fits: Probability that any tool fits; that any of the tools offered with the query does, where the set names them.
        ms: Milliseconds it took.
    """

    id: str
    query: str
    kind: str
    subset: str = ""
    needs: tuple[tuple[str, ...], ...] = ()
    ranked: bool = True
    paired: bool = False
    hits: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    fits: float = 0.0
    ms: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the first hit meets a need."""
        return bool(self.hits) and any(self.hits[0] in need for need in self.needs)


class SetRun(_Frozen):
    """What came of one set.

    Attributes:
        name: Name of the set.
        category: Its category, for the category macro average.
        notes: What the set says about itself.
        tools: Number of tools.
        available: Answerable queries that the sample was drawn from.
        threshold: Probability from which on a query counts as routed.
        calibrated: Whether the probability was measured with this encoder.
        answers: One a query.
        cost: Tokens and time.
        leaks: Queries that stand elsewhere too.
        warnings: What to know before a figure is quoted.
    """

    name: str
    category: str = ""
    notes: str = ""
    tools: int
    available: int
    threshold: float
    calibrated: bool
    answers: tuple[Answer, ...]
    cost: Cost
    leaks: LeakReport
    warnings: tuple[str, ...] = ()

    @cached_property
    def ranked(self) -> tuple[Answer, ...]:
        """The answers that rankings are measured on."""
        return tuple(answer for answer in self.answers if answer.ranked)

    @cached_property
    def measures(self) -> Measures:
        """Every metric of every answer of `ranked`, in its order."""
        return measure(
            [answer.hits for answer in self.ranked], [tuple(map(frozenset, answer.needs)) for answer in self.ranked]
        )


class Asked(_Frozen):
    """What was asked: options that two runs must share to be compared.

    Attributes:
        split: The split.
        kinds: Only these kinds; None means all.
        subsets: Only these parts; None means all.
        limit: Most queries a set.
        seed: Seed of the sample, of drawn examples and of every resampling.
        k: Depth of the rankings.
        examples: Examples a tool that were drawn from the train split.
        instruction: Whether ToolRet's instruction stood before each query.
        profiles: Whether recorded profiles were attached to the tools.
    """

    split: str = "test"
    kinds: tuple[str, ...] | None = None
    subsets: tuple[str, ...] | None = None
    limit: int | None = None
    seed: int = 0
    k: int = 20
    examples: int = 0
    instruction: bool = False
    profiles: bool = False


class Run(_Frozen):
    """One way to search, on every set.

    Attributes:
        label: Its name in tables.
        made: When, in UTC.
        settings: The curator's settings that differ from the defaults.
        encoder: Id of the encoder; empty for words alone.
        versions: Of what had a part in it.
        asked: What was asked.
        sets: What came of it.
    """

    label: str
    made: datetime
    settings: dict[str, Any]
    encoder: str
    versions: dict[str, str]
    asked: Asked
    sets: tuple[SetRun, ...]


class Runs(_Frozen):
    """A file of runs.

    Attributes:
        format: Version of the form.
        runs: The runs.
    """

    format: int = 1
    runs: tuple[Run, ...]


def read_runs(path: Path) -> tuple[Run, ...]:
    """Read a file of runs.

    Raises:
        DatasetError: It is none, or of another version's form.
    """
    try:
        return Runs.model_validate_json(path.read_bytes()).runs
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}") from None
    except ValidationError as error:
        raise DatasetError(f"{path}: no runs that this version can read ({explain(error)})") from None
