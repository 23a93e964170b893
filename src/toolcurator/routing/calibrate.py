"""Rows → a calibration: two probabilities, checked on rows they were not fitted on, and limits for what may go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders import Progress
from toolcurator.errors import ToolCuratorError
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.retrieval import Curator
from toolcurator.routing.calibration import Calibration, Figures, Point, Rate, folder_of
from toolcurator.routing.decide import Thresholds
from toolcurator.routing.gather import KERNEL_WEIGHTS, Row, gather
from toolcurator.routing.kernel_head import KernelHead
from toolcurator.routing.logistic import Logistic, correct, fit_logistic
from toolcurator.routing.packaged import packaged
from toolcurator.routing.signals import SIGNALS

LEAST = 20
"""Queries with a tool, and without, that are needed."""
FOLDS = 5
PULLS = (1.0, 10.0, 100.0)
"""How strongly the weights are drawn towards the packaged ones, as much as so many queries."""
ENOUGH = 200
"""Queries with a tool, and without, from which on the probabilities are corrected by isotonic regression."""
FALSE_ROUTE, MISS = 0.05, 0.05
LIKELY = 0.5
"""A match is at least as likely right as wrong, whatever may go wrong."""
STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TooFewQueries(ToolCuratorError):
    """There is too little to calibrate on; the message says what is missing."""


@dataclass(frozen=True)
class Calibrated:
    """What came of calibrating.

    Attributes:
        calibration: The calibration.
        kernel: The kernel head that belongs to it; None without one.
    """

    calibration: Calibration
    kernel: KernelHead | None

    def save(self, curator: Curator) -> None:
        """Put both beside the index of a curator."""
        folder = folder_of(curator.index)
        if self.kernel is not None:
            self.kernel.save(folder)
        self.calibration.save(folder)


def calibrate(
    curator: Curator,
    queries: Sequence[LabelledQuery] | None = None,
    *,
    negatives: Sequence[str] = (),
    false_route: float = FALSE_ROUTE,
    miss: float = MISS,
    in_scope: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Calibrated:
    """Learn how sure a catalogue's decisions are, and where to draw the lines.

    Args:
        curator: The curator; it is not changed.
        queries: Labelled queries, with and without a tool; with fewer than thirty without one, the packaged general messages are
            asked too. None asks each example of an index without it, against the general messages.
        negatives: Messages from near the domain that no tool serves (pitfall C22).
        false_route: Most queries without a tool that may be matched, as a share.
        miss: Most queries with a tool that may be declined.
        in_scope: Share of the traffic that has a tool, which no probability can do without; None takes the share among the
            labelled queries, and half where there are none.
        seed: Seed of samples and folds.
        progress: Called with queries asked and queries to ask.

    Raises:
        TooFewQueries: There are fewer than `LEAST` queries with a tool, or without.
    """
    rows, kernel = gather(curator, queries, negatives, seed=seed, progress=progress)
    inside = sum(row.kind == "in" for row in rows)
    if inside < LEAST or len(rows) - inside < LEAST:
        what = "labelled queries" if queries is not None else "examples of tools that have four or more"
        raise TooFewQueries(
            f"{inside} {what} with a tool and {len(rows) - inside} without one; at least {LEAST} of both are needed: "
            "give labelled queries (--queries), or add examples to the tools"
        )
    weight = best_weight(rows) if kernel is not None else 0
    share = in_scope or (inside / len(rows) if queries is not None else 0.5)
    fitted = fit(rows, weight, words=curator.encoder is None, share=share, seed=seed)
    kinds = np.array([row.kind for row in rows])
    within = kinds == "in"
    limits = choose(fitted.fits_seen, fitted.right_seen, within, fitted.right, false_route, miss)
    calibration = Calibration(
        encoder=curator.index.encoder_id,
        catalog=curator.index.manifest.key,
        learned_from="queries" if queries is not None else "examples",
        in_scope=inside,
        general=int((kinds == "general").sum()),
        near=int((kinds == "near").sum()),
        fits=fitted.fits_model,
        right=fitted.right_model,
        thresholds=limits,
        false_route=false_route,
        miss=miss,
        kernel_used=kernel is not None,
        kernel_weight=KERNEL_WEIGHTS[weight],
        figures=figures(fitted.fits_seen, fitted.right_seen, kinds, fitted.right, limits, fitted.sizes),
        curve=tuple(_point(step, fitted.right_seen, kinds, fitted.right) for step in STEPS),
        spread_in=_histogram(fitted.fits_seen[within]),
        spread_out=_histogram(fitted.fits_seen[~within]),
    )
    return Calibrated(calibration, kernel)


def best_weight(rows: Sequence[Row]) -> int:
    """Which of `KERNEL_WEIGHTS` finds most, if it finds more than none does by more than a standard error."""
    right = np.array([row.right for row in rows if row.kind == "in"], np.float64)
    gain = right - right[:, :1]
    best = int(gain.mean(axis=0).argmax())
    error = float(gain[:, best].std()) / max(len(gain), 1) ** 0.5
    return best if float(gain[:, best].mean()) > error else 0


@dataclass(frozen=True)
class Fitted:
    """Both models, and what they say of rows they did not see.

    Attributes:
        fits_model: For any tool.
        right_model: For the first.
        fits_seen: float64[n], the former's probability of each row by a model fitted without it.
        right_seen: float64[n], the same of the latter.
        right: bool[n], whether the first tool is right.
        sizes: float64[n], how much each row counts.
    """

    fits_model: Logistic
    right_model: Logistic
    fits_seen: Floats
    right_seen: Floats
    right: Bools
    sizes: Floats


def fit(rows: Sequence[Row], weight: int, *, words: bool, share: float, seed: int = 0) -> Fitted:
    """Fit both models.

    Args:
        rows: The rows.
        weight: Which of `KERNEL_WEIGHTS`.
        words: Whether the index is of words alone.
        share: What the queries with a tool count, of all.
        seed: Seed of the folds.
    """
    x = np.array([row.signals[weight] for row in rows])
    right = np.array([row.right[weight] for row in rows])
    within = np.array([row.kind == "in" for row in rows])
    inside = int(within.sum())
    sizes = np.full(len(rows), (1 - share) * len(rows) / (len(rows) - inside))
    sizes[within] = share * len(rows) / inside
    folds = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
    pair = packaged().words if words else packaged().dense
    found: list[tuple[Logistic, Floats]] = []
    for target, prior in ((within, pair.fits), (right & within, pair.right)):
        found.append(_fit_one(x, target, sizes, folds, _wide(prior)))
    (fits_model, fits_seen), (right_model, right_seen) = found
    return Fitted(fits_model, right_model, fits_seen, np.minimum(right_seen, fits_seen), right & within, sizes)


def _fit_one(x: Floats, y: Bools, sizes: Floats, folds: NDArray[np.intp], prior: Logistic) -> tuple[Logistic, Floats]:
    best: tuple[float, float, Floats] = (np.inf, PULLS[0], np.zeros(len(y)))
    for pull in PULLS:
        logits = np.zeros(len(y))
        for fold in range(FOLDS):
            kept = folds != fold
            model = fit_logistic(SIGNALS, x[kept], y[kept], sizes=sizes[kept], prior=prior, pull=pull)
            logits[~kept] = x[~kept] @ np.array(model.weights) + model.intercept
        loss = float(sizes @ np.logaddexp(0.0, np.where(y, -logits, logits)))
        if loss < best[0]:
            best = (loss, pull, logits)
    _, pull, logits = best
    model = fit_logistic(SIGNALS, x, y, sizes=sizes, prior=prior, pull=pull)
    if min(y.sum(), (~y).sum()) < ENOUGH:
        return model, 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    seen = np.zeros(len(y))
    for fold in range(FOLDS):
        kept = folds != fold
        corrected = correct(model, logits[kept], y[kept], sizes[kept])
        seen[~kept] = np.interp(logits[~kept], corrected.logits, corrected.corrected)
    return correct(model, logits, y, sizes), seen


def _wide(model: Logistic) -> Logistic:
    """A model with all signals, 0 for those it lacks."""
    weights = dict(zip(model.names, model.weights, strict=True))
    wide = tuple(weights.get(name, 0.0) for name in SIGNALS)
    return Logistic(names=SIGNALS, weights=wide, intercept=model.intercept)


def choose(fits: Floats, right: Floats, within: Bools, correct: Bools, false_route: float, miss: float) -> Thresholds:
    """Limits for what may go wrong.

    Args:
        fits: float64[n], probability that any tool fits.
        right: float64[n], probability that the first is right.
        within: bool[n], whether a tool fits.
        correct: bool[n], whether the first is right.
        false_route: Most queries without a tool that may be matched.
        miss: Most queries with a tool that may be declined.

    Returns:
        ``high`` is the lowest limit from `LIKELY` on that keeps to the first; ``minimum`` is the highest that keeps to the
        second, and no higher than ``high``.
    """
    outside = np.sort(right[~within])
    allowed = int(false_route * len(outside))
    high = float(np.nextafter(outside[len(outside) - 1 - allowed], 2.0)) if allowed < len(outside) else 0.0
    minimum = float(np.sort(fits[within])[int(miss * within.sum())])
    high = min(max(round(high + 5e-5, 4), LIKELY), 1.0)
    return Thresholds(minimum=round(min(minimum, high), 4), high=high)


def figures(
    fits: Floats, right: Floats, kinds: NDArray[np.str_], correct: Bools, limits: Thresholds, sizes: Floats
) -> Figures:
    """What limits do to queries whose answer is known."""
    within, near = kinds == "in", kinds == "near"
    declined = fits < limits.minimum
    matched = ~declined & (right >= limits.high)

    def rate(hits: Bools, of: Bools) -> Rate:
        return Rate.measured(int((hits & of).sum()), int(of.sum()))

    return Figures(
        auroc=area(fits[within], fits[~within]),
        ece=calibration_error(fits, within, sizes),
        accuracy=rate(correct, within),
        false_route=rate(matched, ~within),
        false_near=rate(matched, near) if near.any() else None,
        miss=rate(declined, within),
        wrong=rate(matched & ~correct, within),
        matched=rate(matched & correct, within),
        ambiguous=rate(~declined & ~matched, within),
    )


def area(inside: Floats, outside: Floats) -> float:
    """Area under the ROC curve: how often a query with a tool has the higher probability (ties count half)."""
    order = np.sort(outside)
    below = np.searchsorted(order, inside, side="left") + np.searchsorted(order, inside, side="right")
    return float(below.mean() / 2 / max(len(outside), 1))


def calibration_error(probability: Floats, true: Bools, sizes: Floats | None = None, bins: int = 10) -> float:
    """Expected calibration error (Naeini et al. 2015): how far shares are off their probability, in bins of equal width."""
    weight = np.ones(len(true)) if sizes is None else sizes
    at = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = np.zeros(bins)
    np.add.at(gaps, at, weight * (probability - true))
    return float(np.abs(gaps).sum() / weight.sum())


def _point(high: float, right: Floats, kinds: NDArray[np.str_], correct: Bools) -> Point:
    matched, within, near = right >= high, kinds == "in", kinds == "near"
    return Point(
        high=high,
        false_route=float(matched[~within].mean()),
        near=float(matched[near].mean()) if near.any() else None,
        matched=float((matched & correct)[within].mean()),
        wrong=float((matched & ~correct)[within].mean()),
    )


def _histogram(values: Floats) -> tuple[int, ...]:
    return tuple(np.histogram(values, bins=20, range=(0.0, 1.0))[0].tolist())
