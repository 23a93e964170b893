"""Pitfalls C7, C22: calibrations, for whom they hold, and what they say may go wrong."""

import json

import numpy as np
import pytest

from toolcurator import Catalog, Curator
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.retrieval.background import background_vectors, general_queries
from toolcurator.routing.calibrate import TooFewQueries, area, calibrate, calibration_error, choose
from toolcurator.routing.calibration import CalibrationError, Rate, folder_of, forget_calibration, read_calibration
from toolcurator.routing.decider import Decider
from toolcurator.routing.gather import Row
from toolcurator.routing.kernel_head import fit_kernel_head
from toolcurator.routing.logistic import Logistic, correct, fit_logistic
from toolcurator.routing.negatives import read_negatives

NEAR = [
    "What is the best restaurant in Tallinn?",
    "Kui palju maksab uus passipilt?",
    "sell my old car for me",
    "book a table near the town hall",
]


@pytest.fixture(scope="module")
def few(examples):
    return Catalog.of(examples / "et_services").tools[:9]


@pytest.fixture(scope="module")
def services(few, tmp_path_factory):
    return Curator.open(Catalog(few, language="et"), index_dir=tmp_path_factory.mktemp("services"))


@pytest.fixture(scope="module")
def made(services):
    return calibrate(services, negatives=NEAR)


def test_a_calibration_from_examples_says_what_to_expect(made, services):
    found = made.calibration
    assert (found.learned_from, found.near) == ("examples", len(NEAR))
    assert found.general == sum(
        each.lang == "et" for each in general_queries()
    )  # what differs in language says nothing
    assert found.in_scope == sum(len(tool.examples) for tool in services.index.catalog)
    assert found.figures.auroc > 0.9
    assert found.figures.false_route.share <= 0.05 + 1 / found.figures.false_route.of
    assert found.figures.miss.share <= 0.05 + 1 / found.figures.miss.of
    assert found.thresholds.minimum <= found.thresholds.high
    assert sum(found.spread_in) == found.in_scope


def test_c22_near_negatives_are_calibrated_on_and_shown(made):
    found = made.calibration
    assert found.figures.false_near is not None
    assert found.figures.false_near.of == len(NEAR)
    assert all(point.near is not None for point in found.curve)
    false = [point.false_route for point in found.curve]
    right = [point.matched for point in found.curve]
    assert false == sorted(false, reverse=True)
    assert right == sorted(right, reverse=True)
    assert found.figures.false_route.of == found.general + found.near


def test_c22_near_negatives_that_look_right_raise_the_limit():
    within = np.arange(150) < 50
    looks = np.concatenate((np.linspace(0.6, 1, 50), np.linspace(0, 0.3, 80), np.linspace(0.5, 0.8, 20)))
    far_only = choose(looks[:130], looks[:130], within[:130], within[:130], 0.05, 0.05)
    with_near = choose(looks, looks, within, within, 0.05, 0.05)
    assert far_only.high == 0.5
    assert with_near.high > 0.6


def test_a_stricter_target_matches_less(services):
    rng = np.random.default_rng(0)
    within = np.arange(400) < 200
    fits = np.where(within, rng.uniform(0.3, 1, 400), rng.uniform(0, 0.9, 400))
    loose, strict = (choose(fits, fits, within, within, share, 0.05) for share in (0.2, 0.02))
    assert strict.high > loose.high
    assert (fits[~within] >= strict.high).mean() <= 0.02


def test_c7_a_calibration_serves_its_own_encoder_and_catalogue_only(made, services):
    curator = services
    made.save(curator)
    assert Decider(curator).calibrated
    stored = folder_of(curator.index) / "calibration.json"
    body = json.loads(stored.read_text("utf-8"))
    for name, value, said in (
        ("encoder", "onnx:other", "encoder onnx:other"),
        ("catalog", "0" * 64, "older state of the catalogue"),
        ("version", 0, "another version"),
    ):
        stored.write_text(json.dumps({**body, name: value}), encoding="utf-8")
        with pytest.raises(CalibrationError, match=said) as caught:
            Decider(curator)
        assert "toolcurator calibrate" in str(caught.value)
        assert not Decider(curator, "packaged").calibrated
    stored.write_text("{", encoding="utf-8")
    with pytest.raises(CalibrationError, match="cannot be read"):
        read_calibration(curator.index)
    assert forget_calibration(curator.index)
    assert not forget_calibration(curator.index)
    assert not Decider(curator).calibrated


def test_c7_a_changed_tool_makes_a_calibration_old(made, tmp_path):
    from toolcurator import Tool

    def tools(description):
        return [Tool(id="a", name="a", description=description), Tool(id="b", name="b", description="other")]

    first = Curator.open(tools("one thing"), index_dir=tmp_path, encoder="none")
    old = made.calibration.model_copy(update={"catalog": first.index.manifest.key, "encoder": "", "kernel_used": False})
    old.save(folder_of(first.index))
    assert read_calibration(first.index) == old
    second = Curator.open(tools("another thing"), index_dir=tmp_path, encoder="none")
    with pytest.raises(CalibrationError, match="older state"):
        read_calibration(second.index)


