"""What a slot wants: the kind of value, its role beside others of the kind, and its bounds, from its schema and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from toolcurator.routing.slots.text import flat, parts_of
from toolcurator.tool import JsonSchema, Slot, as_object

_FORMATS = {
    "date": "date", "date-time": "datetime", "time": "time", "email": "email", "idn-email": "email", "uri": "url", "url": "url",
    "iri": "url", "phone": "phone",
}  # fmt: skip
_KINDS = (
    # the first that fits the name, else the description, is the kind
    ("email", r"e-?mail|e-?post\w*|эл\w* ?почт\w*"),
    ("phone", r"phone|telephone|mobile number|telefon\w*|телефон\w*"),
    ("url", r"url|uri|website|web address|link|veebiaadress"),
    ("identity_code", r"isikukood\w*|personal (?:identification )?code|national id|id code|личн\w+ код\w*"),
    ("plate", r"plate|registreerimismar\w+|license plate|numbrimar\w+|госномер\w*"),
    ("currency", r"currency|currencies|valuuta\w*|lahtevaluuta|sihtvaluuta|валют\w*"),
    ("country", r"citizenship|nationality|country|kodakondsus\w*|riigi?|страна|гражданств\w*"),
    ("datetime", r"datetime|date and time"),
    ("date", r"date|kuupaev\w*|paev|дата|дату|birthday|day"),
    ("time", r"time|kellaaeg|aeg|время"),
    ("address", r"address|aadress\w*|адрес\w*|street"),
    ("company", r"company|firm\w?|ettevot\w*|organi[sz]ation|компани\w*|фирм\w*|employer"),
    ("institution", r"school|kool\w*|court|koh(?:us|tu)\w*|library|raamatukogu\w*|"
        r"kindergarten|lasteae\w*|hospital|haigla\w*|university|ulikool\w*|школ\w*|суд"),
    ("location", r"location|asukoh\w*"),
    ("place", r"place|city|town|origin|destination|municipality|county|region|area|"
        r"koht|koha|linn\w?|asula\w*|vald|maakon\w*|lahtekoht|sihtkoht|piirkon\w*|"
        r"jahipiirkonna|город\w*|место|where"),
    ("person", r"person|eesnim\w*|perekonnanim\w*|first name|last name|surname|full name|имя|isiku nimi|recipient|contact"),
    ("title", r"title|pealkir\w*|название"),
    ("search", r"keyword\w*|query|search\w*|marksona\w*|otsing\w*|term|topic|text|message|запрос"),
    ("code", r"code|number|kood|koodi|numbri?|nr|tunnus|id|номер\w*|код"),
)  # fmt: skip
_KIND = tuple((kind, re.compile(rf"(?<![a-zа-я])(?:{pattern})(?![a-zа-я])")) for kind, pattern in _KINDS)
_ALSO = {
    "location": ("address", "place"), "datetime": ("date", "time"),
}  # fmt: skip
_ROLES = (
    ("from", r"from|source|origin|base|departure|lahte\w*|lahtevaluuta|lahtekoht|откуда|исходн\w+|sender"),
    ("to", r"to|target|destination|siht\w*|sihtvaluuta|sihtkoht|arrival|куда|целев\w+|recipient"),
    ("start", r"start|begin\w*|algus\w*|alates|entry|check ?in|pickup|начал\w*|sisenemis\w*|since|after|checkin"),
    ("end", r"end|lopp|lopu|exit|return|check ?out|dropoff|конец|конц\w*|lahkumis\w*|until|before|checkout"),
)
_ROLE = tuple((role, re.compile(rf"(?<![a-zа-я])(?:{pattern})(?![a-zа-я])")) for role, pattern in _ROLES)
_PAST = re.compile(r"birth|sunni|born|рожд|viimane|last\b|entry|sisenemis|history|varasem|eelmi")
_AHEAD = re.compile(
    r"appointment|booking|reserv|soovitud|check.?in|check.?out|departure|forecast|kehtivuse algus|sõidu|soidu|kavandatud"
)
_STOP = frozenset(
    (
        "the of and a an to in is for on with by be or as at it kas ja on ei voi kui mis mida selle oma millest mille kus "
        "name nimi number value и или в на что the user user's which what whether"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a slot wants.

    Attributes:
        slot: The slot.
        kinds: Kinds of mentions that may fill it, the best first; ``choice``, ``boolean``, ``number``, ``year``, ``month`` and
            ``text`` among them.
        role: ``from``, ``to``, ``start``, ``end``, or empty.
        words: Plain words of its name and description.
        names: Plain words of its name alone.
        money: Whether its number is an amount of money.
        past: Whether its date lies in the past (True) or ahead (False), None if it may be either.
        many: Whether it takes a list.
    """

    slot: Slot
    kinds: tuple[str, ...]
    role: str = ""
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    money: bool = False
    past: bool | None = None
    many: bool = False

    @property
    def schema(self) -> JsonSchema:
        """The schema of its value; of one item, if it takes a list."""
        return item_schema(self.slot)


