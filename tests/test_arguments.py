"""Arguments are checked before a call (pitfall D7)."""

import time
from typing import Any

import pytest

pytest.importorskip("jsonschema")

from toolcurator import Tool
from toolcurator.arguments import check_arguments
from toolcurator.errors import ArgumentError

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
        "unit": {"enum": ["C", "F"]},
        "place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}


def tool(parameters: dict[str, Any]) -> Tool:
    return Tool(name="forecast", server="weather", parameters=parameters)


def refused(parameters: dict[str, Any], arguments: object) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        check_arguments(tool(parameters), arguments)
    return caught.value


def test_d7_what_is_missing_is_named_and_the_schema_carried() -> None:
    error = refused(WEATHER, {"unit": "C"})
    assert error.missing == ("city", "days")
    assert error.schema == WEATHER
    assert str(error) == (
        "tool 'weather/forecast': city is missing; days is missing. It takes city (string, required), "
        "days (integer, required), unit (any, one of C, F), place (object)"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"city": "Oslo", "days": "two"}, "days: 'two' is not of type 'integer'"),
        ({"city": "Oslo", "days": 0}, "days: 0 is less than the minimum of 1"),
        ({"city": "Oslo", "days": 1, "unit": "K"}, "unit: 'K' is not one of"),
        ({"city": "Oslo", "days": 1, "citty": "x"}, "citty is not known"),
        ({"city": "Oslo", "days": 1, "place": {}}, "place.lat is missing"),
        (["Oslo"], "must be an object, not list"),
        (None, "must be an object, not NoneType"),
    ],
)
def test_d7_what_is_wrong_is_named(arguments: object, said: str) -> None:
    error = refused(WEATHER, arguments)
    assert said in str(error)
    assert not error.missing


def test_right_arguments_pass() -> None:
    check_arguments(tool(WEATHER), {"city": "Oslo", "days": 2, "place": {"lat": 59.9}})
    check_arguments(tool({"type": "object"}), {"anything": [1, {"at": "all"}]})
    check_arguments(Tool(name="x"), {})


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}},
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}},
        {"type": "object", "properties": {"a": {"type": "sequence"}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
        {"$schema": "urn:unknown", "type": "object", "properties": {"a": {"minimum": "x"}}},
    ],
)
def test_a_schema_that_cannot_be_used_refuses_only_what_is_missing(parameters: dict[str, Any]) -> None:
    check_arguments(tool(parameters), {"a": "x"})
    assert refused({**parameters, "required": ["a"]}, {}).missing == ("a",)


def test_no_schema_takes_long() -> None:
    start = time.monotonic()
    bomb = {f"n{i}": {"allOf": [{"$ref": f"#/$defs/n{i + 1}"}] * 2} for i in range(40)}
    check_arguments(tool({"properties": {"a": {"$ref": "#/$defs/n0"}}, "$defs": {**bomb, "n40": {}}}), {"a": 1})
    for pattern in ("^(a+)+$", "^(a|a)*$", "(a{1,2})*b", "(a?)*b", "(?:a?){40}a{40}", "a*a*a*a*a*a*a*a*b"):
        check_arguments(tool({"properties": {"a": {"type": "string", "pattern": pattern}}}), {"a": "a" * 200 + "!"})
    assert time.monotonic() - start < 5


def test_a_harmless_pattern_is_checked() -> None:
    for pattern in ("^[A-Z]{2}\\d{4}$", "^[^@]+@[^@]+$", "^(?:[a-z]{2}-)?[0-9]+$"):
        assert "does not match" in str(refused({"properties": {"a": {"pattern": pattern}}}, {"a": "no!"}))
    check_arguments(tool({"properties": {"a": {"pattern": "^[A-Z]{2}\\d{4}$"}}}), {"a": "AB1234"})
    named = {"patternProperties": {"^x-": {}}, "additionalProperties": False}
    check_arguments(tool(named), {"x-a": 1})
