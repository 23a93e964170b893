"""Unicode characters: their kinds, their normal form, and words without diacritics."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE: dict[int, str] = dict.fromkeys((0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF), "")
_MARKED = re.compile("([a-z\u03b1-\u03c9])[\u0300-\u036f]+")
_ARABIC_AND_HEBREW_POINTS = [*range(0x064B, 0x0653), 0x0670, 0x0640, *range(0x0591, 0x05C8)]
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е"}
    | dict.fromkeys(map(chr, _ARABIC_AND_HEBREW_POINTS), "")
)
_SPACELESS_BLOCKS = (
    (0x0E00, 0x0F00),  # Thai, Lao
    (0x1000, 0x10A0),  # Burmese
    (0x1100, 0x1200),  # Hangul letters
    (0x1780, 0x1800),  # Khmer
    (0x3005, 0x3100),  # Hiragana, Katakana
    (0x3400, 0xA000),  # Han
    (0xAC00, 0xD7A4),  # Hangul: written with spaces, but particles are attached to the words
    (0xF900, 0xFB00),
    (0x20000, 0x33480),
)


class _Kinds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "L":
        if any(start <= ord(character) < end for start, end in _SPACELESS_BLOCKS):
            return "c"
        return "U" if category in ("Lu", "Lt") else "s" if character == "s" else "l"
    return {"M": "m", "N": "d"}.get(category[0], " ")


KINDS = _Kinds()
"""For `str.translate`: U upper-case letter, l other letter, s the letter s, d digit, m combining mark, c letter of a
script written without spaces, and a space for all else (control characters and NUL too)."""


def normalize(text: str, limit: int) -> str:
    """NFKC without invisible characters, of at most `limit` characters."""
    text = text[:limit]
    return text if text.isascii() else unicodedata.normalize("NFKC", text)[:limit].translate(_INVISIBLE)


def fold(word: str) -> str:
    """A lower-case word without its diacritics (Latin, Greek, Arabic, Hebrew; ё): ``naïve`` → ``naive``."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _MARKED.sub(r"\1", unicodedata.normalize("NFD", word.translate(_PLAIN))))
