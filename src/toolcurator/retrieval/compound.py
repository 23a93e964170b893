"""Where a query may ask for several things: at markers, clause boundaries and sentence ends, in any script.

Only candidates are found here; whether a split is kept is settled by what the parts retrieve (``ranking.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MOST_PARTS = 5
LONGEST = 1000
"""A longer text is a document, not a few requests; it is searched whole."""

# A query without one of these marks or words has one part; looking costs a tenth of what the patterns below do.
_MARKS = frozenset(".!?…;；。！？،؟\n•,、，然並并另还そ")
_WORDS = frozenset(
    ["and", "also", "plus", "then", "but", "afterwards", "additionally", "addition", "as", "along"]
) | frozenset(
    ["ja", "lisaks", "peale", "seejärel", "ning", "või", "aga", "а", "и", "потом", "затем", "und", "et", "y", "e"]
)

# Between these, one word is a part. Sentence ends need a space behind them (3.5, example.com), full-width ones do not.
_STRONG = re.compile(
    r"(?:[.!?…](?=\s)|[;；。！？।؟\n•])+"
    r"|,?\s*\b(?:and\s+then|and\s+also|then\s+also|after\s+that|afterwards|additionally|in\s+addition|as\s+well\s+as|along\s+with)\b"
    r"|,?\s*\b(?:ja\s+siis|ja\s+ka|lisaks|peale\s+seda|seejärel|а\s+также|и\s+ещё|и\s+еще|потом|затем)\b"
    r"|，?(?:然后|並且|并且|另外|还有|そして|それから)",
    re.IGNORECASE,
)
# Between these, a part needs two words that say something: "accounts and balances" is one request.
_WEAK = re.compile(r",?\s*\b(?:and|also|plus|then|but|ja|ning|või|aga|и|а|und|et|y|e)\b|[,،、，]\s", re.IGNORECASE)
_CONDITION = re.compile(r"^\W*(?:if|when|once|unless|whenever|kui|если|когда|wenn|falls|si|cuando)\b", re.IGNORECASE)


def split(text: str, words: Callable[[str], Sequence[str]]) -> list[str]:
    """The parts of a query that may be requests of their own.

    Args:
        text: The query.
        words: Gives the words of a text that say something (no stop words).

    Returns:
        Two to five parts in order, or an empty list if the query is one request.
    """
    if len(text) > LONGEST or (_MARKS.isdisjoint(text) and _WORDS.isdisjoint(text.lower().split())):
        return []
    strong = _pieces(_STRONG, text, words, 1)
    parts = [part for piece in strong for part in _pieces(_WEAK, piece, words, 2)]
    return parts if 2 <= len(parts) <= MOST_PARTS else strong if 2 <= len(strong) <= MOST_PARTS else []


def _pieces(boundary: re.Pattern[str], text: str, words: Callable[[str], Sequence[str]], least: int) -> list[str]:
    """Cut at boundaries; a piece with fewer words than ``least``, or a condition, stays with what follows or precedes it."""
    pieces: list[str] = []
    start = 0
    for mark in boundary.finditer(text):
        piece = text[start : mark.start()]
        if piece[-1:].isdigit() and mark[0] == "." and text[mark.end() :].lstrip()[:1].islower():
            continue  # "the 2. class"
        if len(words(piece)) < least or len(words(text[mark.end() :])) < least or _CONDITION.match(piece):
            continue
        pieces.append(piece.strip())
        start = mark.end()
    rest = text[start:].strip()
    if pieces and len(words(rest)) < least:
        pieces[-1] = text[text.rindex(pieces[-1], 0, start) :].strip()
    elif rest:
        pieces.append(rest)
    return pieces