def test_labelled_queries_that_stand_among_the_examples_teach_nothing(services):
    tool = services.index.catalog.tools[0]
    known = [LabelledQuery(str(at), text, (frozenset({tool.id}),), "single") for at, text in enumerate(tool.examples)]
    with pytest.raises(TooFewQueries, match="0 labelled queries with a tool"):
        calibrate(services, known * 10)


def test_labelled_queries_from_a_catalogue_without_examples(campus, examples):
    from toolcurator.evaluation.bench_form import read_queries

    queries = [query for query in read_queries(examples / "campus" / "queries.jsonl") if query.split == "dev"][::2]
    found = calibrate(campus, queries).calibration
    assert found.learned_from == "queries"
    assert found.in_scope >= 20
    assert 0.5 < found.figures.auroc <= 1


def test_too_little_is_said_not_guessed(opened):
    from toolcurator import Tool

    curator = opened([Tool(id="a", name="a", description="something")], encoder="none")
    with pytest.raises(TooFewQueries, match="give labelled queries"):
        calibrate(curator)


def test_general_messages_stand_in_no_background_of_their_own(services):
    vectors = background_vectors(services.index, services.encoder)
    assert len(vectors) == len(general_queries()) >= 300
    assert {each.lang for each in general_queries()} == {"en", "et", "ru"}
    again = background_vectors(services.index, services.encoder)  # from the folder
    assert (vectors == again).all()


def test_the_kernel_head_knows_examples_it_was_fitted_on(services):
    head = fit_kernel_head(services.index, background_vectors(services.index, services.encoder))
    assert head is not None
    starts = services.index.starts
    right = 0
    for at in range(len(services.index.ids)):
        vector = services.index.vectors(np.array([int(starts[at])]))[0]
        right += int(head.scores(vector).argmax() == at)
    assert right >= 0.9 * len(services.index.ids)
    outside = background_vectors(services.index, services.encoder)[0]
    assert head.scores(outside).max() < 0.5


def test_logistic_learns_stays_near_its_prior_and_is_corrected_upwards():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 2))
    y = rng.uniform(size=2000) < 1 / (1 + np.exp(-(2 * x[:, 0] - 1)))
    free = fit_logistic(("a", "b"), x, y)
    assert free.weights == pytest.approx((2, 0), abs=0.25)
    assert free.intercept == pytest.approx(-1, abs=0.25)
    prior = Logistic(names=("a", "b"), weights=(0.0, 1.0), intercept=0.0)
    held = fit_logistic(("a", "b"), x, y, prior=prior, pull=1e6)
    assert held.weights == pytest.approx((0, 1), abs=0.01)
    logits = np.array([held.logit(row) for row in x[:, :]])
    mended = correct(held, logits, y)
    level = [mended.at(at) for at in np.linspace(-4, 4, 50)]
    assert level == sorted(level)
    assert calibration_error(np.array([mended.at(at) for at in logits]), y) < 0.02
    assert calibration_error(1 / (1 + np.exp(-logits)), y) > 0.05


def test_figures_by_hand():
    assert area(np.array([0.9, 0.5]), np.array([0.5, 0.1])) == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert calibration_error(np.array([0.95, 0.95, 0.05]), np.array([True, False, False])) == pytest.approx(
        (2 * abs(0.95 - 0.5) + 0.05) / 3
    )
    rate = Rate.measured(5, 100)
    assert rate.low == pytest.approx(0.0215, abs=1e-3)
    assert rate.high == pytest.approx(0.1118, abs=1e-3)


def test_the_kernel_head_weighs_only_where_it_finds_more():
    from toolcurator.routing.calibrate import best_weight

    signals = ((0.0,),) * 4
    better = [Row("in", signals, (at % 2 == 0, True, True, True)) for at in range(40)]
    same = [Row("in", signals, (True, at != 3, at != 3, at != 5)) for at in range(40)]
    assert best_weight(better) == 1
    assert best_weight(same) == 0


def test_negatives_are_lines_or_json_lines(tmp_path):
    from toolcurator.errors import QueryError

    plain = tmp_path / "near.txt"
    plain.write_text("one thing\n\nanother\none thing\n", encoding="utf-8")
    assert read_negatives(plain) == ("one thing", "another")
    lines = tmp_path / "near.jsonl"
    lines.write_text('{"query": "üks"}\n{"query": "two"}\n', encoding="utf-8")
    assert read_negatives(lines) == ("üks", "two")
    lines.write_text('{"query": "one"}\n{"text": "two"}\n', encoding="utf-8")
    with pytest.raises(QueryError, match=r"near\.jsonl:2"):
        read_negatives(lines)
