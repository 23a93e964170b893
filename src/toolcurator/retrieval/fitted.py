"""Weights that were fitted to a catalogue, as they lie beside its index."""

from __future__ import annotations

import logging
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.retrieval.weights import Weights, WeightTable

FILE = "fitted.json"

Three = tuple[float, float, float]

log = logging.getLogger("toolcurator")


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


def save_fitted(folder: Path, report: FitReport) -> None:
    """Put the weights beside an index."""
    draft = folder / f"{FILE}.new"
    draft.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    draft.replace(folder / FILE)


def fitted_weights(folder: Path, encoder: str) -> WeightTable | None:
    """The weights that were fitted for an index and its encoder; None if there are none.

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
    return WeightTable(text=report.new, examples=report.new)
