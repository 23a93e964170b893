"""Evidence, made by hand, → scores (pitfall A1), and what the name match is."""

from typing import Any

import numpy as np
import pytest

from toolcurator import Curator
from toolcurator.index import Evidence
from toolcurator.index.index import Spread
from toolcurator.retrieval.confidence import packaged_confidence
from toolcurator.retrieval.fusion import fuse, reciprocal_ranks, standardize
from toolcurator.retrieval.weights import Weights
from toolcurator.settings import Settings


def _evidence(dense: np.ndarray, sparse: np.ndarray, limit: int = 100, **more: Any) -> Evidence:
    n = len(dense)
    dense, sparse = dense.astype(np.float32), sparse.astype(np.float32)
    names = {"name_precision": np.zeros(n, np.float32), "name_recall": np.zeros(n, np.float32)} | more
    return Evidence(
        tools=np.arange(n),
        encoded=bool(dense.any()),
        dense=dense,
        document=dense,
        best=dense,
        sparse=sparse,
        words=sparse,
        examples=None,
        limit=limit,
        visible=n,
        dense_mean=float(dense.mean()),
        document_spread=Spread(float(dense.mean()), float(dense.std())),
        words_spread=Spread(float(sparse.mean()), float(sparse.std())),
        **names,
    )


def _fused(evidence: Evidence, words: float, name: float = 1.0) -> np.ndarray:
    return fuse(evidence, "weighted", Settings(), Weights(document=1.0, words=words, name=name))


def _weak_and_strong(rank: int, strong: str) -> tuple[Evidence, int, int]:
    """Tool ``weak`` stands at ``rank`` in both arms, tool ``first`` at 1 in one arm and among the unranked in the other.

    The other 198 are spread as they are in a real catalogue: cosines around a mean, and words in fewer than half of them.
    """
    n, first, weak = 200, 10, 20
    others = np.arange(n - 2)
    usual = {
        "dense": 0.15 + 0.1 * np.sort(np.random.default_rng(0).normal(size=n - 2))[::-1],
        "sparse": np.where(others < 90, 0.5 * np.exp(-others / 25), 0.0),
    }
    unranked = {"dense": float(np.median(usual["dense"])), "sparse": 0.0}
    top = {"dense": 0.85, "sparse": 0.9}
    arms: dict[str, np.ndarray] = {}
    for arm, falling in usual.items():
        above = rank - 1 - (arm == strong)  # of the others; the strong tool itself stands above too
        arms[arm] = np.zeros(n)
        arms[arm][[i for i in range(n) if i not in (first, weak)]] = falling
        arms[arm][weak] = (falling[above - 1] + falling[above]) / 2
        arms[arm][first] = top[arm] if arm == strong else unranked[arm]
    evidence = _evidence(arms["dense"], arms["sparse"], limit=90)
    for arm in arms:
        assert getattr(evidence, f"{arm}_rank")[weak] == rank
        assert getattr(evidence, f"{arm}_rank")[first] == (arm == strong)
    return evidence, first, weak


@pytest.mark.parametrize("strong", ["dense", "sparse"])
@pytest.mark.parametrize("rank", [62, 61, 40, 25])
def test_a01_weak_agreement_never_beats_one_strong_signal(rank: int, strong: str) -> None:
    evidence, first, weak = _weak_and_strong(rank, strong)
    for weight in (0.5, 1.0, 2.0):
        scores = _fused(evidence, weight)
        assert scores[first] > scores[weak], weight


@pytest.mark.parametrize("strong", ["dense", "sparse"])
def test_a01_reciprocal_ranks_tie_or_lose_as_documented(strong: str) -> None:
    from toolcurator.retrieval import classic

    evidence, first, weak = _weak_and_strong(62, strong)
    scores = reciprocal_ranks(evidence, classic.RRF_K)
    assert scores[first] == scores[weak] == np.float32(1 / 61)
    evidence, first, weak = _weak_and_strong(61, strong)
    scores = reciprocal_ranks(evidence, 60)
    assert scores[weak] > scores[first]
    assert classic.__doc__ is not None
    assert "A1" in classic.__doc__


