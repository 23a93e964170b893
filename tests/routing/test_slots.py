"""Slots by rules: each kind of value, in three languages, and what is not filled."""

import time

import pytest
from slot_tools import DATE, DRINK, EXCHANGE, NOW, TEXT, TRAIN, WEATHER, reader, tool

from toolcurator.routing.slots import fill, fill_calls, fill_each
from toolcurator.routing.slots.codes import is_identity_code
from toolcurator.routing.slots.dates import dates, times
from toolcurator.routing.slots.estonian import nominative
from toolcurator.routing.slots.numerals import numbers


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("homme", "2026-12-01"), ("homseks", "2026-12-01"), ("ülehomme", "2026-12-02"), ("ulehomseks", "2026-12-02"),
        ("eile", "2026-11-29"), ("reedel", "2026-12-04"), ("järgmisel reedel", "2026-12-11"), ("next Friday", "2026-12-11"),
        ("on Friday", "2026-12-04"), ("last Friday", "2026-11-27"), ("tomorrow", "2026-12-01"),
        ("day after tomorrow", "2026-12-02"),
        ("завтра", "2026-12-01"), ("послезавтра", "2026-12-02"), ("в следующую пятницу", "2026-12-11"),
        ("в субботу", "2026-12-05"),
        ("2027-02-03", "2027-02-03"), ("03.02.2027", "2027-02-03"), ("27.11", "2026-11-27"),
        ("1. märtsil 2024", "2024-03-01"),
        ("10. dets", "2026-12-10"), ("March 5th, 2027", "2027-03-05"), ("5 марта 2027", "2027-03-05"),
        ("kahe nädala pärast", "2026-12-14"),
        ("in 3 days", "2026-12-03"), ("через 3 дня", "2026-12-03"), ("6. veebruar", "2027-02-06"),
        ("12. august", "2026-08-12"),
        ("end of May 2027", "2027-05-31"), ("30.02.2027", None), ("version 3.5", None), ("99. mai", None),
    ],
)  # fmt: skip
def test_dates_relative_to_now(text, due):
    assert [each.value for each in dates(text, NOW)] == ([due] if due else [])


def test_a_day_without_a_year_goes_where_the_slot_points():
    born = tool("child", required=("birth_date",), birth_date=DATE)
    visit = tool("visit", required=("appointment_date",), appointment_date=DATE)
    assert fill("1. detsembril", born, reader("et")).values == {"birth_date": "2025-12-01"}
    assert fill("29. novembril", visit, reader("et")).values == {"appointment_date": "2027-11-29"}


def test_next_friday_says_how_it_was_read():
    slots = fill("weather in Tartu next Friday", WEATHER, reader())
    assert slots.values == {"city": "Tartu", "day": "2026-12-11"}
    assert "next calendar week" in slots.said[0]
    assert slots.normalized_from["day"] == "next Friday"
    start, end = slots.spans["day"]
    assert "weather in Tartu next Friday"[start:end] == "next Friday"


@pytest.mark.parametrize(
    ("text", "due"),
    [("kell 10", "10:00"), ("at 5 pm", "17:00"), ("10:30", "10:30"), ("в 9:15", "09:15"), ("half past 11", "11:30"),
     ("kell pool 9", "08:30"), ("at 8 in the evening", "20:00"), ("noon", "12:00")],
)  # fmt: skip
def test_times(text, due):
    assert [each.value for each in times(text)] == [due]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("2 100", 2100), ("1,500", 1500), ("3,5", 3.5), ("2400-eurose", 2400), ("kakskümmend viis", 25), ("twenty-five", 25),
        ("двадцать пять", 25), ("kolm tuhat kakssada", 3200), ("two hundred and six", 206), ("viisteist", 15),
        ("-4", -4), ("15k", 15000),
    ],
)  # fmt: skip
def test_numbers_in_digits_and_words(text, due):
    assert [each.value for each in numbers(text)][:1] == [due]


def test_a_license_plate_is_no_number():
    assert numbers("123ABC") == []


