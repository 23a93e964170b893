"""Catalogue files: every form, and every fault with its line."""

import json
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolcurator.errors import CatalogError
from toolcurator.sources.files import files_of, read_file
from toolcurator.sources.schemas import to_anthropic, to_gemini, to_mcp, to_openai, to_openai_responses

MIXED = Path(__file__).parent.parent / "data" / "catalogs" / "mixed"


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else textwrap.dedent(content).encode())
        return path

    return write


def ids(reading):
    return [tool.id for tool in reading.tools]


def test_files_of_a_folder_in_order_without_the_others(write, tmp_path):
    assert [str(path.relative_to(MIXED)) for path in files_of(MIXED)] == [
        "copies.jsonl", "desk.csv", "library.yaml", "listings/archive.json", "listings/stacks.tools.json"
    ]  # fmt: skip
    for name in (".hidden.yaml", "README.yaml", "notes.txt", "profiles.jsonl"):
        write(name, "x")
    assert files_of(tmp_path) == ()
    assert files_of(tmp_path / "notes.txt") == (tmp_path / "notes.txt",)
    with pytest.raises(CatalogError, match="no such file or folder"):
        files_of(tmp_path / "absent")


def test_our_own_form():
    reading = read_file(MIXED / "library.yaml")
    renew, hours, purge = reading.tools
    assert (reading.name, reading.language, reading.faults) == ("library", "en", ())
    assert reading.synonyms == {"loan": ["borrowing", "take out"]}
    assert [(slot.name, slot.required, slot.enum) for slot in renew.slots] == [
        ("copy", True, ()),
        ("weeks", False, ("1", "2", "4")),
    ]
    assert renew.examples == ("keep my book for longer", "no, I am not done reading")
    assert (renew.roles, renew.side_effect, renew.id) == (("reader",), True, "renew_loan")
    assert [slot.name for slot in hours.slots] == ["branch", "title"]
    assert (purge.id, purge.state, purge.endpoint.method) == ("staff:purge", "draft", "POST")
    assert [reading.line(position) for position in range(3)] == [7, 15, 23]


def test_a_table():
    reading = read_file(MIXED / "desk.csv")
    room, lost = reading.tools
    assert room.description == "Book a reading room,\nfor up to two hours"
    assert (room.examples, room.roles) == (("a quiet room at noon", "room for four"), ("reader", "librarian"))
    assert room.metadata == {"floor": "2"}
    assert [slot.name for slot in room.slots] == ["when"]
    assert (lost.roles, reading.line(0), reading.line(1)) == ((), 2, 4)


def test_lines_of_a_benchmark():
    reading = read_file(MIXED / "copies.jsonl")
    first, second = reading.tools
    assert (first.id, first.name, first.metadata) == ("print_1", "print", {"category": "paper"})
    assert (second.id, second.server, second.slots[0].type) == ("scan_1", "copy", "integer")
    assert reading.line(1) == 3


def test_listings_of_mcp_belong_to_their_server():
    stacks = read_file(MIXED / "listings" / "stacks.tools.json")
    assert ids(stacks) == ["stacks/find_shelf", "stacks/search"]
    assert [(slot.name, slot.required) for slot in stacks.tools[0].slots] == [("call_number", True), ("floor", False)]
    assert stacks.tools[1].side_effect is False
    assert ids(read_file(MIXED / "listings" / "archive.json")) == ["archive/search"]
    assert ids(read_file(MIXED / "listings" / "archive.json", server="news")) == ["news/search"]


def test_a_manifest_with_tools_names_the_server_and_describes_it(write):
    manifest = {
        "name": "maps",
        "display_name": "Maps",
        "description": "All maps.",
        "installations": {},
        "tools": [{"name": "zoom"}],
    }
    tool = read_file(write("x.json", json.dumps(manifest))).tools[0]
    assert (tool.id, tool.metadata) == ("maps/zoom", {"server_description": "All maps."})


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}],
        {"tools": [{"type": "function", "name": "a", "parameters": {"type": "object"}}]},
        {"functions": [{"name": "a", "parameters": {"type": "object"}}]},
        {"tools": [{"name": "a", "input_schema": {"type": "object"}}]},
        {"tools": [{"functionDeclarations": [{"name": "a"}]}]},
        {"functionDeclarations": [{"name": "a"}]},
        {"type": "function", "function": {"name": "a"}},
        {"name": "a", "parameters": {"x": {"type": "string"}}},
        {"name": "a", "entities": []},
    ],
)
def test_forms_of_the_providers_in_a_file(write, content):
    reading = read_file(write("a.json", json.dumps(content)))
    assert (ids(reading), reading.faults) == (["a"], ())


