"""Catalogues: lookup by role, wire names, differences, saving and loading."""

import json
import random
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from toolcurator.catalog import Catalog, may_see
from toolcurator.errors import CatalogError, UnknownTool
from toolcurator.sources.functions import tool
from toolcurator.sources.schemas import to_openai
from toolcurator.sources.synonyms import Synonyms
from toolcurator.tool import Tool

MIXED = Path(__file__).parent / "data" / "catalogs" / "mixed"
OPEN = Tool(name="show_marks", description="Marks of a term.", server="campus")
ADMIN = Tool(name="delete_marks", description="Delete marks.", server="campus", roles=("admin",))
DRAFT = Tool(name="draft_marks", description="Later.", state="draft")


@pytest.fixture
def campus():
    return Catalog([OPEN, ADMIN, DRAFT])


def test_a_folder_with_every_kind_of_file():
    catalog = Catalog.load(MIXED)
    assert [tool.id for tool in catalog] == [
        "print_1", "scan_1", "reserve_room", "lost_property", "renew_loan",
        "opening_hours", "staff:purge", "archive/search", "stacks/find_shelf", "stacks/search",
    ]  # fmt: skip
    assert (catalog.name, catalog.language, catalog.faults) == ("library", "en", ())
    assert catalog["opening_hours"].extra_context == "closing time"
    assert catalog["staff:purge"].extra_context == "library user\npatron"
    assert catalog["renew_loan"].extra_context == "borrowing\ntake out"
    assert catalog["renew_loan"].description == "Extend the due date of a book that is out on loan."


def test_a17_the_same_bare_name_on_two_servers_both_survive():
    catalog = Catalog.load(MIXED)
    assert {"archive/search", "stacks/search"} <= {tool.id for tool in catalog}
    assert catalog.wire_names["archive/search"] == "archive__search"
    assert catalog.from_wire("stacks__search").id == "stacks/search"
    assert catalog.find("search") is None
    assert "search" not in catalog
    with pytest.raises(UnknownTool, match="several tools, use an id: archive/search, stacks/search"):
        catalog["search"]


def test_a27_a_role_sees_what_is_open_and_its_own(campus):
    assert [tool.name for tool in campus.visible("student")] == ["show_marks"]
    assert [tool.name for tool in campus.visible("admin")] == ["show_marks", "delete_marks"]
    assert [tool.name for tool in campus.visible(None)] == ["show_marks", "delete_marks"]
    assert not may_see(DRAFT, None)
    for name in ("delete_marks", "campus/delete_marks"):
        assert campus.find(name, role="student") is None
        assert campus.find(name, role="admin") == campus.find(name) == ADMIN
    assert campus["draft_marks"] is DRAFT


def test_a27_unknown_and_forbidden_look_the_same(campus):
    def message(catalog, name):
        with pytest.raises(UnknownTool) as caught:
            catalog.require(name, role="student")
        return str(caught.value)

    without = Catalog([OPEN])
    assert message(campus, "delete_marks") == message(without, "delete_marks")
    assert message(campus, "delete_mark") == message(without, "delete_mark")
    assert "delete_marks" not in campus.nearest("delete_mark", role="student")
    assert campus.require("show_marks", role="student") is OPEN


def test_a27_a_hidden_tool_of_the_same_name_does_not_make_a_name_ambiguous():
    catalog = Catalog([Tool(name="search", server="a"), Tool(name="search", server="b", roles=("admin",))])
    assert catalog.find("search", role="student").id == "a/search"
    assert catalog.nearest("serch", role="student") == ("search",)
    assert catalog.nearest("serch", role="admin") == ("a/search", "b/search")


def test_a27_an_id_of_a_hidden_tool_does_not_cover_a_name_the_role_may_use():
    catalog = Catalog([Tool(name="search", roles=("admin",)), Tool(name="search", server="b")])
    assert catalog.find("search", role="student").id == "b/search"


def test_d6_the_nearest_names():
    names = ["submit_complaint", "get_complaint_status", "pay_fee", "mcp__plugin_x__ask_codex"]
    catalog = Catalog([Tool(name=name) for name in names])
    assert catalog.nearest("complaintSubmit")[0] == "submit_complaint"
    assert catalog.nearest("ask_codec") == ("mcp__plugin_x__ask_codex",)
    assert catalog.nearest("zzzz") == ()
    assert len(catalog.nearest("complaint", n=1)) <= 1
    with pytest.raises(UnknownTool, match="no tool 'payfee'; the nearest: pay_fee"):
        catalog["payfee"]
    with pytest.raises(UnknownTool, match=r"no tool 'zzzz'$"):
        catalog.from_wire("zzzz")


def test_d3_wire_names_find_their_tools():
    catalog = Catalog([Tool(name="github.create issue"), Tool(name="法令検索"), Tool(name="plain")])
    for each in catalog:
        wire = catalog.wire_names[each.id]
        assert catalog.from_wire(wire) is catalog[wire] is each
        assert to_openai(each, wire)["function"]["name"] == wire
    with pytest.raises(TypeError):
        catalog.wire_names["plain"] = "x"


