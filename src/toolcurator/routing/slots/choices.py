"""Values that a slot is limited to, found in the user's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, cast

from toolcurator.routing.slots.currencies import currencies
from toolcurator.routing.slots.everyday import EVERYDAY
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.gazetteer import country_named
from toolcurator.routing.slots.numerals import small_number
from toolcurator.routing.slots.text import Word, alike, flat, parts_of, words_of
from toolcurator.routing.slots.wanted import Wanted, options_of
from toolcurator.tool import as_object

Synonyms = Mapping[str, Sequence[str]]
"""A word of the schema → what people say."""

_LISTS = (
    "x-synonyms",
    "x-enum-synonyms",
    "x-enum-labels",
    "x-enumNames",
    "enumNames",
    "x-enum-varnames",
    "x-enum-descriptions",
    "x-enumDescriptions",
    "enumDescriptions",
)
_STOP = frozenset("a an the of or and with by on in is ja voi ning on kas и или в на for to the at".split())
_LEAST = 0.62
_NOT = frozenset("not no without dont don't never ilma mitte ei ara ega без не нет".split())


def choices(text: str, slot: Wanted, synonyms: Synonyms | None = None) -> list[Mention]:
    """Options of a slot that a text names, each with how clearly.

    Args:
        text: The query.
        slot: The slot.
        synonyms: The catalogue's own.
    """
    options = options_of(slot.slot)
    words = [part for word in words_of(text) for part in _hyphen_parts(word)]
    found: list[Mention] = []
    phrases = _phrases(slot, options, synonyms)
    for option, said in phrases:
        best: Mention | None = None
        for phrase, weight in said:
            mention = _find(words, phrase, option, slot)
            if mention and (best is None or mention.sure * weight > best.sure):
                best = Mention("choice", option, mention.start, mention.end, sure=mention.sure * weight)
        if best:
            found.append(best)
    return found + [each for each in _by_code(text, words, options) if each.value not in [one.value for one in found]]


def booleans(text: str, slot: Wanted) -> list[Mention]:
    """Whether a text speaks of what a yes-or-no slot is about: true, or false after "without", "ilma", "без"."""
    words = words_of(text)
    names = [
        name for name in slot.names if name not in ("is", "has", "with", "include", "includes", "want", "only", "allow")
    ]
    found: list[Mention] = []
    for i, word in enumerate(words):
        score = max(
            (alike(word.plain, form) for name in names for form in (name, *EVERYDAY.get(name, ()))), default=0.0
        )
        if score >= 0.7:
            near = [each.plain for each in words[max(0, i - 2) : i]]
            denied = any(each in _NOT for each in near) or (word.plain.endswith("ta") and word.plain[:-2] in names)
            found.append(Mention("boolean", not denied, word.start, word.end, sure=0.9 * score))
    return found


def _hyphen_parts(word: Word) -> list[Word]:
    if "-" not in word.text:
        return [word]
    found: list[Word] = [word]
    start = 0
    for part in word.text.split("-"):
        if part:
            found.append(Word(part, flat(part), word.start + start, word.start + start + len(part)))
        start += len(part) + 1
    return found


def _phrases(
    slot: Wanted, options: Sequence[Any], synonyms: Synonyms | None
) -> list[tuple[Any, list[tuple[tuple[str, ...], float]]]]:
    described = _described(slot.slot.description, tuple(map(str, options)))
    labels = _labels(slot, options)
    found: list[tuple[Any, list[tuple[tuple[str, ...], float]]]] = []
    for option in options:
        name = str(option)
        parts = parts_of(name)
        short = (flat(name),) if len(name) <= 3 or not parts else tuple(parts)  # B2 is one word
        said: list[tuple[tuple[str, ...], float]] = [(short, 1.0)]
        whole = flat(" ".join(parts))
        extra = [*labels.get(name, ()), *described.get(name, ())]
        for word in dict.fromkeys([name, whole, *parts[: 1 if len(parts) == 1 else 0]]):
            extra += (synonyms or {}).get(word, ())
            said += [(tuple(form.split("_")), 1.0 if "_" in form else 0.9) for form in EVERYDAY.get(word, ())]
        said += [(tuple(part for part in parts_of(phrase) if part not in _STOP), 1.0) for phrase in extra]
        if 1 < len(parts) < 4:
            forms = [(part, *EVERYDAY.get(part, ()))[:4] for part in parts]
            said += [(each, 0.9) for each in product(*forms)]
            said += [((form,), 0.7) for part in parts for form in EVERYDAY.get(part, ()) if _own(part, options)]
        found.append((option, [(phrase, weight) for phrase, weight in said if phrase]))
    return found


def _own(part: str, options: Sequence[Any]) -> bool:
    """Whether a part of a name stands in that name alone."""
    return sum(part in parts_of(str(option)) for option in options) == 1


def _labels(slot: Wanted, options: Sequence[Any]) -> dict[str, list[str]]:
    """What the schema itself says users call the options."""
    found: dict[str, list[str]] = {}
    schema = slot.schema
    for key in _LISTS:
        value = schema.get(key, slot.slot.json_schema.get(key))
        if isinstance(value, dict):
            for option, said in cast("dict[str, Any]", value).items():
                found.setdefault(option, []).extend(_texts(said))
        elif isinstance(value, list) and len(cast("list[Any]", value)) == len(options):
            for option, said in zip(options, cast("list[Any]", value), strict=True):
                found.setdefault(str(option), []).extend(_texts(said))
    for key in ("oneOf", "anyOf"):
        for each in cast("list[Any]", schema.get(key) or []):
            option = as_object(each)
            if "const" in option:
                found.setdefault(str(option["const"]), []).extend(
                    str(option[name]) for name in ("title", "description") if option.get(name)
                )
    return found


def _texts(value: Any) -> Iterator[str]:
    """Texts in a value that may be one, a list, or a map from languages to either."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts(each)


