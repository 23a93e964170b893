"""One question for what is missing, and answers and corrections merged into the pending tool."""

import pytest
from slot_tools import DRINK, EXCHANGE, TRAIN, WEATHER, reader, tool

from toolcurator.routing.question import answered, question
from toolcurator.routing.slots import Slots, fill


def test_c8_the_missing_currency_is_asked_for():
    """Pitfall C8: one of two currencies."""
    slots = fill("mis on dollari kurss", EXCHANGE, reader("et"))
    assert slots.values == {"currency_from": "USD"}
    asked = question(EXCHANGE, slots, "et")
    assert asked.slots == ("currency_to",)
    assert asked.text == "Palun täpsustage: sihtvaluuta."
    assert question(EXCHANGE, slots, "en").text == "Please tell me: currency (to)."
    assert question(EXCHANGE, slots, "ru").text == "Уточните, пожалуйста: валюта (целевая)."


def test_one_question_for_all_that_is_missing_with_the_choices():
    asked = question(DRINK, fill("order something", DRINK, reader()), "en")
    assert asked.text == "I need a little more: drink (tea or coffee); spoons of sugar."
    assert asked.choices == {"drink": ("tea", "coffee")}
    assert question(DRINK, Slots(values={"drink": "tea", "sugar": 1}), "en") is None
    assert question(DRINK, Slots(missing=("drink",)), "fr").language == "en"


def test_a_description_in_the_users_language_is_used():
    bins = tool("bins", required=("address",), description="Näitab, mis päeval prügi ära viiakse.",
                examples=("mis päeval prügi viiakse",),
                address={"type": "string", "description": "Aadress, kust jäätmeid viiakse"})  # fmt: skip
    slots = fill("millal prügi", bins, reader("et"))
    assert question(bins, slots, "et").text == "Palun täpsustage: aadress, kust jäätmeid viiakse."
    assert question(bins, slots, "en").text == "Please tell me: address."


@pytest.mark.parametrize(
    ("said", "due"),
    [("London", "London"), ("in London please", "London"), ("Tallinnas", "Tallinn"), ("в Нарве", "Narva")],
)
def test_c11_the_answer_alone_fills_the_pending_slot(said, due):
    """Pitfall C11: after "which city?" the user says only "London"."""
    pending = fill("what is the weather tomorrow?", WEATHER, reader())
    answer = answered(said, WEATHER, pending, reader("et"))
    assert answer.understood
    assert answer.changed == ("city",)
    assert answer.slots.values == {"city": due, "day": "2026-12-01"}
    assert answer.slots.missing == ()


@pytest.mark.parametrize(
    "said", ["What is an ID card?", "hmm", "yes", "", "mis kell on?", "a" * 300 + " b c d e f g h i"]
)
def test_what_is_no_answer_changes_nothing(said):
    pending = fill("what is the weather tomorrow?", WEATHER, reader())
    answer = answered(said, WEATHER, pending, reader())
    assert not answer.understood
    assert answer.slots.values == pending.values


def test_an_answer_may_say_more_than_was_asked():
    pending = fill("what is the weather?", WEATHER, reader())
    assert answered("London, on Friday", WEATHER, pending, reader()).slots.values == {
        "city": "London",
        "day": "2026-12-04",
    }


@pytest.mark.parametrize(
    ("language", "said", "slot", "due"),
    [("en", "no, 300 not 200", "amount", 300), ("en", "make it 500", "amount", 500),
     ("et", "ei, mitte 200 vaid 300", "amount", 300),
     ("ru", "нет, не 200, а 300", "amount", 300), ("en", "to pounds instead", "currency_to", "GBP"),
     ("en", "not dollars, yen", "currency_to", "JPY")],
)  # fmt: skip
def test_c11_a_correction_changes_the_slot_it_is_about(language, said, slot, due):
    """Pitfall C11: "no, 300 not 200"."""
    first = fill("how many dollars for 200 euros", EXCHANGE, reader())
    answer = answered(said, EXCHANGE, first, reader(language))
    assert answer.changed == (slot,)
    assert answer.slots.values == {**first.values, slot: due}


def test_c12_and_for_yen_keeps_the_rest():
    """Pitfall C12: "and for yen?" after an exchange question."""
    first = fill("how many dollars for 200 euros", EXCHANGE, reader())
    answer = answered("and for yen?", EXCHANGE, first, reader())
    assert answer.understood
    assert "JPY" in answer.slots.values.values()
    assert answer.slots.values["amount"] == 200
    assert answer.slots.complete


@pytest.mark.parametrize("said", ["never mind", "cancel", "unusta ära", "отмена", "Pole vaja!"])
def test_the_user_may_give_up(said):
    answer = answered(said, TRAIN, Slots(missing=("origin", "destination")), reader())
    assert answer.cancelled
    assert answer.understood
    assert not answer.changed


def test_two_missing_places_are_answered_at_once_or_one_by_one():
    pending = fill("when is the train?", TRAIN, reader())
    assert answered("Tallinnast Tartusse", TRAIN, pending, reader("et")).slots.complete
    half = answered("to Tartu", TRAIN, pending, reader())
    assert half.slots.missing == ("origin",)
    assert answered("Narva", TRAIN, half.slots, reader()).slots.values == {"origin": "Narva", "destination": "Tartu"}
