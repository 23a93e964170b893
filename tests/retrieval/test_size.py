"""``k="auto"``: as many tools as are needed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from toolcurator import Curator
from toolcurator.errors import QueryError, SettingsError


@pytest.fixture(scope="module")
def campus(opened: Callable[..., Curator], examples: Path) -> Curator:
    return opened(examples / "campus")


def test_a_clear_query_gets_fewer_tools_than_a_vague_one(campus: Curator) -> None:
    clear = campus.select("submit a grievance", k="auto")
    vague = campus.select("something about students", k="auto")
    assert clear[0].id == "campus/submit_grievance"
    assert len(clear) < len(vague) <= campus.settings.k_max


def test_every_part_has_its_tool(campus: Curator) -> None:
    found = campus.select("show my attendance and also raise a grievance", k="auto")
    assert len(found.parts) == 2
    assert {"campus/get_attendance", "campus/submit_grievance"} <= {hit.id for hit in found}


def test_a_higher_target_never_gives_fewer(opened: Callable[..., Curator], examples: Path) -> None:
    few, many = (opened(examples / "campus", k="auto", auto_target=target) for target in (0.5, 0.99))
    for query in ("show my attendance", "my marks", "hostel room", "bus to town"):
        assert len(few.select(query)) <= len(many.select(query))


def test_limits_still_hold(opened: Callable[..., Curator], examples: Path) -> None:
    curator = opened(examples / "campus", k="auto", k_max=4, pinned=("campus/get_attendance",))
    found = curator.select("something about students", token_budget=400)
    assert len(found) <= 4  # pitfall A8
    assert sum(hit.tokens or 0 for hit in found) <= 400
    assert "campus/get_attendance" in {hit.id for hit in found}


def test_only_the_weighted_score_says_how_likely_a_tool_is(campus: Curator) -> None:
    with pytest.raises(QueryError, match="'auto' reads probabilities off the weighted score, which rrf is not"):
        campus.select("attendance", k="auto", fusion="rrf")
    with pytest.raises(QueryError, match="k must be a whole number from 1 or 'auto', not 'many'"):
        campus.select("attendance", k="many")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="k"):
        Curator.open([{"name": "pay"}], k="many")