def test_d8_of_several_with_one_id_the_first_stays(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.json"
    first.write_text("tools:\n- name: x\n  description: first\n- name: y\n- name: x\n")
    second.write_text('[\n{"name": "y"}]')
    catalog = Catalog.load(tmp_path)
    assert [tool.description for tool in catalog] == ["first", ""]
    assert list(map(str, catalog.faults)) == [
        f"{first}:5: tool 'x': the id is taken already by {first}:2; this one is left out",
        f"{second}:2: tool 'y': the id is taken already by {first}:4; this one is left out",
    ]
    assert "by tool 1; this one is left out (tool 2)" in str(Catalog([OPEN, OPEN]).faults[0])


def test_d8_no_tool_at_all_is_an_error_that_says_why(tmp_path):
    with pytest.raises(CatalogError, match="no catalogue file in"):
        Catalog.load(tmp_path)
    bad = tmp_path / "a.yaml"
    bad.write_text("tools:\n" + "- {}\n" * 5)
    with pytest.raises(CatalogError, match=r"a\.yaml:2: tool #1: name is missing; .* \(and 2 more\)"):
        Catalog.load(bad)
    with pytest.raises(CatalogError, match="no such file"):
        Catalog.load(tmp_path / "absent.yaml")
    with pytest.raises(CatalogError, match="no tool in the catalogue"):
        Catalog([])
    with pytest.raises(CatalogError, match="no tools in a int"):
        Catalog.of(3)


def test_of_a_mixture():
    @tool(server="py")
    def add(a: int, b: int):
        """Add."""

    def subtract(a: int, b: int):
        """Subtract."""

    class Remote(BaseModel):  # shaped like the tool of an MCP SDK
        name: str
        inputSchema: dict
        title: str | None = None

    schema = {"type": "function", "function": {"name": "multiply", "parameters": {"type": "object"}}}
    source = [add, subtract, OPEN, schema, Remote(name="divide", inputSchema={"type": "object"}), MIXED / "desk.csv"]
    catalog = Catalog.of(source, server="here", language="en")
    assert [tool.id for tool in catalog][:5] == [
        "py/add", "here/subtract", "campus/show_marks", "here/multiply", "here/divide"
    ]  # fmt: skip
    assert Catalog.of(catalog) is catalog
    assert Catalog.of([catalog, ADMIN])["delete_marks"] is ADMIN
    assert Catalog.of(catalog, language="et").language == "et"
    assert Catalog.of(str(MIXED / "desk.csv")).tools == Catalog.load(MIXED / "desk.csv").tools
    assert Catalog.of({"tools": [schema]})["multiply"].declaration.format == "openai"
    assert Catalog.of({"name": "only", "description": "One."})["only"].description == "One."
    listed = Catalog.of([{"name": "a", "description": "A."}, {"description": "no name"}])
    assert [str(fault) for fault in listed.faults] == ["tool #2: name is missing"]


def test_d1_a_catalogue_of_schemas_does_not_change_with_the_callers_dicts():
    schema = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    catalog = Catalog.of([schema])
    schema["inputSchema"]["properties"].clear()
    assert [slot.name for slot in catalog["f"].slots] == ["a"]


def test_synonyms_from_everywhere_add_up(tmp_path):
    (tmp_path / "tools.yaml").write_text("synonyms: words.json\ntools: [{name: pay_fee}, {name: other}]")
    (tmp_path / "words.json").write_text('{"synonyms": {"fee": "charge"}}')
    (tmp_path / "more.json").write_text('{"pay_fee": "settle", "nobody": "x"}')
    catalog = Catalog.load(
        tmp_path / "tools.yaml",
        synonyms=tmp_path / "more.json",
        extra_context={"pay_fee": "remit", "synonyms": {"other": ["rest"]}},
    )
    assert set(catalog["pay_fee"].extra_context.splitlines()) == {"charge", "settle", "remit"}
    assert catalog["other"].extra_context == "rest"
    assert [str(f) for f in catalog.faults] == [
        f"{tmp_path / 'more.json'}: tool 'nobody': synonyms for a tool that is not in the catalogue"
    ]
    assert Catalog([OPEN], synonyms=Synonyms(by_word={"mark": ("grade",)}))["show_marks"].extra_context == "grade"


def test_a4_the_fingerprint_ignores_order_and_sees_every_change():
    catalog = Catalog.load(MIXED)
    tools = list(catalog.tools)
    random.Random(3).shuffle(tools)
    same = Catalog(tools, language="en")
    assert same.fingerprint == catalog.fingerprint
    assert len(catalog.fingerprint) == 64
    changed = {catalog.fingerprint, Catalog(tools).fingerprint, Catalog(tools[1:], language="en").fingerprint}
    for field, value in {
        "description": "x", "examples": ("x",), "roles": ("x",), "extra_context": "x", "state": "inactive",
        "metadata": {"a": 1},
    }.items():  # fmt: skip
        changed.add(Catalog([tools[0].model_copy(update={field: value}), *tools[1:]], language="en").fingerprint)
    assert len(changed) == 9


def test_a_difference_names_what_happened():
    old = Catalog([OPEN, ADMIN, Tool(name="gone", description="Away."), Tool(name="old_name", description="Same.")])
    new = Catalog([
        ADMIN.model_copy(update={"description": "Wipe.", "roles": ()}),
        OPEN.model_copy(update={"id": "uni/show_marks", "server": "uni"}),
        Tool(name="new_name", description="Same."),
        Tool(name="fresh"),
    ])  # fmt: skip
    found = old.diff(new)
    assert (found.added, found.removed) == (("fresh",), ("gone",))
    assert found.changed == {"campus/delete_marks": ("description", "roles")}
    assert found.renamed == {"campus/show_marks": "uni/show_marks", "old_name": "new_name"}
    assert str(found).splitlines() == [
        "+ fresh",
        "- gone",
        "~ campus/delete_marks: description, roles",
        "> campus/show_marks is now uni/show_marks",
        "> old_name is now new_name",
    ]
    assert not old.diff(old)
    assert str(old.diff(old)) == "no difference"


def test_a_difference_does_not_guess_among_tools_that_say_the_same_or_nothing():
    old = Catalog([Tool(name="a", description="D."), Tool(name="b", description="D."), Tool(name="e"), OPEN])
    new = Catalog([Tool(name="c", description="D."), Tool(name="f"), OPEN])
    assert old.diff(new).renamed == {}


@pytest.mark.parametrize("name", ["c.json", "c.yaml", "c.yml", "c.jsonl"])
def test_saved_and_loaded_tools_are_equal(tmp_path, name):
    catalog = Catalog.load(MIXED)
    catalog.save(tmp_path / name)
    again = Catalog.load(tmp_path / name)
    assert again.tools == catalog.tools
    assert again.faults == ()
    if name != "c.jsonl":
        assert (again.name, again.language) == ("library", "en")
        assert again.fingerprint == catalog.fingerprint
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_saving_is_whole_or_not_at_all(tmp_path):
    target = tmp_path / "c.json"
    Catalog([OPEN]).save(target)
    before = target.read_bytes()
    with pytest.raises(CatalogError, match="JSON cannot hold"):
        Catalog([Tool(name="x", metadata={"socket": object()})]).save(target)
    assert target.read_bytes() == before
    with pytest.raises(CatalogError, match=r"expected \.json, \.yaml or \.jsonl"):
        Catalog([OPEN]).save(tmp_path / "c.txt")
    with pytest.raises(CatalogError, match="cannot save to"):
        Catalog([OPEN]).save(tmp_path / "absent" / "c.json")
    assert json.loads(before)["tools"][0]["id"] == "campus/show_marks"


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(
    words.filter(str.strip),
    st.one_of(
        words,
        st.sampled_from(["no", "1e5", "1.5e5", "0777", "~", "<<", "12:30", "2024-01-01", "=", "+1", "1_000", ".inf"]),
    ),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(-1e6, 1e6), words),
        lambda x: st.lists(x, max_size=3),
    ),
)
@pytest.mark.parametrize("suffix", ["json", "yaml", "jsonl"])
def test_any_text_survives_saving(tmp_path_factory, suffix, name, text, value):
    path = tmp_path_factory.mktemp("save") / f"c.{suffix}"
    tool = Tool(name=name, description=text, examples=(text, name), metadata={text: value})
    Catalog([tool]).save(path)
    assert Catalog.load(path).tools == (tool,)


def test_a_campus_of_yaml_opens_quickly(tmp_path):
    tools = [
        {
            "name": f"tool_{i}", "description": "Shows what a student wants to see. " * 2,
            "roles": ["student", "teacher"], "examples": [f"example {i} number {j}" for j in range(5)],
            "slots": [{"name": f"slot_{j}", "description": "What it means.", "type": "string"} for j in range(3)],
        }
        for i in range(190)
    ]  # fmt: skip
    path = tmp_path / "campus.yaml"
    path.write_text(yaml.safe_dump({"name": "campus", "tools": tools}))
    seconds: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        assert len(Catalog.load(path)) == 190
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.6  # 0.1 s on a quiet core; the limit leaves room for a busy one


def test_a_copy_does_not_change_which_fields_of_another_tool_were_given():
    """Tools with the same fields share the set of their names."""
    one, other = Tool(name="pay"), Tool(name="fee")
    copy = one.model_copy(update={"tags": ("money",)})
    assert copy.model_fields_set == {"id", "name", "tags"}
    assert one.model_fields_set == other.model_fields_set == {"id", "name"}
    assert one.model_fields_set is other.model_fields_set
    assert Tool.model_validate_json(copy.model_dump_json(exclude_unset=True)) == copy
