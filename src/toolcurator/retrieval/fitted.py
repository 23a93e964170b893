"""What was fitted to a catalogue, as it lies beside its index: weights, and which tools are needed together."""

from __future__ import annotations

import logging
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.retrieval.together import Together
from toolcurator.retrieval.weights import Weights, WeightTable

FILE = "fitted.json"

Three = tuple[float, float, float]

log = logging.getLogger("toolcurator")


class TogetherReport(BaseModel):
    """What came of learning which tools are needed together.

    Attributes:
        requests: Labelled requests for several tools.
        together: What was learned from all of them.
        before: NDCG@10 of those requests without it: mean, and lower and upper end of its 95 % interval.
        after: The same with what was learned from the others.
        difference: The same of the differences, request by request.
        complete: Completeness@10 before and after.
        better: Whether the lower end of the difference is above 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    requests: int
    together: Together
    before: Three
    after: Three
    difference: Three
    complete: tuple[float, float]
    better: bool


class FitReport(BaseModel):
    """What came of fitting.

    Attributes:
        encoder: Id of the encoder; for another one the weights do not count.
        learned_from: ``queries`` or ``examples``.
        queries: How many were learned from.
        old: Weights before.
        new: Weights after.
        before: NDCG@10 with the old ones: mean, and lower and upper end of its 95 % interval.
        after: The same with weights that were fitted without the query in question.
        difference: The same of the differences, query by query.
        better: Whether the lower end of the difference is above 0.
        together: Which tools are needed together; None if too few queries need several.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    encoder: str
    learned_from: str
    queries: int
    old: Weights
    new: Weights
    before: Three
    after: Three
    difference: Three
    better: bool
    together: TogetherReport | None = None

    @property
    def table(self) -> WeightTable | None:
        """The new weights; None if they are not better."""
        return WeightTable(text=self.new, examples=self.new) if self.better else None

    @property
    def companions(self) -> Together | None:
        """Which tools are needed together; None if it does not help."""
        return self.together.together if self.together is not None and self.together.better else None


def save_fitted(folder: Path, report: FitReport) -> None:
    """Put what was fitted beside an index."""
    draft = folder / f"{FILE}.new"
    draft.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    draft.replace(folder / FILE)


def read_fitted(folder: Path, encoder: str) -> FitReport | None:
    """What was fitted for an index and its encoder; None if nothing was.

    Args:
        folder: The index folder.
        encoder: Id of the encoder that made the index.
    """
    try:
        report = FitReport.model_validate_json((folder / FILE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("%s cannot be read (%s); the packaged weights are used", folder / FILE, type(error).__name__)
        return None
    if report.encoder != encoder:
        log.warning("%s was fitted for another encoder; the packaged weights are used", folder / FILE)
        return None
    return report
