"""A tool → what is indexed of it."""

import numpy as np
import pytest

from toolcurator import Tool
from toolcurator.index import Point, dense_text, points_of, texts_of

ALL = ("name", "description", "slots", "server", "tags", "extra_context")


def test_the_dense_text_holds_the_parts_in_their_order() -> None:
    tool = Tool(
        name="getAccountSummary",
        server="city-bank",
        description="Balance of an account.",
        tags=("money",),
        extra_context="how rich am I",
        parameters={
            "type": "object",
            "properties": {"account_no": {"type": "string", "description": "IBAN", "enum": ["EE1", "EE2"]}},
        },
    )
    whole = "get Account Summary Balance of an account. account no IBAN EE1 EE2 city bank money how rich am I"
    assert dense_text(tool, ALL) == whole
    assert dense_text(tool, ("description", "name")) == "Balance of an account. get Account Summary"


def test_a07_an_abbreviation_in_the_plural_stays_one_word() -> None:
    for name, words in (
        ("list-open-PRs", "list open PRs"),
        ("parseURLs", "parse URLs"),
        ("getHTTPServer", "get HTTP Server"),
    ):
        assert dense_text(Tool(name=name), ALL) == words


@pytest.mark.parametrize("name", ["x", "🔥", "_", "法令検索"])
def test_a_tool_that_says_nothing_is_indexed_by_its_name(name: str) -> None:
    assert dense_text(Tool(name=name), ("description",)) == name
    assert dense_text(Tool(name=name), ALL)


def test_points_are_the_document_and_each_different_example() -> None:
    tool = Tool(name="pay", description="Pay.", examples=("pay it", "", "  ", "pay it ", "settle the bill"))
    assert points_of(tool, ("name", "description")) == [
        Point("document", "pay Pay."),
        Point("example", "pay it"),
        Point("example", "settle the bill"),
    ]


def test_nested_slots_are_read_and_a_long_enum_is_cut() -> None:
    tool = Tool(
        name="ship",
        parameters={
            "type": "object",
            "properties": {
                "to": {"type": "object", "properties": {"street": {"description": "Street and house"}}},
                "parts": {"type": "array", "items": {"properties": {"weightKg": {"type": "number"}}}},
                "country": {"enum": [f"country{i}" for i in range(200)]},
            },
        },
    )
    text = texts_of(tool, ALL).fields["slots"]
    assert "street Street and house" in text
    assert "weight Kg" in text
    assert "country0 " in text
    assert "country150" not in text


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "properties": {"node": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}},
        },
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}},
        {"properties": {"self": {"$ref": "#"}}},
        {"properties": {"list": {"items": {"$ref": "#/properties/list"}}}},
        {"properties": {"lost": {"$ref": "#/$defs/nowhere"}, "odd": {"$ref": 5}}},
    ],
)
def test_a29_a_cyclic_reference_ends(parameters: dict) -> None:
    tool = Tool(name="walk", parameters={"type": "object", **parameters})
    for name in parameters["properties"]:
        assert name in texts_of(tool, ALL).fields["slots"]


@pytest.mark.parametrize("properties", [None, [], "text", {"a": None}, {"a": True}, {"a": {"enum": "x", "items": 5}}])
def test_odd_schemas_are_read_as_far_as_they_go(properties: object) -> None:
    assert "walk" in dense_text(Tool(name="walk", parameters={"type": "object", "properties": properties}), ALL)


def test_a29_one_part_is_bounded() -> None:
    tool = Tool(name="big", description="word " * 20_000, examples=("long " * 20_000,))
    assert len(texts_of(tool, ALL).fields["description"]) <= 20_000
    assert len(texts_of(tool, ALL).queries) <= 20_000


def test_parts_that_do_not_exist_are_refused_before_anything_is_indexed(opened) -> None:
    from toolcurator.errors import ToolCuratorError

    with pytest.raises(ToolCuratorError, match="dense_parts"):
        opened([Tool(name="x")], encoder="none", dense_parts=("name", "nope"))
    with pytest.raises(ToolCuratorError, match="field_weights"):
        opened([Tool(name="x")], encoder="none", field_weights={"nope": 1.0})


def test_document_vectors_are_unit_length(campus) -> None:
    lengths = np.linalg.norm(campus.index.vectors(np.arange(len(campus))), axis=1)
    assert np.allclose(lengths, 1, atol=1e-3)