@lru_cache(maxsize=4_096)
def _described(description: str, options: tuple[str, ...]) -> dict[str, list[str]]:
    """What a description calls each option: "maksu (tax)", or a list of as many words as there are options."""
    found: dict[str, list[str]] = {}
    rest = description
    for option in options:
        if match := re.search(rf"([^\s,;:()]+(?:\s[^\s,;:()]+)?)\s*\(['\"]?{re.escape(option)}['\"]?\)", description):
            words = [word for word in match[1].split() if flat(word) not in _STOP]
            found.setdefault(option, []).extend(words[-1:] + ([" ".join(words)] if len(words) > 1 else []))
            rest = ""
        elif match := re.search(
            rf"['\"`]?\b{re.escape(option)}\b['\"`]?\s*(?:=|:|\u2013|\u2014|-)\s*([^,;.\n]+)", description
        ):
            found.setdefault(option, []).append(match[1])
            rest = ""
    counts = Counter(flat(each) for listed in found.values() for each in listed)
    found = {option: [each for each in listed if counts[flat(each)] == 1] for option, listed in found.items()}
    tail = rest.rpartition(":")[2]
    listed = [each.strip(" .") for each in re.split(r",|;|\s(?:või|ja|or|and|или|и)\s", tail)]
    listed = [each for each in listed if each]
    if len(listed) == len(options) > 1:
        for option, said in zip(options, listed, strict=True):
            found.setdefault(option, []).append(said)
    elif rest and len(options) > 1 and ":" in rest:
        listed = [each.strip(" .") for each in re.split(r",|;", tail)]
        if len(listed) == len(options):
            for option, said in zip(options, listed, strict=True):
                found.setdefault(option, []).extend(re.split(r"\s(?:või|or|или)\s", said))
    return found


def _find(words: Sequence[Word], phrase: tuple[str, ...], option: Any, slot: Wanted) -> Mention | None:
    """Where a phrase stands in a text: its words near one another, in any form."""
    name = str(option)
    if len(phrase) == 1 and len(phrase[0]) <= 2:
        for i, word in enumerate(words):
            if word.plain != phrase[0]:
                continue
            near = words[i + 1].plain if i + 1 < len(words) else ""
            if (
                word.text == name
                or (len(name) > 1 and not name.isalpha())
                or any(alike(near, own) > 0.6 for own in slot.words)
            ):
                return Mention("choice", option, word.start, word.end)
        return None
    hits: list[tuple[float, Word]] = []
    for target in phrase:
        best = max(((_alike(word.plain, target), word) for word in words), key=lambda each: each[0], default=None)
        if best and best[0] >= _LEAST:
            hits.append(best)
    needed = len(phrase) if len(phrase) < 3 else -(-2 * len(phrase) // 3)
    if not hits or len(hits) < needed:
        return None
    start, end = min(hit[1].start for hit in hits), max(hit[1].end for hit in hits)
    if end - start > 40 + sum(map(len, phrase)):
        return None
    sure = sum(hit[0] for hit in hits) / len(phrase) + 0.05 * (len(phrase) - 1)
    return Mention("choice", option, start, end, sure=min(1.2, sure))


def _alike(word: str, target: str) -> float:
    """As `alike`; a compound that begins with the target counts too (``pakendikott``)."""
    score = alike(word, target)
    if score < 1 and (number := _number(target)) is not None and number == _number(word):
        return 1.0
    return max(score, 0.7) if len(target) >= 5 and word.startswith(target) else score


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() and len(word) < 10 else small_number(word)


def _by_code(text: str, words: Sequence[Word], options: Sequence[Any]) -> Iterator[Mention]:
    """Countries and currencies that are offered by their codes."""
    codes = {str(option): option for option in options}
    if all(re.fullmatch(r"[A-Z]{2}", code) for code in codes):
        for word in words:
            if (country := country_named(word.plain)) in codes:
                yield Mention("choice", codes[country], word.start, word.end, sure=0.95)
    elif all(re.fullmatch(r"[A-Z]{3}", code) for code in codes):
        for each in currencies(text):
            if each.value in codes:
                yield Mention("choice", codes[each.value], each.start, each.end, role=each.role)
