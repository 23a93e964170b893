"""Currencies by code, sign and name in Estonian, Russian and English.

An own table of stems rather than Babel, whose 36 MB hold the names in the nominative only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.text import flat

CODES = (
    "AED AFN ALL AMD ARS AUD AZN BAM BDT BGN BHD BRL BTC BYN CAD CHF CLP CNY COP CRC CUP CZK DKK DOP DZD EEK EGP ETB "
    "EUR GBP GEL GHS GTQ HKD HNL HRK HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KRW KWD KZT LBP LKR LTL LVL "
    "MAD MDL MKD MMK MNT MUR MXN MYR NGN NOK NPR NZD OMR PAB PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD SYP THB "
    "TND TRY TWD TZS UAH UGX USD UYU UZS VND XAF XOF YER ZAR"
).split()
_LOWER = (
    "eur usd gbp jpy chf sek nok dkk pln czk thb cad aud nzd huf rub uah cny isk btc inr krw zar sgd hkd ron bgn"
).split()
_SIGNS = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "¥": "JPY",
    "₽": "RUB",
    "₴": "UAH",
    "₹": "INR",
    "฿": "THB",
    "₺": "TRY",
    "₿": "BTC",
}
_NAMES = {
    "EUR": r"euro\w{0,6}|евро",
    "GBP": r"nael(?:a|u|ad|ade|tes|des|tesse|ast|aks|s|te)?\w{0,3}|pounds?|sterling\w*|фунт\w*",
    "JPY": r"jeen\w*|yens?|[ий]ен\w?",
    "CHF": r"frang\w{0,5}|frank(?:i|e|id|ide|ides|ideks|ist)?|francs?|франк\w{0,2}",
    "PLN": r"zlot\w*|злот\w*",
    "THB": r"baht\w{0,5}|baa[td]\w{0,4}|bat(?:i|t|te|id|ides|ideks)?|бат(?:а|ы|ов|ах|у)?",
    "RUB": r"rubla\w*|rubl(?:e|es|i)|roubles?|рубл\w+",
    "UAH": r"grivna\w*|hrivnja\w*|hryvnias?|гривн\w+|гривен",
    "CNY": r"juaan\w*|yuan|renminbi|юан\w+",
    "TRY": r"liir(?:i|e|id|ides|ideks)?|liras?|лир(?:а|ы|ах|у)?",
    "INR": r"ruupia\w*|rupees?|рупи[йяию]\w?",
    "HUF": r"forint\w*|форинт\w*",
    "KRW": r"won(?:i|ni)?|вон[аыу]?",
    "ILS": r"seekel\w*|seekli\w*|shekels?|шекел\w*",
    "GEL": r"lari\w{0,4}|лари",
    "KZT": r"tenge\w{0,3}|тенге",
    "MXN": r"peeso\w*|pesos?|песо",
    "ZAR": r"randi?|рэнд\w*",
    "BTC": r"bitcoin\w*|биткоин\w*|биткойн\w*",
    "USD": r"dollar\w*|dollars?|bucks|доллар\w*|бакс\w*",
    "krona": r"kroon\w*|krona|kronor|kron[ae]r?|крон\w?",
}
_OF_COUNTRY = {
    "krona": (
        ("SEK", r"rootsi|swedish|шведск\w+"), ("NOK", r"norra|norwegian|норвежск\w+"), ("DKK", r"taani|danish|датск\w+"),
        ("ISK", r"islandi|icelandic|исландск\w+"), ("CZK", r"tsehhi|czech|чешск\w+"), ("EEK", r"eesti|estonian|эстонск\w+"),
    ),
    "USD": (
        ("CAD", r"kanada|canadian|канадск\w+"), ("AUD", r"austraalia|australian|aussie|австралийск\w+"),
        ("NZD", r"uus-?meremaa|new zealand|новозеландск\w+"), ("SGD", r"singapuri|singapore|сингапурск\w+"),
        ("HKD", r"hongkongi|hong kong|гонконгск\w+"),
    ),
    "GBP": (("EGP", r"egiptuse|egyptian|египетск\w+"),),
}  # fmt: skip
_ANY = re.compile(
    "|".join(
        [
            *(rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in _NAMES.items()),
            rf"(?P<code>(?<![a-z0-9])(?:{'|'.join(CODES).lower()})(?:-?(?:i|is|ides|ideks|des|d|s|t|st|le))?(?![a-z0-9]))",
            rf"(?P<sign>[{''.join(map(re.escape, _SIGNS))}])",
        ]
    )
)
_TO_ENDING = re.compile(r"(?:des|des?ks|tes|teks|desse|tesse|[aeiou]s|sse|ks)$")
_FROM_ENDING = re.compile(r"(?:dest|test|[aeiou]st)$")
_TO_BEFORE = re.compile(r"(?:\b(?:to|into|in|в|на)|\b(?:mitu|palju|how (?:many|much)|сколько))\s+(?:\w+\s+)?$")
_FROM_BEFORE = re.compile(r"(?:\b(?:from|of|out of|из|с|за)|\bfor)\s+(?:[\d.,]+\s+)?(?:\w+\s+)?$")


@lru_cache(maxsize=256)
def currencies(text: str) -> list[Mention]:
    """Currencies in a text, with the role that cases and prepositions give them."""
    plain = flat(text)
    found: list[Mention] = []
    for match in _ANY.finditer(plain):
        start, end = match.span()
        name = str(match.lastgroup)
        if name == "sign":
            value = _SIGNS[match[0]]
        elif name == "code":
            value = match[0][:3].upper()
            if not (text[start : start + 3].isupper() or match[0][:3] in _LOWER):
                continue
        else:
            value = name
            for code, country in _OF_COUNTRY.get(name, ()):
                if before := re.search(rf"\b(?:{country})\s+$", plain[:start]):
                    value, start = code, before.start()
            if value == "krona":
                continue
        found.append(Mention("currency", value, start, end, role=_role(plain, start, match[0], match.end())))
    return found


def _role(plain: str, start: int, word: str, end: int) -> str:
    before = plain[max(0, start - 24) : start]
    if re.match(r"\s+(?:eest|vastu)\b", plain[end:]):
        return "from"
    if _FROM_BEFORE.search(before) or _FROM_ENDING.search(word):
        return "from"
    if _TO_BEFORE.search(before) or (len(word) > 4 and _TO_ENDING.search(word)):
        return "to"
    return ""
