"""Tools that are needed together."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.retrieval.ranking import Ranking
from toolcurator.retrieval.together import Together, raise_companions

RINGS = "amber birch cobalt delta ember frost garnet hazel indigo jasper".split()


def ranking(scores: list[float]) -> Ranking:
    return Ranking(np.arange(len(scores)), np.array(scores, np.float32), (), {})


def test_shares_are_counted_over_requests_for_several_tools() -> None:
    a, b, c = (frozenset({name}) for name in "abc")
    together = Together.of([(a, b), (a, b), (a, c), (a,), (b, c | {"d"})], 1.0)
    assert together.shares["a"] == {"b": 0.5, "c": 0.25}  # 2 and 1 of 3, and one more that doubts
    assert together.shares["d"] == {"b": 0.5}
    assert Together.of([(a,), (b,)], 1.0).shares == {}


def test_a_companion_of_the_leader_rises_and_nothing_else_moves() -> None:
    before = ranking([5.0, 2.0, 1.9, 1.8, 0.0])
    after = raise_companions(before, {0: {3: 1.0}, 4: {1: 9.0}})  # 4 leads nothing
    assert after.tools.tolist() == [0, 3, 1, 2, 4]
    assert list(after.raised) == [3]
    assert after.raised[3] == pytest.approx(1.0, abs=0.02)
    assert (np.diff(after.scores) <= 0).all()
    assert raise_companions(before, {}) is before
    assert raise_companions(before, {0: {77: 1.0}}).tools.tolist() == before.tools.tolist()  # not found by the search


@pytest.fixture
def errands(opened: Callable[..., Curator]) -> tuple[Curator, list[LabelledQuery]]:
    """Ten shops and ten deliveries; who buys there always has it delivered by the partner, which no query says."""
    tools: list[dict[str, Any]] = []
    queries: list[LabelledQuery] = []
    for at, name in enumerate(RINGS):
        tools.append({"name": f"buy_{name}", "description": f"Buys a ring of {name}."})
        tools.append({"name": f"courier_{at}", "description": "Brings a parcel to a door."})
        for number, text in enumerate(
            ("buy a {} ring", "a ring of {} please", "order the {} ring", "I want a {} ring")
        ):
            needs = (frozenset({f"buy_{name}"}), frozenset({f"courier_{at}"}))
            queries.append(LabelledQuery(id=f"{at}-{number}", query=text.format(name), needs=needs, kind="multi"))
        one = (frozenset({f"buy_{name}"}),)
        queries.append(LabelledQuery(id=f"{at}-one", query=f"what is {name}", needs=one, kind="single"))
    return opened(tools), queries


def test_fit_learns_them_and_keeps_them(errands: tuple[Curator, list[LabelledQuery]]) -> None:
    curator, queries = errands
    lost = [q for q in queries if len(q.needs) > 1 and not complete(curator, q)]
    assert len(lost) > 20
    report = curator.fit(queries)
    assert report.together is not None
    assert report.together.better
    assert report.together.requests == 40
    assert report.together.complete[1] > report.together.complete[0] + 0.3
    kept = [q for q in queries if len(q.needs) > 1 and not complete(curator, q)]
    assert len(kept) < len(lost) / 2
    assert "together" in curator.select("buy a frost ring", k=3)[1].evidence.shares
    again = Curator(curator.index, encoder=curator.encoder, settings=curator.settings)
    assert [hit.id for hit in again.select("buy a frost ring")] == [
        hit.id for hit in curator.select("buy a frost ring")
    ]
    scores = [hit.score for hit in again.select("buy a frost ring")]
    assert all(a >= b for a, b in pairwise(scores))
    curator.forget_fit()
    assert [q for q in queries if len(q.needs) > 1 and not complete(curator, q)] == lost


def test_without_requests_for_several_tools_nothing_is_learned(errands: tuple[Curator, list[LabelledQuery]]) -> None:
    curator, queries = errands
    single = [LabelledQuery(id=q.id, query=q.query, needs=q.needs[:1], kind="single") for q in queries]
    assert curator.fit(single).together is None


def complete(curator: Curator, query: LabelledQuery) -> bool:
    found = {hit.id for hit in curator.select(query.query, k=5)}
    return all(need & found for need in query.needs)
