"""Values that a model or a caller gave: coerced, or reported, before any call (pitfall C9)."""

import pytest
from slot_tools import DRINK, EXCHANGE, TEXT, WEATHER, reader, tool

from toolcurator.arguments import check_arguments
from toolcurator.errors import ArgumentError
from toolcurator.routing.slots import checked


def test_c9_null_list_number_and_unknown_key_are_coerced_or_reported():
    """Pitfall C9, the row itself."""
    slots = checked({"currency_from": None, "currency_to": ["usd"], "amount": "20 eurot", "foo": 1}, EXCHANGE, reader())
    assert slots.values == {"currency_to": "USD", "amount": 20}
    assert slots.missing == ("currency_from",)
    assert slots.ignored == {"foo": 1}
    assert slots.said == ("foo: not a slot of exchange_rate, ignored",)
    assert checked({"city": 123}, WEATHER, reader()).values == {"city": "123"}


def test_c9_a_value_outside_the_enum_is_reported_not_passed_on():
    """Pitfall C9: outside the enum."""
    slots = checked({"drink": "beer", "sugar": 2}, DRINK, reader())
    assert slots.values == {"sugar": 2}
    assert slots.missing == ("drink",)
    assert slots.said == ("drink: 'beer' is none of tea, coffee",)


@pytest.mark.parametrize("said", ["Coffee", "COFFEE", "kohv", "кофе", "a coffee, please"])
def test_c9_an_option_in_the_users_words_is_coerced(said):
    assert checked({"drink": said}, DRINK, reader()).values == {"drink": "coffee"}


@pytest.mark.parametrize(
    ("value", "due"), [("3", 3), ("kolm", 3), (3.0, 3), ([3], 3), (True, None), ("many", None), (2.5, None),
    (9, None), ({}, None), ([1, 2], None)]
)  # fmt: skip
def test_c9_whole_numbers_within_bounds(value, due):
    slots = checked({"drink": "tea", "sugar": value}, DRINK, reader())
    assert slots.values.get("sugar") == due
    assert slots.missing == (() if due else ("sugar",))
    assert bool(slots.said) == (due is None)


@pytest.mark.parametrize("values", [None, [], "text", 7, [1, 2], {"drink": {"a": 1}}, {"drink": float("nan")}, {1: 2}])
def test_c9_nothing_that_is_given_raises(values):
    slots = checked(values, DRINK, reader())
    assert slots.values == {}
    assert slots.missing == ("drink", "sugar")


def test_c9_dates_are_read_and_no_date_is_reported():
    assert checked({"city": "Võru", "day": "homme"}, WEATHER, reader("et")).values == {
        "city": "Võru",
        "day": "2026-12-01",
    }
    slots = checked({"city": "Võru", "day": "whenever"}, WEATHER, reader())
    assert slots.values == {"city": "Võru"}
    assert slots.said == ("day: 'whenever' is no date",)


def test_c9_what_the_schema_refuses_is_left_out():
    order = tool(
        "order",
        required=("code",),
        code={"type": "string", "pattern": "^[A-Z]{3}$"},
        n={"type": "integer", "multipleOf": 5},
    )
    slots = checked({"code": "abc", "n": 7}, order, reader())
    assert slots.values == {}
    assert [each.partition(":")[0] for each in slots.said] == ["code", "n"]
    with pytest.raises(ArgumentError):
        check_arguments(order, {"code": "abc"})


def test_what_is_complete_passes_the_check_of_the_call():
    slots = checked([{"name": "drink", "value": "tea"}, {"name": "sugar", "value": "two"}], DRINK, reader())
    assert slots.complete
    check_arguments(DRINK, slots.values)


def test_lists_booleans_and_objects():
    odd = tool(
        "odd",
        tags={"type": "array", "items": {"enum": ["red", "blue"]}},
        fast={"type": "boolean"},
        box={"type": "object", "properties": {"w": {"type": "integer"}}, "required": ["w"]},
        note=TEXT,
    )
    slots = checked({"tags": "Red", "fast": "jah", "box": {"w": 3}, "note": False}, odd, reader())
    assert slots.values == {"tags": ["red"], "fast": True, "box": {"w": 3}}
    assert checked({"box": {"h": 1}}, odd, reader()).values == {}


def test_c8_lenient_sends_missing_ones_empty():
    """Pitfall C8: the caller may choose the seed's lenient mode."""
    strict, lenient = (checked({"drink": "tea"}, DRINK, reader(lenient=each)) for each in (False, True))
    assert strict.missing == ("sugar",)
    assert lenient.values == {"drink": "tea", "sugar": ""}
    assert lenient.missing == ()
