"""Estonian words back to the nominative, as far as endings tell (a rule of thumb, not a morphology)."""

from __future__ import annotations

import re

from toolcurator.routing.slots.gazetteer import place_named
from toolcurator.routing.slots.text import flat

_ENDINGS = re.compile(r"(?<=[aeiouõäöü])(?:sse|st|ks|ga|ni|na|ta|lt|le)$")
_SHORT = re.compile(r"(?<=[aeiouõäöü])(?:s|l)$")  # many a word ends so in the nominative
_GENITIVES = (
    # genitive ending → nominative ending, the longest first
    ("maakohtu", "maakohus"), ("kohtu", "kohus"), ("gümnaasiumi", "gümnaasium"), ("kooli", "kool"), ("linna", "linn"),
    ("jaama", "jaam"), ("tänava", "tänav"), ("valla", "vald"), ("maakonna", "maakond"), ("ameti", "amet"), ("arsti", "arst"),
    ("raamatukogu", "raamatukogu"), ("psühhiaatri", "psühhiaater"), ("iaatri", "iaater"), ("loogi", "loog"), ("peedi", "peed"),
    ("keskuse", "keskus"), ("asutuse", "asutus"), ("kese", "ke"), ("ikese", "ike"), ("paiga", "paik"), ("silla", "sild"),
    ("mõisa", "mõis"), ("rajooni", "rajoon"), ("teatri", "teater"), ("metsa", "mets"), ("oru", "org"), ("kliiniku", "kliinik"),
)  # fmt: skip
_CONSONANT_I = re.compile(r"(?<=[bcdfghjklmnpqrstvwxz])i$")


def nominative(word: str) -> str:
    """A word or a name of several words in the nominative; only the last word changes.

    Args:
        word: As it stands in a text: ``Tallinnas``, ``neuroloogi``, ``Männiku Põhikooli``.
    """
    head, space, last = word.rpartition(" ")
    name, _ = place_named(flat(last)) if last[:1].isupper() else ("", "")
    return f"{head}{space}{name or _last(last)}"


def stem(word: str) -> str:
    """A word without the ending of its case (the genitive, mostly)."""
    return _ENDINGS.sub("", word) if len(word) > 4 else word


def _last(word: str) -> str:
    base = stem(word)
    lower = base.lower()
    if _SHORT.search(lower) and any(lower[:-1].endswith(genitive) for genitive, _ in _GENITIVES):
        if any(lower.endswith(nominative_ending) for _, nominative_ending in _GENITIVES):
            return base
        base, lower = base[:-1], lower[:-1]
    for genitive, nominative_ending in _GENITIVES:
        if lower.endswith(genitive):
            return base[: len(base) - len(genitive)] + (
                nominative_ending if base[len(base) - len(genitive) :].islower() else nominative_ending.capitalize()
            )
    if len(base) > 4 and _CONSONANT_I.search(lower):
        return base[:-1]
    return base