@pytest.mark.parametrize(
    ("language", "text", "due"),
    [
        ("et", "Palju saan 1 EUR eest THBdes?", ("EUR", "THB", 1)),
        ("en", "how many dollars for 20 euros", ("EUR", "USD", 20)),
        ("ru", "сколько будет 300 евро в батах?", ("EUR", "THB", 300)), ("en", "convert $250 to yen", ("USD", "JPY", 250)),
        ("et", "500 Rootsi krooni eurodesse", ("SEK", "EUR", 500)),
        ("en", "from pounds to swiss francs", ("GBP", "CHF", None)),
        ("et", "Mis suhe on euro ja usd vahel", ("EUR", "USD", None)),
        ("et", "mitu naela 400 euro eest saaksin", ("EUR", "GBP", 400)),
    ],
)  # fmt: skip
def test_two_currencies_are_told_apart(language, text, due):
    values = fill(text, EXCHANGE, reader(language)).values
    assert (values.get("currency_from"), values.get("currency_to"), values.get("amount")) == due


@pytest.mark.parametrize(
    "text",
    ["Tallinnast Tartusse", "Tartusse Tallinnast", "from Tallinn to Tartu", "из Таллинна в Тарту", "Tallinn Tartu",
     "Tallinna ja Tartu vahel", "tallinnast tartusse"],
)  # fmt: skip
def test_two_places_are_told_apart_by_case_preposition_and_order(text):
    assert fill(text, TRAIN, reader("")).values == {"origin": "Tallinn", "destination": "Tartu"}


def test_everything_of_a_journey():
    slots = fill("flight from New York to London on 2026-12-24 at 5 pm", TRAIN, reader())
    assert slots.values == {"origin": "New York", "destination": "London", "date": "2026-12-24", "time": "17:00"}
    assert list(slots.values) == ["origin", "destination", "date", "time"]  # as declared
    assert slots.complete


def test_a_single_place_with_a_direction_leaves_the_other_open():
    slots = fill("train to Tartu", TRAIN, reader())
    assert slots.values == {"destination": "Tartu"}
    assert slots.missing == ("origin",)


CONTACT = tool(
    "contact",
    email={"type": "string", "format": "email"},
    phone=TEXT,
    personal_code={"type": "string", "description": "Isikukood"},
    url={"type": "string", "format": "uri"},
    order={"type": "string", "pattern": r"^ORD-\d{4}$"},
    urgent={"type": "boolean"},
    note=TEXT,
    tags={"type": "array", "items": {"type": "string", "enum": ["red", "green", "blue"]}},
)


def test_things_with_a_form_of_their_own():
    text = (
        "Mail mari.tamm@example.ee, phone +372 5123 4567, code 49403136526, see https://example.org/a?b=1. "
        'order ORD-1234 urgent, note "call me back" red and blue'
    )
    assert fill(text, CONTACT, reader()).values == {
        "email": "mari.tamm@example.ee",
        "phone": "+37251234567",
        "personal_code": "49403136526",
        "url": "https://example.org/a?b=1",
        "order": "ORD-1234",
        "urgent": True,
        "note": "call me back",
        "tags": ["red", "blue"],
    }
    assert fill("not urgent", CONTACT, reader()).values == {"urgent": False}
    assert fill("order ORD-12", CONTACT, reader()).values.get("order") is None


def test_identity_codes_are_checked():
    assert is_identity_code("49403136526")
    assert not is_identity_code("49403136527")
    assert not is_identity_code("49402306526")  # there is no 30 February


def test_a_pattern_that_could_take_for_ever_is_not_tried():
    trap = tool("trap", required=("word",), word={"type": "string", "pattern": "^(a+)+$"})
    start = time.perf_counter()
    assert "word" not in fill("a" * 60 + "!", trap, reader()).values
    assert time.perf_counter() - start < 2


def test_codes_go_to_the_slot_that_describes_their_form():
    land = tool(
        "land",
        cadastral_code={"type": "string", "description": "Katastritunnus kujul 00000:000:0000"},
        register_code={"type": "string", "description": "Eight-digit number"},
    )
    assert fill("78401:101:2345", land, reader()).values == {"cadastral_code": "78401:101:2345"}
    assert fill("register 14567890", land, reader()).values == {"register_code": "14567890"}


ENUM = {"type": "string", "enum": ["bus", "train", "ferry"]}


