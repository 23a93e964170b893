"""Pitfalls A8 to A11: queries of several parts."""

from collections.abc import Callable
from typing import Any

import pytest

from toolcurator import Curator, Tool
from toolcurator.retrieval.compound import split

HOME = (
    ("turn_off_light", "Switches a lamp off."),
    ("turn_on_light", "Switches a lamp on."),
    ("set_reminder", "Reminds you of something at a time."),
    ("play_music", "Plays a song or an album."),
    ("get_weather", "Weather forecast for a place."),
    ("order_pizza", "Orders a pizza to your door."),
    ("book_taxi", "Orders a taxi to an address."),
    ("send_message", "Sends a text message to a contact."),
    ("lock_door", "Locks the front door."),
    ("start_vacuum", "Sends the robot out to clean the floor."),
    ("read_news", "Reads the headlines aloud."),
    ("translate", "Translates a sentence."),
)


@pytest.fixture(scope="module")
def home(opened: Callable[..., Curator]) -> Curator:
    return opened([Tool(name=name, description=text) for name, text in HOME])


def _ids(curator: Curator, query: str, k: int, **how: Any) -> list[str]:
    return [hit.id for hit in curator.select(query, k=k, **how)]


# ------------------------------------------------------------------------------------------------ A8: limits


COMPOUND = (
    "show my attendance and also raise a grievance",
    "show my attendance; pay my fee; block my card; renew my book; book a doctor",
    "Pay the fee. Then get the receipt. Then show my CGPA.",
)


@pytest.mark.parametrize("query", COMPOUND)
@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("preset", ["default", "classic"])
def test_a08_k_is_a_hard_limit_of_a_query_of_many_parts(
    request: pytest.FixtureRequest, query: str, k: int, preset: str
) -> None:
    curator = request.getfixturevalue("campus" if preset == "default" else "campus_classic")
    assert len(curator.select(query, k=k, role="student")) == k


@pytest.mark.parametrize("query", COMPOUND)
@pytest.mark.parametrize("budget", [1, 60, 150, 400])
def test_a08_the_token_budget_is_a_hard_limit(
    campus: Curator, campus_classic: Curator, query: str, budget: int
) -> None:
    for curator in (campus, campus_classic):
        found = curator.select(query, k=10, role="student", token_budget=budget)
        assert sum(hit.tokens or 0 for hit in found) <= budget
        assert all(hit.tokens and hit.tokens > 0 for hit in found)


@pytest.mark.parametrize("fusion", ["weighted", "rrf", "dense", "sparse"])
def test_a08_every_fusion_keeps_the_limit(campus: Curator, fusion: Any) -> None:
    for k in (1, 3):
        assert len(campus.select(COMPOUND[1], k=k, fusion=fusion)) <= k


@pytest.fixture(scope="module")
def campus_classic(opened: Callable[..., Curator], examples) -> Curator:
    """The seed's pipeline, by words alone: nothing is encoded."""
    return opened(examples / "campus", preset="classic", encoder="none", no_fit="keep")


# ------------------------------------------------------------------------------------------------ A9: not split


def test_a09_an_ordinal_number_ends_no_sentence() -> None:
    assert split("show fees of the 2. semester today", str.split) == []
    assert split("show fees of semester 2. Show my marks", str.split) == ["show fees of semester 2", "Show my marks"]


@pytest.mark.parametrize(
    "query",
    [
        "Is there also a fee?",
        "enrol me in the Canvas Plus course",
        "If I fail the exam then can I retake it",
        "Then what?",
        "when the bus is late then where do I complain",
        "unless I pay the fee and the fine I cannot sit the exam",
        "terms and conditions of the scholarship",
        "show credits and debits of my account",
        "my e.g. 3.5 CGPA vs. 4.0",
    ],
)
def test_a09_one_request_is_not_split(campus: Curator, query: str) -> None:
    assert campus.select(query, role="student").parts == ()


@pytest.mark.parametrize(
    "query",
    [
        "Plus One Records",
        "also",
        "then",
        "and",
        "; ; ;",
        "and also then plus",
        "...",
        "do it and then",
        "and then do it",
    ],
)
def test_a09_markers_alone_split_nothing(home: Curator, query: str) -> None:
    found = home.select(query)
    assert found.parts == ()


