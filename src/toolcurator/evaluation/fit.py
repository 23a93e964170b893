"""Does any tool fit? How well the probability tells answerable queries from those that no tool answers, with scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from toolcurator.evaluation.extra import load_library

BINS = 10

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class FitFigures(BaseModel):
    """How well answerable queries are told from the others.

    Attributes:
        in_scope: Answerable queries.
        out_of_scope: Queries that no tool answers.
        auroc: Probability that an answerable query gets the higher probability of the two; 0.5 is chance.
        threshold: Probability from which on a query is routed to a tool.
        recall: Share of the out-of-scope queries that are told off (probability below the threshold).
        false_routes: Share of the out-of-scope queries that are routed to a tool all the same.
        kept: Share of the answerable queries that are routed.
        accuracy: Share of the answerable queries whose first tool is right, whatever the probability.
        served: Share of the answerable queries that are routed, and whose first tool is right.
        calibration_error: Expected calibration error: mean distance between the probability and the share that is answerable,
            over ten bins of equal width, each weighted by its queries. It depends on how many of either kind there are.
        risk_area: Area under the risk-coverage curve, from 0 (every wrong answer comes last) to 1; lower is better.
    """

    model_config = ConfigDict(frozen=True)

    in_scope: int
    out_of_scope: int
    auroc: float
    threshold: float
    recall: float
    false_routes: float
    kept: float
    accuracy: float
    served: float
    calibration_error: float
    risk_area: float


@dataclass(frozen=True, slots=True)
class Curves:
    """Two curves to draw.

    Attributes:
        coverage: float64[n], share of the queries that are answered, the surest first.
        risk: float64[n], share of these that are wrong: no tool fits, or the first one is not right.
        predicted: float64[b], mean probability of each bin that is not empty.
        observed: float64[b], share of its queries that are answerable.
        counts: float64[b], its queries.
    """

    coverage: Floats
    risk: Floats
    predicted: Floats
    observed: Floats
    counts: Floats


def fit_figures(answerable: Flags, fits: Floats, right: Flags, threshold: float) -> FitFigures:
    """Measure.

    Args:
        answerable: bool[n], whether any tool fits.
        fits: float64[n], the probability of that.
        right: bool[n], whether the first tool is right; False where none fits.
        threshold: Probability from which on a query is routed.

    Raises:
        MissingExtra: scikit-learn is not installed.
        ValueError: There are only answerable queries, or none.
    """
    roc_auc_score = load_library("sklearn.metrics").roc_auc_score
    if answerable.all() or not answerable.any():
        raise ValueError("both answerable queries and others are needed")
    routed = fits >= threshold
    curves = fit_curves(answerable, fits, right)
    gaps = np.abs(curves.predicted - curves.observed)
    return FitFigures(
        in_scope=int(answerable.sum()),
        out_of_scope=int((~answerable).sum()),
        auroc=float(roc_auc_score(answerable, fits)),
        threshold=threshold,
        recall=float((~routed)[~answerable].mean()),
        false_routes=float(routed[~answerable].mean()),
        kept=float(routed[answerable].mean()),
        accuracy=float(right[answerable].mean()),
        served=float((routed & right)[answerable].mean()),
        calibration_error=float(gaps @ curves.counts / curves.counts.sum()),
        risk_area=float(curves.risk.mean()),
    )


def fit_curves(answerable: Flags, fits: Floats, right: Flags) -> Curves:
    """Risk against coverage, and observed against predicted; arguments as for `fit_figures`.

    Equal probabilities are answered together: each of their places has the risk of the whole group, so that the order in
    which queries came changes nothing.
    """
    order = np.argsort(-fits, kind="stable")
    wrong = np.cumsum(~(answerable & right)[order])
    ends = np.searchsorted(-fits[order], -fits[order], side="right")  # end of each place's group of equals
    answered = ends.astype(np.float64)
    bins = np.minimum((fits * BINS).astype(np.intp), BINS - 1)
    counts = np.bincount(bins, minlength=BINS).astype(np.float64)
    some = counts > 0
    return Curves(
        coverage=answered / len(fits),
        risk=wrong[ends - 1] / answered,
        predicted=np.bincount(bins, fits, BINS)[some] / counts[some],
        observed=np.bincount(bins, answerable.astype(np.float64), BINS)[some] / counts[some],
        counts=counts[some],
    )
