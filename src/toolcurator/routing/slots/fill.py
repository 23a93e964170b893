"""Fills a tool's slots from a query, by rules alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcurator.routing.slots import free
from toolcurator.routing.slots.clauses import clauses, clauses_of, only
from toolcurator.routing.slots.finder import Finder
from toolcurator.routing.slots.found import Mention, Slots, Span
from toolcurator.routing.slots.reader import DEFAULT, Reader
from toolcurator.routing.slots.text import MOST_CHARACTERS, best_alike, flat, words_of
from toolcurator.routing.slots.wanted import Wanted, type_of, wanted, within
from toolcurator.tool import Slot, Tool

_LEAST = 0.45  # below, a mention fills nothing
_WINDOW = 3  # words before and behind a value that may say which slot it is for
_OLDEST = 150  # years of anything a person does


def fill(query: str, tool: Tool, reader: Reader = DEFAULT, *, history: Sequence[str] = ()) -> Slots:
    """Fill a tool's slots from a query.

    Args:
        query: What the user says; `MOST_CHARACTERS` of it are read.
        tool: The tool.
        reader: Language, present moment, synonyms.
        history: What the user said before, the latest last: required slots that the query leaves open are looked for there.

    Returns:
        What could be filled, and what could not.
    """
    text = query[:MOST_CHARACTERS]
    calls = fill_calls(text, tool, reader)
    slots = calls[0]
    if len(calls) > 1:
        slots = replace(
            slots, said=(*slots.said, f"{len(calls)} calls in one message; these are the slots of the first")
        )
    for earlier in reversed(history[-3:]):
        if not slots.missing:
            break
        before = _fill(earlier[:MOST_CHARACTERS], tool, reader)
        added = {name: before.values[name] for name in slots.missing if name in before.values}
        slots = replace(
            slots,
            values=_ordered(tool, {**slots.values, **added}),
            missing=tuple(name for name in slots.missing if name not in added),
            said=(
                *(note for note in slots.said if note.partition(":")[0] not in added),
                *(f"{name}: from what was said before" for name in added),
            ),
        )
    return _lenient(slots) if reader.lenient else slots


def fill_calls(query: str, tool: Tool, reader: Reader = DEFAULT) -> tuple[Slots, ...]:
    """The calls of one tool that a query asks for: "tea with 1 sugar and coffee with 3" are two (pitfall C10).

    Returns:
        One or more; each has the slots of its own clause.
    """
    text = query[:MOST_CHARACTERS]
    whole = _fill(text, tool, reader)
    spans = clauses(text)
    key = next((slot.name for slot in tool.slots if "choice" in wanted(slot).kinds and slot.required), "")
    if len(spans) < 2 or not key:
        return (whole,)
    parts = [_fill(only(text, [span]), tool, reader) for span in spans]
    several = [part for part in parts if key in part.values]
    if len(several) < 2 or len({str(part.values) for part in several}) < 2:
        return (whole,)
    return tuple(several)


def fill_each(
    query: str, tools: Sequence[Tool], reader: Reader = DEFAULT, spans: Sequence[Span] = ()
) -> dict[str, Slots]:
    """The slots of several tools that one query asks for, each from its own clauses (pitfall C10).

    A required slot whose clause says nothing takes a value from the rest of the query only if no slot of another tool has it.

    Args:
        query: The query.
        tools: The tools, each once.
        reader: Language, present moment, synonyms.
        spans: Where the query asks for each tool, if that is known; else it is found out.

    Returns:
        Tool id → its slots.
    """
    text = query[:MOST_CHARACTERS]
    if len(tools) < 2:
        return {tool.id: fill(text, tool, reader) for tool in tools}
    found: dict[str, Slots] = {}

    def count(tool: Tool, span: Span) -> int:
        return len(_fill(only(text, [span]), tool, reader).values)

    theirs = [[span] for span in spans] if spans else clauses_of(text, tools, count)
    own = [only(text, each) for each in theirs]
    for tool, part in zip(tools, own, strict=True):
        found[tool.id] = _fill(part, tool, reader)
    for tool, part in zip(tools, own, strict=True):
        slots = found[tool.id]
        taken = [span for other, each in found.items() if other != tool.id for span in each.spans.values()]
        whole = _fill(text, tool, reader)
        for slot in tool.slots:
            span = whole.spans.get(slot.name)
            if slot.name in slots.values or not span:
                continue
            free_span = not any(span[0] < end and start < span[1] for start, end in taken)
            if (slot.name in slots.missing and free_span) or _points_back(part, wanted(slot, tool_words="")):
                slots = _with(slots, tool, slot.name, whole)
        found[tool.id] = slots
    return {each: _lenient(slots) if reader.lenient else slots for each, slots in found.items()}


def _with(slots: Slots, tool: Tool, name: str, other: Slots) -> Slots:
    return replace(
        slots,
        values=_ordered(tool, {**slots.values, name: other.values[name]}),
        spans={**slots.spans, name: other.spans[name]},
        missing=tuple(each for each in slots.missing if each != name),
    )


def _points_back(clause: str, want: Wanted) -> bool:
    """Whether a clause says "there" or "that day" of a place or date in another clause."""
    plain = flat(clause)
    if want.kinds[:1] == ("place",):
        return bool(re.search(r"\b(?:kohapeal|seal|sinna|sealt|there|там|туда)\b", plain)) and want.role != "from"
    if want.kinds[:1] == ("date",):
        return bool(re.search(r"\b(?:sel(?:lel)? paeval|samal paeval|that day|same day|в тот (?:же )?день)\b", plain))
    return False


def fill_only(text: str, tool: Tool, names: Collection[str], reader: Reader = DEFAULT) -> Slots:
    """As `fill`, for some slots alone: all that the text says is offered to them."""
    return _fill(text[:MOST_CHARACTERS], tool, reader, names)


def values_in(text: str, slot: Slot, reader: Reader = DEFAULT) -> list[Any]:
    """The values in a text that one slot could take, the surest first."""
    want = wanted(slot)
    tool = Tool(name=slot.name, parameters={"type": "object", "properties": {slot.name: slot.json_schema}})
    found = Finder(text[:MOST_CHARACTERS], tool, reader, [want]).for_slot(want)
    return [_typed(each, want) for each in sorted(found, key=lambda each: -each.sure) if _allowed(each.value, want)]


def _fill(text: str, tool: Tool, reader: Reader, names: Collection[str] = ()) -> Slots:
    described = flat(f"{tool.name} {tool.description}")
    wants = [wanted(slot, tool_words=described) for slot in tool.slots if not names or slot.name in names]
    found = Finder(text, tool, reader, wants)
    offers: list[tuple[float, int, Mention]] = []
    refused: dict[int, Mention] = {}
    for place, want in enumerate(wants):
        for mention in found.for_slot(want):
            score = mention.sure + _fits(text, want, mention) + 0.03 * want.slot.required
            if score < _LEAST:
                continue
            if _allowed(mention.value, want):
                offers.append((score, place, mention))
            else:
                refused.setdefault(place, mention)
    offers.sort(key=lambda each: (-round(each[0], 3), each[2].start, each[1]))
    given: dict[int, Mention] = {}
    more: dict[int, list[Mention]] = {}
    for _, place, mention in offers:
        if wants[place].many and place in given and not _taken(mention, given, more):
            more.setdefault(place, []).append(mention)
        elif place not in given and not _taken(mention, given, more):
            given[place] = mention
    _by_order(wants, given)
    _searches(text, tool, found, wants, given)
    return _slots(text, wants, given, more, refused)


def _taken(mention: Mention, given: Mapping[int, Mention], more: Mapping[int, Sequence[Mention]]) -> bool:
    every = [*given.values(), *(each for listed in more.values() for each in listed)]
    return any(mention.touches(other) for other in every)


def _fits(text: str, want: Wanted, mention: Mention) -> float:
    """How much the words around a mention, and its role, speak for a slot."""
    score = 0.0
    if want.role and mention.role:
        same = {("start", "from"), ("end", "to"), ("end", "until"), ("to", "until")}
        if want.role == mention.role or (want.role, mention.role) in same:
            score += 0.5
        elif mention.role in ("from", "to", "until"):
            score -= 0.5
    elif not want.role and mention.role in ("from", "until"):
        score -= 0.1
    if mention.kind in ("number", "date", "time", "code", "choice", "boolean", "place", "currency"):
        score += 0.4 * _near(text, want, mention)
    return score


def _near(text: str, want: Wanted, mention: Mention) -> float:
    """Whether one of the slot's own words stands near a mention in its clause, nearer counts more."""
    words = words_of(text)
    before = [word for word in words if word.end <= mention.start][-_WINDOW:][::-1]
    behind = [word for word in words if word.start >= mention.end][:_WINDOW]
    best = 0.0
    for side, weight in ((before, 1.0), (behind, 0.95)):
        for distance, word in enumerate(side):
            between = text[word.end : mention.start] if side is before else text[mention.end : word.start]
            if any(mark in between for mark in ".?!;") or (distance and "," in between):
                break
            names = best_alike(word.plain, want.names)
            said = 0.7 * max(best_alike(word.plain, want.words), _same_end(word.plain, want.words))
            best = max(best, max(names, said) * weight * (1 - 0.2 * distance))
    inside = [word for word in words if word.start < mention.end and mention.start < word.end]
    return max(best, *(0.5 * best_alike(word.plain, want.names) for word in inside), 0.0)


