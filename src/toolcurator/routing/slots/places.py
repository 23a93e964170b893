"""Places and addresses in a query, with the role that cases and prepositions give them (Tallinnast Tartusse)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from toolcurator.routing.slots.dates import month_of
from toolcurator.routing.slots.estonian import nominative
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.free import FUNCTION_WORDS
from toolcurator.routing.slots.gazetteer import place_named
from toolcurator.routing.slots.text import Word, flat, words_of

_STREET = r"tn|tänav(?:al|a)?|mnt|maantee|tee|pst|puiestee|allee|põik|street|st|road|rd|avenue|ave|ул|улица"
_ADDRESS = re.compile(
    rf"(?P<street>[^\W\d_][\w'-]*(?:\s[^\W\d_][\w'-]*)??(?:\s(?:{_STREET})\.?)?)\s(?P<number>\d{{1,4}}[A-Za-z]?(?:[-/]\d{{1,4}}[a-z]?)?)(?![\w:]|[.,]\d|-\d)"
    r"(?:(?P<comma>,?\s+(?:in\s+)?)(?P<town>[^\W\d_][\w-]*(?:-[^\W\d_]\w*)?))?"
)
_ENGLISH = re.compile(
    r"(?<![\w.,:-])\d{1,5}[A-Za-z]? (?:[A-Z][\w'-]*\.? ){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Way|Square)\b"
    r"(?:, [A-Z]\w+(?: [A-Z]\w+)?)?"
)
_NO_NUMBER = re.compile(
    rf"(?P<street>[^\W\d_][\w'-]*\s(?:{_STREET}))(?![\w])(?:,\s+(?P<town>[A-ZÕÄÖÜŠŽ][\w-]+))?", re.IGNORECASE
)
_ROLES = {
    "st": "from", "lt": "from", "sse": "to", "le": "to", "ni": "to", "de": "to", "s": "at", "l": "at",
}  # fmt: skip
_BEFORE = {
    "from": "from", "to": "to", "towards": "to", "in": "at", "at": "at", "near": "at", "for": "at", "из": "from", "от": "from",
    "до": "to", "в": "at", "во": "at", "на": "at", "into": "to", "around": "at",
}  # fmt: skip
_FOREIGN = re.compile(r"(?:isse|is|ist|ile|il|ilt)$")
_NOT_PLACES = frozenset(
    (
        "i january february march april may june july august september october november december monday tuesday wednesday "
        "thursday friday saturday sunday id eur usd"
    ).split()
)


def places(text: str) -> list[Mention]:
    """Places in a text: known ones in any form, others written with a capital and marked by a case or a preposition."""
    found: list[Mention] = []
    words = words_of(text)
    for i, word in enumerate(words):
        if month_of(word.plain) or word.plain in _NOT_PLACES or not word.text[0].isalpha():
            continue
        before = words[i - 1] if i else None
        role = _BEFORE.get(before.plain, "") if before else ""
        name, ending = place_named(word.plain)
        if name:
            if not word.text[0].isupper() and name in (
                "Eesti",
                "Vara",
                "Tori",
                "Rae",
                "Kose",
                "Järva",
                "Liiva",
                "Jüri",
                "Tapa",
                "Elva",
            ):
                sure = 0.6
            else:
                sure = 1.0 if word.text[0].isupper() or len(word.plain) > 4 else 0.8
            found.append(Mention("place", name, word.start, word.end, role=_ROLES.get(ending, role), sure=sure))
        elif word.text[0].isupper() and word.text[1:2].islower() and before and (role or _FOREIGN.search(word.plain)):
            run = _run(text, words, i) if role else word
            value = text[run.start : run.end]
            if match := _FOREIGN.search(run.plain if run is not word else word.plain):
                value, role = nominative(value), role or _ROLES.get(match[0][1:], "at")
            found.append(Mention("place", value, run.start, run.end, role=role, sure=0.7))
    composed = _composed(text)
    found = [each for each in found if not any(each.touches(other) for other in composed)] + composed
    return _between(text, sorted(found, key=lambda each: each.start))


_STATION = re.compile(r"(?<![\w-])([A-ZÕÄÖÜŠŽ][\w-]+) ((?:jaam|sadam|lennujaam|bussijaam|turu|turg)\w{0,4})(?!\w)")
_COUNTY = re.compile(r"(?<![\w-])([A-ZÕÄÖÜŠŽ][\w-]+?)(?:maa)?[ -](?:county|maakon\w+)(?!\w)", re.IGNORECASE)
_BETWEEN = re.compile(r"\s(?:ja|and|и)\s|\s[\u2013-]\s")


def _composed(text: str) -> list[Mention]:
    """Stations and counties, whose names have a second word."""
    found = [
        Mention(
            "place",
            f"{match[1]} {nominative(match[2])}",
            *match.span(),
            role=_STATION_ROLES.get(match[2][-2:], ""),
            sure=1.1,
        )
        for match in _STATION.finditer(text)
    ]
    for match in _COUNTY.finditer(text):
        name, _ = place_named(f"{flat(match[1])}maa")
        if name:
            found.append(Mention("place", name, *match.span(), sure=1.1))
    return found


_STATION_ROLES = {"st": "from", "se": "to", "ni": "to"}


def _between(text: str, found: list[Mention]) -> list[Mention]:
    """From the first to the second: "Tallinna ja Tartu vahel", "between A and B"."""
    plain = flat(text)
    for one, other in pairwise(found):
        if _BETWEEN.fullmatch(text[one.end : other.start]) and (
            re.match(r"\s*vahe", plain[other.end :]) or re.search(r"\b(?:between|между)\s+$", plain[: one.start])
        ):
            pair = {one: replace(one, role="from"), other: replace(other, role="to")}
            return [pair.get(each, each) for each in found]
    return found


def _run(text: str, words: tuple[Word, ...], i: int) -> Word:
    """A name of several capitalized words: ``New York``."""
    end = words[i].end
    for word in words[i + 1 : i + 3]:
        if text[end : word.start] != " " or not word.text[0].isupper():
            break
        end = word.end
    return Word(text[words[i].start : end], flat(text[words[i].start : end]), words[i].start, end)


def addresses(text: str) -> list[Mention]:
    """Addresses in a text, as ``street number, town``."""
    return list(_addresses(text))


@lru_cache(maxsize=256)
def _addresses(text: str) -> tuple[Mention, ...]:
    found: list[Mention] = []
    start = 0
    while match := _ADDRESS.search(text, start):
        start = match.start("number")
        street, town = match["street"], match["town"] or ""
        begin = match.start()
        parts = street.split(" ")
        named = [part for part in parts if part[:1].isupper()]
        marked = re.search(rf"\s(?:{_STREET})\.?$", street)
        if len(parts) > 1 and not marked and (not parts[0][0].isupper() or not parts[-1][0].isupper()):
            begin, street = begin + len(street) - len(parts[-1]), parts[-1]  # the word before is no part of the name
        if marked and len(parts) > 2 and not parts[0][0].isupper():
            begin, street = begin + len(parts[0]) + 1, " ".join(parts[1:])
        while " " in street and flat(street.split(" ")[0]) in FUNCTION_WORDS:
            begin, street = begin + street.index(" ") + 1, street.partition(" ")[2]
        if month_of(flat(street.split(" ")[0])):
            continue
        place = place_named(flat(town))[0] if town else ""
        lead = place_named(flat(text[:begin].rstrip(" ,").rpartition(" ")[2])) if text[:begin].strip() else ("", "")
        end = match.end("number")
        if not place and lead[0] and text[begin - 1 : begin] == " ":
            head = text[:begin].rstrip(" ,")
            place, begin = lead[0], head.rfind(" ") + 1
        elif place or (town[:1].isupper() and "," in (match["comma"] or "")):
            place, end = place or town, match.end("town")
        else:
            place = ""
        if not (place or marked or (named and parts[-1] in named)):
            continue
        if not place and not marked and not street[0].isupper():
            continue
        value = f"{_capital(street)} {match['number']}" + (f", {place}" if place else "")
        sure = 1.0 if place or marked else 0.6
        found.append(Mention("address", value, begin, end, sure=sure))
        start = end
    for match in _NO_NUMBER.finditer(text):
        mention = Mention("address", _without_number(match), *match.span(), sure=0.85)
        if not any(mention.touches(other) for other in found) and match["street"][0].isupper():
            found.append(mention)
    return tuple(sorted(found, key=lambda each: each.start))


def english_addresses(text: str) -> list[Mention]:
    """Addresses with the number first (``100 Van Ness Avenue``)."""
    return [Mention("address", match[0], *match.span()) for match in _ENGLISH.finditer(text)]


def _without_number(match: re.Match[str]) -> str:
    street = nominative(match["street"]) if match["street"].lower().endswith(("tänava", "tänaval")) else match["street"]
    town = match["town"]
    first, space, rest = street.partition(" ")
    name, ending = place_named(flat(first))
    street = f"{name}{space}{rest}" if name and not ending else street
    return f"{_capital(street)}, {town}" if town else _capital(street)


def _capital(street: str) -> str:
    return street[:1].upper() + street[1:]