def test_d8_yaml_faults_have_name_line_and_reason(write):
    path = write(
        "tools.yaml",
        """\
        name: shop
        tools:
          - name: good
            description: fine
          - description: no name
          - name: x
            parameters: city

          - just text
          - name: y
            state: live
          - name: z
            examples: hello
          - name: w
            side_effect: perhaps
          - name: last
        """,
    )
    reading = read_file(path)
    assert ids(reading) == ["good", "last"]
    assert [str(fault).removeprefix(f"{path}:") for fault in reading.faults] == [
        "5: tool #2: name is missing",
        "6: tool 'x': parameters must be an object, not a string",
        "9: tool #4: a tool must be an object, not a string",
        "10: tool 'y': state must be 'active', 'draft' or 'inactive', not 'live'",
        "12: tool 'z': examples must be a list, not a string",
        "14: tool 'w': side_effect must be true or false, not 'perhaps'",
    ]


def test_d8_json_faults_point_at_the_entry(write):
    head = '{"tools": "first", "note": {"a": [1]},\n'
    text = head + ' "tools": [\n  {"name": "a"},\n\n  {"name": ""},\n  {"name": "b",\n   "roles": 3}, {"name": "c"}]}'
    reading = read_file(write("t.json", text))
    assert ids(reading) == ["a", "c"]
    assert [(fault.line, fault.entry, fault.message) for fault in reading.faults] == [
        (5, "#2", "name is empty"),
        (6, "b", "roles must be a list, not a number"),
    ]


def test_d8_json_lines_and_rows(write):
    lines = (
        b'{"name": "a"}\n{"name": \n\n[1]\n{"name": "caf\xe9"}\n{"name": "n", "metadata": {"x": NaN}}\n{"name": "z"}'
    )
    reading = read_file(write("t.jsonl", lines))
    assert ids(reading) == ["a", "z"]
    assert [fault.line for fault in reading.faults] == [2, 4, 5, 6]
    assert "byte 0xE9 in column 14 is not UTF-8" in reading.faults[2].message
    table = read_file(write("t.csv", 'name;description;parameters\na;"two\nlines";\nb;x;{bad\n\nc;1;2;3\nd;ok;\n'))
    assert ids(table) == ["a", "d"]
    assert [(fault.line, fault.entry) for fault in table.faults] == [(4, "b"), (6, "")]
    assert "4 cells, but 3 columns" in table.faults[1].message


@pytest.mark.parametrize(
    ("name", "content", "message", "line"),
    [
        ("a.json", b'{"tools": [\n{"name": }]}', "not JSON: expecting value (column 10)", 2),
        ("a.json", b"\n\xff", "byte 0xFF in column 1 is not UTF-8; save the file as UTF-8", 2),
        ("a.json", "\ufeff[]".encode("utf-16-le"), "the file is in UTF-16; save it as UTF-8", 1),
        ("a.json", b"[" * 100_000, "nested too deeply", 0),
        ("a.json", b'{"tools": 3}', "'tools' must hold a list of tools, not a number", 0),
        ("a.json", b'{"mcpServers": {}}', "no tools in it: expected a list of tools, or an object", 0),
        ("a.yaml", b"tools:\n- name: a\n  description: b: c\n", "not YAML: mapping values are not allowed in this", 3),
        ("a.yaml", b"tools: [{name: a}]\n---\ntools: []", "not YAML: but found another document", 2),
        ("a.yaml", b"a\x00b", "not YAML: control characters are not allowed", 0),
        ("a.yaml", b"", "the file is empty", 0),
        ("a.yaml", b"- !!python/object/apply:os.system [echo]", "not YAML: could not determine a constructor", 1),
        ("a.csv", b"title,text\na,b", "no column 'name' in the first row", 1),
        ("a.yaml", b"openapi: 3.1.0\npaths: {}", "no operations: 'paths' is empty", 0),
        ("a.json", b'{"swagger": "1.2"}', "OpenAPI 1.2 is not read: expected 2.0, 3.0 or 3.1", 0),
        ("a.txt", b"x", "not a kind of file that is read here: expected .json, .jsonl, .yaml, .yml, .csv", 0),
    ],
)  # fmt: skip
def test_d8_a_file_that_cannot_be_read_is_one_fault(write, name, content, message, line):
    reading = read_file(write(name, content))
    assert reading.tools == ()
    (fault,) = reading.faults
    assert fault.message.startswith(message)
    assert fault.line == line


def test_d8_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(2 * 2**30)
    start = time.perf_counter()
    (fault,) = read_file(path).faults
    assert "2,048 MiB is more than the limit of 256 MiB" in fault.message
    assert time.perf_counter() - start < 1


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(10)
)
MERGE_BOMB = "a: &a {k1: 1, k2: 2, k3: 3}\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)}\n  <<: [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(10)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "aliases expand to more than"),
        (MERGE_BOMB, "aliases expand to more than"),
        ("tools: &t [*t]", "an alias stands inside the node that it names"),
        ("tools: " + "[" * 300 + "]" * 300, "nested more than 100 deep"),
        ("tools: " + "[" * 90_000, "exceeded maximum nesting depth"),
    ],
)
def test_d8_a_yaml_bomb_is_refused_at_once(write, content, message):
    path = write("bomb.yaml", content)
    start = time.perf_counter()
    (fault,) = read_file(path).faults
    assert message in fault.message
    assert time.perf_counter() - start < 1


