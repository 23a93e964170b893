"""Pitfall A27: what a role may not see does not exist for it, on any path."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcurator import Curator, Tool
from toolcurator.errors import UnknownTool
from toolcurator.tool import Tool as ToolModel

COMPOUND = "waive the fee and also delete a student record; publish the results"
FORBIDDEN = ("finance/waive_fee", "admin/delete_student_record", "exams/publish_results", "bank/freeze_account")
FUSIONS = ("weighted", "rrf", "dense", "sparse")


def _seen(curator: Curator, query: str, **how: Any) -> set[str]:
    return {hit.id for hit in curator.select(query, k=500, **how)}


def test_a27_the_exact_name_of_a_forbidden_tool_finds_nothing_of_it(campus: Curator, campus_words: Curator) -> None:
    for curator in (campus, campus_words):
        for id in FORBIDDEN:
            name = id.split("/")[1]
            for query in (name, name.replace("_", " "), id, f"please {name} now"):
                for fusion in FUSIONS:
                    assert id not in _seen(curator, query, role="student", fusion=fusion)
            assert id in _seen(curator, name, role="admin")
            assert id in _seen(curator, name)


@pytest.mark.parametrize("role", ["student", "teacher", "admin", "parent", "nobody", "", "STUDENT"])
def test_a27_no_part_and_no_fusion_shows_what_the_role_may_not_see(campus: Curator, role: str) -> None:
    allowed = {tool.id for tool in campus.index.catalog.visible(role)}
    for query in (COMPOUND, "show my attendance and also raise a grievance", "everything about students"):
        for fusion in FUSIONS:
            assert _seen(campus, query, role=role, fusion=fusion) <= allowed


def test_a27_classic_shows_no_more(opened: Callable[..., Curator], examples: Path) -> None:
    """The anchor forces a tool in, and the top-up pass adds the rest: both within the role."""
    curator = opened(examples / "campus", preset="classic", encoder="none")
    allowed = {tool.id for tool in curator.index.catalog.visible("student")}
    for query in (COMPOUND, *(id.split("/")[1].replace("_", " ") for id in FORBIDDEN)):
        assert _seen(curator, query, role="student") <= allowed
    assert "finance/waive_fee" in _seen(curator, "waive the fee", role="admin")


OPEN = Tool(name="list_books", description="Lists the books.")
SECRET = Tool(name="burn_books", description="Burns the books.", roles=("admin",))
MORE = tuple(Tool(name=f"other_{i}", description=f"Something else {i}.") for i in range(3))


@pytest.mark.parametrize(
    "how", [{}, {"pass_through": 50}, {"diversity": 0.5}, {"exact_points": 0}, {"preset": "classic"}], ids=str
)
def test_a27_pinned_and_passed_through_tools_obey_the_role(opened: Callable[..., Curator], how: dict) -> None:
    curator = opened([OPEN, SECRET, *MORE], encoder="none", pinned=("burn_books", "other_1"), **how)
    for role in ("student", "nobody"):
        for no_fit in ("keep", "empty", "widen"):
            found = curator.select("burn books", role=role, no_fit=no_fit)
            assert "burn_books" not in {hit.id for hit in found}
            assert "other_1" in {hit.id for hit in found}
    assert "burn_books" in _seen(curator, "anything", role="admin")


def test_a27_what_goes_out_holds_no_trace_of_the_others(campus: Curator) -> None:
    found = campus.select(COMPOUND, k=87, role="student")
    text = json.dumps([found.openai(), found.anthropic(), found.mcp(), found.gemini(), list(found.wire_names())])
    text += found.explain() + repr(found)
    for id in FORBIDDEN:
        assert id.split("/")[1] not in text


def test_a27_unknown_and_forbidden_look_the_same(opened: Callable[..., Curator], campus: Curator) -> None:
    """Asking for a forbidden tool gives the very message of a catalogue that does not have it."""
    with_it = opened([OPEN, SECRET, *MORE], encoder="none")
    without = opened([OPEN, *MORE], encoder="none")
    for name in ("burn_books", "burn_book", "burn", "BURN_BOOKS"):
        messages = []
        for curator in (with_it, without):
            with pytest.raises(UnknownTool) as caught:
                curator.tool(name, role="student")
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    assert with_it.tool("burn_books", role="admin") == with_it.tool("burn_books") == SECRET
    with pytest.raises(UnknownTool) as caught:
        campus.tool("finance/waive_fex", role="student")
    assert "waive_fee" not in str(caught.value)


def test_a27_a_role_is_no_part_of_the_index(tmp_path: Path) -> None:
    """One index serves all roles; opening it for one never leaves it cut for another."""
    tools = [OPEN, SECRET]
    first = Curator.open(tools, encoder="none", index_dir=tmp_path)
    assert _seen(first, "books", role="student") == {"list_books"}
    again = Curator.open(tools, encoder="none", index_dir=tmp_path)
    assert _seen(again, "books", role="admin") == {"list_books", "burn_books"}
    assert again.index.generation.folder == first.index.generation.folder


def test_a27_a_change_of_roles_takes_effect_at_once(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    for roles, seen in ((["admin"], False), (["admin", "student"], True), (["admin"], False), ([], True)):
        file.write_text(json.dumps([{"name": "a"}, {"name": "burn_books", "description": "Burns.", "roles": roles}]))
        curator = Curator.open(file, encoder="none", index_dir=tmp_path / "index")
        assert ("burn_books" in _seen(curator, "burn books", role="student")) is seen


def test_a27_a_role_that_sees_nothing_gets_a_selection_that_says_so(opened: Callable[..., Curator]) -> None:
    curator = opened([SECRET], encoder="none")
    found = curator.select("burn books", role="student")
    assert len(found) == 0
    assert found.no_fit
    assert found.fits == 0
    assert found.notes
    assert found.openai() == found.gemini() == []
    assert isinstance(found.explain(), str)


@pytest.mark.parametrize("role", [["student"], 5, {"student"}, b"student"], ids=repr)
def test_a27_a_role_that_is_no_text_is_refused_or_sees_only_what_is_open(campus_words: Curator, role: object) -> None:
    from toolcurator.errors import QueryError

    unrestricted = {tool.id for tool in campus_words.index.catalog if not tool.roles}
    try:
        seen = _seen(campus_words, "waive the fee", role=role)
    except QueryError:
        seen = set()
    assert seen <= unrestricted


def test_inactive_tools_are_nobodys(opened: Callable[..., Curator]) -> None:
    states = [
        ToolModel.model_validate({"name": f"{state}_tool", "state": state}) for state in ("active", "draft", "inactive")
    ]
    curator = opened(states, encoder="none")
    assert _seen(curator, "draft tool") == {"active_tool"}
    for name in ("draft_tool", "inactive_tool"):
        with pytest.raises(UnknownTool):
            curator.tool(name)


@pytest.mark.parametrize("hidden", [{"state": "draft"}, {"roles": ("admin",)}], ids=str)
def test_the_name_that_goes_out_finds_its_tool_again(opened: Callable[..., Curator], hidden: dict) -> None:
    """A model calls what it was shown: that wire name must be known, whoever else has the same bare name."""
    twin = Tool.model_validate({"name": "search", "server": "b", "description": "Find.", **hidden})
    curator = opened([Tool(name="search", server="a", description="Find."), twin, OPEN], encoder="none")
    for role in (None, "student"):
        found = curator.select("search", role=role)
        for hit, wire in zip(found, found.wire_names(), strict=True):
            assert curator.tool(wire, role=role).id == hit.id
