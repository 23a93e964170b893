"""Names for the wire."""

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from toolcurator.sources.wire_names import wire_names
from toolcurator.tool import Tool

VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def names_of(*tools):
    return wire_names([Tool(name=name, server=server) for server, name in tools])


def test_d3_a_good_name_stays_and_a_bad_one_is_spelled():
    assert names_of(
        ("", "get-weather"), ("gh", "create_issue"), ("", "github.create issue"), ("", "9lives"), ("", "café au lait")
    ) == {
        "get-weather": "get-weather",
        "gh/create_issue": "create_issue",
        "github.create issue": "github_create_issue",
        "9lives": "_9lives",
        "café au lait": "cafe_au_lait",
    }


def test_d3_the_server_parts_equal_names():
    assert names_of(("a", "search"), ("b.c", "search")) == {"a/search": "a__search", "b.c/search": "b_c__search"}


def test_d3_long_foreign_and_colliding_names_get_a_hash():
    names = names_of(("", "x" * 70), ("", "x" * 71), ("", "法令検索"), ("", "a b"), ("", "a.b"), ("", "a_b"))
    assert names["a_b"] == "a_b"
    assert re.fullmatch(r"x{55}_[0-9a-f]{8}", names["x" * 70])
    assert re.fullmatch(r"tool_[0-9a-f]{8}", names["法令検索"])
    assert re.fullmatch(r"a_b_[0-9a-f]{8}", names["a b"])
    assert len(set(names.values())) == 6


text = st.text(alphabet=st.sampled_from("ab_-. é法9/A\ud800"), min_size=1, max_size=70).filter(str.strip)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "a", "a_", "法"]), text), min_size=1, max_size=12), st.randoms())
def test_d3_names_are_valid_unique_and_free_of_order(pairs, shuffle: random.Random):
    tools = list({tool.id: tool for server, name in pairs if (tool := _tool(server, name)) is not None}.values())
    names = wire_names(tools)
    assert names.keys() == {tool.id for tool in tools}
    assert len(set(names.values())) == len(tools)
    assert all(VALID.fullmatch(name) for name in names.values())
    shuffle.shuffle(tools)
    assert wire_names(tools) == names


def _tool(server, name):
    try:
        return Tool(name=name, server=server)
    except ValueError:
        return None
