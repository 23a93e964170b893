"""Whether two texts are surely in different languages: example queries must be in the description's."""

from __future__ import annotations

import re

_SCRIPTS = (
    re.compile("[A-Za-z\u00c0-\u024f]"),
    re.compile("[\u0400-\u04ff]"),
    re.compile("[\u0370-\u03ff]"),
    re.compile("[\u0600-\u06ff]"),
    re.compile("[\u0590-\u05ff]"),
    re.compile("[\u0900-\u0dff]"),
    re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"),
    re.compile("[\u3040-\u30ff\u4e00-\u9fff]"),
    re.compile("[\uac00-\ud7a3]"),
)
_ENGLISH = frozenset(
    "the of and to for with from what how my is are this that which your you can please i by an".split()
)
_PERHAPS_ENGLISH = _ENGLISH | frozenset(
    "a in on or as at it its be if any all into using get has no not do i we me".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS = 10
_ENGLISH_FROM, _FOREIGN_TO = 0.15, 0.03  # share of such words


def other_language(description: str, queries: str) -> bool:
    """Whether queries are surely in another language than a description: another script, or English against not English.

    Args:
        description: The author's text.
        queries: All queries, joined.

    Returns:
        False if in doubt, and for texts of a few words.
    """
    ours, theirs = _words(description), _words(queries)
    if len(ours) < _FEWEST_WORDS or len(theirs) < _FEWEST_WORDS:
        return False
    if (script := _script(description)) != _script(queries):
        return True
    if script != 0:
        return False
    return (_is_english(ours) and _is_foreign(theirs)) or (_is_foreign(ours) and _is_english(theirs))


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return words if len(words) >= _FEWEST_WORDS or _script(text) not in (6, 7) else list(text)


def _is_english(words: list[str]) -> bool:
    return sum(word in _ENGLISH for word in words) >= _ENGLISH_FROM * len(words)


def _is_foreign(words: list[str]) -> bool:
    return sum(word in _PERHAPS_ENGLISH for word in words) <= _FOREIGN_TO * len(words)


def _script(text: str) -> int:
    counts = [len(pattern.findall(text)) for pattern in _SCRIPTS]
    return counts.index(max(counts))