@pytest.mark.parametrize(
    ("language", "text", "due"),
    [("et", "mis rongid lähevad", "train"), ("et", "bussiga", "bus"), ("ru", "на автобусе", "bus"),
     ("en", "by ferry", "ferry"),
     ("et", "praamiga", "ferry"), ("en", "by helicopter", None)],
)  # fmt: skip
def test_choices_in_the_users_words(language, text, due):
    slots = fill(text, tool("go", required=("mode",), mode=ENUM), reader(language))
    assert slots.values.get("mode") == due
    assert slots.missing == (() if due else ("mode",))


def test_choices_by_description_schema_and_catalogue_synonyms():
    listed = {"enum": ["no_water", "leak"], "description": "Mure liik: vett pole, leke"}
    paired = {"enum": ["tax", "inspection"], "description": "Kas maksu (tax) või ülevaatust (inspection)"}
    schema = {"enum": ["s", "xl"], "x-synonyms": {"xl": {"en": ["huge"], "et": ["hiiglaslik"]}}}
    titled = {"oneOf": [{"const": 1, "title": "Express"}, {"const": 2, "title": "Slow mail"}]}
    assert fill("torus on leke", tool("a", x=listed), reader("et")).values == {"x": "leak"}
    assert fill("palju maksu tuleb", tool("a", x=paired), reader("et")).values == {"x": "tax"}
    assert fill("a huge one", tool("a", x=schema), reader()).values == {"x": "xl"}
    assert fill("as slow mail please", tool("a", x=titled), reader()).values == {"x": 2}
    spoken = reader("et", synonyms={"leak": ["purskab", "tilgub"]})
    assert fill("toru tilgub", tool("a", x={"enum": ["no_water", "leak"]}), spoken).values == {"x": "leak"}


def test_short_choices_are_not_found_in_other_words():
    level = tool("exam", required=("level",), level={"enum": ["A2", "B1", "C1"]})
    visa = tool("visa", visa_type={"enum": ["C", "D"], "description": "Viisa liik"})
    assert fill("b1 eksam", level, reader("et")).values == {"level": "B1"}
    assert fill("d viisa", visa, reader("et")).values == {"visa_type": "D"}
    assert fill("plan c or vitamin d", visa, reader()).values == {}


def test_bounds_are_kept():
    slots = fill("coffee with 9 sugars", DRINK, reader())
    assert slots.values == {"drink": "coffee"}
    assert slots.missing == ("sugar",)
    assert slots.said == ("sugar: 9 is out of bounds",)


def test_c10_one_and_three_stay_with_their_clause():
    """Pitfall C10: "tea with 1 sugar and coffee with 3"."""
    for text, due in (
        ("tea with 1 sugar and coffee with 3", [("tea", 1), ("coffee", 3)]),
        ("coffee with 3 sugars and tea with 1", [("coffee", 3), ("tea", 1)]),
        ("üks tee ilma suhkruta ja kohv 3 suhkruga", [("tea", 0), ("coffee", 3)]),
    ):
        calls = fill_calls(text, DRINK, reader(""))
        assert [(each.values["drink"], each.values["sugar"]) for each in calls] == due
    first = fill("tea with 1 sugar and coffee with 3", DRINK, reader())
    assert first.values == {"drink": "tea", "sugar": 1}
    assert "2 calls" in first.said[-1]


def test_c10_two_slots_of_one_call_stay_with_their_clause():
    """Pitfall C10, with both in one tool, in either order."""
    drinks = tool("drinks", tea_sugar={"type": "integer"}, coffee_sugar={"type": "integer"})
    for text in ("tea with 1 sugar and coffee with 3", "coffee with 3 and tea with 1 sugar"):
        assert fill(text, drinks, reader()).values == {"tea_sugar": 1, "coffee_sugar": 3}


def test_c10_two_tools_take_slots_from_their_own_clauses():
    """Pitfall C10, over tools: the date of the train is not that of the weather."""
    found = fill_each(
        "trains from Narva to Tapa on Friday, and the weather in Võru tomorrow", [TRAIN, WEATHER], reader()
    )
    assert found["train"].values == {"origin": "Narva", "destination": "Tapa", "date": "2026-12-04"}
    assert found["weather"].values == {"city": "Võru", "day": "2026-12-01"}
    there = fill_each("trains from Narva to Tapa on Friday, and what is the weather there?", [TRAIN, WEATHER], reader())
    assert there["weather"].values == {"city": "Tapa"}


