"""Things with a form of their own: e-mail, web addresses, phone numbers, identity codes, license plates, and other codes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from toolcurator.routing.slots.currencies import CODES
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.numerals import numbers

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_URL = re.compile(r"\bhttps?://[^\s<>\"„“]+[^\s<>\"„“.,;:!?)\]]|\bwww\.[\w-]+(?:\.[\w-]+)+(?:/[^\s<>\"„“.,;:!?)\]]*)?")
_PHONE = re.compile(
    r"(?<![\w.+-])(?:\+\d[\d ()-]{6,18}\d|\(?\d{3,4}\)?[ -]\d{3,4}(?:[ -]\d{2,4})?|[58]\d{6,7})(?![\w-])"
)
_PLATE = re.compile(r"(?<![\w-])(\d{2,3})[ -]?([A-Za-z]{3})(?![\w-])")
_CODE = re.compile(
    r"(?<![\w./:-])(?=[\w./:-]*\d)[A-Za-z]{0,4}[ ]?\d[\w]*(?:[-:/.][\w]+)*(?![\w-])"
    r"|(?<![\w./:-])[A-Za-z]{1,4}(?:[-/]\w+)*[-/]?\d[\w]*(?:[-:/][\w]+)*"
)
_QUOTED = re.compile(r"[„“\"«‘](.{1,200}?)[“”\"»’]|(?<!\w)'(.{2,200}?)'(?!\w)")
_LENGTHS = (
    re.compile(
        r"(?P<n>[a-zõäöü]+|\d+)[- ]?(?:kohali\w+|koha\w*|digits?\b|character\w*|значн\w+|цифр\w*)", re.IGNORECASE
    ),
)
_MIXED = re.compile(
    r"(?P<letters>\w+) (?:tähte?|letters?|букв\w*)(?:,| ja| and| и)? (?P<digits>\w+) (?:numbrit?|numbrikohta|digits?|цифр\w*)",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"(?<!\w)(?:[A-Z0#X]{1,8}[:/-])+[A-Z0#X]{1,12}(?!\w)|(?<!\w)0{4,}(?!\w)")


def emails(text: str) -> list[Mention]:
    """E-mail addresses."""
    return [Mention("email", match[0].rstrip("."), *match.span()) for match in _EMAIL.finditer(text)]


def urls(text: str) -> list[Mention]:
    """Web addresses."""
    return [Mention("url", match[0], *match.span()) for match in _URL.finditer(text)]


def phones(text: str) -> list[Mention]:
    """Phone numbers, without spaces and hyphens."""
    found = (re.sub(r"[ ()-]", "", match[0]) for match in _PHONE.finditer(text))
    return [
        Mention("phone", value, *match.span())
        for value, match in zip(found, _PHONE.finditer(text), strict=True)
        if 7 <= len(value.lstrip("+")) <= 15 and not (is_identity_code(value))
    ]


def identity_codes(text: str) -> list[Mention]:
    """Estonian identity codes whose date and check digit are right."""
    return [
        Mention("identity_code", match[0], *match.span())
        for match in re.finditer(r"(?<!\d)[1-8]\d{10}(?!\d)", text)
        if is_identity_code(match[0])
    ]


def is_identity_code(code: str) -> bool:
    """Whether a text is an Estonian identity code (EVS 585:2007: sex and century, birthday, serial number, check digit)."""
    if not re.fullmatch(r"[1-8]\d{10}", code):
        return False
    digits = [int(each) for each in code]
    try:
        date(1800 + 100 * ((digits[0] - 1) // 2), int(code[3:5]), int(code[5:7]))
        date(1800 + 100 * ((digits[0] - 1) // 2) + int(code[1:3]), int(code[3:5]), int(code[5:7]))
    except ValueError:
        return False
    for weights in ((1, 2, 3, 4, 5, 6, 7, 8, 9, 1), (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)):
        rest = sum(weight * digit for weight, digit in zip(weights, digits, strict=False)) % 11
        if rest < 10:
            return rest == digits[10]
    return digits[10] == 0


def plates(text: str) -> list[Mention]:
    """License plates of the Estonian form, without spaces. "200 EUR" is money."""
    return [
        Mention("plate", f"{match[1]}{match[2].upper()}", *match.span())
        for match in _PLATE.finditer(text)
        if match[2].upper() not in CODES
    ]


def quoted(text: str) -> list[Mention]:
    """What stands in quotation marks."""
    return [
        Mention("quoted", (match[1] or match[2]).strip(), *match.span(1 if match[1] else 2))
        for match in _QUOTED.finditer(text)
    ]


def codes(text: str) -> list[Mention]:
    """Anything with a digit that may be a code or a number of something."""
    found: list[Mention] = []
    for match in _CODE.finditer(text):
        value = match[0].strip().rstrip(".:,;")
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if " " in value:  # "asjas 2-25-1234": the word before belongs to it only if it is written in capitals
            head, _, tail = value.partition(" ")
            value, start = (value, start) if head.isupper() else (tail, start + len(head) + 1)
        if sum(letter.isdigit() for letter in value) >= 1:
            found.append(Mention("code", value, start, start + len(value)))
    return found


def shape(code: str) -> str:
    """The form of a code: ``CC123456789EE`` → ``A2 9*9 A2``."""

    def run(match: re.Match[str]) -> str:
        kind = "9" if match[0][0].isdigit() else "A"
        return f"{kind}{len(match[0])}"

    return re.sub(r"\d+|[^\W\d_]+", run, code)


def loose_shape(code: str) -> str:
    """The form of a code without the length of its runs."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "9", code))


def shapes_said(description: str) -> tuple[set[str], set[int]]:
    """Forms and lengths of a code that a description speaks of.

    Args:
        description: Of the slot: "kujul 00000:000:0000", "eight-digit", "kaks tähte ja seitse numbrit".

    Returns:
        Shapes, and how many digits a code of digits alone has.
    """
    shapes = {shape(re.sub(r"[0#X]", "0", match[0])) for match in _TEMPLATE.finditer(description)}
    lengths: set[int] = set()
    for pattern in _LENGTHS:
        for match in pattern.finditer(description):
            lengths.update(_counts(match["n"]))
    for match in _MIXED.finditer(description):
        letters, digits = _counts(match["letters"]), _counts(match["digits"])
        shapes.update(f"A{a}9{b}" for a in letters for b in digits)
    return shapes, lengths


def _counts(word: str) -> Iterable[int]:
    return [int(each.value) for each in numbers(word)] if len(word) < 30 else []


def matching(pattern: str, text: str) -> list[Mention]:
    """Where a slot's own ``pattern`` fits whole words of a text; none if it is no safe pattern."""
    from toolcurator.arguments import is_quick

    try:
        regex = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return []
    if not is_quick(pattern, 200):
        return []
    found: list[Mention] = []
    for start in re.finditer(r"(?<!\S)\S", text):
        rest = text[start.start() :]
        for length in _pieces(rest):
            piece = rest[:length]
            if regex.search(piece) and (_anchored(pattern) or regex.fullmatch(piece)):
                found.append(Mention("pattern", piece, start.start(), start.start() + length))
                break
    return found


def _anchored(pattern: str) -> bool:
    return pattern.startswith("^") and pattern.endswith("$")


def _pieces(rest: str) -> list[int]:
    """Ends of the first one to three words, the longest first, with and without the punctuation behind."""
    ends = [match.end() for match, _ in zip(re.finditer(r"\S+", rest[:200]), range(3), strict=False)]
    return [length for end in reversed(ends) for length in dict.fromkeys((end, len(rest[:end].rstrip(".,;:!?)"))))]
