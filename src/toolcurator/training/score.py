"""Labelled queries, or a catalogue's own examples → the weights of its score.

A linear listwise model (the softmax of ListNet with one right tool at a time, Cao et al. 2007) over the named evidence of
`toolcurator.retrieval.fusion.contributions`, fitted by Newton's method and drawn towards the weights in use. It is checked on
queries that it did not see; the weights change only if these get better beyond noise.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolcurator.errors import ToolCuratorError
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.evaluation.significance import intervals, resampled_means
from toolcurator.index import Evidence
from toolcurator.retrieval import Curator
from toolcurator.retrieval.fitted import FitReport
from toolcurator.retrieval.fusion import contributions
from toolcurator.retrieval.weights import FEATURES, Weights
from toolcurator.training.left_out import ENOUGH, FOLDS, left_out

MOST = 1500
"""Queries that are learned from; more are sampled down."""
LEAST = 30
"""With fewer queries no difference can be told from noise."""
PULLS = (0.03, 0.3)
"""How strongly the weights are drawn towards those in use; the best of these on unseen queries is taken."""

_DEPTH = 60  # candidates of a query that are learned from, the best by the weights in use; the others weigh nothing

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


class TooFewLabels(ToolCuratorError):
    """There is too little to learn from; the message says what is missing."""


@dataclass(frozen=True)
class _Lesson:
    """One query: its evidence and what is right.

    Attributes:
        features: float64[m, f], each evidence of each candidate at weight 1.
        right: bool[m].
        needs: How many tools are needed.
    """

    features: Floats
    right: NDArray[np.bool_]
    needs: int


def fit(
    curator: Curator, queries: Sequence[LabelledQuery] | None = None, *, seed: int = 0, progress: Progress | None = None
) -> FitReport:
    """Fit the weights of a curator's score, and compare with those it has.

    Args:
        curator: The curator; it is not changed.
        queries: Labelled queries, whose needs are ids of its tools. None takes the catalogue's own examples: each is asked of an
            index from which it and a fifth of the others are left out.
        seed: Seed of samples, folds and resampling.
        progress: Called with steps done and steps to do.

    Raises:
        TooFewLabels: There are fewer than `LEAST` queries with a right tool.
    """
    asked = list(queries) if queries is not None else []
    lessons = _asked(curator, asked, seed) if queries is not None else _own(curator, seed, progress)
    if len(lessons) < LEAST:
        what = "labelled queries" if queries is not None else f"examples of tools that have {ENOUGH} or more"
        raise TooFewLabels(
            f"{len(lessons)} {what} with a right tool among the candidates; at least {LEAST} are needed"
            + ("" if queries is not None else "; or give labelled queries")
        )
    share = lessons[0][1]
    used = [lesson for lesson, _ in lessons]
    old = curator.weights.at(share)
    before = np.array([getattr(old, name) for name in FEATURES])
    order = np.random.default_rng(seed).permutation(len(used))
    folds = [set(map(int, order[at::FOLDS])) for at in range(FOLDS)]
    was = np.array([_ndcg(lesson, before) for lesson in used])
    best: tuple[float, float, Floats] = (-1.0, PULLS[0], was)
    for step, pull in enumerate(PULLS):
        became = np.zeros(len(used))
        for held in folds:
            weights = _newton([lesson for at, lesson in enumerate(used) if at not in held], before, pull)
            for at in held:
                became[at] = _ndcg(used[at], weights)
        if became.mean() > best[0]:
            best = (float(became.mean()), pull, became)
        if progress is not None:
            progress(FOLDS + step + 1, FOLDS + len(PULLS) + 1)
    _, pull, became = best
    after = _newton(used, before, pull)
    columns = np.stack((was, became, became - was), axis=1)
    old_mean, new_mean, difference = intervals(columns.mean(axis=0), resampled_means(columns, seed=seed))
    if progress is not None:
        progress(FOLDS + len(PULLS) + 1, FOLDS + len(PULLS) + 1)
    return FitReport(
        encoder=curator.index.encoder_id,
        learned_from="queries" if queries is not None else "examples",
        queries=len(used),
        old=old,
        new=Weights(**{name: round(float(value), 4) for name, value in zip(FEATURES, after, strict=True)}),
        before=(old_mean.mean, old_mean.low, old_mean.high),
        after=(new_mean.mean, new_mean.low, new_mean.high),
        difference=(difference.mean, difference.low, difference.high),
        better=difference.low > 0,
    )


def _asked(curator: Curator, queries: Sequence[LabelledQuery], seed: int) -> list[tuple[_Lesson, float]]:
    chosen = [query for query in queries if query.needs]
    if len(chosen) > MOST:
        chosen = random.Random(seed).sample(chosen, MOST)  # noqa: S311
    found: list[tuple[_Lesson, float]] = []
    for query in chosen:
        (evidence,) = curator.evidence([query.query], role=query.role)
        found += _lesson(curator, evidence, query.needs)
    return found


def _own(curator: Curator, seed: int, progress: Progress | None) -> list[tuple[_Lesson, float]]:
    """Each example asked of an index without it; the vectors are those of the index, so nothing is encoded but the queries."""
    if curator.encoder is None:
        raise TooFewLabels("the examples of an index of words alone teach nothing: give labelled queries")
    found: list[tuple[_Lesson, float]] = []
    for fold, (rest, asked) in enumerate(left_out(curator, most=MOST, seed=seed), 1):
        for (_, owners), evidence in zip(asked, rest.evidence([text for text, _ in asked]), strict=True):
            found += _lesson(rest, evidence, (owners,))
        if progress is not None:
            progress(fold, FOLDS + len(PULLS) + 1)
    return found


def _lesson(curator: Curator, evidence: Evidence, needs: Sequence[frozenset[str]]) -> list[tuple[_Lesson, float]]:
    """What a query teaches; nothing if no right tool is among its candidates."""
    right = np.array([any(curator.index.ids[at] in need for need in needs) for at in evidence.tools], np.bool_)
    if not right.any():
        return []
    found = contributions(evidence, curator.settings, Weights(**dict.fromkeys(FEATURES, 1.0)))
    nothing = np.zeros(len(right), np.float32)
    features = np.stack([found.get(name, nothing) for name in FEATURES], axis=1).astype(np.float64)
    share = evidence.examples.share if evidence.examples is not None else 0.0
    used = curator.weights.at(share)
    score = features @ [getattr(used, name) for name in FEATURES]
    near = np.union1d(np.argsort(-score, kind="stable")[:_DEPTH], np.flatnonzero(right))
    return [(_Lesson(features[near], right[near], len(needs)), share)]


def _newton(lessons: Sequence[_Lesson], start: Floats, pull: float) -> Floats:
    """Weights that make the right tools likely, none below 0, in the scale of the start."""
    longest = max(len(lesson.right) for lesson in lessons)
    x = np.zeros((len(lessons), longest, len(start)))
    there = np.zeros((len(lessons), longest), np.bool_)
    wanted = np.zeros((len(lessons), len(start)))
    for row, lesson in enumerate(lessons):
        x[row, : len(lesson.right)] = lesson.features
        there[row, : len(lesson.right)] = True
        wanted[row] = lesson.features[lesson.right].mean(axis=0)
    target = wanted.mean(axis=0)

    def expected(weights: Floats) -> tuple[Floats, Floats]:
        score = np.where(there, x @ weights, -np.inf)
        p = np.exp(score - score.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        mean = np.einsum("qm,qmf->qf", p, x)
        second = np.einsum("qm,qmf,qmg->fg", p, x, x, optimize=True) / len(x)
        return mean.mean(axis=0), second - mean.T @ mean / len(x)

    scale = 1.0  # how peaked the start's own softmax should be
    for _ in range(8):
        mean, spread = expected(scale * start)
        curve = float(start @ spread @ start)
        scale = max(0.05, scale + float(start @ (target - mean)) / max(curve, 1e-9))
    weights = scale * start
    for _ in range(8):
        mean, spread = expected(weights)
        slope = target - mean - pull * (weights - scale * start)
        weights = np.maximum(weights + np.linalg.solve(spread + pull * np.eye(len(start)), slope), 0.0)
    return weights / scale


def _ndcg(lesson: _Lesson, weights: Floats, k: int = 10) -> float:
    """NDCG@k with linear gain, of the candidates alone."""
    order = np.argsort(-(lesson.features @ weights), kind="stable")[:k]
    discount = 1.0 / np.log2(np.arange(2, k + 2))
    hits = np.flatnonzero(lesson.right[order])[: lesson.needs]
    return float(discount[hits].sum() / discount[: min(k, lesson.needs)].sum())
