"""One question for all that is missing, and the answer or correction merged into the pending tool's slots (C8, C11, C12)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolcurator.lexical.language import detect_language
from toolcurator.routing.slots.estonian import nominative
from toolcurator.routing.slots.fill import fill, fill_only
from toolcurator.routing.slots.found import Slots
from toolcurator.routing.slots.reader import DEFAULT, Reader
from toolcurator.routing.slots.text import flat, parts_of, words_of
from toolcurator.routing.slots.wanted import options_of, wanted
from toolcurator.tool import Slot, Tool

_ONE = {
    "en": "Please tell me: {what}.",
    "et": "Palun täpsustage: {what}.",
    "ru": "Уточните, пожалуйста: {what}.",
}
_MANY = {
    "en": "I need a little more: {what}.",
    "et": "Mul on veel vaja teada: {what}.",
    "ru": "Мне нужно ещё узнать: {what}.",
}
_OR = {"en": " or ", "et": " või ", "ru": " или "}
_LABELS = {
    # kind: English, Estonian, Russian; used where the schema does not speak the user's language
    "date": ("date", "kuupäev", "дата"), "time": ("time", "kellaaeg", "время"), 
    "datetime": ("date and time", "kuupäev ja kellaaeg", "дата и время"),
    "place": ("place", "koht", "место"), "address": ("address", "aadress", "адрес"), 
    "currency": ("currency", "valuuta", "валюта"),
    "email": ("e-mail address", "e-posti aadress", "адрес эл. почты"), 
    "phone": ("phone number", "telefoninumber", "номер телефона"),
    "identity_code": ("identity code", "isikukood", "личный код"), 
    "plate": ("license plate", "registreerimismärk", "номер машины"),
    "country": ("country", "riik", "страна"), "year": ("year", "aasta", "год"), "month": ("month", "kuu", "месяц"),
    "company": ("company", "ettevõte", "компания"), "person": ("name", "nimi", "имя"), "title": ("title", "pealkiri", "название"),
    "code": ("number", "number", "номер"),
    "url": ("web address", "veebiaadress", "веб-адрес"), 
    "number": ("number", "arv", "число"),
}  # fmt: skip
_ROLES = {
    "from": ("from", "lähte", "исходная"), "to": ("to", "siht", "целевая"), "start": ("start", "algus", "начало"),
    "end": ("end", "lõpp", "конец"),
}  # fmt: skip
_LANGUAGES = ("en", "et", "ru")
_MOST_CHOICES = 12
_LONGEST = 120
_CANCEL = re.compile(
    r"^\W*(?:cancel|stop|never ?mind|forget (?:it|that)|jata (?:see|katki|ara)|unusta\w*(?: see| ara)?|loobun|katkesta|pole vaja|"
    r"отмена|отмени\w*|не надо|не нужно|забудь\w*|стоп)\W*$"
)
_LEAD = re.compile(
    r"^(?:(?:it'?s|it is|to|in|from|for|at|the|my|please|see on|minu|palun|это|в|во|на|из|для|мой|моя)\s+)+"
    r"|^(?:jah|yes|да|no|ei|нет)\s*,\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:[\s,]*(?:please|palun|thanks|thank you|aitäh|пожалуйста|спасибо))?[\s.!,]*$", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|instead of|rather than|mitte|asemel|а не|не|вместо)\s+(?P<what>[^\s,.;!?]+(?:\s(?:eur\w*|€|\$|usd))?)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^(?:what|when|where|who|why|how|which|can|does|is|mis|millal|kus|kes|miks|kuidas|kas|"
    r"что|когда|где|кто|почему|как)\b",
    re.IGNORECASE,
)
_BARE = frozenset(
    {"text", "place", "person", "title", "search", "company", "institution", "address", "code", "country"}
)
_MOST_BARE_WORDS = 8
_SHORT = frozenset(
    {"place", "country", "code"}
)  # no name of these has more than three words; "write me a poem" is none
_MOST_SHORT_WORDS = 3
_NO_ANSWER = frozenset(
    "hm hmm ok okay yes no jah ei да нет um uh thanks aitah спасибо what mida что tere hello hi".split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the user.

    Attributes:
        text: In the user's language.
        slots: The slots it asks for, in declared order.
        choices: Slot → the values it is limited to, those that are.
        language: Of the text: ``en``, ``et`` or ``ru``.
    """

    text: str
    slots: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a message says about a pending tool.

    Attributes:
        slots: The tool's slots with it.
        changed: The slots that the message filled or changed; none means that it is no answer, but something else.
        cancelled: Whether the user wants no more of it.
    """

    slots: Slots
    changed: tuple[str, ...] = ()
    cancelled: bool = False

    @property
    def understood(self) -> bool:
        """Whether the message belongs to the pending tool."""
        return bool(self.changed) or self.cancelled


def question(tool: Tool, slots: Slots, language: str = "en") -> Question | None:
    """One question for all that is missing.

    Slots are called by their description where it is in the user's language, else by what kind of thing they are, else by
    their name.

    Args:
        tool: The tool.
        slots: What is known so far.
        language: The user's; one without templates is asked in English.

    Returns:
        The question, None if nothing is missing.
    """
    if not slots.missing:
        return None
    language = language if language in _LANGUAGES else "en"
    asked = [slot for slot in tool.slots if slot.name in slots.missing]
    choices = {slot.name: tuple(map(str, options_of(slot)))[:_MOST_CHOICES] for slot in asked if options_of(slot)}
    labels = [_label(slot, tool, language) for slot in asked]
    labels = [
        _with_choices(label, choices.get(slot.name, ()), language) for label, slot in zip(labels, asked, strict=True)
    ]
    form = (_ONE if len(asked) == 1 else _MANY)[language]
    return Question(form.format(what="; ".join(labels)), tuple(slot.name for slot in asked), choices, language)


def answered(
    message: str, tool: Tool, slots: Slots, reader: Reader = DEFAULT, *, asked: Sequence[str] | None = None
) -> Answer:
    """Merge an answer or a correction into a pending tool's slots.

    "London" after "which city?", "no, 300 not 200", "and for yen?".

    Args:
        message: What the user says now.
        tool: The pending tool.
        slots: Its slots so far.
        reader: Language, present moment, synonyms.
        asked: The slots that were asked for; by default the missing ones.

    Returns:
        The slots with it. If nothing changed, the message is about something else.
    """
    if _CANCEL.match(flat(message)):
        return Answer(slots, cancelled=True)
    open_slots = tuple(slots.missing if asked is None else asked)
    text, denied = _without_denied(message)
    reader = replace(reader, lenient=False)
    found: dict[str, object] = {}
    held: list[tuple[int, int]] = []
    sources: dict[str, str] = {}

    def take(other: Slots, names: Sequence[str]) -> None:
        for name in names:
            span = other.spans.get(name)
            if (
                name in other.values
                and name not in found
                and span
                and not any(span[0] < b and a < span[1] for a, b in held)
            ):
                found[name] = other.values[name]
                held.append(span)
                if name in other.normalized_from:
                    sources[name] = other.normalized_from[name]

    corrected = [name for name, value in slots.values.items() if denied and _same(value, denied, tool, name, reader)]
    if corrected:
        take(fill_only(text, tool, corrected, reader), corrected)
    if open_slots:
        take(fill_only(text, tool, open_slots, reader), open_slots)
    whole = fill(text, tool, reader)
    take(whole, [slot.name for slot in tool.slots])
    if not found and len(open_slots) == 1:
        bare = _bare(message, tool, open_slots[0], reader)
        if bare:
            found[open_slots[0]] = bare
            sources[open_slots[0]] = message
    changed = tuple(name for name, value in found.items() if slots.values.get(name) != value)
    values = {**slots.values, **found}
    merged = Slots(
        {slot.name: values[slot.name] for slot in tool.slots if slot.name in values},
        {name: span for name, span in slots.spans.items() if name not in found},
        tuple(slot.name for slot in tool.slots if slot.required and slot.name not in values),
        slots.ignored,
        tuple(note for note in slots.said if note.partition(":")[0] not in found),
        {**slots.normalized_from, **sources},
    )
    return Answer(merged, changed)


def _without_denied(message: str) -> tuple[str, str]:
    """The message without what it says is wrong, blank in its place, and what that is."""
    match = _DENIED.search(message)
    if not match:
        return message, ""
    return message[: match.start()] + " " * (match.end() - match.start()) + message[match.end() :], match["what"]


def _same(value: object, denied: str, tool: Tool, name: str, reader: Reader) -> bool:
    said = fill_only(denied, tool, [name], reader).values.get(name, denied)
    return flat(str(said)) == flat(str(value))


def _bare(message: str, tool: Tool, name: str, reader: Reader) -> str:
    """The whole message as the value of the one slot that was asked for, if it can be one."""
    slot = next(each for each in tool.slots if each.name == name)
    want = wanted(slot)
    if want.kinds[:1] and want.kinds[0] not in _BARE:
        return ""
    if isinstance(slot.json_schema.get("pattern"), str) or _ASKS.search(message.strip()):
        return ""
    text = _TAIL.sub("", _LEAD.sub("", message.strip())).strip(" „“”\"'«»")
    words = [word.plain for word in words_of(text)]
    most = _MOST_SHORT_WORDS if _SHORT.intersection(want.kinds[:1]) else _MOST_BARE_WORDS
    if not 0 < len(words) <= most or _NO_ANSWER.issuperset(words):
        return ""
    inflected = reader.language == "et" and want.kinds[:1] == ("place",)
    return nominative(text) if inflected else text


def _label(slot: Slot, tool: Tool, language: str) -> str:
    described = slot.description.strip().rstrip(".")
    described = re.split(r"[.;]\s|:\s", described)[0]
    if described and len(described) <= _LONGEST and _speaks(slot, tool, language):
        return described[:1].lower() + described[1:] if not described[:2].isupper() else described
    want = wanted(slot)
    at = _LANGUAGES.index(language)
    name = " ".join(parts_of(slot.name))
    kind = want.kinds[0] if want.kinds else ""
    if language == "en" and name.isascii() and not (want.role and kind in ("currency", "place")):
        return name
    if kind not in _LABELS:
        return described or name
    label = _LABELS[kind][at]
    if not want.role:
        return label
    role = _ROLES[want.role][at]
    return f"{role}{label}" if language == "et" and " " not in label else f"{label} ({role})"


def _speaks(slot: Slot, tool: Tool, language: str) -> bool:
    """Whether a description is in the user's language, as the tool's own texts tell."""
    cyrillic = bool(re.search(r"[а-яё]", slot.description.lower()))
    if cyrillic or language == "ru":
        return cyrillic == (language == "ru")
    texts = [tool.description, *tool.examples, *(each.description for each in tool.slots)]
    return detect_language(texts) == language


def _with_choices(label: str, choices: Sequence[str], language: str) -> str:
    if not choices:
        return label
    names = [each.replace("_", " ") for each in choices]
    listed = ", ".join(names[:-1]) + _OR[language] + names[-1] if len(names) > 1 else names[0]
    return f"{label} ({listed})"
