"""Characters that are not seen (TC601), and words that mix scripts (TC609)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcurator.lint.finding import Finding, excerpt, found, visible
from toolcurator.lint.rules import Severity
from toolcurator.lint.texts import Text

_SUSPECT = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"
)
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,7}\U000e007f")  # the flags of England, Scotland, Wales
_TAG = re.compile("[\U000e0000-\U000e007f]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_BIDI = re.compile("[\u202d\u202e]")
_EMBEDDED = re.compile("[\u202a-\u202c\u2066-\u2069]")
_TERMINAL = re.compile(r"[\x1b\x9b]")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# joiners belong to the spelling of Persian, Urdu and the scripts of India, and make one emoji of several
_JOINED = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]"
)
_MIXED = re.compile(r"\b(?=\w*[A-Za-z])(?=\w*[\u0400-\u04ff])\w+")
_LATIN_RUN = re.compile(r"[A-Za-z]+|[\u0400-\u04ff]+")
_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_LIKE_LATIN = frozenset("аеорсухіјѕԁһАВЕКМНОРСТХІЈЅ")


def hidden_characters(tool: str, text: Text) -> Iterator[Finding]:
    """TC601: what is not seen, unless the script or an emoji needs it."""
    spans = unneeded(text.value)
    if not spans:
        return
    start, end = spans[0]
    characters = "".join(text.value[a:b] for a, b in spans)
    what, severity = _kind(characters, text.value, spans)
    message = (
        f"{len(characters):,} {'character that is' if len(characters) == 1 else 'characters that are'} not seen: {what}"
    )
    if hint := smuggled(characters):
        message = f"{message}; they spell {excerpt(hint)!r}"
    yield found(
        "TC601", tool, text.where, message, excerpt(text.value, start, min(end, start + 20)),
        severity=severity, fixable=text.kind != "name",
    )  # fmt: skip


def lookalike_letters(tool: str, text: Text) -> Iterator[Finding]:
    """TC609: Cyrillic letters inside a Latin word, which no one writes by accident."""
    for match in () if text.value.isascii() else _MIXED.finditer(text.value):
        word = match[0]
        strange = [char for char in word if "\u0400" <= char <= "\u04ff"]
        # "SQL-запрос", "APIключ": whole parts in another script are how Russian is written
        if all(char in _LIKE_LATIN for char in strange) and max(map(len, _LATIN_RUN.findall(word))) >= len(strange):
            letters = ", ".join(dict.fromkeys(f"{char} (U+{ord(char):04X})" for char in strange))
            yield found("TC609", tool, text.where, f"a word mixes Latin with Cyrillic letters: {letters}", word)
            return


def unneeded(value: str) -> list[tuple[int, int]]:
    """Spans of characters that are not seen and that the text does not need."""
    if value.isascii() and value.isprintable():
        return []
    flags = [match.span() for match in _FLAG.finditer(value)]
    spans: list[tuple[int, int]] = []
    for match in _SUSPECT.finditer(value):
        start, end = match.span()
        if any(a < end and start < b for a, b in flags) or _needed(value, start, end):
            continue
        spans.append((start, end))
    return spans


def stripped(value: str) -> str:
    """A text without them; escape sequences of terminals go whole."""
    value = _ANSI.sub("", value)
    for start, end in reversed(unneeded(value)):
        value = value[:start] + value[end:]
    return value


def smuggled(characters: str) -> str:
    """What tag characters and variation selectors spell in ASCII; empty if nothing that can be read."""
    tags = "".join(chr(ord(char) - 0xE0000) for char in characters if 0xE0020 <= ord(char) <= 0xE007E)
    if len(tags) > 2:
        return tags
    # a byte a selector: VS1 to VS16 are 0 to 15, VS17 to VS256 the rest
    coded = bytes(
        code - 0xFE00 if code < 0xFF00 else code - 0xE0100 + 16
        for code in map(ord, characters)
        if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    )
    text = coded.decode("utf-8", "ignore")
    return text if len(text) > 3 and text.isprintable() else ""


def _needed(value: str, start: int, end: int) -> bool:
    run = value[start:end]
    before, after = value[start - 1 : start], value[end : end + 1]
    if start == 0 and run == "\ufeff":
        return False
    if len(run) == 1 and "\ufe00" <= run <= "\ufe0f":
        return bool(before) and not before.isspace()  # the form of the character before it
    if len(run) == 1 and "\U000e0100" <= run <= "\U000e01ef":
        return "\u3400" <= before <= "\ufaff" or before >= "\U00020000"  # forms of Chinese characters
    if all(char in "\u200c\u200d\ufe0f" for char in run) and len(run) <= 2:
        return bool(_JOINED.match(before) and (not after or _JOINED.match(after) or after.isspace()))
    if all(char in _DIRECTIONS for char in run):
        return bool(_RIGHT_TO_LEFT.search(value))
    if run in ("\u00ad", "\x0b", "\x0c", "\x85"):
        return run == "\u00ad" and before.isalpha() and after.isalpha() and len(value.split()) < 2
    return False


def _kind(characters: str, value: str, spans: list[tuple[int, int]]) -> tuple[str, Severity]:
    if _TAG.search(characters):
        return "tag characters, which only a model reads", "error"
    if any(_SELECTORS.search(value[a:b]) for a, b in spans):
        return "runs of variation selectors, which can carry text", "error"
    if _BIDI.search(characters):
        return "overrides of the writing direction, which show a text in another order than it is read", "error"
    if _TERMINAL.search(characters):
        return "escape sequences of a terminal, which can hide text", "error"
    if any(b - a >= 8 for a, b in spans):
        return "a long run of zero-width characters, which can carry text", "error"
    if any(value[a - 1 : a].isalpha() and value[b : b + 1].isalpha() and value[a] >= "\u200b" for a, b in spans if a):
        return "zero-width characters inside a word, which keep the word from being found", "warning"
    if _EMBEDDED.search(characters):
        return "embedded writing directions", "warning"
    return f"{visible(''.join(dict.fromkeys(characters)))}", "note"
