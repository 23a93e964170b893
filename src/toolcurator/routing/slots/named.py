"""Things with proper names: companies, schools, courts, libraries, people, titles."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolcurator.routing.slots.dates import month_of
from toolcurator.routing.slots.estonian import nominative
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.gazetteer import place_named
from toolcurator.routing.slots.text import Word, alike, words_of

_FORM = r"(?:OÜ|AS|MTÜ|SA|TÜ|UÜ|FIE|Ltd|LLC|Inc|GmbH|Corp|AB|Oy|PLC|ООО|АО)"
_COMPANY = re.compile(
    rf"((?:[^\W\da-zõäöüšž][\w&'.-]*\s+){{1,4}}){_FORM}(?![^\W\d_])|\b(?:osaühing|aktsiaselts)\s+((?:[A-ZÕÄÖÜŠŽ][\w&-]*\s?){{1,4}})"
)
_COMPANY_LOWER = re.compile(r"((?:[^\W\d_][\w-]*\s){1,2})(oü|mtü)\b")
_INSTITUTIONS = (
    ("school", "kool gumnaasium lutseum school gymnasium lyceum college школ гимнази"), ("court", "kohus kohtu court суд"),
    ("library", "raamatukogu library библиотек"), ("kindergarten", "lasteae lasteaia lasteaeda kindergarten детсад"),
    ("hospital", "haigla kliinik hospital clinic больниц"), ("university", "ulikool university университет"),
    ("hotel", "hotel hotell отель"), ("restaurant", "restoran restaurant ресторан"),
)  # fmt: skip
_HEADS = {name: tuple(heads.split()) for name, heads in _INSTITUTIONS}
_NAME_BEFORE = frozenset("nimi nimega nimeks nimeline nimele name named called имя зовут по имени eesnimi".split())
_NAME_AFTER = ("nimepaev", "sunnipaev", "birthday", "name day", "именин")
_LINKS = frozenset(("by", "is", "called", "named", "of", "nimega", "on"))
_NO_NAME = frozenset(
    ("i kas kes kus mis millal kuidas palun tere the what when where who is mul minu my eesti и в на по мой").split()
)


def companies(text: str) -> list[Mention]:
    """Companies by their legal form (OÜ, AS, Ltd, GmbH, ...)."""
    found = [
        Mention("company", match[0].strip(), match.start(), match.start() + len(match[0].strip()))
        for match in _COMPANY.finditer(text)
    ]
    if not found:
        for match in _COMPANY_LOWER.finditer(text):
            value = " ".join(part.capitalize() for part in match[1].split())
            found.append(Mention("company", f"{value} {match[2].upper()}", *match.span(), sure=0.6))
    return found


def institutions(text: str, slot_words: Iterable[str]) -> list[Mention]:
    """Schools, courts, libraries and the like by name.

    Args:
        text: The query.
        slot_words: Plain words of the slot: which kind is asked for.
    """
    wanted = [*slot_words]
    heads = [
        head
        for name, forms in _HEADS.items()
        if any(word == name or word.startswith(forms) for word in wanted)
        for head in forms
    ]
    words = words_of(text)
    found: list[Mention] = []
    for i, word in enumerate(words):
        head = next((head for head in heads if head in word.plain), "")
        if not head or (word.plain.startswith("koolikoh") or word.plain.startswith("kohtuasj")):
            continue
        run = _names_before(text, words, i)
        compound = len(word.plain) > len(head) + 2
        if (
            not run
            and compound
            and i
            and not word.text[0].isupper()
            and words[i - 1].plain not in _NO_NAME
            and head in ("kohus", "kohtu")
        ):
            run = [words[i - 1]]
        if not run:
            if (
                word.text[0].isupper()
                and i + 1 < len(words)
                and words[i + 1].text[0].isupper()
                and text[word.end : words[i + 1].start] == " "
            ):
                continue
            following = words[i + 1] if i + 1 < len(words) else None
            if (
                following
                and following.text[0].isupper()
                and text[word.end : following.start].strip('„“" ') == ""
                and not place_named(following.plain)[0]
            ):
                found.append(
                    Mention("institution", nominative(following.text), following.start, following.end, sure=0.7)
                )
            continue
        names = " ".join(each.text if each.text[0].isupper() else each.text.capitalize() for each in run)
        if word.text[0].isupper() or not run[0].text[0].isupper():
            value = f"{names} {_capital(nominative(word.text))}"
        elif head in ("kohus", "kohtu"):
            value = f"{names} {nominative(word.text)}"
        else:
            value = nominative(names)
        found.append(Mention("institution", value, run[0].start, word.end))
    return found


def _names_before(text: str, words: tuple[Word, ...], i: int) -> list[Word]:
    run: list[Word] = []
    for word in reversed(words[max(0, i - 3) : i]):
        following = run[0] if run else words[i]
        if text[word.end : following.start].strip('“”"» ') or not word.text[0].isupper() or word.plain in _NO_NAME:
            break
        if not run and _is_inner(word):
            break
        run.insert(0, word)
    for i, word in enumerate(run[1:], 1):
        if place_named(word.plain)[0] and not place_named(word.plain)[1]:
            return run[i:]  # "Tartu Linnaraamatukogu" begins with its town
    if len(run) > 1 and place_named(run[0].plain)[1] in ("s", "l", "st", "sse"):
        run = run[1:]  # "Tartus Ploomikese lasteaeda": the town stands beside the name
    return run


def _is_inner(word: Word) -> bool:
    return place_named(word.plain)[1] in ("s", "l", "st", "sse", "lt", "le")


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def people(text: str, *, inflected: bool = True) -> list[Mention]:
    """First names: a word with a capital inside a sentence, or one beside "name", "name day"."""
    words = words_of(text)
    found: list[Mention] = []
    for i, word in enumerate(words):
        capital = word.text[0].isupper() and word.text[1:].islower()
        first = i == 0 or bool(re.search(r"[.?!]\s*$", text[: word.start]))
        before = words[i - 1].plain if i else ""
        after = words[i + 1].plain if i + 1 < len(words) else ""
        beside = before in _NAME_BEFORE or any(alike(after, name) > 0.6 for name in _NAME_AFTER)
        if not capital or word.plain in _NO_NAME or month_of(word.plain) or place_named(word.plain)[0]:
            continue
        if first and not beside:
            continue
        if not inflected and after and words[i + 1].text[0].isupper() and text[word.end : words[i + 1].start] == " ":
            found.append(Mention("person", text[word.start : words[i + 1].end], word.start, words[i + 1].end, sure=0.8))
            continue
        found.append(Mention("person", nominative(word.text), word.start, word.end, sure=0.9 if beside else 0.6))
    return found


def titles(text: str, markers: Iterable[str]) -> list[Mention]:
    """What follows a word such as "book" or "raamatut", if it begins with a capital."""
    words = words_of(text)
    found: list[Mention] = []
    wanted = [*markers]
    for at, word in enumerate(words[:-1]):
        i = at + 1 if words[at + 1].plain in _LINKS and at + 2 < len(words) else at
        following = words[i + 1]
        if not any(alike(word.plain, marker) > 0.7 for marker in wanted) or not following.text[0].isupper():
            continue
        end = following.end
        for each in words[i + 2 : i + 7]:
            if text[end : each.start] != " " or not each.text[0].isupper() or place_named(each.plain)[0]:
                break
            end = each.end
        found.append(Mention("title", text[following.start : end], following.start, end, sure=0.7))
    return found
