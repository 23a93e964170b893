"""Signals → probability: logistic regression drawn towards weights that are known already, and a monotone correction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

Floats = NDArray[np.float64]

_STEPS = 30
_FURTHEST = 30.0  # logits beyond this are certainty


class Logistic(BaseModel):
    """A probability that rises and falls with signals.

    Attributes:
        names: The signals, in the order of the weights.
        weights: What each adds to the logit.
        intercept: The logit where all are 0.
        logits: Where the correction below bends; empty for none.
        corrected: The probability at each of ``logits``, not decreasing; between two it runs straight.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    logits: tuple[float, ...] = ()
    corrected: tuple[float, ...] = ()

    def logit(self, signals: Sequence[float]) -> float:
        """The logit of signals in the order of ``names``."""
        return self.intercept + sum(weight * value for weight, value in zip(self.weights, signals, strict=True))

    def probability(self, signals: Sequence[float]) -> float:
        """The probability, between 0 and 1."""
        return self.at(self.logit(signals))

    def at(self, logit: float) -> float:
        """The probability of a logit."""
        if self.logits:
            return float(np.interp(logit, self.logits, self.corrected))
        return 1.0 / (1.0 + exp(-max(-_FURTHEST, min(_FURTHEST, logit))))


def fit_logistic(
    names: Sequence[str],
    x: Floats,
    y: NDArray[np.bool_],
    *,
    sizes: Floats | None = None,
    prior: Logistic | None = None,
    pull: float = 1.0,
) -> Logistic:
    """Fit by Newton's method (iteratively reweighted least squares).

    Args:
        names: The signals.
        x: float64[n, f].
        y: bool[n].
        sizes: float64[n], how much each row counts; None counts each once.
        prior: Weights that the fit is drawn towards, of the same names; None draws towards 0.
        pull: How strongly, in standardized units: as much as so many rows.
    """
    center, spread = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    z = np.column_stack(((x - center) / spread, np.ones(len(x))))
    start = np.zeros(z.shape[1])
    if prior is not None:
        weights = np.array(prior.weights)
        start[:-1] = weights * spread
        start[-1] = prior.intercept + float(weights @ center)
    rows = np.ones(len(x)) if sizes is None else sizes
    held = np.full(len(start), pull)
    held[-1] = 1e-3  # the base rate is free
    target = y.astype(np.float64)
    found = start.copy()
    for _ in range(_STEPS):
        p = _sigmoid(z @ found)
        slope = z.T @ (rows * (target - p)) - held * (found - start)
        curve = (z * (rows * p * (1 - p))[:, None]).T @ z + np.diag(held + 1e-9)
        step = np.linalg.solve(curve, slope)
        found += step * min(1.0, 3.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-6:
            break
    weights = found[:-1] / spread
    return Logistic(
        names=tuple(names),
        weights=tuple(weights.tolist()),
        intercept=float(found[-1] - weights @ center),
    )


def correct(model: Logistic, logits: Floats, y: NDArray[np.bool_], sizes: Floats | None = None) -> Logistic:
    """The model with an isotonic correction (pool adjacent violators, Ayer et al. 1955), learned from rows it was not fitted on.

    Args:
        model: The model.
        logits: float64[n], what models fitted without the row in question gave.
        y: bool[n].
        sizes: float64[n], how much each row counts.
    """
    order = np.argsort(logits, kind="stable")
    weight = (np.ones(len(y)) if sizes is None else sizes)[order]
    blocks: list[tuple[float, float, float]] = []  # sum of logits, of right ones, of sizes
    for at, size, right in zip(logits[order].tolist(), weight.tolist(), y[order].tolist(), strict=True):
        blocks.append((at * size, right * size, size))
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((last[0] + before[0], last[1] + before[1], last[2] + before[2]))
    # half a row more on either side, so that no block says 0 or 1
    at = [total / size for total, _, size in blocks]
    probability = [(right + 0.5) / (size + 1.0) for _, right, size in blocks]
    level = np.maximum.accumulate(probability).tolist()
    kept = [0, *(i for i, (a, b) in enumerate(pairwise(at), 1) if b - a > 1e-9)]
    return model.model_copy(
        update={"logits": tuple(at[i] for i in kept), "corrected": tuple(float(level[i]) for i in kept)}
    )


def _sigmoid(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -_FURTHEST, _FURTHEST)))