def item_schema(slot: Slot) -> JsonSchema:
    """The schema of a slot's value, or of one item if it takes a list; without a null beside it."""
    schema = slot.json_schema
    if "array" in slot.type:
        schema = as_object(schema.get("items"))
    for key in ("anyOf", "oneOf"):
        options = [as_object(each) for each in cast("list[Any]", schema.get(key) or [])]
        real = [each for each in options if each.get("type") != "null" and "const" not in each]
        if len(real) == 1:
            schema = {**schema, **real[0]}
    return schema


def type_of(slot: Slot) -> str:
    """The type of a slot's value in one word, of one item if it takes a list; ``string`` if the schema does not say."""
    kind = item_schema(slot).get("type")
    if isinstance(kind, list):
        kind = next((str(each) for each in cast("list[Any]", kind) if each != "null"), "string")
    return str(kind or "string").lower()


def options_of(slot: Slot) -> tuple[Any, ...]:
    """The values a slot is limited to, empty if it is not."""
    schema = item_schema(slot)
    values: list[Any] = cast("list[Any]", schema["enum"]) if isinstance(schema.get("enum"), list) else []
    if not values:
        for key in ("oneOf", "anyOf"):
            each = [as_object(option) for option in cast("list[Any]", schema.get(key) or [])]
            values = values or [option["const"] for option in each if "const" in option]
    return tuple(value for value in values if value is not None)


@lru_cache(maxsize=4_096)
def _wanted(name: str, description: str, kind: str, form: str, enum: bool) -> tuple[tuple[str, ...], str, bool]:
    called, meant = " ".join(parts_of(name)), flat(description)
    role = next((role for role, pattern in _ROLE if pattern.search(called)), "")
    role = role or next((role for role, pattern in _ROLE if pattern.search(meant)), "")
    money = bool(
        re.search(
            r"amount|price|cost|salary|income|budget|fare|balance|fee|sum\b|summa|palk|sissetulek|eurodes|сумм|зарплат|цен",
            f"{called} {meant}",
        )
    )
    if enum:
        return ("choice",), role, money
    if kind == "boolean":
        return ("boolean",), role, money
    if kind in ("integer", "number"):
        return _number_kinds(called, meant), role, money
    if form in _FORMATS:
        return (_FORMATS[form], *_ALSO.get(_FORMATS[form], ())), role, money
    if kind != "string":
        return (), role, money
    for text in (called, meant):
        for found, pattern in _KIND:
            if pattern.search(text):
                also = ("place",) if found == "address" and re.search(r"asula|place|town", meant) else ()
                return (*([] if found == "location" else [found]), *_ALSO.get(found, ()), *also), role, money
    return ("year",) if re.search(r"\b(?:year|aasta|год)\b", called) else ("text",), role, money


def _number_kinds(called: str, meant: str) -> tuple[str, ...]:
    if re.search(r"\b(?:year|aasta|год)\b", called) or (re.search(r"\b\w*aasta\b", meant) and "years" not in called):
        return ("year",)
    if re.search(r"\b(?:month|kuu|месяц)\b", called):
        return ("month", "number")
    return ("number",)


def wanted(slot: Slot, *, tool_words: str = "") -> Wanted:
    """What a slot wants.

    Args:
        slot: The slot.
        tool_words: Name and description of its tool, in plain letters: whether it is about the past.
    """
    form = str(item_schema(slot).get("format", ""))
    options = options_of(slot)
    kinds, role, money = _wanted(slot.name, slot.description, type_of(slot), form, bool(options))
    names = [word for word in parts_of(slot.name) if word not in _STOP]
    words = dict.fromkeys(
        [*names, *(word for word in parts_of(slot.description) if len(word) > 2 and word not in _STOP)]
    )
    said = f"{' '.join(names)} {flat(slot.description)}"
    past = True if _PAST.search(said) or re.search(r"ajalugu|history|истори", tool_words) else None
    if past is None and _AHEAD.search(said):
        past = False
    return Wanted(slot, kinds, role, tuple(words), tuple(names), money, past, "array" in slot.type)


def within(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a number keeps the schema's bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    number = value

    def limit(name: str) -> float | None:
        found = schema.get(name)
        return found if isinstance(found, int | float) and not isinstance(found, bool) else None

    low, high = limit("minimum"), limit("maximum")
    above, below = limit("exclusiveMinimum"), limit("exclusiveMaximum")
    return (
        (low is None or number >= low)
        and (high is None or number <= high)
        and (above is None or number > above)
        and (below is None or number < below)
    )
