"""The first seed's rules to the letter, counted by hand, and the limits it must keep all the same."""

from collections.abc import Callable

import pytest

from toolcurator import Curator, Tool
from toolcurator.retrieval import classic
from toolcurator.retrieval.classic import always_include, classic_settings
from toolcurator.settings import Settings


@pytest.fixture(scope="module")
def campus_classic(opened: Callable[..., Curator], examples) -> Curator:
    tools = [
        tool.model_copy(update={"examples": ()})
        for tool in Curator.open(examples / "campus", encoder="none", index_dir=None).index.catalog
        if "student" in tool.roles or not tool.roles
    ]
    return opened(tools, preset="classic")


def test_the_defaults_are_the_seeds() -> None:
    settings = classic_settings(Settings(preset="classic"))
    assert (settings.k, settings.rrf_k, settings.fusion) == (20, 60, "rrf")
    assert (settings.fit_threshold, settings.no_fit, settings.widen_by) == (0.25, "widen", 5)
    assert settings.dense_parts == ("name", "description", "extra_context")
    assert settings.pass_through == 0
    asked = classic_settings(Settings(preset="classic", k=3, no_fit="keep"))
    assert (asked.k, asked.no_fit) == (3, "keep")


@pytest.mark.parametrize(
    ("query", "name", "fires"),
    [
        ("I sometimes feel uncomfortable", "get_time_table", True),  # A5, kept on purpose
        ("how do I review my facebook photos", "view_book", True),
        ("please review the coffees on the menu", "view_fees", True),
        ("do NOT submit a grievance, I only want its status", "submit_grievance", True),  # A6
        ("pay fee", "pay_fee", False),  # A7: no token of more than 3 characters
        ("cancel my booking", "cancel_bookings", False),
        ("raise a grievance", "submit_grievance", False),  # 1 of 2 is 0.5, below 0.60
        ("submit it, the grievance", "submit_formal_grievance", True),  # 2 of 3 is 0.67
        ("x", "a_b_c", False),
    ],
)
def test_the_anchor_is_60_percent_of_the_long_tokens_as_substrings(query: str, name: str, fires: bool) -> None:
    assert always_include(query, name) is fires


def test_a05_a06_the_anchor_forces_a_tool_to_the_top_and_says_so(campus_classic: Curator) -> None:
    for query, id in (
        ("I sometimes feel uncomfortable", "campus/get_time_table"),
        ("do NOT submit a grievance, I only want its status", "campus/submit_grievance"),
    ):
        found = campus_classic.select(query)
        forced = {hit.id for hit in found if hit.score >= classic.FORCED}
        assert id in forced
        assert [hit.id for hit in found][: len(forced)] == sorted(forced)
        assert {hit.evidence.why for hit in found if hit.id in forced} == {"anchor"}


def test_an_anchored_tool_that_no_arm_found_says_that_it_is_anchored(opened: Callable[..., Curator]) -> None:
    tools = [Tool(name=f"filler_{i}", description=f"sometimes feel {i}") for i in range(300)]
    curator = opened(
        [*tools, Tool(name="get_time_table", description="Weekly plan.")], encoder="none", preset="classic"
    )
    first = curator.select("I sometimes feel uncomfortable", k=3)[0]
    assert first.id == "get_time_table"
    assert first.evidence.why == "anchor"


@pytest.mark.parametrize("k", [1, 3, 5, 20])
@pytest.mark.parametrize(
    "query",
    [
        "attendance also grievance also hostel also exam",
        "show my attendance and then pay the fee",
        "block card plus book",
    ],
)
def test_a08_k_is_a_hard_limit(campus_classic: Curator, query: str, k: int) -> None:
    assert len(campus_classic.select(query, k=k, no_fit="keep")) == k


def test_five_more_where_the_strongest_cosine_is_below_a_quarter(campus_classic: Curator) -> None:
    weak = campus_classic.select("zxqv wrrgl pfft", k=4)
    sure = campus_classic.select("show my attendance", k=4)
    assert sure.fits == pytest.approx(max(hit.evidence.best_cosine for hit in sure), abs=1e-4)
    assert (sure.no_fit, len(sure)) == (False, 4)
    assert weak.no_fit == (weak.fits < 0.25)
    assert len(weak) == (9 if weak.no_fit else 4)
    assert len(campus_classic.select("zxqv wrrgl pfft", k=4, no_fit="keep")) == 4


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("show my attendance and also raise a grievance", ("show my attendance", "raise a grievance")),
        ("is there also a fee?", ("is there", "a fee")),  # A9, kept on purpose
        ("enrol me in the Canvas Plus course", ("enrol me in the Canvas", "course")),
        ("show my attendance and raise a grievance", ()),  # A10: not on the seed's list
        ("attendance; grievance", ()),
        ("also", ()),
        ("get A as well as B, then also C", ("get A", "B", "C")),
    ],
)
def test_a09_a10_the_markers_are_the_seeds(campus_classic: Curator, query: str, parts: tuple[str, ...]) -> None:
    assert campus_classic.select(query).parts == parts


def test_scores_are_reciprocal_ranks(campus_classic: Curator) -> None:
    for hit in campus_classic.select("lost my wallet in the canteen", k=10):
        evidence = hit.evidence
        if hit.score < classic.FORCED:
            expected = sum(1 / (60 + rank) for rank in (evidence.dense_rank, evidence.sparse_rank) if rank)
            assert hit.score == pytest.approx(expected, abs=1e-6)


def test_examples_of_a_tool_do_not_reach_the_words_of_the_seed(opened: Callable[..., Curator]) -> None:
    """The seed indexes name and description; examples and slots are ours."""
    tools = [
        Tool(name="a", description="first", examples=("zebra crossing",)),
        Tool(
            name="b", description="zebra", parameters={"type": "object", "properties": {"crossing": {"type": "string"}}}
        ),
        *(Tool(name=f"c{i}", description="other") for i in range(9)),
    ]
    curator = opened(tools, encoder="none", preset="classic")
    ranks = {hit.id: hit.evidence.sparse_rank for hit in curator.select("zebra", k=20)}
    assert ranks == {"b": 1}
    assert "b" not in {hit.id for hit in curator.select("crossing", k=20) if hit.evidence.sparse_rank}


def test_by_words_alone_a_found_tool_is_no_reason_for_five_more(opened: Callable[..., Curator]) -> None:
    """Without an encoder there is no cosine, so the seed's rule says nothing about the query."""
    tools = [Tool(name=f"thing_{i}", description=f"number {i} of the things") for i in range(30)]
    curator = opened([*tools, Tool(name="pay_bill", description="Pay a bill.")], encoder="none", preset="classic")
    found = curator.select("pay the bill of all things", k=3)
    assert found[0].id == "pay_bill"
    assert len(found) == 3
    assert not found.calibrated or not found.no_fit
