"""Labelled requests for several tools → which tools are needed together, and how much that should count."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders import Progress
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.evaluation.metrics import met
from toolcurator.evaluation.significance import intervals, resampled_means
from toolcurator.retrieval import Curator
from toolcurator.retrieval.fitted import TogetherReport
from toolcurator.retrieval.ranking import Ranking
from toolcurator.retrieval.together import Companions, Together, raise_companions

FOLDS = 5
LEAST = 30
"""With fewer requests for several tools no difference can be told from noise."""
MOST = 400
"""Requests that are asked, of those for several tools and of those for one; more are sampled down."""
WEIGHTS = (2.0, 4.0, 8.0)
PRICE = 0.002
"""NDCG@10 that requests for one tool may lose at most."""

Floats = NDArray[np.float64]


def fit_together(
    curator: Curator, queries: Sequence[LabelledQuery], *, seed: int = 0, progress: Progress | None = None
) -> TogetherReport | None:
    """Learn which tools are needed together.

    Args:
        curator: The curator, with the weights it will have; it is not changed.
        queries: Labelled queries, whose needs are ids of its tools.
        seed: Seed of samples, folds and resampling.
        progress: Called with queries asked and queries to ask.

    Returns:
        What came of it, each request asked with what the others taught; None if fewer than `LEAST` need several tools.
    """
    dice = random.Random(seed)  # noqa: S311
    several = [query for query in queries if len(query.needs) > 1]
    single = [query for query in queries if len(query.needs) == 1]
    if len(several) < LEAST:
        return None
    dice.shuffle(several)
    asked = several[:MOST]
    n = len(asked)
    asked += dice.sample(single, min(MOST, len(single)))
    ranked: list[tuple[LabelledQuery, Ranking]] = []
    for query in asked:
        ranked.append((query, curator.ranking(query.query, role=query.role)))
        if progress is not None:
            progress(len(ranked), len(asked))

    def measured(taught: Sequence[Companions]) -> Floats:
        """float64[queries, 2]: NDCG@10 and Completeness@10, with what each fold was taught."""
        return np.array([_measured(curator, *each, taught[at % FOLDS]) for at, each in enumerate(ranked)])

    def taught(weight: float) -> list[Companions]:
        rest = [[query.needs for at, query in enumerate(several) if at % FOLDS != fold] for fold in range(FOLDS)]
        return [Together.of(requests, weight).at(curator.index.ids) for requests in rest]

    nothing: Companions = {}
    was = measured([nothing] * FOLDS)
    became = {weight: measured(taught(weight)) for weight in WEIGHTS}
    fair = [w for w, m in became.items() if n == len(asked) or (m - was)[n:, 0].mean() >= -PRICE]
    weight = max(fair or WEIGHTS[:1], key=lambda w: float(became[w][:n, 0].mean()))
    old, new = was[:n], became[weight][:n]
    columns = np.stack((old[:, 0], new[:, 0], new[:, 0] - old[:, 0]), axis=1)
    before, after, difference = intervals(columns.mean(axis=0), resampled_means(columns, seed=seed))
    return TogetherReport(
        requests=len(several),
        together=Together.of([query.needs for query in several], weight),
        before=(before.mean, before.low, before.high),
        after=(after.mean, after.low, after.high),
        difference=(difference.mean, difference.low, difference.high),
        complete=(float(old[:, 1].mean()), float(new[:, 1].mean())),
        better=bool(fair) and difference.low > 0,
    )


def _measured(
    curator: Curator, query: LabelledQuery, ranking: Ranking, companions: Companions, k: int = 10
) -> tuple[float, float]:
    """NDCG@k and Completeness@k of one query."""
    tools: list[int] = raise_companions(ranking, companions).tools[:k].tolist()
    labels = met([curator.index.ids[tool] for tool in tools], query.needs)
    places = [at for at, label in enumerate(labels) if label.startswith("need")]
    discount = 1.0 / np.log2(np.arange(2, k + 2))
    ideal = discount[: len(query.needs)].sum()
    return float(discount[places].sum() / ideal), float(len(places) == len(query.needs))
