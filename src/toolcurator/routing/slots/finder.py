"""Mentions in one text that may fill a slot, each kind looked for once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from toolcurator.routing.slots import choices as choose
from toolcurator.routing.slots import codes, free, named, places
from toolcurator.routing.slots.currencies import currencies
from toolcurator.routing.slots.dates import dates, month_of, times
from toolcurator.routing.slots.everyday import EVERYDAY
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.gazetteer import country_named
from toolcurator.routing.slots.numerals import lists, numbers
from toolcurator.routing.slots.reader import Reader
from toolcurator.routing.slots.text import best_alike, flat, words_of
from toolcurator.routing.slots.wanted import Wanted, options_of, type_of
from toolcurator.tool import Tool


class Finder:
    """Mentions in one text, each kind looked for once."""

    def __init__(self, text: str, tool: Tool, reader: Reader, wants: Sequence[Wanted]) -> None:
        self.text = text
        self._tool = tool
        self._reader = reader
        self._now = reader.now or datetime.now()
        self._wants = wants
        self._seen: dict[object, list[Mention]] = {}
        self.inflected = reader.language in ("", "et")

    def for_slot(self, want: Wanted) -> list[Mention]:
        """What may fill a slot."""
        found: list[Mention] = []
        pattern = want.schema.get("pattern")
        if isinstance(pattern, str) and type_of(want.slot) == "string":
            found += self._once(("pattern", pattern), lambda: codes.matching(pattern, self.text))
            if found or want.kinds[:1] in (("code",), ("text",)):
                return found
        found += free.by_schema(self.text, want)
        for rank, kind in enumerate(want.kinds):
            found += [replace(each, sure=each.sure - 0.1 * rank) for each in self._of_kind(kind, want)]
        return found

    def _of_kind(self, kind: str, want: Wanted) -> list[Mention]:
        text = self.text
        simple: dict[str, Callable[[], list[Mention]]] = {
            "time": lambda: times(text),
            "email": lambda: codes.emails(text),
            "url": lambda: codes.urls(text),
            "phone": lambda: codes.phones(text),
            "identity_code": lambda: codes.identity_codes(text),
            "plate": lambda: codes.plates(text),
            "currency": self._currencies,
            "place": self._places,
            "address": lambda: places.addresses(text) or places.english_addresses(text),
            "company": lambda: (
                named.companies(text) or named.titles(text, ("company", "firma", "ettevote", "компания"))
            ),
            "person": lambda: named.people(text, inflected=self.inflected),
        }
        if kind in simple:
            return self._once(kind, simple[kind])
        special: dict[str, Callable[[Wanted], list[Mention]]] = {
            "date": self._dates,
            "datetime": self._datetimes,
            "choice": lambda want: choose.choices(text, want, self._reader.synonyms) + self._numbers_of(want),
            "boolean": lambda want: choose.booleans(text, want),
            "number": self._numbers,
            "year": self._years,
            "month": self._months,
            "country": self._countries,
            "code": self._codes,
            "institution": lambda want: named.institutions(text, want.words),
            "location": lambda want: [],
            "title": lambda want: codes.quoted(text) + named.titles(text, [*want.words, *want.names]),
            "search": lambda want: codes.quoted(text) + free.following(text, want),
            "text": self._texts,
        }
        return special[kind](want) if kind in special else []

    def _once(self, key: object, find: Callable[[], list[Mention]]) -> list[Mention]:
        if key not in self._seen:
            self._seen[key] = find()
        return self._seen[key]

    def _dates(self, want: Wanted) -> list[Mention]:
        return self._once(("date", want.past), lambda: dates(self.text, self._now, past=want.past))

    def _datetimes(self, want: Wanted) -> list[Mention]:
        days, clock = self._dates(want), times(self.text)
        if not days or not clock:
            return []
        value = f"{days[0].value}T{clock[0].value}:00"
        start, end = min(days[0].start, clock[0].start), max(days[0].end, clock[0].end)
        return [Mention("datetime", value, start, end, sure=1.1)]

    def _currencies(self) -> list[Mention]:
        amounts = numbers(self.text)
        found: list[Mention] = []
        for each in currencies(self.text):
            beside = any(amount.unit == each.value and abs(each.start - amount.end) <= 2 for amount in amounts)
            role = "from" if beside and each.role != "to" else each.role
            found.append(replace(each, role=role))
        return found

    def _places(self) -> list[Mention]:
        held = [*named.companies(self.text)]
        return [each for each in places.places(self.text) if not any(each.touches(other) for other in held)]

    def _numbers(self, want: Wanted) -> list[Mention]:
        dated = dates(self.text, self._now) + codes.plates(self.text)
        dated += [each for each in places.addresses(self.text) if each.sure > 0.9]
        clock = times(self.text)
        if want.many and (listed := lists(self.text)):
            return listed
        found: list[Mention] = []
        digits = any(self.text[each.start].isdigit() for each in numbers(self.text))
        for each in numbers(self.text):
            if any(each.touches(other) for other in dated) or (
                any(each.touches(other) for other in clock) and not want.money
            ):
                continue
            if type_of(want.slot) == "integer" and each.value != int(each.value):
                continue
            sure = self._number_sure(each, want) - 0.2 * (digits and self.text[each.start].isalpha())
            value = each.value
            if (
                self.text[each.end : each.end + 1] == "%"
                and type_of(want.slot) == "number"
                and "percent" not in " ".join(want.words)
            ):
                value = round(value / 100, 10)
            found.append(replace(each, value=value, sure=sure))
        return found + self._none_of(want)

    def _none_of(self, want: Wanted) -> list[Mention]:
        """Zero of what a slot counts: "without sugar", "ilma suhkruta", "без сахара"."""
        words = words_of(self.text)
        names = [form for name in want.names for form in (name, *EVERYDAY.get(name, ()))]
        return [
            Mention("number", 0, first.start, second.end, sure=0.8)
            for first, second in pairwise(words)
            if first.plain in ("without", "no", "ilma", "без") and best_alike(second.plain, names) > 0.6
        ]

    def _number_sure(self, each: Mention, want: Wanted) -> float:
        """How well a number's unit suits a slot."""
        is_year = isinstance(each.value, int) and 1900 <= each.value <= 2100 and not each.unit.isupper()
        year_wanted = any(other.kinds[:1] == ("year",) for other in self._wants)
        sure = 0.7 * each.sure
        if want.money:
            sure += 0.3 if each.unit.isupper() or "€" in self.text[each.end : each.end + 2] else -0.05
            if each.role == "ordinal" or (
                isinstance(each.value, int | float) and each.value < 20 and not each.unit.isupper()
            ):
                sure -= 0.3
        elif each.unit.isupper() and len(each.unit) == 3:
            sure -= 0.4
        if is_year and year_wanted:
            sure -= 0.3
        if each.unit and best_alike(each.unit, want.words) > 0.6:
            sure += 0.25
        alone = sum("number" in other.kinds for other in self._wants) == 1
        return sure - (0.0 if alone else 0.1)

    def _numbers_of(self, want: Wanted) -> list[Mention]:
        """Numbers for a choice among numbers."""
        options = {str(each): each for each in options_of(want.slot)}
        if not options or not all(each.lstrip("-").isdigit() for each in options):
            return []
        found = [each for each in numbers(self.text) if str(each.value) in options]
        return [
            replace(each, kind="choice", value=options[str(each.value)], sure=self._number_sure(each, want))
            for each in found
        ]

    def _years(self, want: Wanted) -> list[Mention]:
        found: list[Mention] = []
        for each in numbers(self.text):
            if isinstance(each.value, int) and 1900 <= each.value <= 2100 and not each.unit.isupper():
                near = best_alike(each.unit, ("aasta", "aastal", "year", "год", "года", "году"))
                found.append(replace(each, kind="number", role="", sure=0.8 + 0.2 * near))
        plain = flat(self.text)
        for words, offset in ((("eelmisel aastal", "eelmise aasta", "last year", "прошлом году"), -1),):
            for phrase in words:
                if (start := plain.find(phrase)) >= 0:
                    found.append(Mention("number", self._now.year + offset, start, start + len(phrase), sure=0.8))
        return found

    def _months(self, want: Wanted) -> list[Mention]:
        return [
            Mention("month", month, word.start, word.end)
            for word in words_of(self.text)
            if (month := month_of(word.plain))
        ]

    def _countries(self, want: Wanted) -> list[Mention]:
        iso = "iso" in flat(want.slot.description) or "code" in want.names
        found: list[Mention] = []
        for word in words_of(self.text):
            if code := country_named(word.plain):
                home = code == "EE"
                value = code if iso else word.text
                found.append(Mention("country", value, word.start, word.end, sure=0.3 if home else 1.0))
        return found

    def _codes(self, want: Wanted) -> list[Mention]:
        shapes, lengths = codes.shapes_said(want.slot.description)
        seen = {codes.loose_shape(each.value) for example in self._tool.examples for each in codes.codes(example)}
        others = [*dates(self.text, self._now), *places.addresses(self.text)]
        others = [each for each in others if each.sure > 0.9 or each.kind == "date"]
        if any(other.kinds[:1] == ("plate",) for other in self._wants):
            others += codes.plates(self.text)
        several = sum("code" in other.kinds for other in self._wants) > 1
        found: list[Mention] = []
        for each in codes.codes(self.text):
            digits = each.value.isdigit()
            if any(each.touches(other) for other in others) and not (shapes and codes.shape(each.value) in shapes):
                continue
            if shapes or lengths:
                fits = codes.shape(each.value) in shapes or (digits and len(each.value) in lengths)
                sure = 1.2 if fits else 0.2
            elif len(each.value) < 3 and not want.slot.required:
                sure = 0.2
            else:
                sure = 0.6 + 0.3 * (codes.loose_shape(each.value) in seen) - 0.2 * several
            found.append(replace(each, sure=sure))
        return found

    def _texts(self, want: Wanted) -> list[Mention]:
        found = codes.quoted(self.text) + free.following(self.text, want) + named.titles(self.text, want.names)
        alone = sum(other.kinds[:1] == ("text",) for other in self._wants) == 1
        if want.slot.required and alone:
            found += free.by_examples(self.text, self._tool, want, inflected=self.inflected)
        return found
