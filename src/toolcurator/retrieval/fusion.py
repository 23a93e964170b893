"""The arms' evidence → one score a candidate.

Four rules: ``weighted`` (default), ``rrf``, and one arm alone. A fitted score takes its place beside them: it too maps
`Evidence` to float32[m].
"""

from __future__ import annotations

import numpy as np

from toolcurator.index import Evidence
from toolcurator.index.index import Floats
from toolcurator.settings import Fusion, Settings

NOTHING = np.float32(-np.inf)
"""Score of a candidate for which a method has no evidence."""


def fuse(evidence: Evidence, method: Fusion, settings: Settings, *, sparse_weight: float) -> Floats:
    """Score the candidates.

    Args:
        evidence: What the index found.
        method: ``weighted``, ``rrf``, ``dense`` or ``sparse``.
        settings: Constants.
        sparse_weight: Weight of the standardized BM25 score in ``weighted``.

    Returns:
        float32[m]; higher is better. A candidate that the method has no evidence for gets `NOTHING`.
    """
    if method == "dense":
        return np.where(evidence.dense_rank > 0, evidence.dense, NOTHING)
    if method == "sparse":
        return np.where(evidence.sparse_rank > 0, evidence.sparse, NOTHING)
    if method == "rrf":
        return reciprocal_ranks(evidence, settings.rrf_k)
    dense = standardize(evidence.dense, evidence.dense_mean, evidence.dense_std, settings.dense_floor)
    sparse = standardize(
        evidence.sparse, evidence.sparse_mean, evidence.sparse_std, settings.sparse_floor, sparse_weight
    )
    weighted = dense + sparse
    weighted += np.float32(settings.name_weight) * evidence.name_match
    if not evidence.encoded:  # words alone: a tool without one has nothing for itself (pitfall A2)
        weighted = np.where((evidence.sparse_rank > 0) | (evidence.name_precision > 0), weighted, NOTHING)
    return weighted


def standardize(values: Floats, mean: float, std: float, floor: float, weight: float = 1.0) -> Floats:
    """Weighted standard scores over all visible tools, not over the candidates, whose number must not count.

    ``floor`` keeps a catalogue of a few tools, or a query whose only known word is an incidental one, from turning a tiny
    difference into a large score.
    """
    return (values - np.float32(mean)) * np.float32(weight / max((std * std + floor * floor) ** 0.5, 1e-9))


def reciprocal_ranks(evidence: Evidence, k: int) -> Floats:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum of 1 / (k + rank) over the arms; minus infinity without a rank."""
    score = np.zeros(len(evidence.tools), np.float64)
    for ranks in (evidence.dense_rank, evidence.sparse_rank):
        score += np.where(ranks > 0, 1.0 / (k + ranks), 0.0)
    return np.where(score > 0, score, -np.inf).astype(np.float32)
