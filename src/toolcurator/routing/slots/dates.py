"""Dates and times in Estonian, Russian and English, relative to a given now.

Own tables rather than dateparser: of "ülehomme", "homseks", "järgmisel reedel", "1. märtsil 2024" and "в следующую пятницу"
it reads none, and its import takes 1.1 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.text import flat

_MONTHS = tuple(
    re.compile(rf"(?:{pattern})")
    for pattern in (
        r"jaanuar\w*|jaan|january?|jan|январ\w*",
        r"veebruar\w*|veebr|february?|feb|феврал\w*",
        r"marts\w*|march|mar|март\w{0,2}",
        r"aprill?\w{0,4}|apr|апрел\w*",
        r"mai(?:s|l|st|ks|ni|kuu\w*)?|may|ма[йяею]",
        r"juuni\w*|june?|июн\w{0,2}",
        r"juuli\w*|july?|июл\w{0,2}",
        r"august\w{0,3}|aug|август\w{0,2}",
        r"septemb\w*|sept?|сентябр\w*",
        r"oktoob\w*|okt|october|oct|октябр\w*",
        r"novemb\w*|nov|ноябр\w*",
        r"detsemb\w*|dets|december|dec|декабр\w*",
    )
)
_DAYS = tuple(
    re.compile(rf"(?:{pattern})")
    for pattern in (
        r"esmaspaev\w*|mondays?|понедельник\w*",
        r"teisipaev\w*|tuesdays?|вторник\w*",
        r"kolmapaev\w*|wednesdays?|сред[ауые]",
        r"neljapaev\w*|thursdays?|четверг\w*",
        r"reede\w{0,3}|fridays?|пятниц\w+",
        r"laupaev\w*|laup|saturdays?|суббот\w+",
        r"puhapaev\w*|sundays?|воскресень\w+",
    )
)
_RELATIVE = (
    (re.compile(r"\b(?:ulehom\w+|day after tomorrow|послезавтра\w*)\b"), 2),
    (re.compile(r"\b(?:hom(?:me|se|ne|seks|sest|sel|seni|mse)\w*|tomorrow|завтра\w*)\b"), 1),
    (re.compile(r"\b(?:uleeil\w+|day before yesterday|позавчера\w*)\b"), -2),
    (re.compile(r"\b(?:eil(?:e|ne|se|sest|sel|set)\w*|yesterday|вчера\w*)\b"), -1),
    (re.compile(r"\b(?:tana(?:ne|se|seks|sel|set)?|today|tonight|сегодня\w*)\b"), 0),
)
_NEXT = re.compile(r"(?:jargmi\w+|next|следующ\w+)\s+$")
_LAST = re.compile(r"(?:eelmi\w+|moodunud|last|previous|прошл\w+)\s+$")
_WORDS = re.compile(r"[a-zа-яё]+")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](\d{1,2}:\d{2}))?")
_NUMERIC = re.compile(r"(?<![\d.:/-])(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?![\d/:-]|\.\d)")
_DAY_MONTH = re.compile(
    r"(?<![\d.:-])(\d{1,2})(?:\.|st|nd|rd|th|-?го|-?е)?\s*(?:of\s+)?([a-zа-яё]{3,})\.?(?:\s*,?\s*(\d{4})\b)?"
)
_MONTH_DAY = re.compile(r"\b([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?![.:]\d)(?:,?\s+(\d{4})\b)?")
_EDGE = re.compile(
    r"\b(?P<edge>end|beginning|start|конц[аеу]|начал[аеоу])\s+(?:of\s+)?(?P<m1>[a-zа-я]{3,})(?:\s+(?P<y1>\d{4}))?"
    r"|\b(?P<m2>[a-z]{3,})\s+(?P<edge2>lop\w+|algus\w*|alg\w{2,})"
)
_DAY_ALONE = re.compile(
    r"\bthe (?P<en>\d{1,2})(?:st|nd|rd|th)\b(?: of this month)?|\b(?:selle kuu )?(?P<et>\d{1,2})\. kuupaev\w*"
    r"|(?P<ru>\d{1,2})[- ]?(?:го )?числа"
)
_OFFSET = re.compile(
    r"\b(?:(?:in|через)\s+)?(?P<n>\d+|a|an|uhe|kahe|kolme|nelja|viie|two|three|four|five|две|два|три|четыре)?\s*"
    r"(?P<unit>paev\w*|days?|дн\w+|день|nadal\w*|weeks?|недел\w+|kuu\b|months?|месяц\w*|aasta\b|years?|год\w*|лет)\s*"
    r"(?P<way>parast|tagasi|ago|from now|назад)?"
)
_COUNTS = {
    "a": 1, "an": 1, "uhe": 1, "kahe": 2, "kolme": 3, "nelja": 4, "viie": 5, "two": 2, "three": 3, "four": 4, "five": 5,
    "два": 2, "две": 2, "три": 3, "четыре": 4,
}  # fmt: skip
_TIME = (
    re.compile(r"(?<![\d.:])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?:\s*(?P<half>[ap])\.?m\b)?(?!\d)"),
    re.compile(r"(?<![\d.:])(?P<h>1[0-2]|0?[1-9])\s*(?P<half>[ap])\.?m\b"),
    re.compile(r"\b(?:kell(?:a|aks|ast)?|в|at)\s+(?P<h>[01]?\d|2[0-3])(?:[.:](?P<m>[0-5]\d))?(?!\s*(?:\.|%|eur|€|[a-z]*kroon))(?=\W|$)"),
)  # fmt: skip
_HALF = re.compile(r"\b(?:(?P<past>half past)|kell pool)\s+(?P<h>\d{1,2})\b")
_NOON = re.compile(r"\b(?:noon|keskpaev\w*|полд\w+)\b")
_UNTIL = re.compile(r"(?:\bkuni|\bto|\btill|\buntil|\bthrough|\bby|\bдо|\bпо|[-\u2013\u2014])\s*$")
_RANGE = re.compile(r"\s*(?:kuni|to|till|until|and|ja|до|по|и|[-\u2013\u2014])?\s*")
_YEARS = range(1900, 2200)


def month_of(word: str) -> int:
    """Number of the month that a plain word names in some form, 0 if none."""
    return next((number for number, pattern in enumerate(_MONTHS, 1) if pattern.fullmatch(word)), 0)


def dates(text: str, now: datetime, *, past: bool | None = None) -> list[Mention]:
    """Dates in a text, in order.

    A day without a year is the nearest one; a bare weekday is the coming one, "next" is that of the next calendar week.

    Args:
        text: The text.
        now: What "tomorrow" is relative to.
        past: Whether what is asked for lies in the past (True) or ahead (False); None leaves it to the text.
    """
    return list(_dates(text, now.date(), past))


@lru_cache(maxsize=2_048)
def _dates(text: str, today: date, past: bool | None) -> tuple[Mention, ...]:
    plain = flat(text)
    found: list[Mention] = []
    for mention in (
        *_written_out(plain, today, past),
        *_edges(plain, today, past),
        *_weekdays(plain, today, past),
        *_days_of_month(plain, today, past),
        *_offsets(plain, today),
    ):
        if not any(mention.touches(other) for other in found):
            found.append(mention)
    return _one_year(plain, sorted(found, key=lambda each: each.start))


def _one_year(plain: str, found: list[Mention]) -> tuple[Mention, ...]:
    """The year at the end is that of both: "1. jaanuarist 31. märtsini 2025"."""
    for i, (one, other) in enumerate(pairwise(found)):
        said = re.search(r"\d{4}$", plain[other.start : other.end])
        if (
            said
            and not re.search(r"\d{4}", plain[one.start : one.end])
            and _RANGE.fullmatch(plain[one.end : other.start])
        ):
            month, day = int(one.value[5:7]), int(one.value[8:])
            if same := _date(int(said[0]), month, day):
                found[i] = replace(one, value=same.isoformat())
    return tuple(found)


def times(text: str) -> list[Mention]:
    """Times of day in a text, as ``HH:MM``."""
    plain = flat(text)
    found: list[Mention] = []
    for match in _HALF.finditer(plain):
        hour = int(match["h"]) - (0 if match["past"] else 1)
        if 0 <= hour < 24:
            found.append(Mention("time", f"{_day_part(plain, match.end(), hour):02}:30", *match.span()))
    for pattern in _TIME:
        for match in pattern.finditer(plain):
            groups = match.groupdict()
            hour, half = int(match["h"]), groups.get("half")
            if half and hour <= 12:
                hour = hour % 12 + (12 if half == "p" else 0)
            elif not half:
                hour = _day_part(plain, match.end(), hour)
            mention = Mention("time", f"{hour:02}:{groups.get('m') or '00'}", *match.span())
            if not any(mention.touches(other) for other in found):
                found.append(mention)
    found += [Mention("time", "12:00", *match.span()) for match in _NOON.finditer(plain)]
    return sorted(found, key=lambda each: each.start)


def _day_part(plain: str, end: int, hour: int) -> int:
    evening = re.match(r"\s*(?:in the (?:evening|afternoon)|at night|ohtul|p[ae]rastlounal|вечера|дня)", plain[end:])
    return hour + 12 if evening and hour < 12 else hour


def _written_out(plain: str, today: date, past: bool | None) -> Iterator[Mention]:
    for match in _ISO.finditer(plain):
        if day := _date(int(match[1]), int(match[2]), int(match[3])):
            yield _dated(plain, day, match.start(), match.end())
    for match in _DAY_MONTH.finditer(plain):
        if month := month_of(match[2]):
            yield from _whole(plain, int(match[1]), month, match[3], today, past, match.span())
    for match in _MONTH_DAY.finditer(plain):
        if month := month_of(match[1]):
            yield from _whole(plain, int(match[2]), month, match[3], today, past, match.span())
    for match in _NUMERIC.finditer(plain):
        if match[2] == "." and not match[4] and len(match[3]) < 2:
            continue  # 3.5 is a number
        first, second = int(match[1]), int(match[3])
        if second > 12:
            first, second = second, first
        yield from _whole(plain, first, second, match[4], today, past, match.span())


def _whole(
    plain: str, number: int, month: int, year: str | None, today: date, past: bool | None, span: tuple[int, int]
) -> Iterator[Mention]:
    if year:
        found = _date(int(year) if len(year) == 4 else 2000 + int(year), month, number)
    else:
        found = _nearest(month, number, today, past)
    if found:
        yield _dated(plain, found, *span)


def _edges(plain: str, today: date, past: bool | None) -> Iterator[Mention]:
    for match in _EDGE.finditer(plain):
        month = month_of(match["m1"] or match["m2"])
        if not month:
            continue
        edge = match["edge"] or match["edge2"]
        first = _date(int(match["y1"]), month, 1) if match["y1"] else _nearest(month, 1, today, past)
        if re.search(r"selle aasta|this year|этого года", plain[: match.start()]):
            first = date(today.year, month, 1)
        if first and edge.startswith(("end", "lop", "кон")):
            until = (first.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)
            role = "until" if edge.endswith("ni") else ""
            yield Mention("date", until.isoformat(), *match.span(), role=role)
        elif first:
            yield Mention("date", first.isoformat(), *match.span())


def _weekdays(plain: str, today: date, past: bool | None) -> Iterator[Mention]:
    for pattern, days in _RELATIVE:
        for match in pattern.finditer(plain):
            sure = 0.5 if days == 0 else 1.0  # "what is today's rate" hardly means a date
            yield _dated(plain, today + timedelta(days), *match.span(), sure=sure)
    for word in _WORDS.finditer(plain):
        for number, pattern in enumerate(_DAYS):
            if not pattern.fullmatch(word[0]):
                continue
            before = plain[: word.start()]
            ahead = (number - today.weekday()) % 7
            if match := _NEXT.search(before):
                day = today + timedelta(7 - today.weekday() + number)
                note = f"read as {day:%Y-%m-%d}, of the next calendar week"
                yield _dated(plain, day, match.start(), word.end(), note=note)
            elif match := _LAST.search(before):
                yield _dated(
                    plain, today - timedelta((today.weekday() - number - 1) % 7 + 1), match.start(), word.end()
                )
            elif past:
                yield _dated(plain, today - timedelta((today.weekday() - number) % 7), *word.span())
            else:
                yield _dated(plain, today + timedelta(ahead), *word.span())


def _days_of_month(plain: str, today: date, past: bool | None) -> Iterator[Mention]:
    for match in _DAY_ALONE.finditer(plain):
        number = int(match["en"] or match["et"] or match["ru"])
        this_month = "this month" in match[0] or "selle kuu" in match[0]
        months = (0,) if this_month else (0, -1) if past else (0, 1)
        for step in months:
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            day = _date(year, month + 1, number)
            if day and (this_month or (day <= today if past else day >= today)):
                yield _dated(plain, day, *match.span(), sure=0.9)
                break


def _offsets(plain: str, today: date) -> Iterator[Mention]:
    for match in _OFFSET.finditer(plain):
        lead = match[0].startswith(("in ", "через "))
        if not (match["way"] or lead):
            continue
        count = int(match["n"]) if (match["n"] or "").isdigit() else _COUNTS.get(match["n"] or "a", 1)
        unit = match["unit"]
        if not 0 <= count <= 10_000:
            continue
        days = {"p": 1, "d": 1, "д": 1, "n": 7, "w": 7, "н": 7}.get(unit[0])
        back = match["way"] in ("tagasi", "ago", "назад")
        if days is None:
            months = count * (1 if unit[0] in "kmм" else 12) * (-1 if back else 1)
            day = _months(today, months)
        else:
            day = today + timedelta(days * count * (-1 if back else 1))
        if day:
            yield _dated(plain, day, *match.span(), sure=0.9)


def _months(today: date, count: int) -> date | None:
    year, month = divmod(today.year * 12 + today.month - 1 + count, 12)
    return next((found for day in (today.day, 30, 29, 28) if (found := _date(year, month + 1, day))), None)


def _dated(plain: str, day: date, start: int, end: int, *, sure: float = 1.0, note: str = "") -> Mention:
    before = plain[max(0, start - 12) : start]
    ending = re.search(r"(?:ril|sil|il|ari|ri|tsi)?ni$", plain[start:end]) if end - start > 6 else None
    role = "until" if _UNTIL.search(before) or ending else ""
    return Mention("date", day.isoformat(), start, end, role=role, sure=sure, note=note)


def _nearest(month: int, day: int, today: date, past: bool | None) -> date | None:
    options = [found for year in (today.year - 1, today.year, today.year + 1) if (found := _date(year, month, day))]
    if past is not None:
        options = [each for each in options if (each <= today if past else each >= today)]
    return min(options, key=lambda each: abs((each - today).days), default=None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year in _YEARS else None
    except ValueError:
        return None