def _same_end(word: str, targets: Sequence[str]) -> float:
    """Compounds of one head: kuupalk, brutopalk."""
    return (
        0.8 if any(len(each) > 6 < len(word) and each[-4:] == word[-4:] and each != word for each in targets) else 0.0
    )


def _by_order(wants: Sequence[Wanted], given: dict[int, Mention]) -> None:
    """Two slots of one kind whose values nothing told apart stand in the order of the slots."""
    pairs = (("from", "to"), ("start", "end"))
    for first, second in pairs:
        a = next((i for i, want in enumerate(wants) if want.role == first and i in given), None)
        b = next((i for i, want in enumerate(wants) if want.role == second and i in given), None)
        if a is None or b is None or wants[a].kinds[:1] != wants[b].kinds[:1]:
            continue
        one, other = given[a], given[b]
        if (one.kind == "date" and str(one.value) > str(other.value)) or (
            not one.role and not other.role and one.start > other.start
        ):
            given[a], given[b] = other, one


def _searches(text: str, tool: Tool, found: Finder, wants: Sequence[Wanted], given: dict[int, Mention]) -> None:
    for place, want in enumerate(wants):
        if place not in given and want.slot.required and want.kinds[:1] == ("search",):
            for mention in free.leftover(text, tool, [*given.values()], inflected=found.inflected):
                given[place] = mention


