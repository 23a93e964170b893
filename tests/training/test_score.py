"""Fitting the weights of the score: better ones are kept, others never."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator
from toolcurator.evaluation.bench_form import read_queries
from toolcurator.retrieval.fitted import FILE, FitReport, read_fitted, save_fitted
from toolcurator.retrieval.weights import FEATURES, Weights, WeightTable
from toolcurator.training.score import TooFewLabels, _Lesson, _newton


def test_newton_finds_the_evidence_that_tells() -> None:
    rng = np.random.default_rng(0)
    lessons = []
    for _ in range(200):
        features = rng.normal(size=(20, len(FEATURES)))
        features[3, 1] += 2.0  # the second evidence points at the right tool, the first says nothing
        lessons.append(_Lesson(features, np.arange(20) == 3, 1))
    start = np.ones(len(FEATURES))
    fitted = _newton(lessons, start, 0.03)
    assert fitted.argmax() == 1
    assert fitted[0] < fitted[1] / 2
    assert (fitted >= 0).all()
    drawn = _newton(lessons, start, 1e6)
    assert drawn == pytest.approx(start, abs=1e-3)  # a strong pull leaves everything as it was


@pytest.fixture(scope="module")
def campus_queries(examples: Path) -> list[Any]:
    return read_queries(examples / "campus/queries.jsonl")


def test_bad_weights_are_replaced_and_used_from_then_on(
    opened: Callable[..., Curator], examples: Path, campus_queries: list[Any]
) -> None:
    curator = opened(examples / "campus")
    bad = Weights(name=0.1, example_words=1.5)
    curator.use(WeightTable(text=bad, examples=bad))
    report = curator.fit(campus_queries)
    assert report.better
    assert report.after[0] > report.before[0]
    assert report.difference[0] == pytest.approx(report.after[0] - report.before[0], abs=1e-6)
    assert report.difference[1] > 0
    assert report.new.head + report.new.document + report.new.example_mean > 0.1
    folder = curator.index.generation.folder.parent
    again = Curator(curator.index, encoder=curator.encoder, settings=curator.settings)
    assert again.weights.text == report.new
    assert (folder / FILE).exists()
    assert curator.forget_fit()
    assert curator.weights == WeightTable.default(curator.settings)
    assert not curator.forget_fit()


def test_good_weights_stay(opened: Callable[..., Curator], examples: Path) -> None:
    curator = opened(examples / "et_services")
    before = curator.weights
    steps: list[tuple[int, int]] = []
    report = curator.fit(progress=lambda done, total: steps.append((done, total)))
    assert report.learned_from == "examples"
    assert report.queries > 200
    assert steps[-1][0] == steps[-1][1]
    if not report.better:
        assert curator.weights == before
        assert not (curator.index.generation.folder.parent / FILE).exists()
    assert report.difference[0] > -0.02  # what is fitted is no worse on what it did not see


def test_too_little_to_learn_from_is_said(
    opened: Callable[..., Curator], examples: Path, campus_queries: list[Any]
) -> None:
    curator = opened([{"name": "pay", "description": "Pays."}, {"name": "call", "description": "Calls."}])
    with pytest.raises(TooFewLabels, match="0 examples of tools that have 4 or more"):
        curator.fit()
    with pytest.raises(TooFewLabels, match=r"4 or more .* or give labelled queries"):
        opened(examples / "campus").fit()  # two or three a tool: what is left of them says too little
    with pytest.raises(TooFewLabels, match="at least 30 are needed"):
        curator.fit(campus_queries[:5])


def test_weights_of_another_encoder_or_a_damaged_file_do_not_count(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_fitted(tmp_path, "a") is None
    weights, three = Weights(document=1.0), (0.5, 0.4, 0.6)
    report = FitReport(
        encoder="a", learned_from="queries", queries=40, old=weights, new=weights,
        before=three, after=three, difference=three, better=True,
    )  # fmt: skip
    save_fitted(tmp_path, report)
    assert (found := read_fitted(tmp_path, "a")) is not None
    assert found.table == WeightTable(text=weights, examples=weights)
    assert read_fitted(tmp_path, "b") is None
    (tmp_path / FILE).write_text("{")
    assert read_fitted(tmp_path, "a") is None
    assert len(caplog.records) == 2
