"""Pitfall C7, for what comes with the package: probabilities fitted to one encoder's cosines, read off another encoder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator
from toolcurator.encoders import load_encoder
from toolcurator.retrieval.cosine_scale import LEVEL, NEAR, CosineScale
from toolcurator.routing.decider import Decider

WITHIN = ("show my attendance", "renew my bus pass", "raise a formal complaint", "block my debit card")
BEYOND = (
    "write me a poem about the sea",
    "who won the football game",
    "translate this letter into Greek",
    "hello there",
)


class Crowded:
    """The packaged encoder with all vectors pressed into a narrow cone: no two texts have a cosine below 0.7."""

    def __init__(self) -> None:
        inner = load_encoder()
        assert inner is not None
        self._inner = inner
        self.id, self.dimensions = "crowded", inner.dimensions + 1
        self.max_tokens, self.languages, self.count_tokens = inner.max_tokens, inner.languages, inner.count_tokens

    def _pressed(self, vectors: np.ndarray) -> np.ndarray:
        share = np.float32(0.15)
        return np.hstack((np.sqrt(share) * vectors, np.full((len(vectors), 1), np.sqrt(1 - share), np.float32)))

    def encode_documents(self, texts: Any, *, progress: Any = None) -> np.ndarray:
        return self._pressed(self._inner.encode_documents(texts, progress=progress))

    def encode_queries(self, texts: Any, *, progress: Any = None) -> np.ndarray:
        return self._pressed(self._inner.encode_queries(texts, progress=progress))


@pytest.fixture(scope="module")
def crowded(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Curator:
    from toolcurator.index import open_index
    from toolcurator.settings import Settings

    encoder, settings = Crowded(), Settings(index_dir=tmp_path_factory.mktemp("crowded"))
    index = open_index(examples / "campus", settings=settings, encoder=encoder)
    return Curator(index, encoder=encoder, settings=settings)


def test_the_packaged_encoder_and_words_alone_need_no_scale(campus: Curator, campus_words: Curator) -> None:
    assert campus.cosine_scale is None
    assert campus_words.cosine_scale is None


def test_c07_another_encoders_cosines_mean_as_much(campus: Curator, crowded: Curator) -> None:
    scale = crowded.cosine_scale
    assert scale is not None
    assert scale.factor == pytest.approx(1 / 0.15, rel=0.25)
    for query in (*WITHIN, *BEYOND):
        as_packaged, found = campus.select(query), crowded.select(query)
        assert found.fits == pytest.approx(as_packaged.fits, abs=0.15)
        assert not found.calibrated
        evidence = crowded.evidence([query])[0]
        assert evidence.best.max() > 0.8  # any tool would fit, by its bare cosine
    assert all(crowded.select(query).fits >= 0.5 for query in WITHIN)
    assert all(crowded.select(query).fits < 0.5 for query in BEYOND)


def test_c07_decisions_too(campus: Curator, crowded: Curator) -> None:
    as_packaged, decider = Decider(campus, "packaged"), Decider(crowded, "packaged")
    for query in (*WITHIN, *BEYOND):
        assert decider.decide(query).fits == pytest.approx(as_packaged.decide(query).fits, abs=0.2)


def test_a_scale_is_a_straight_line() -> None:
    scale = CosineScale(factor=4.0, level=0.8, near=0.82)
    assert scale.of_tool(0.8) == LEVEL
    assert scale.of_tool(0.9) == pytest.approx(LEVEL + 0.4)
    assert scale.of_message(0.82) == NEAR


def test_vectors_that_are_all_alike_are_borne(opened: Callable[..., Curator], examples: Path) -> None:
    assert CosineScale(1.0, 0.0, 0.0).of_tool(0.0) == LEVEL
    from toolcurator.retrieval.cosine_scale import cosine_scale

    words = opened(examples / "campus")
    assert np.isfinite(cosine_scale(words.index, np.zeros((309, 384), np.float32)).factor)
