"""Weights with and without examples, what a score is made of, and examples that are few."""

from collections.abc import Callable

import numpy as np
import pytest

from toolcurator import Curator, Settings, Tool
from toolcurator.retrieval.weights import BOUNDED, FEATURES, SINGLE, TOTAL, WeightTable
from toolcurator.tool import Profile


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("foreign", [False, True])
def test_weights_stay_in_one_scale(share: float, foreign: bool) -> None:
    weights = WeightTable.default(Settings(), foreign=foreign).at(share).model_dump()
    assert sum(value for name, value in weights.items() if name not in BOUNDED) == pytest.approx(TOTAL)
    assert set(weights) == set(FEATURES)
    assert all(value >= 0 for value in weights.values())
    if share:
        assert all(weights[name] > 0 for name in SINGLE)  # one example is enough for these


def test_without_examples_the_settings_are_the_weights() -> None:
    weights = WeightTable.default(Settings(sparse_weight=0.5, name_weight=2.0)).at(0.0)
    assert (weights.document, weights.words, weights.name) == pytest.approx((1.0, 0.5, 2.0))
    foreign = WeightTable.default(Settings(), foreign=True).at(0.0)
    assert foreign.words / foreign.document == pytest.approx(Settings().foreign_sparse_weight)


def test_a_score_is_the_sum_of_its_shares(campus: Curator) -> None:
    for hit in campus.select("show my attendance", k=5):
        assert sum(hit.evidence.shares.values()) == pytest.approx(hit.evidence.fused, abs=1e-3)
        assert {"document", "words", "head", "example_best"} <= set(hit.evidence.shares)
    assert campus.select("show my attendance", fusion="rrf")[0].evidence.shares == {}
    assert "head" in campus.select("show my attendance").explain()


def _shops(n: int) -> list[Tool]:
    goods = ("bread", "fish", "paint", "shoes", "lamps", "tea", "bikes", "seeds", "rope", "paper")
    return [Tool(name=f"shop_{i}", description=f"Sells {goods[i % 10]} at market place {i}.") for i in range(n)]


def test_one_example_among_many_tools_is_found_by_its_own_words(opened: Callable[..., Curator]) -> None:
    tools = [
        *_shops(60),
        Tool(name="ferry", description="Timetable.", examples=("when does the boat to the island leave",)),
    ]
    for how in ({}, {"encoder": "none"}):
        assert opened(tools, **how).select("when does the boat to the island leave")[0].id == "ferry"


def test_a_tool_without_examples_is_not_put_behind_those_that_have_some(opened: Callable[..., Curator]) -> None:
    tools = _shops(40)
    told = [
        tool.model_copy(update={"examples": (f"I want something from place {i}", f"is place {i} open")})
        for i, tool in enumerate(tools)
    ]
    told[7] = tools[7]
    assert opened(told).select("where can I buy seeds at market place 7")[0].id == "shop_7"


def test_example_queries_of_a_profile_are_points_and_its_words_are_searched(opened: Callable[..., Curator]) -> None:
    profile = Profile(
        function_description="Leads to a quiet harbour.",
        tags=("sailing",),
        example_queries=("moor my yacht overnight",),
    )
    tools = [*_shops(20), Tool(name="berth", description="Berths.", profile=profile)]
    curator = opened(tools)
    assert curator.index.manifest.points == 22
    found = curator.select("moor my yacht overnight")[0]
    assert found.id == "berth"
    assert found.evidence.best_point == "moor my yacht overnight"
    assert opened(tools, encoder="none").select("sailing harbour")[0].id == "berth"


def test_what_a_role_does_not_see_has_no_part_in_the_spread_of_examples(campus: Curator) -> None:
    (evidence,) = campus.evidence(["pay my fee"], role="student")
    assert evidence.examples is not None
    has = evidence.examples.has
    seen = evidence.examples.best if has is None else evidence.examples.best[has]
    assert len(evidence.tools) == evidence.visible
    assert evidence.examples.best_spread.mean == pytest.approx(float(np.mean(seen)), abs=0.03)
