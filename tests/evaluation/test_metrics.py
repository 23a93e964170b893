"""The metrics, against values worked out by hand."""

from math import log2

import pytest

from toolcurator.evaluation.metrics import CUTS, METRICS, measure, met

A, B, C = frozenset("a"), frozenset("b"), frozenset("c")


def one(ranked: str, *needs: frozenset[str], cut: int = 10) -> dict[str, float]:
    measures = measure([list(ranked)], [needs], cuts=(cut,))
    return {name: float(measures[f"{name}@{cut}"][0]) for name in METRICS}


def test_a_single_need_at_the_third_place() -> None:
    assert one("xya", A) == pytest.approx({"ndcg": 1 / log2(4), "recall": 1, "complete": 1, "mrr": 1 / 3})


def test_two_of_three_needs() -> None:
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    expected = {"ndcg": (1 + 1 / log2(4)) / ideal, "recall": 2 / 3, "complete": 0, "mrr": 1}
    assert one("axb", A, B, C) == pytest.approx(expected)


def test_nothing_found() -> None:
    assert one("xyz", A) == {"ndcg": 0, "recall": 0, "complete": 0, "mrr": 0}
    assert one("", A) == {"ndcg": 0, "recall": 0, "complete": 0, "mrr": 0}


def test_the_cut_counts_and_so_does_the_ideal_within_it() -> None:
    assert one("xa", A, cut=1)["ndcg"] == 0
    assert one("abc", A, B, C, cut=1) == pytest.approx({"ndcg": 1, "recall": 1 / 3, "complete": 0, "mrr": 1})


def test_an_equivalent_meets_the_need_once() -> None:
    need = frozenset("ab")
    assert one("ab", need) == {"ndcg": 1, "recall": 1, "complete": 1, "mrr": 1}
    # the second tool of the same need adds nothing, and takes a place
    assert one("abc", need, C)["ndcg"] == pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3)))


def test_each_need_is_met_by_a_tool_of_its_own() -> None:
    assert one("a", frozenset("ab"), frozenset("ab"))["complete"] == 0
    assert one("ab", frozenset("ab"), frozenset("ab"))["complete"] == 1


def test_a_tool_that_could_meet_two_needs_counts_for_the_narrow_one() -> None:
    assert met("ab", (frozenset("ab"), frozenset("a"))) == ["need 1", "need 0"]


def test_an_id_that_comes_twice_counts_once() -> None:
    assert one("aaab", A, B)["ndcg"] == 1


def test_many_queries_at_every_cut() -> None:
    measures = measure(["ab", "xxb", ""], [(A,), (B,), (C,)])
    assert len(measures) == 3
    assert set(measures.values) == {f"{name}@{k}" for name in METRICS for k in CUTS}
    assert measures["recall@1"].tolist() == [1, 0, 0]
    assert measures.mean("mrr@20") == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert measures.at(measures["recall@1"] == 1).mean("ndcg@1") == 1


def test_a_query_without_needs_has_no_right_ranking() -> None:
    with pytest.raises(ValueError, match="without needs"):
        measure(["ab"], [()])