# ------------------------------------------------------------------------------------------------ A10: split


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("show my attendance and raise a grievance", ("campus/get_attendance", "campus/submit_grievance")),
        ("attendance; grievance", ("campus/get_attendance", "campus/submit_grievance")),
        ("show my attendance and also raise a grievance", ("campus/get_attendance", "campus/submit_grievance")),
        ("Block my card. Show the mess menu.", ("bank/block_card", "hostel/view_mess_menu")),
        ("renew my library book, and pay my tuition fee", ("library/renew_book", "finance/pay_fee")),
        ("show my CGPA\ntrack the bus", ("exams/get_cgpa", "transport/track_bus")),
    ],
)
def test_a10_every_part_has_its_tool(campus: Curator, query: str, ids: tuple[str, ...]) -> None:
    assert set(ids) <= set(_ids(campus, query, 3, role="student"))


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("Turn the light off. Remind me at five.", ("turn_off_light", "set_reminder")),
        ("play some music and order a pizza", ("play_music", "order_pizza")),
        ("lock the door; vacuum the floor", ("lock_door", "start_vacuum")),
        ("what is the weather in Oslo, then book a taxi there", ("get_weather", "book_taxi")),
        ("read me the news\nsend a message to Ann", ("read_news", "send_message")),
        ("lock the door, play music, and order a pizza", ("lock_door", "play_music", "order_pizza")),
    ],
)
def test_a10_in_another_catalogue(home: Curator, query: str, ids: tuple[str, ...]) -> None:
    assert set(ids) <= set(_ids(home, query, len(ids) + 1))


def test_a10_parts_are_reported_and_shown(campus: Curator) -> None:
    found = campus.select("show my attendance and also raise a grievance", role="student")
    assert len(found.parts) == 2
    assert "attendance" in found.parts[0]
    assert "grievance" in found.parts[1]
    assert " | ".join(found.parts) in found.explain()
    assert {hit.evidence.why for hit in found.hits[:2]} == {"part 1", "part 2"}


def test_a10_splitting_can_be_turned_off(opened: Callable[..., Curator], examples, campus_index) -> None:
    curator = opened(examples / "campus", index_dir=campus_index, split=False)
    assert curator.select("show my attendance and also raise a grievance").parts == ()


@pytest.mark.parametrize(
    ("tools", "query"),
    [
        (
            (("fetch_attendance", "出席を表示する"), ("file_complaint", "苦情を申し立てる")),
            "出席を表示して。苦情を申し立てて。",
        ),
        (
            (("naita_kohalolu", "Näitab kohalolekut"), ("esita_kaebus", "Esitab kaebuse")),
            "näita kohalolu ja esita kaebus",
        ),
        ((("show_marks", "मेरे अंक दिखाता है"), ("pay_fees", "शुल्क का भुगतान करता है")), "मेरे अंक दिखाओ। शुल्क का भुगतान करो।"),
    ],
)
def test_a10_in_any_script(opened: Callable[..., Curator], tools: tuple, query: str) -> None:
    wanted = [Tool(name=name, description=text) for name, text in tools]
    other = [
        Tool(name=f"tool_{i}", description=f"{word}")
        for i, word in enumerate(("天気", "ilm", "मौसम", "sõit", "बस", "料理"))
    ]
    curator = opened([*wanted, *other], encoder="none", pass_through=0)
    assert {tool.id for tool in wanted} == set(_ids(curator, query, 2))


# ------------------------------------------------------------------------------------------------ A11: context


def test_a11_each_part_keeps_the_person(campus: Curator) -> None:
    found = campus.select("show attendance for Riya and also her fees", k=5, role="parent")
    assert {"campus/get_attendance", "finance/view_fees"} <= {hit.id for hit in found}


def test_a11_each_part_keeps_the_subject(opened: Callable[..., Curator]) -> None:
    """ "The prices" of what? Only the whole query knows that it is about trains."""
    tools = [
        Tool(name=f"{what}_{of}", description=f"Gives the {what} of {of}.")
        for of in ("trains", "hotels", "museums", "ferries", "concerts")
        for what in ("prices", "timetable", "reviews")
    ]
    curator = opened(tools)
    assert set(_ids(curator, "show the timetable of the trains and also the prices", 2)) == {
        "timetable_trains",
        "prices_trains",
    }
    assert set(_ids(curator, "reviews of ferries please. And the prices?", 2)) == {"reviews_ferries", "prices_ferries"}


# ------------------------------------------------------------------------------------------------ what a split may not cost


def test_scores_of_a_split_query_do_not_increase_down_the_list(campus: Curator, home: Curator) -> None:
    for curator, queries in ((campus, COMPOUND), (home, ("play some music and order a pizza",))):
        for query in queries:
            scores = [hit.score for hit in curator.select(query, k=30)]
            assert scores == sorted(scores, reverse=True)


def test_a_split_query_names_no_tool_twice(campus: Curator) -> None:
    for query in COMPOUND:
        ids = _ids(campus, query, 50)
        assert len(ids) == len(set(ids))
