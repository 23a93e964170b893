"""Numbers in digits and in words, in Estonian, Russian and English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolcurator.routing.slots.currencies import currencies
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.text import Word, flat, words_of

_DIGITS = re.compile(
    r"(?<![\w.,:/-])(?P<minus>[-\u2212])?"
    r"(?P<number>\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"(?P<ordinal>\.(?=\s+[^\W\dA-Z]))?(?P<rest>-?[^\W\d_]{0,12})(?![\d:/]|-\d|\.\d)"
)
_LIST = re.compile(r"\[((?:\s*-?\d+(?:\.\d+)?\s*,?){1,200})\]")
_ET: dict[str, int] = {
    "null": 0, "uks": 1, "uhe": 1, "kaks": 2, "kahe": 2, "kahte": 2, "kolm": 3, "kolme": 3, "neli": 4, "nelja": 4, "viis": 5,
    "viie": 5, "kuus": 6, "kuue": 6, "seitse": 7, "seitsme": 7, "kaheksa": 8, "uheksa": 9, "kumme": 10, "kumne": 10,
}  # fmt: skip
_EN: dict[str, int] = dict(
    zip(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen"
        ).split(),
        range(20),
        strict=True,
    )
)
_EN_TENS: dict[str, int] = {
    name: 10 * (i + 2)
    for i, name in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_RU = {
    "ноль": 0, "одной": 1, "одним": 1,
    "двумя": 2, "тремя": 3, "четырьмя": 4, "пятью": 5, "один": 1, "одна": 1, "одну": 1, "одного": 1,
    "два": 2, "две": 2, "двух": 2, "двоих": 2, "двое": 2, "три": 3,
    "трех": 3, "троих": 3, "четыре": 4, "четырех": 4, "пять": 5, "пяти": 5, "шесть": 6, "семь": 7, "восемь": 8, "девять": 9,
    "десять": 10, "двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "шестьдесят": 60, "семьдесят": 70,
    "восемьдесят": 80, "девяносто": 90, "сто": 100, "двести": 200, "триста": 300, "четыреста": 400, "пятьсот": 500,
}  # fmt: skip
_CASE = re.compile(r"(?:ks|ga|le|lt|st|s|ni|ta|sse)$")
_SCALES = {
    "sada": 100, "saja": 100, "hundred": 100, "tuhat": 1000, "tuhande": 1000, "thousand": 1000, "тысяча": 1000,
    "тысячи": 1000, "тысяч": 1000, "тысячу": 1000, "тыс": 1000, "miljon": 10**6, "miljonit": 10**6, "million": 10**6,
    "миллион": 10**6, "миллиона": 10**6, "k": 1000,
}  # fmt: skip
_ORDINALS = (
    r"esime(?:ne|se\w*|st)|first|перв\w{2,3}",
    r"teine|teise\w{0,3}|teist|second|втор\w{2,3}",
    r"kolmas|kolmanda\w*|third|трет\w{2,4}",
    r"neljas|neljanda\w*|fourth|четверт\w{2,3}",
    r"viies|viienda\w*|fifth|пят(?:ый|ого|ом|ая|ой|ую)",
    r"kuues|kuuenda\w*|sixth|шест(?:ой|ого|ом|ая|ую)",
    r"seitsmes|seitsmenda\w*|seventh|седьм\w{2,3}",
    r"kaheksas|kaheksanda\w*|eighth|восьм(?:ой|ого|ом|ая|ую)",
    r"uheksas|uheksanda\w*|ninth|девят(?:ый|ого|ом|ая|ой|ую)",
    r"kumnes|kumnenda\w*|tenth|десят(?:ый|ого|ом|ая|ой|ую)",
)
_ORDINAL = tuple(re.compile(pattern) for pattern in _ORDINALS)
_LOOSE = frozenset("uks uhe one kuus kuue teine teise second один одна одну first".split())
_RESTS = frozenset(
    "k st nd rd th eur x kr kg g mg m cm mm km s h l ml lb lbs ft in mi mph gb mb w kw v hz c f px".split()
)
_JOINED = frozenset("and ja и".split())


def numbers(text: str) -> list[Mention]:
    """Numbers in a text, in order; ``unit`` is the currency, or the word that follows.

    Words that often mean something else ("one", "kuus") are less sure.
    """
    return list(_numbers(text))


@lru_cache(maxsize=256)
def _numbers(text: str) -> tuple[Mention, ...]:
    money = currencies(text)
    found = [_with_unit(text, mention, money) for mention in (*_in_digits(text), *_in_words(text))]
    return tuple(sorted(found, key=lambda each: each.start))


def lists(text: str) -> list[Mention]:
    """Lists of numbers in brackets."""
    found: list[Mention] = []
    for match in _LIST.finditer(text):
        values = [each.value for each in numbers(match[1].replace(",", " ; "))]
        found.append(Mention("list", values, *match.span()))
    return found


def _in_digits(text: str) -> Iterator[Mention]:
    for match in _DIGITS.finditer(text):
        number, rest = match["number"], match["rest"].lower()
        if rest and not (rest.startswith("-") or len(rest) > 3 or rest in _RESTS):
            continue  # 123ABC is a code
        plain = re.sub(r"[ \u00a0\u202f]", "", number)
        plain = (
            plain.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain) else plain.replace(",", ".")
        )
        if len(plain) > 15:
            continue
        value: int | float = float(plain) if "." in plain else int(plain)
        value = value * 1000 if rest == "k" else value
        if match["minus"]:
            value = -value
        end = match.start("rest")
        ordinal = match["ordinal"] or rest in ("st", "nd", "rd", "th", "-й", "-го", "-м")
        yield Mention(
            "number", value, match.start(), end, role="ordinal" if ordinal else "", unit=flat(rest.lstrip("-"))
        )


def _in_words(text: str) -> Iterator[Mention]:
    words = words_of(text)
    i = 0
    while i < len(words):
        run: list[Word] = []
        total = current = 0
        while i < len(words):
            word = words[i].plain
            if (scale := _SCALES.get(word)) is not None and (run or word != "k"):
                if not run and i and words[i - 1].plain.isdigit():
                    break
                current = max(1, current) * scale
                if scale >= 1000:
                    total, current = total + current, 0
            elif (value := small_number(word)) is not None:
                current += value
            elif not (
                run
                and word in _JOINED
                and i + 1 < len(words)
                and small_number(words[i + 1].plain) is not None
                and current >= 100
            ):
                break
            run.append(words[i])
            i += 1
        if run:
            sure = 0.5 if len(run) == 1 and run[0].plain in _LOOSE else 0.9
            yield Mention("number", total + current, run[0].start, run[-1].end, sure=sure)
            continue
        for number, pattern in enumerate(_ORDINAL, 1):
            if pattern.fullmatch(words[i].plain):
                sure = 0.4 if words[i].plain in _LOOSE else 0.7
                yield Mention("number", number, words[i].start, words[i].end, role="ordinal", sure=sure)
        i += 1


def small_number(word: str) -> int | None:
    """A number below a thousand that is one plain word, None if it is none."""
    for table in (_ET, _EN, _EN_TENS, _RU):
        if word in table:
            return table[word]
    if (case := _CASE.search(word)) and (base := word[: case.start()]) in _ET and len(base) > 3:
        return _ET[base]
    first, hyphen, second = word.partition("-")
    if hyphen and first in _EN_TENS and second in _EN:
        return _EN_TENS[first] + _EN[second]
    for ending, times, more in (
        ("teist", 1, 10),
        ("teistkumne", 1, 10),
        ("kummend", 10, 0),
        ("kumne", 10, 0),
        ("sada", 100, 0),
    ):
        if word.endswith(ending) and (value := _ET.get(word.removesuffix(ending))) is not None:
            return value * times + more
    if word.endswith("надцать"):
        stems = ("один", "две", "три", "четыр", "пят", "шест", "сем", "восем", "девят")
        return next((10 + n for n, stem in enumerate(stems, 1) if word == f"{stem}надцать"), None)
    return None


def _with_unit(text: str, mention: Mention, money: list[Mention]) -> Mention:
    unit = mention.unit
    for each in money:
        between = text[mention.end : each.start] if each.start >= mention.end else text[each.end : mention.start]
        if (not between.strip(" -\u00a0") or between.strip() == "") and len(between) <= 2:
            unit = each.value
    if not unit:
        follow = next((word for word in words_of(text) if word.start >= mention.end), None)
        unit = follow.plain if follow and not text[mention.end : follow.start].strip(" -.%") else ""
    return Mention("number", mention.value, *mention.span, role=mention.role, unit=unit, sure=mention.sure)
