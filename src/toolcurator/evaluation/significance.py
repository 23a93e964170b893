"""How sure a figure is: bootstrap intervals of a mean, and a paired randomization test between two runs."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

Floats = NDArray[np.float64]

SAMPLES = 2000
ROUNDS = 10_000
_CHUNK = 500  # rounds at once, so that memory stays small


class Interval(BaseModel):
    """A mean, and where it would lie had other queries of the same kind been asked.

    Attributes:
        mean: The mean.
        low: Lower end of the interval.
        high: Upper end.
    """

    model_config = ConfigDict(frozen=True)

    mean: float
    low: float
    high: float


class Difference(BaseModel):
    """Two runs compared query by query.

    Attributes:
        mean: Mean of the differences, new less old.
        p: Probability of a difference at least that large if the two runs were interchangeable (two-sided).
        better: Queries that the new run does better.
        worse: Queries that it does worse.
        same: The others.
    """

    model_config = ConfigDict(frozen=True)

    mean: float
    p: float
    better: int
    worse: int
    same: int


def resampled_means(values: Floats, *, samples: int = SAMPLES, seed: int = 0) -> Floats:
    """Means of queries drawn again with replacement (bootstrap, Efron 1979).

    Args:
        values: float64[n, m], a row a query and a column a metric.
        samples: How often the n queries are drawn.
        seed: Seed of the draws.

    Returns:
        float64[samples, m].
    """
    rng = np.random.default_rng(seed)
    n = len(values)
    parts: list[Floats] = []
    for at in range(0, samples, _CHUNK):
        rows = min(_CHUNK, samples - at)
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        parts.append(counts @ values / n)
    return np.concatenate(parts)


def intervals(means: Floats, resampled: Floats, *, level: float = 0.95) -> list[Interval]:
    """Percentile intervals of means.

    Args:
        means: float64[m], what was measured.
        resampled: float64[samples, m], by `resampled_means`, or means of several of these.
        level: Share of the resampled means that lie within.
    """
    lows, highs = np.quantile(resampled, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return [
        Interval(mean=float(mean), low=float(low), high=float(high))
        for mean, low, high in zip(means, lows, highs, strict=True)
    ]


def paired_test(old: Floats, new: Floats, *, rounds: int = ROUNDS, seed: int = 0) -> Difference:
    """Paired randomization test: how often do swapped signs give so large a difference (Smucker et al. 2007)?

    Args:
        old: float64[n], the older run, one entry a query.
        new: float64[n], the newer run, the same queries in the same order.
        rounds: Random sign patterns; with fewer than 14 differing queries every pattern is tried instead.
        seed: Seed of the patterns.

    Raises:
        ValueError: The two do not have the same queries.
    """
    if old.shape != new.shape:
        raise ValueError(f"{len(old)} queries against {len(new)}: a paired test needs the same ones")
    differences = new - old
    differing = differences[np.abs(differences) > 1e-12]
    n = len(differing)
    better = int((differing > 0).sum())
    count = {"better": better, "worse": n - better, "same": len(old) - n}
    if not n:
        return Difference(mean=0.0, p=1.0, **count)
    seen = abs(float(differing.sum())) - 1e-9
    if 2**n <= rounds:
        patterns = np.array(list(product((1.0, -1.0), repeat=n)), np.float64)
        p = float((np.abs(patterns @ differing) >= seen).mean())
    else:
        rng = np.random.default_rng(seed)
        extreme = 0
        for at in range(0, rounds, _CHUNK):
            signs = 1.0 - 2.0 * rng.integers(0, 2, (min(_CHUNK, rounds - at), n))
            extreme += int((np.abs(signs @ differing) >= seen).sum())
        p = (extreme + 1) / (rounds + 1)  # the pattern that was observed is one of them
    return Difference(mean=float(differences.mean()), p=p, **count)