def test_c12_a_slot_comes_from_the_turn_before():
    """Pitfall C12: history is part of the query, for slots that it leaves open."""
    slots = fill("and tomorrow?", WEATHER, reader(), history=["what is the weather in Võru?"])
    assert slots.values == {"city": "Võru", "day": "2026-12-01"}
    assert slots.said == ("city: from what was said before",)


def test_free_text_by_examples_quotes_and_markers():
    doctor = tool(
        "doctor",
        required=("specialty",),
        description="Broneerib aja arsti vastuvõtule.",
        examples=("Soovin aega nahaarsti juurde", "pane mind silmaarsti järjekorda", "hambaarsti aeg lapsele"),
        specialty={"type": "string", "description": "Eriala nimetavas käändes"},
    )
    assert fill("vaja korvaarsti juurde", doctor, reader("et")).values == {"specialty": "korvaarst"}
    book = tool("book", required=("title",), title={"type": "string", "description": "Raamatu pealkiri"})
    assert fill("pikenda „Kolm kuningat“ palun", book, reader("et")).values == {"title": "Kolm kuningat"}
    assert fill("reserveeri raamat Meretagune Maa", book, reader("et")).values == {"title": "Meretagune Maa"}


def test_names_of_companies_schools_and_courts():
    company = tool("company", company_name=TEXT)
    school = tool("school", school={"type": "string", "description": "Kooli nimi"})
    assert fill("Kes juhib Kuldne Leht OÜ-d?", company, reader("et")).values == {"company_name": "Kuldne Leht OÜ"}
    assert fill("koht Metsa Põhikooli kolmandasse klassi", school, reader("et")).values == {"school": "Metsa Põhikool"}


@pytest.mark.parametrize(
    ("text", "due"),
    [("elan Pargi 12-3, Võru", "Pargi 12-3, Võru"), ("oja 5 sauga", "Oja 5, Sauga"),
     ("outside Lai 45 in Tartu", "Lai 45, Tartu"),
     ("Narva mnt 7 juures", "Narva mnt 7")],
)  # fmt: skip
def test_addresses(text, due):
    assert fill(text, tool("bins", address={"type": "string", "description": "Aadress"}), reader("et")).values == {
        "address": due
    }


@pytest.mark.parametrize(
    ("form", "due"),
    [("Tallinnas", "Tallinn"), ("Haapsallu", "Haapsalu"), ("Keilasse", "Keila"), ("Kuressaarde", "Kuressaare"),
     ("neuroloogi", "neuroloog"),
     ("Viru Maakohtusse", "Viru Maakohus"), ("Balti jaama", "Balti jaam"), ("Londonisse", "London")],
)  # fmt: skip
def test_estonian_cases(form, due):
    assert nominative(form) == due


def test_lenient_is_what_the_third_seed_does():
    slots = fill("palju on 20 eurot", EXCHANGE, reader("et", lenient=True))
    assert slots.values["currency_to"] == ""
    assert slots.missing == ()


def test_what_was_not_filled_is_said_and_nothing_is_invented():
    slots = fill("hello there", WEATHER, reader())
    assert slots.values == {}
    assert slots.missing == ("city",)
    assert slots.said == ("city: nothing in the message says Name of the city",)


@pytest.mark.parametrize(
    "text", ["", " " * 5000, "a" * 5000, "1 " * 3000, "'" * 3000, "Metsa 1 " * 700, "[" + "1," * 2000, "\0\ud800", "۱۲"]
)
def test_any_text_is_read_in_no_time(text):
    start = time.perf_counter()
    for each in (CONTACT, TRAIN, DRINK, EXCHANGE):
        fill(text, each, reader())
    assert time.perf_counter() - start < 4


def test_tools_without_slots_or_with_odd_schemas():
    assert fill("anything", tool("none"), reader()).values == {}
    odd = tool(
        "odd",
        required=("a",),
        a={},
        b={"type": ["string", "null"]},
        c={"type": "object"},
        d={"anyOf": [{"type": "integer"}, {"type": "null"}]},
    )
    assert fill("7 apples", odd, reader()).values == {"d": 7}
