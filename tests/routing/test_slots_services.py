"""Slots by rules over the forty services of ``examples/et_services``, with messages written for this test."""

from pathlib import Path

import pytest
from slot_tools import reader

from toolcurator import Catalog
from toolcurator.routing.slots import fill

EXAMPLES = Path(__file__).parents[2] / "examples" / "et_services"

DUE = [
    (
        "exchange_rate",
        "mitu Poola zlotti saan saja euro eest",
        {"from_currency": "EUR", "to_currency": "PLN", "amount": 100},
    ),
    ("exchange_rate", "Palju saan 200 EUR eest THBdes?", {"from_currency": "EUR", "to_currency": "THB", "amount": 200}),
    ("exchange_rate", "курс доллара к евро", {"from_currency": "USD", "to_currency": "EUR"}),
    (
        "currency_history",
        "Mis oli Šveitsi frangi kurss 5. mail 2023?",
        {"from_currency": "CHF", "start_date": "2023-05-05"},
    ),
    (
        "currency_history",
        "jeeni kurss 1. jaanuarist 31. märtsini 2025",
        {"from_currency": "JPY", "start_date": "2025-01-01", "end_date": "2025-03-31"},
    ),
    (
        "transport_timetable",
        "Millal läheb viimane buss Pärnust Kuressaarde pühapäeval?",
        {"origin": "Pärnu", "destination": "Kuressaare", "travel_date": "2026-12-06", "mode": "bus"},
    ),
    (
        "transport_timetable",
        "автобус из Нарвы в Таллинн в воскресенье",
        {"origin": "Narva", "destination": "Tallinn", "travel_date": "2026-12-06", "mode": "bus"},
    ),
    (
        "doctor_appointment",
        "Palun pane mulle aeg dermatoloogi juurde Viljandis 14. detsembril",
        {"specialty": "dermatoloog", "place": "Viljandi", "appointment_date": "2026-12-14"},
    ),
    (
        "pension_estimate",
        "Sündisin 1975, staaži 28 aastat, palk 1650 eurot",
        {"birth_year": 1975, "service_years": 28, "monthly_salary": 1650},
    ),
    (
        "inflation_calculator",
        "What would 100 euros from 2005 be worth in 2020?",
        {"amount": 100, "start_year": 2005, "end_year": 2020},
    ),
    ("parking_fine", "kas autol 777 ABC on trahv", {"plate_number": "777ABC"}),
    (
        "fishing_permit",
        "kalaluba seitsmeks päevaks alates 15. detsembrist",
        {"duration": "7_days", "start_date": "2026-12-15"},
    ),
    (
        "library_loan",
        "reserveeri palun raamat Rehepapp Tartu Linnaraamatukogust",
        {"title": "Rehepapp", "action": "reserve", "library": "Tartu Linnaraamatukogu"},
    ),
    (
        "kindergarten_queue",
        "Mitmes oleme Päikesekiire lasteaia järjekorras Rae vallas?",
        {"kindergarten": "Päikesekiire", "municipality": "Rae"},
    ),
    (
        "streetlight_fault",
        "Pikk 12 ees vilgub tänavalamp, post number 88",
        {"location": "Pikk 12", "post_number": "88", "fault": "flickering"},
    ),
    ("water_outage_report", "Meil Lai 3 Raplas vett pole", {"address": "Lai 3, Rapla", "problem": "no_water"}),
    (
        "visa_duration",
        "How long can a Georgian citizen stay visa-free? Arrived on November 3.",
        {"citizenship": "GE", "entry_date": "2026-11-03", "visa_type": "visa_free"},
    ),
    (
        "unemployment_statistic",
        "töötus Võrumaal 2024 kolmandas kvartalis",
        {"region": "Võrumaa", "year": 2024, "quarter": 3},
    ),
    ("electricity_price", "palju elekter Soomes maksab", {"zone": "FI"}),
    ("court_hearing", "Tartu Maakohtu istung 3. detsembril", {"court": "Tartu Maakohus", "hearing_date": "2026-12-03"}),
    ("id_certificate_validity", "ilus ilm täna", {}),
]


@pytest.fixture(scope="module")
def services():
    return Catalog.load(EXAMPLES)


@pytest.mark.parametrize(("service", "message", "due"), DUE, ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(DUE)])
def test_messages_to_services(services, service, message, due):
    assert fill(message, services[service], reader("et")).values == due