def test_a01_rrf_is_the_sum_over_the_arms_and_nothing_without_a_rank() -> None:
    evidence = _evidence(np.array([0.9, 0.5, 0.0]), np.array([0.0, 0.7, 0.0]), limit=2)
    assert reciprocal_ranks(evidence, 60).tolist() == pytest.approx([1 / 61, 1 / 62 + 1 / 61, -np.inf])
    assert fuse(evidence, "rrf", Settings(rrf_k=1), Weights()).tolist() == pytest.approx(
        [1 / 2, 1 / 3 + 1 / 2, -np.inf]
    )


def test_one_arm_alone_shows_that_arm() -> None:
    evidence = _evidence(np.array([0.9, 0.5, 0.0]), np.array([0.0, 0.7, 0.2]), limit=2)
    assert fuse(evidence, "dense", Settings(), Weights()).tolist() == pytest.approx([0.9, 0.5, -np.inf])
    assert fuse(evidence, "sparse", Settings(), Weights()).tolist() == pytest.approx([-np.inf, 0.7, 0.2])


def test_weights_are_those_of_the_settings() -> None:
    rng = np.random.default_rng(1)
    names: dict[str, Any] = {
        "name_precision": rng.random(50).astype(np.float32),
        "name_recall": rng.random(50).astype(np.float32),
    }
    evidence = _evidence(rng.random(50), rng.random(50), **names)
    dense = _fused(evidence, 0, 0)
    assert np.argsort(dense).tolist() == np.argsort(evidence.dense).tolist()
    both = _fused(evidence, 0.7, 0)
    words = _fused(evidence, 0.7 + 1, 0) - both
    assert np.argsort(words).tolist() == np.argsort(evidence.sparse).tolist()
    named = _fused(evidence, 0.7, 3) - both
    assert named == pytest.approx(3 * evidence.name_match, abs=1e-4)
    assert both == pytest.approx(dense + 0.7 * words, abs=1e-4)


def test_a26_the_name_counts_no_more_than_its_weight() -> None:
    names: dict[str, Any] = {
        "name_precision": np.array([1, 0], np.float32),
        "name_recall": np.array([1, 0], np.float32),
    }
    with_name = _fused(_evidence(np.array([0.1, 0.9]), np.array([0.1, 0.9]), **names), 0.5)
    without = _fused(_evidence(np.array([0.1, 0.9]), np.array([0.1, 0.9])), 0.5)
    assert with_name[0] - without[0] == pytest.approx(Settings().name_weight, abs=1e-5)
    assert with_name[1] > with_name[0], "a name alone does not beat meaning and words together"


def test_standard_scores_of_a_flat_catalogue_are_small() -> None:
    """Two tools of almost the same cosine: the floor keeps the difference from becoming a score of 1."""
    values = np.array([0.301, 0.300], np.float32)
    scores = standardize(values, Spread(float(values.mean()), float(values.std())), 0.03)
    assert abs(scores).max() < 0.05
    assert standardize(np.zeros(3, np.float32), Spread(0.0, 0.0), 0.0).tolist() == [0, 0, 0]


def test_confidence_is_a_probability_and_grows_with_the_evidence() -> None:
    model = packaged_confidence()
    low = model.probability(_evidence(np.full(20, 0.05), np.zeros(20)))
    strong = np.full(20, 0.05)
    strong[3] = 0.9
    words = np.zeros(20)
    words[3] = 0.9
    high = model.probability(_evidence(strong, words))
    assert 0 <= low < 0.5 < high <= 1
    assert packaged_confidence() is model
    assert 0 < model.threshold < 1
    assert len(model.dense) == len(model.words) == 6


def test_the_evidence_of_a_hit_is_what_the_index_says(campus: Curator) -> None:
    found = campus.select("show my attendance", k=5, role="student")
    first = found[0].evidence
    assert (first.dense_rank, first.sparse_rank) == (1, 1)
    assert 0 < first.cosine <= first.best_cosine <= 1.001
    assert first.best_point in ("Please show my attendance percentage in CS101.", *found[0].tool.examples)
    assert 0 < first.name_match <= 1
    assert first.fused == pytest.approx(found[0].score, abs=1e-5)
    assert str(first).count("#1") == 2
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