def _allowed(value: Any, want: Wanted) -> bool:
    if isinstance(value, int | float) and "years" in want.names and value > _OLDEST:
        return False
    return within(value, want.schema)


def _slots(
    text: str,
    wants: Sequence[Wanted],
    given: Mapping[int, Mention],
    more: Mapping[int, Sequence[Mention]],
    refused: Mapping[int, Mention],
) -> Slots:
    values: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    sources: dict[str, str] = {}
    said: list[str] = []
    missing: list[str] = []
    for place, want in enumerate(wants):
        name = want.slot.name
        if place in given:
            mention = given[place]
            value = _typed(mention, want)
            listed = [value, *(_typed(each, want) for each in more.get(place, ()))]
            values[name] = listed if want.many and mention.kind != "list" else value
            spans[name] = mention.span
            source = text[mention.start : mention.end]
            if source != str(value):
                sources[name] = source
            if mention.note:
                said.append(f"{name}: '{source}' {mention.note}")
        elif want.slot.required:
            missing.append(name)
            if place in refused:
                said.append(f"{name}: {refused[place].value} is out of bounds")
                continue
            said.append(f"{name}: nothing in the message says {want.slot.description or name.replace('_', ' ')}")
    return Slots(values, spans, tuple(missing), {}, tuple(said), sources)


def _typed(mention: Mention, want: Wanted) -> Any:
    kind = type_of(want.slot)
    value = mention.value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "integer" and isinstance(value, str) and value.isdigit():
        return int(value)
    if kind == "string" and isinstance(value, int | float) and mention.kind != "choice":
        return str(value)
    return value


def _ordered(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    return {slot.name: values[slot.name] for slot in tool.slots if slot.name in values}


def _lenient(slots: Slots) -> Slots:
    values = {**slots.values, **dict.fromkeys(slots.missing, "")}
    said = (*slots.said, *(f"{name}: sent empty" for name in slots.missing))
    return replace(slots, values=values, missing=(), said=said)
