"""Pitfalls A2 to A4, A16, A23 to A25, A28, A29: words, meaning, ties, sizes."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator, Tool
from toolcurator.errors import QueryError
from toolcurator.retrieval.query import MOST_CHARACTERS


def _ids(curator: Curator, query: str, k: int = 10, **how: Any) -> list[str]:
    return [hit.id for hit in curator.select(query, k=k, **how)]


# ------------------------------------------------------------------------------------------------ A2, A3


@pytest.mark.parametrize("query", ["CGPA please", "scholarships", "mess menu"])
@pytest.mark.parametrize("fusion", ["sparse", "rrf", "weighted"])
def test_a02_only_tools_with_a_word_of_the_query_are_found_by_words(
    campus_words: Curator, query: str, fusion: Any
) -> None:
    """86 of 87 tools do not hold the word; they must not come in by the order in which they were registered."""
    found = campus_words.select(query, k=87, role="student", fusion=fusion)
    assert 0 < len(found) < 40
    for hit in found:
        assert hit.evidence.sparse_rank > 0 or hit.evidence.name_match > 0, (hit.id, hit.evidence)


def test_a02_the_one_that_holds_the_word_comes_first(campus: Curator, campus_words: Curator) -> None:
    for curator in (campus, campus_words):
        for fusion in ("sparse", "rrf", "weighted"):
            assert _ids(curator, "CGPA please", role="student", fusion=fusion)[0] == "exams/get_cgpa"


def test_a02_a_word_nobody_holds_gives_nobody_a_rank(campus: Curator, campus_words: Curator) -> None:
    assert _ids(campus_words, "xylophone", role="student", fusion="sparse") == []
    assert _ids(campus, "xylophone", role="student", fusion="sparse") == []
    ranked = campus.select("xylophone", role="student", fusion="rrf")
    assert all(hit.evidence.sparse_rank == 0 for hit in ranked)


@pytest.mark.parametrize(
    ("tools", "query", "first"),
    [
        ([("pay_bill", "Pay a bill."), ("walk_dog", "Go out.")], "pay bill", "pay_bill"),
        ([("alpha", "the common text"), ("beta", "the common text and one more word")], "one more word", "beta"),
        ([("alpha", "same same"), ("beta", "same")], "same", None),
        ([("only", "The only tool.")], "only tool", "only"),
        ([("only", "")], "something else", None),
    ],
)
@pytest.mark.parametrize("how", [{"encoder": "none"}, {"encoder": "none", "preset": "classic"}, {}], ids=str)
def test_a03_catalogues_of_one_and_two_tools_work(
    opened: Callable[..., Curator], tools: list, query: str, first: str | None, how: dict
) -> None:
    curator = opened([Tool(name=name, description=text) for name, text in tools], **how)
    found = curator.select(query)
    if first:
        assert found[0].id == first
        assert found[0].evidence.sparse > 0
    if how.get("preset") != "classic":
        assert len(found) == len(tools), "a catalogue this small is passed through"
    assert np.isfinite([hit.score for hit in found]).all()
    assert 0 <= found.fits <= 1


def test_a03_a_word_of_every_tool_counts_a_little(opened: Callable[..., Curator]) -> None:
    curator = opened([Tool(name=f"report_{i}", description="report") for i in range(4)], encoder="none")
    assert all(hit.evidence.sparse > 0 for hit in curator.select("report"))


# ------------------------------------------------------------------------------------------------ A4


def test_a04_neither_order_nor_twins_change_a_ranking(opened: Callable[..., Curator]) -> None:
    tools = [
        *(Tool(name=f"read_{kind}", description="Reads a file and gives its text.") for kind in "hgfedcba"),
        Tool(name="write_text", description="Writes a text to a file."),
        Tool(name="list_folder", description="Names of the files in a folder."),
        *(Tool(name="twin", server=f"s{i}", description="Exactly the same thing.") for i in (3, 1, 2)),
    ]
    first = opened(tools)
    others = [opened(tools[::-1]), opened(sorted(tools, key=lambda tool: tool.description + tool.id))]
    for query in ("read a file", "exactly the same thing", "write some text and list a folder", "nothing of this kind"):
        for fusion in ("weighted", "rrf", "dense", "sparse"):
            expected = [(hit.id, pytest.approx(hit.score, abs=1e-4)) for hit in first.select(query, fusion=fusion)]
            for other in others:
                assert [(hit.id, hit.score) for hit in other.select(query, fusion=fusion)] == expected, (query, fusion)
    twins = [id for id in _ids(first, "exactly the same thing") if "twin" in id]
    assert twins == ["s1/twin", "s2/twin", "s3/twin"]


# ------------------------------------------------------------------------------------------------ A16


SCRIPTS = (
    Tool(name="apply_benefit", description="Õppetoetuse taotlus esitatakse koolile."),
    Tool(name="attendance_hi", description="मेरी उपस्थिति दिखाओ"),
    Tool(name="law_search", description="法令検索システム。法律の条文を探す。"),
    Tool(name="compile_cpp", description="Compiles C++ sources."),
    Tool(name="compile_c", description="Compiles C sources."),
    Tool(name="fsharp", description="Runs F# scripts."),
    Tool(name="cafe_finder", description="Finds a naïve café near by."),
    Tool(name="moscow_metro", description="Расписание московского метро"),
    Tool(name="athens_bus", description="Δρομολόγια λεωφορείων"),
    Tool(name="arabic_news", description="أخبار اليوم"),
    Tool(name="thai_food", description="ร้านอาหารไทย"),
    Tool(name="seoul_weather", description="서울 날씨 예보"),
)


@pytest.fixture(scope="module")
def scripts(opened: Callable[..., Curator]) -> dict[str, Curator]:
    return {language: opened(SCRIPTS, encoder="none", language=language) for language in ("en", "et", "ja")}


@pytest.mark.parametrize("language", ["en", "et", "ja"])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("õppetoetuse taotlus", "apply_benefit"),
        ("मेरी उपस्थिति", "attendance_hi"),
        ("法令検索", "law_search"),
        ("条文を探す", "law_search"),
        ("C++", "compile_cpp"),
        ("compile a C++ file", "compile_cpp"),
        ("F#", "fsharp"),
        ("naïve café", "cafe_finder"),
        ("naive cafe", "cafe_finder"),
        ("расписание метро", "moscow_metro"),
        ("λεωφορείων", "athens_bus"),
        ("أخبار", "arabic_news"),
        ("อาหาร", "thai_food"),
        ("서울의 날씨", "seoul_weather"),
    ],
)
def test_a16_words_of_any_script_find_their_tool(
    scripts: dict[str, Curator], language: str, query: str, name: str
) -> None:
    found = scripts[language].select(query)
    assert found[0].id == name
    assert found[0].evidence.sparse_rank == 1


def test_a16_a_single_letter_is_a_word(scripts: dict[str, Curator]) -> None:
    assert _ids(scripts["en"], "compile C")[0] == "compile_c"


def test_a16_estonian_services_are_found_by_inflected_words(opened: Callable[..., Curator], examples) -> None:
    curator = opened(examples / "et_services", encoder="none")
    assert curator.index.manifest.language == "et"
    for query, id in (
        ("valuutakursside arvutamine", "exchange_rate"),
        ("kas homme on Tallinnas vihma, ilmaprognoosi palun", "weather_forecast"),
        ("lasteaiakohtade järjekorras", "kindergarten_queue"),
    ):
        ids = [hit.tool.id.split("/")[-1] for hit in curator.select(query, k=3)]
        expected = [each for each in curator.index.ids if each.split("/")[-1] == id]
        if expected:
            assert id in ids, query


# ------------------------------------------------------------------------------------------------ A23, A24, A25


@pytest.mark.parametrize(
    "query",
    ["please permanently erase workflow 456", "get rid of my workflow forever", "wipe out this automated process"],
)
def test_a23_other_words_for_the_same_are_found_by_meaning(crowd: Curator, query: str) -> None:
    assert "automation/delete_flow" in _ids(crowd, query, 3)


FILES = (
    *(
        Tool(name=f"read_{kind}", description=f"Reads a {kind} file from the disk and returns its content.")
        for kind in ("file", "csv", "json", "xml", "yaml", "text", "log", "markdown")
    ),
    Tool(name="download_url", description="Fetches a document from a web address."),
    Tool(name="query_database", description="Runs SQL and returns the rows read."),
    Tool(name="search_mail", description="Finds messages in a mailbox."),
    Tool(name="take_photo", description="Takes a picture with the camera."),
    Tool(name="play_song", description="Plays a song."),
)


def test_a24_diversity_lets_others_in(opened: Callable[..., Curator], tmp_path) -> None:
    query = "read the data from a file or somewhere else"
    plain = opened(FILES, pass_through=0, index_dir=tmp_path)
    varied = opened(FILES, pass_through=0, index_dir=tmp_path, diversity=0.6)
    alike = {id for id in plain.index.ids if id.startswith("read_")}
    assert len(alike & set(_ids(plain, query, 5))) >= 4
    chosen = _ids(varied, query, 5)
    assert len(alike & set(chosen)) <= 3
    assert chosen[0] == _ids(plain, query, 5)[0], "the best stays the best"
    assert set(_ids(varied, query, 13)) == set(_ids(plain, query, 13)), "nothing is lost, only moved"


@pytest.mark.parametrize("diversity", [0.0, 0.3, 1.0])
def test_a24_diversity_keeps_the_limits(opened: Callable[..., Curator], tmp_path, diversity: float) -> None:
    curator = opened(FILES, index_dir=tmp_path, diversity=diversity, pinned=("play_song",))
    for k in (1, 2, 5):
        found = curator.select("read a json file", k=k)
        assert len(found) == k
        assert "play_song" in [hit.id for hit in found]


def test_a25_an_example_of_two_tools_finds_both(opened: Callable[..., Curator]) -> None:
    shared = "what is the weather like at the airport"
    tools = [
        Tool(name="metar", description="Coded reports for pilots.", examples=(shared, "EETN metar")),
        Tool(name="city_weather", description="Forecast for a town.", examples=("will it rain", shared)),
        Tool(name="airport_shops", description="Shops at an airport."),
        *(Tool(name=f"filler_{i}", description=f"Something else, number {i}.") for i in range(12)),
    ]
    for how in ({}, {"encoder": "none"}):
        for order in (tools, tools[::-1]):
            curator = opened(order, **how)
            assert set(_ids(curator, shared, 2)) == {"metar", "city_weather"}
    found = opened(tools).select(shared, k=2)
    assert {hit.evidence.best_point for hit in found} == {shared}
    assert all(hit.evidence.best_cosine > 0.98 for hit in found)


# ------------------------------------------------------------------------------------------------ A28


EMPTY = ["", " ", "\n\t ", "\0", "\x00\x01\x02", "\u200b", "\ufeff \u2060", "\u3000"]


@pytest.mark.parametrize("query", EMPTY, ids=repr)
def test_a28_an_empty_query_is_a_clear_error(crowd_words: Curator, query: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        crowd_words.select(query)


@pytest.mark.parametrize("query", [None, 5, b"pay", ["pay"], {"query": "pay"}], ids=repr)
def test_a28_what_is_no_text_is_a_clear_error(crowd_words: Curator, query: object) -> None:
    with pytest.raises(QueryError, match=type(query).__name__):
        crowd_words.select(query)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query",
    [
        "x",
        "?",
        "🔥",
        "👩‍👩‍👧‍👦",
        "a\0b",
        "\x1b[31mred\x1b[0m",
        "fee \ud83d",
        "a" * 5000,
        "़",
        "😀" * 3000,
        "\u202eabc",
        "<script>",
        "{}[]%s%n",
    ],
    ids=lambda query: repr(query[:12]),
)
def test_a28_odd_queries_are_answered(either: Curator, query: str) -> None:
    found = either.select(query, k=5)
    assert len(found) <= 5
    assert 0 <= found.fits <= 1
    assert np.isfinite([hit.score for hit in found]).all()
    assert isinstance(found.explain(), str)


UNITS = ["pay the fee and cancel my booking, ", "x", "法", "also ", "😀 ", "a_b-c.d;", "\u0301", "Stop. ", "and then "]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a28_long_queries_take_bounded_time(either: Curator, unit: str) -> None:
    either.select("warm up")
    for size, seconds in ((1_500, 0.5), (10_000, 1.5), (1_000_000, 1.5)):
        query = "cancel my bookings " + unit * (size // len(unit))
        start = time.process_time()
        found = either.select(query, k=5)
        assert time.process_time() - start < seconds, size
        assert len(found) <= 5
        assert len(found.query) <= MOST_CHARACTERS
        if len(query) > MOST_CHARACTERS:
            assert any("characters" in note for note in found.notes)
        else:
            assert found.notes == ()


def test_a28_long_white_space_in_front_does_not_hide_the_query(crowd_words: Curator) -> None:
    assert _ids(crowd_words, " " * 20_000 + "pay fee")[0] == "till/pay_fee"


# ------------------------------------------------------------------------------------------------ A29


@pytest.fixture(scope="module")
def large(opened: Callable[..., Curator]) -> Curator:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "payload": {"type": "string"}}}
    tools = [
        Tool(
            name="long_text",
            description="Measures the salinity of the harbour. " + "Lorem ipsum dolor sit amet. " * 1900,
        ),
        Tool(
            name="many_slots",
            description="Configures the paper mill.",
            parameters={
                "type": "object",
                "properties": {
                    f"roller_{i}": {"type": "number", "description": f"Speed of roller {i}"} for i in range(200)
                },
            },
        ),
        Tool(
            name="cycle",
            description="Walks a linked list.",
            parameters={"type": "object", "properties": {"head": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}},
        ),
        *(Tool(name=f"filler_{i}", description=f"Something else, number {i}.") for i in range(12)),
    ]
    assert len(tools[0].description) > 50_000
    return opened(tools)


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("salinity of the harbour", "long_text"),
        ("paper mill", "many_slots"),
        ("speed of roller 7", "many_slots"),
        ("walk a linked list with payload", "cycle"),
    ],
)
def test_a29_oversized_tools_are_indexed_and_found(large: Curator, query: str, id: str) -> None:
    found = large.select(query, k=3)
    assert found[0].id == id
    assert large.tool(id) == found[0].tool
    for out in (found.openai, found.openai_responses, found.anthropic, found.mcp, found.gemini):
        assert out()


def test_a29_the_whole_description_still_goes_out(large: Curator) -> None:
    found = large.select("salinity of the harbour", k=1)
    assert len(found.openai()[0]["function"]["description"]) > 50_000
    within = large.select("salinity of the harbour", token_budget=500)
    assert "long_text" not in [hit.id for hit in within]
    assert len(within) > 0