def test_d8_honest_aliases_and_plain_scalars_are_read(write):
    path = write(
        "ok.yaml",
        """\
        tools:
          - name: a
            slots: &common
              - {name: on, type: string, enum: [yes, no, 12:30, 2024-01-01, 0777, 1e5, ~]}
            examples: [no, 5 pm]
          - {name: b, slots: *common, metadata: {1: x, true: y, 2.5: [1, 1.5, -3, false, null]}}
        """,
    )
    first, second = read_file(path).tools
    assert first.slots[0].json_schema["enum"] == ["yes", "no", "12:30", "2024-01-01", "0777", "1e5", None]
    assert first.examples == ("no", "5 pm")
    assert second.parameters == first.parameters
    assert second.metadata == {"1": "x", "true": "y", "2.5": [1, 1.5, -3, False, None]}


def test_d8_a_byte_order_mark_and_half_a_surrogate_pair(write):
    assert ids(read_file(write("a.csv", b"\xef\xbb\xbfname\nx\n"))) == ["x"]
    assert ids(read_file(write("a.jsonl", b'\xef\xbb\xbf{"name": "x"}\n'))) == ["x"]
    tool = read_file(
        write("a.json", r'[{"name": "x", "description": "\ud83d\ude00 \ud800", "slots": [{"name": "\udfff"}]}]')
    ).tools[0]
    assert tool.description == "😀 ?"
    assert tool.slots[0].name == "?"


def test_d8_a_misspelled_roles_does_not_open_a_tool_to_all(write):
    reading = read_file(
        write("a.json", '[{"name": "purge", "role": ["admin"]}, {"name": "x", "Roles": []}, {"name": "y", "route": 1}]')
    )
    assert ids(reading) == ["y"]
    assert [fault.entry for fault in reading.faults] == ["purge", "x"]
    assert "write 'roles'" in reading.faults[0].message


def test_many_lines_and_many_faults_are_quick(write):
    lines = [
        json.dumps({"name": f"t{i}", "description": "x" * 100, "parameters": {"a": {"type": "str"}}})
        for i in range(3000)
    ]
    path = write("many.jsonl", "\n".join(lines))
    start = time.perf_counter()
    assert len(read_file(path).tools) == 3000
    assert time.perf_counter() - start < 3
    bad = [{"name": f"t{i}", "parameters": 3} for i in range(3000)]
    start = time.perf_counter()
    assert read_file(write("bad.json", json.dumps(bad, indent=1))).faults[-1].line == 2 + 4 * 2999
    assert time.perf_counter() - start < 3


WORDS = (
    "name description parameters properties type items required enum anyOf allOf nullable $ref $defs tools function id "
    "inputSchema input_schema functionDeclarations slots arguments roles examples metadata endpoint server result "
    "declaration profile side_effect synonyms prefixItems const exclusiveMinimum minimum title schema optional"
)
KEYS = st.sampled_from(WORDS.split())
DECLARED = st.sampled_from(["parameters", "inputSchema", "input_schema", "slots", "arguments"])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(["", "object", "STRING", "str, optional", "#/$defs/type", "x"]),
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=25,
)


ENTRIES = st.one_of(
    JSON,
    st.dictionaries(KEYS, JSON, max_size=6),
    st.builds(lambda key, value, rest: {**rest, "name": "x", key: value}, DECLARED, JSON, st.dictionaries(KEYS, JSON)),
    st.builds(
        lambda key, value: {"name": "y", key: {"type": "object", **value}}, DECLARED, st.dictionaries(KEYS, JSON)
    ),
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ENTRIES, max_size=4), st.sampled_from(["a.json", "a.yaml", "a.tools.json"]))
def test_d8_whatever_stands_in_a_file_gives_tools_or_faults(tmp_path, entries, name):
    path = tmp_path / name
    path.write_text(json.dumps([{"name": "sure"}, *entries]))
    reading = read_file(path)
    assert "sure" in [tool.name for tool in reading.tools]
    assert all(fault.message and "\n" not in str(fault) for fault in reading.faults)
    assert len(reading.faults) <= len(entries)
    for tool in reading.tools:
        assert tool.parameters["type"] == "object"
        assert len(tool.slots) == len(tool.parameters.get("properties", {}))
        for convert in (to_openai, to_openai_responses, to_anthropic, to_gemini, to_mcp):
            json.dumps(convert(tool, "w"))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=60) | st.text("abc:-[]{}&*!,\"'|>\n #?", max_size=60).map(str.encode),
    st.sampled_from(["a.json", "a.yaml", "a.jsonl", "a.csv"]),
)
def test_d8_any_bytes_give_tools_or_faults(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    reading = read_file(path)
    assert all(fault.path == str(path) for fault in reading.faults)
