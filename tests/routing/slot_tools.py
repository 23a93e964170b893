"""Tools of a small made-up town, in three languages, for the tests of slots."""

from datetime import datetime

from toolcurator import Tool
from toolcurator.routing.slots import Reader

NOW = datetime(2026, 11, 30, 9, 30)  # a Monday


def reader(language: str = "en", **how) -> Reader:
    return Reader(language=language, now=NOW, **how)


def tool(name, *, required=(), description="", examples=(), **slots) -> Tool:
    parameters = {"type": "object", "properties": slots, "required": list(required)}
    return Tool(name=name, description=description, parameters=parameters, examples=tuple(examples))


TEXT = {"type": "string"}
DATE = {"type": "string", "format": "date"}

EXCHANGE = tool(
    "exchange_rate",
    required=("currency_from", "currency_to"),
    description="Exchange rate of two currencies.",
    currency_from=TEXT,
    currency_to=TEXT,
    amount={"type": "number"},
)
WEATHER = tool(
    "weather",
    required=("city",),
    description="Weather forecast for a city.",
    city={"type": "string", "description": "Name of the city"},
    day=DATE,
)
TRAIN = tool(
    "train",
    required=("origin", "destination"),
    description="Trains between two places.",
    origin=TEXT,
    destination=TEXT,
    date=DATE,
    time={"type": "string", "format": "time"},
)
DRINK = tool(
    "order_drink",
    required=("drink", "sugar"),
    description="Orders a drink.",
    drink={"type": "string", "enum": ["tea", "coffee"]},
    sugar={"type": "integer", "minimum": 0, "maximum": 5, "description": "Spoons of sugar"},
)
