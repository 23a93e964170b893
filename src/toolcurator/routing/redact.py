"""Takes out of a text what identifies a person: codes, numbers, addresses of e-mail. Names and street addresses stay."""

from __future__ import annotations

import re
from datetime import date
from itertools import cycle

_S = r"[^\S\n]"  # one space of any kind, no line break
_GAP = rf"(?:{_S}|[-‐‑‒–.·/]|{_S}?[()]{_S}?)"
_LOCAL = r"[\w.!#$%&'*+/=?^`{|}~-]"
_EMAIL = re.compile(
    rf"(?<!{_LOCAL}){_LOCAL}++@[\w-]+(?:\.[\w-]+)*"
)  # possessive, so that a long word takes no long time
_IBAN = re.compile(rf"\b([A-Za-z]{{2}})\d{{2}}(?:{_S}?[A-Za-z0-9]){{11,27}}")
_IBAN_LENGTHS = {  # ISO 13616 registry
    each[:2]: int(each[2:])
    for each in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 ES24 FI18 FO18 FR27 GB22 "
        "GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 "
        "MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VG24 XK20"
    ).split()
}
_HETU = re.compile(r"\b\d{6}[-+A-FYXWVU]\d{3}[0-9A-Y]\b", re.IGNORECASE)  # Finland
_SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")  # United States
_PERSONAS = re.compile(r"\b\d{6}[-–]\d{5}\b")  # Latvia
_SNILS = re.compile(r"\b\d{3}-\d{3}-\d{3}[ -]?\d{2}\b")  # Russia
_DATE = re.compile(
    r"\b(?:\d{4}[-./](?:0?[1-9]|1[0-2])[-./](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-./](?:0?[1-9]|1[0-2])[-./](?:19|20)\d\d)(?![\d-])(?:[T ]\d{1,2}[:.]\d{2}(?::\d{2})?)?"
)
_NUMBER = re.compile(rf"(?<![\w+])(?:\+|00)?{_S}?\(?\d(?:{_GAP}{{0,3}}\d)+")
_AMOUNT = re.compile(rf"\d{{1,3}}(?:{_S}\d{{3}})+(?:[.,]\d{{1,2}})?$")
_MONEY = re.compile(
    rf"{_S}?(?:€|\$|£|₽|eur|usd|rub|sek|eurot?|eurode?s?|krooni?|dollari?t?|naela|руб|евро|доллар|dollars?|pounds?|kr\b)",
    re.IGNORECASE,
)
_CODED = re.compile(r"\b(?=\w*[^\W\d_])\w*\d{6,}\w*")  # letters and digits: numbers of documents
_LEAST = 7  # digits, below which a number identifies nobody by itself


def redact(text: str) -> str:
    """Replace what identifies a person by its kind in brackets.

    Identity codes (Estonian and Lithuanian with their checksum, Latvian, Finnish, SNILS, SSN), card numbers (Luhn), IBANs
    (ISO 7064), telephone numbers, addresses of e-mail, numbers of documents, and any other run of seven digits or more. What
    looks like one of these and fails its checksum goes as a number: a mistyped code is still someone's. Dates and amounts with
    a currency stay. Names and street addresses are not recognized.

    Args:
        text: In any language and script of digits.
    """
    text = _EMAIL.sub("[e-mail]", text)
    text = _ibans(text)
    for pattern in (_HETU, _PERSONAS, _SNILS, _SSN):
        text = pattern.sub("[identity code]", text)
    kept: list[str] = []
    last = 0
    for found in _DATE.finditer(text):  # between dates, so that no number grows into one
        kept += [_numbers(text[last : found.start()]), found[0]]
        last = found.end()
    return "".join([*kept, _numbers(text[last:])])


def _numbers(text: str) -> str:
    return _CODED.sub("[number]", _NUMBER.sub(lambda found: _number(found, text), text))


def _ibans(text: str) -> str:
    """Take out every IBAN; words that follow one do not belong to it, and may be followed by another."""
    kept: list[str] = []
    at = 0
    while found := _IBAN.search(text, at):
        length = _IBAN_LENGTHS.get(found[1].upper(), 0)
        code, end = "", found.start()
        while end < len(text) and len(code) < length:
            code += text[end].upper() if not text[end].isspace() else ""
            end += 1
        right = len(code) == length > 0 and code.isascii() and code.isalnum()
        if right and int("".join(str(int(each, 36)) for each in code[4:] + code[:4])) % 97 == 1:
            kept += [text[at : found.start()], "[IBAN]"]
            at = end
        else:
            kept.append(text[at : found.start() + 4])
            at = found.start() + 4
    return "".join([*kept, text[at:]])


def _number(found: re.Match[str], text: str) -> str:
    """One number, however it is grouped."""
    whole = found[0]
    digits = [int(each) for each in whole if each.isdigit()]
    lead = whole[: len(whole) - len(whole.lstrip())]
    if len(digits) < _LEAST:
        return whole
    if _MONEY.match(text, found.end()) and (
        _AMOUNT.match(whole.strip()) or whole.strip().replace(".", "", 1).isdigit()
    ):
        return whole
    if is_identity_code(digits):
        return f"{lead}[identity code]"
    if 13 <= len(digits) <= 19 and _luhn(digits):
        return f"{lead}[card]"
    grouped = not whole.strip().isdigit()
    phone = (
        whole.strip().startswith(("+", "00"))
        or (grouped and len(digits) <= 12)
        or (len(digits) in (7, 8) and digits[0] == 5)
    )
    return f"{lead}[phone]" if phone and len(digits) <= 15 else f"{lead}[number]"


def is_identity_code(digits: list[int]) -> bool:
    """Whether eleven digits are an Estonian or Lithuanian identity code: century, date of birth, and checksum (EVS 585)."""
    if len(digits) != 11 or not 1 <= digits[0] <= 8:
        return False
    year = 1800 + (digits[0] - 1) // 2 * 100 + digits[1] * 10 + digits[2]
    try:
        date(year, digits[3] * 10 + digits[4], digits[5] * 10 + digits[6])
    except ValueError:
        return False
    rest = _weighted(digits, 1)
    if rest == 10:
        rest = _weighted(digits, 3) % 10
    return rest == digits[10]


def _weighted(digits: list[int], start: int) -> int:
    """Sum of the first ten digits by weights that go round from 1 to 9, modulo 11."""
    weights = cycle(range(1, 10))
    for _ in range(start - 1):
        next(weights)
    return sum(digit * next(weights) for digit in digits[:10]) % 11


def _luhn(digits: list[int]) -> bool:
    doubled = [
        digit if place % 2 == 0 else (digit * 2 - 9 if digit > 4 else digit * 2)
        for place, digit in enumerate(digits[::-1])
    ]
    return sum(doubled) % 10 == 0 and any(digits)
