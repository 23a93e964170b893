"""A query's words with their places, and words that are alike but for their endings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from toolcurator.lexical.characters import fold

MOST_CHARACTERS = 1_000
"""Of a query that are read: some searches take time that grows with its square."""

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_ENDINGS = frozenset(
    # Estonian cases, singular and plural
    "a e i u s t l d st sse lt le ks ni na ta ga de te id dega test tes tele tel telt sid "
    "il ile ilt is ist isse iga iks it ega ele el elt esse "
    # Russian cases
    "а я о е у ю ы и й ой ей ом ем ам ям ами ями ах ях ов ев ую юю ая яя ое ее ые ие ого его ому ему ый ий "
    # English
    "es ed ing ly er".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text.

    Attributes:
        text: As written.
        plain: In lower case, without diacritics.
        start: First character.
        end: Behind the last one.
    """

    text: str
    plain: str
    start: int
    end: int


@lru_cache(maxsize=4_096)
def flat(text: str) -> str:
    """A text in lower case without diacritics, of the same length, so that places in one are places in the other."""
    return "".join(_flat_character(character) for character in text)


@lru_cache(maxsize=4_096)
def _flat_character(character: str) -> str:
    lower = character.lower()
    if len(lower) != 1:
        return character
    plain = fold(lower)
    return plain if len(plain) == 1 else lower


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text, in order; a hyphen inside keeps one together."""
    plain = flat(text)
    return tuple(
        Word(match[0], plain[match.start() : match.end()], match.start(), match.end()) for match in _WORD.finditer(text)
    )


def parts_of(name: str) -> list[str]:
    """The plain words of an identifier or a phrase: ``fromCurrency``, ``from_currency`` → from, currency."""
    return [flat(part) for part in _PARTS.findall(name)]


@lru_cache(maxsize=65_536)
def alike(word: str, target: str) -> float:
    """How much two plain words look like forms of one word, from 0 to 1.

    A short target may only take a known case ending; a longer one must share its beginning (two thirds of both).

    Args:
        word: From the query.
        target: From the schema or a list of words.
    """
    if word == target:
        return 1.0
    if not word or not target:
        return 0.0
    if len(word) >= 4 and len(target) > len(word) and target.endswith(word):  # palk: brutopalk
        return 0.75
    if word[0] != target[0]:
        return 0.0
    if word.startswith(target) and len(target) >= 2 and word[len(target) :] in _ENDINGS:
        return 0.95 if len(target) > 2 else 0.0
    if len(target) < 4 or len(word) < 4:
        return 0.0
    shared = 0
    for one, other in zip(word, target, strict=False):
        if one != other:
            break
        shared += 1
    longest = max(len(word), len(target))
    if shared >= 4 and shared >= 0.6 * longest and longest - shared <= 6:
        return shared / longest
    return 0.0


def best_alike(word: str, targets: Iterable[str]) -> float:
    """The closest of several."""
    return max((alike(word, target) for target in targets), default=0.0)
