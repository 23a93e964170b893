"""What a selection gives: declarations for every API, an explanation, names on the wire, and the limits it keeps."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcurator import Curator, Selection, Tool, tool
from toolcurator.errors import QueryError, ToolCuratorError, UnknownTool
from toolcurator.retrieval.budget import declaration_tokens, estimate_tokens

WIRE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@pytest.fixture(scope="module")
def listings(opened: Callable[..., Curator], examples: Path) -> Curator:
    """The tools of five providers and two servers, by words alone."""
    return opened(examples / "listings", encoder="none")


# ------------------------------------------------------------------------------------------------ D1: what came in goes out


def _came_in(examples: Path, file: str) -> list[dict]:
    body = json.loads((examples / "listings" / file).read_text("utf-8"))
    return body if isinstance(body, list) else body.get("functionDeclarations") or body["tools"]


@pytest.mark.parametrize(
    ("file", "method"),
    [
        ("openai_tools.json", "openai"),
        ("openai_responses_tools.json", "openai_responses"),
        ("anthropic_tools.json", "anthropic"),
        ("gemini_tools.json", "gemini"),
        ("mcp_github_like.json", "mcp"),
        ("mcp_files_like.json", "mcp"),
    ],
)
def test_d1_what_came_in_goes_out_unchanged(listings: Curator, examples: Path, file: str, method: str) -> None:
    for declaration in _came_in(examples, file):
        name = declaration.get("function", declaration)["name"]
        server = json.loads((examples / "listings" / file).read_text("utf-8"))
        prefix = f"{server['server']} " if isinstance(server, dict) and "server" in server else ""
        found = listings.select(f"{prefix}{name} {declaration.get('function', declaration)['description']}", k=1)
        out = getattr(found, method)()
        out = out[0]["functionDeclarations"] if method == "gemini" else out
        expected = json.loads(json.dumps(declaration))
        expected.get("function", expected)["name"] = found.wire_names()[0]
        assert out == [expected]
        assert list(out[0]) == list(expected), "in the same order, too"


@pytest.mark.parametrize("method", ["openai", "openai_responses", "anthropic", "gemini", "mcp"])
def test_d1_any_tool_goes_out_in_any_form_and_comes_in_again(
    listings: Curator, opened: Callable[..., Curator], method: str
) -> None:
    words = "search find file invoice recipe thermostat animal list create open book take show get"
    found = listings.select(words, k=100)
    out = getattr(found, method)()
    json.dumps(out)
    count = len(out[0]["functionDeclarations"]) if method == "gemini" else len(out)
    assert count == len(found) > 20
    again = opened(out, encoder="none")
    assert {again.index.tool(i).name for i in range(len(again))} == set(found.wire_names())
    by_name = {each.name: each for each in (again.index.tool(i) for i in range(len(again)))}
    for hit, wire in zip(found, found.wire_names(), strict=True):
        assert [slot.name for slot in by_name[wire].slots] == [slot.name for slot in hit.tool.slots], wire
        assert by_name[wire].description == (hit.tool.description or by_name[wire].description)


def test_what_goes_out_can_be_changed_without_harm(listings: Curator) -> None:
    found = listings.select("recipe", k=1)
    before = json.dumps(found.openai())
    found.openai()[0]["function"]["parameters"]["properties"].clear()
    found.openai()[0]["function"]["name"] = "x"
    assert json.dumps(found.openai()) == before


def test_functions_go_out_as_declarations(opened: Callable[..., Curator]) -> None:
    @tool(examples=["how warm is it"])
    def get_temperature(city: str, unit: str = "celsius") -> float:
        """Temperature outside.

        Args:
            city: Name of the town.
            unit: celsius or fahrenheit.
        """
        return 0.0

    def play(song: str) -> None:
        """Plays a song."""

    found = opened([get_temperature, play], encoder="none").select("temperature in a city", k=1)
    body = found.openai()[0]["function"]
    assert (body["name"], body["description"]) == ("get_temperature", "Temperature outside.")
    assert body["parameters"]["required"] == ["city"]
    assert body["parameters"]["properties"]["unit"]["description"] == "celsius or fahrenheit."


# ------------------------------------------------------------------------------------------------ D3: names on the wire


def test_d3_names_on_the_wire_are_valid_and_unique(opened: Callable[..., Curator]) -> None:
    names = [
        "a" * 100,
        "a" * 99 + "b",
        "naïve café",
        "õige",
        "法令検索",
        "has space",
        "has_space",
        "1st",
        "",
        "🔥",
        "a/b",
        "a.b",
    ]
    tools = [Tool(name=name, description=f"number {i}") for i, name in enumerate(names) if name]
    tools += [Tool(name="same", server=server, description="number") for server in ("x", "y", "x y")]
    curator = opened(tools, encoder="none", pass_through=0)
    found = curator.select("number", k=100)
    wires = found.wire_names()
    assert len(wires) == len(found) == len(tools) == len(set(wires))
    for hit, wire in zip(found, wires, strict=True):
        assert WIRE.fullmatch(wire), wire
        assert curator.tool(wire).id == hit.id
        assert hit.tool.name in names or hit.tool.name == "same", "the name itself is kept"
    assert [each["name"] for each in found.mcp()] == list(wires)


# ------------------------------------------------------------------------------------------------ k, tokens, pinned


@pytest.mark.parametrize("bad", [0, -1, 1.5, "3", True, [3]], ids=repr)
def test_limits_that_make_no_sense_are_refused(campus_words: Curator, bad: Any) -> None:
    for name in ("k", "token_budget"):
        with pytest.raises(QueryError, match=name):
            campus_words.select("pay fee", **{name: bad})


@pytest.mark.parametrize(
    "wrong", [{"fusion": "bogus"}, {"no_fit": "bogus"}, {"fusion": "fitted"}, {"no_fit": ""}], ids=str
)
def test_words_that_name_no_method_are_refused(campus_words: Curator, wrong: dict) -> None:
    with pytest.raises(QueryError, match=next(iter(wrong))):
        campus_words.select("pay fee", **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"preset": "bogus"},
        {"k": 0},
        {"fusion": "bogus"},
        {"fit_threshold": 2},
        {"diversity": -1},
        {"kk": 3},
        {"bm25_b": 7},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused_with_an_error_of_ours(
    opened: Callable[..., Curator], wrong: dict
) -> None:
    with pytest.raises(ToolCuratorError, match=next(iter(wrong))):
        opened([Tool(name="x")], encoder="none", **wrong)


def test_k_is_as_many_as_there_are(campus: Curator) -> None:
    for k in (1, 2, 10, 87, 150):
        assert len(campus.select("attendance", k=k, role="student")) == min(k, 87)
    assert len(campus.select("attendance")) == 10


def test_k_beyond_the_candidates_of_an_arm_is_served(opened: Callable[..., Curator]) -> None:
    tools = [Tool(name=f"thing_{i}", description=f"The thing of number {i}.") for i in range(400)]
    found = opened(tools, encoder="none").select("thing", k=350)
    assert len(found) == 350


def test_a_token_budget_counts_declarations(campus: Curator) -> None:
    everything = campus.select("pay my fees", k=10, role="student")
    first = declaration_tokens(everything[0].tool, everything.wire_names()[0])
    assert first == estimate_tokens(json.dumps(everything.openai()[0], ensure_ascii=False))
    exact = campus.select("pay my fees", k=10, role="student", token_budget=first)
    assert [hit.id for hit in exact] == [everything[0].id]
    assert exact[0].tokens == first
    assert any("budget" in note for note in exact.notes)
    one_less = campus.select("pay my fees", k=10, role="student", token_budget=first - 1)
    assert everything[0].id not in {hit.id for hit in one_less}
    assert campus.select("pay my fees", token_budget=1).hits == ()
    plenty = campus.select("pay my fees", k=10, role="student", token_budget=100_000)
    assert [hit.id for hit in plenty] == [hit.id for hit in everything]
    assert plenty.notes == ()
    assert everything[0].tokens is None


def test_a_counter_of_tokens_can_be_given(opened: Callable[..., Curator]) -> None:
    tools = [Tool(name=f"thing_{i}", description="x") for i in range(20)]
    curator = opened(tools, encoder="none", count_tokens=lambda text: 10)
    assert len(curator.select("thing", k=20, token_budget=75)) == 7


OFFICE_PINNED = ("post/send_fax", "house/water_plants")


def test_pinned_tools_are_in_and_count(opened: Callable[..., Curator], office: tuple[Tool, ...]) -> None:
    curator = opened(office, encoder="none", pinned=OFFICE_PINNED, pass_through=0)
    found = curator.select("pay the invoice", k=3)
    assert {*OFFICE_PINNED} <= {hit.id for hit in found}
    assert len(found) == 3
    assert "books/pay_invoice" in {hit.id for hit in found}
    assert {hit.evidence.why for hit in found if hit.id in OFFICE_PINNED} == {"pinned"}
    assert len(curator.select("pay the invoice", k=1)) == 1
    assert {hit.id for hit in curator.select("pay the invoice", k=1)} <= {*OFFICE_PINNED}
    within = curator.select("pay the invoice", k=5, token_budget=60)
    assert sum(hit.tokens or 0 for hit in within) <= 60
    assert {hit.id for hit in within} & {*OFFICE_PINNED}
    assert {hit.id for hit in curator.select("zebra", no_fit="empty")} == {*OFFICE_PINNED}


def test_a_pinned_tool_that_is_not_there_is_an_error(opened: Callable[..., Curator], office: tuple[Tool, ...]) -> None:
    with pytest.raises(UnknownTool, match="send_facs"):
        opened(office, encoder="none", pinned=("post/send_facs",))


def test_small_catalogues_pass_through(opened: Callable[..., Curator], office: tuple[Tool, ...]) -> None:
    few = office[:6]
    assert len(opened(few, encoder="none").select("zebra")) == 6
    assert len(opened(few, encoder="none").select("zebra", fusion="sparse")) == 6
    assert len(opened(few, encoder="none").select("zebra", k=2)) == 2
    assert len(opened(few, encoder="none", pass_through=0).select("zebra", fusion="sparse")) == 0
    found = opened(few, encoder="none").select("book a room for the meeting")
    assert found[0].id == "house/book_room"
    visitor = opened(office, encoder="none").select("zebra", role="visitor", fusion="sparse")
    assert len(visitor) == 7, "what counts is what the role sees"


# ------------------------------------------------------------------------------------------------ no fit


def test_no_fit_policies(campus: Curator) -> None:
    query = "qwrtz plmkn"
    kept = campus.select(query, k=5, role="student")
    assert kept.no_fit
    assert kept.fits < kept.threshold
    assert len(kept) == 5
    assert campus.select(query, k=5, role="student", no_fit="empty").hits == ()
    assert len(campus.select(query, k=5, role="student", no_fit="widen")) == 10
    assert campus.select(query, role="student", no_fit="empty").openai() == []
    sure = campus.select("show my attendance", k=5, role="student", no_fit="empty")
    assert not sure.no_fit
    assert len(sure) == 5
    assert len(campus.select("show my attendance", k=5, role="student", no_fit="widen")) == 5


@pytest.mark.parametrize(("threshold", "no_fit"), [(0.0, False), (1.0, True)])
def test_the_threshold_is_the_callers(
    opened: Callable[..., Curator], examples: Path, campus_index: Path, threshold: float, no_fit: bool
) -> None:
    curator = opened(examples / "campus", index_dir=campus_index, fit_threshold=threshold)
    found = curator.select("something or other")
    assert found.threshold == threshold
    assert found.no_fit is no_fit


# ------------------------------------------------------------------------------------------------ a sequence, explained


def test_a_selection_is_a_sequence_of_hits(campus: Curator) -> None:
    found = campus.select("show my attendance", k=4, role="student")
    assert isinstance(found, Selection)
    assert len(found) == len(list(found)) == len(found.hits) == len(found.tools) == 4
    assert found[0].id == "campus/get_attendance"
    assert found[0] in found
    assert list(found.hits[1:3]) == list(found)[1:3]
    assert found[-1] is found.hits[-1]
    assert found.tools[0].name == "get_attendance"
    assert [hit.id for hit in reversed(found)] == [hit.id for hit in found][::-1]
    assert repr(found[0]).startswith("Hit('campus/get_attendance', ")
    with pytest.raises(IndexError):
        found[4]


def test_explain_has_a_line_a_hit(campus: Curator) -> None:
    found = campus.select("show my attendance", k=4, role="student")
    text = found.explain()
    lines = text.splitlines()
    for number, hit in enumerate(found, 1):
        line = next(line for line in lines if line.split()[:2] == [str(number), hit.id])
        evidence = hit.evidence
        assert f"#{evidence.dense_rank}" in line
        assert f"{evidence.best_cosine:.2f}" in line
        assert evidence.why in line
        assert f"{hit.score:.2f}" in line
    assert "probability" in text
    assert f"{found.fits:.2f}" in text
    assert "\x1b" not in text
    assert all(len(line) <= 180 for line in lines)


MARKUP = (
    "[bold]",
    "[/bold]",
    "[/x]",
    "[red]alarm[/red]",
    "a[b",
    "[link=http://x]",
    ":warning:",
    "[[",
    "[/]",
    "[@click=quit]",
)


@pytest.fixture(scope="module")
def markup(opened: Callable[..., Curator]) -> Curator:
    tools = [Tool(name=f"tool {text}", description=f"does {text}", examples=(f"please {text} now",)) for text in MARKUP]
    return opened(tools)


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_texts_is_printed_as_it_is(markup: Curator, text: str) -> None:
    hit = next(hit for hit in markup.select(f"please {text} now", k=20) if hit.tool.name == f"tool {text}")
    explained = Selection(text, (hit,), 1.0, True, 0.5).explain()
    assert f"tool {text}" in explained
    assert f"please {text} now" in explained


def test_explain_of_nothing_and_of_everything(campus_words: Curator) -> None:
    assert "no tool fits" in campus_words.select("xylophone", fusion="sparse").explain()
    assert len(campus_words.select("fee", k=191).explain().splitlines()) > 5


def test_evidence_reads_as_a_sentence(campus: Curator, campus_words: Curator) -> None:
    first = str(campus.select("show my attendance", role="student")[0].evidence)
    assert first.startswith("cosine 0.")
    assert "(#1)" in first
    words = str(campus_words.select("show my attendance", role="student")[0].evidence)
    assert "words" in words
