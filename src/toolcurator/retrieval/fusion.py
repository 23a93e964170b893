"""The arms' evidence → one score a candidate.

Four rules: ``weighted`` (default), ``rrf``, and one arm alone. A fitted score takes its place beside them: it too maps
`Evidence` to float32[m].
"""

from __future__ import annotations

import numpy as np

from toolcurator.index import Evidence
from toolcurator.index.index import Floats, Spread
from toolcurator.retrieval.weights import Weights
from toolcurator.settings import Fusion, Settings

NOTHING = np.float32(-np.inf)
"""Score of a candidate for which a method has no evidence."""
SAME = 0.8
"""Cosine from which on an example counts as the same request, more and more towards 1."""


def fuse(evidence: Evidence, method: Fusion, settings: Settings, weights: Weights) -> Floats:
    """Score the candidates.

    Args:
        evidence: What the index found.
        method: ``weighted``, ``rrf``, ``dense`` or ``sparse``.
        settings: Constants.
        weights: Of each evidence, in ``weighted``.

    Returns:
        float32[m]; higher is better. A candidate that the method has no evidence for gets `NOTHING`.
    """
    if method == "dense":
        return np.where(evidence.dense_rank > 0, evidence.dense, NOTHING)
    if method == "sparse":
        return np.where(evidence.sparse_rank > 0, evidence.sparse, NOTHING)
    if method == "rrf":
        return reciprocal_ranks(evidence, settings.rrf_k)
    weighted, *others = contributions(evidence, settings, weights).values()
    for each in others:
        weighted = weighted + each
    if not evidence.encoded:  # words alone: a tool without one has nothing for itself (pitfall A2)
        weighted = np.where((evidence.sparse > 0) | (evidence.name_precision > 0), weighted, NOTHING)
    return weighted


def contributions(evidence: Evidence, settings: Settings, weights: Weights) -> dict[str, Floats]:
    """What each evidence adds to the weighted score: name of the feature → float32[m]. They sum up to it.

    A tool without examples is taken to stand in the cosines of examples where its document stands among the documents: it must
    not fall behind for what is not known of it.
    """
    dense, sparse = settings.dense_floor, settings.sparse_floor
    found = {
        "document": standardize(evidence.document, evidence.document_spread, dense, weights.document),
        "words": standardize(evidence.words, evidence.words_spread, sparse, weights.words),
        "name": evidence.name_match * np.float32(weights.name),
    }
    examples = evidence.examples
    if examples is None:
        return found
    found["example_words"] = standardize(examples.words, examples.words_spread, sparse, weights.example_words)
    exact = np.clip((examples.best - SAME) / np.float32(1 - SAME), 0, 1)
    found["example_match"] = exact * exact * np.float32(weights.example_match)
    for name, values, spread in (
        ("example_mean", examples.mean, examples.mean_spread),
        ("example_best", examples.best, examples.best_spread),
        ("head", examples.head, examples.head_spread),
    ):
        weight = getattr(weights, name)
        found[name] = standardize(values, spread, dense, weight)
        if examples.has is not None:
            instead = standardize(evidence.document, evidence.document_spread, dense, weight)
            found[name] = np.where(examples.has, found[name], instead)
    return found


def standardize(values: Floats, spread: Spread, floor: float, weight: float = 1.0) -> Floats:
    """Weighted standard scores over all visible tools, not over the candidates, whose number must not count.

    ``floor`` keeps a catalogue of a few tools, or a query whose only known word is an incidental one, from turning a tiny
    difference into a large score.
    """
    scale = weight / max((spread.std * spread.std + floor * floor) ** 0.5, 1e-9)
    return (values - np.float32(spread.mean)) * np.float32(scale)


def reciprocal_ranks(evidence: Evidence, k: int) -> Floats:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum of 1 / (k + rank) over the arms; minus infinity without a rank."""
    score = np.zeros(len(evidence.tools), np.float64)
    for ranks in (evidence.dense_rank, evidence.sparse_rank):
        score += np.where(ranks > 0, 1.0 / (k + ranks), 0.0)
    return np.where(score > 0, score, -np.inf).astype(np.float32)
