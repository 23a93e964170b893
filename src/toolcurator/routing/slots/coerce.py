"""Slot values that a model or a caller gave, made to fit the tool's schema or reported, before any call (pitfall C9)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from toolcurator.arguments import check_arguments
from toolcurator.errors import ArgumentError
from toolcurator.routing.slots.choices import choices
from toolcurator.routing.slots.fill import values_in
from toolcurator.routing.slots.found import Slots
from toolcurator.routing.slots.numerals import numbers
from toolcurator.routing.slots.reader import DEFAULT, Reader
from toolcurator.routing.slots.text import flat
from toolcurator.routing.slots.wanted import options_of, type_of, wanted
from toolcurator.tool import Slot, Tool, as_object

_YES = frozenset("true yes y 1 on jah ja да".split())
_NO = frozenset("false no n 0 off ei нет".split())
_NOTHING = frozenset(("", "null", "none", "n/a", "unknown", "undefined"))
_SHOWN = 60


class _Unfit(Exception):
    """A value that cannot be made to fit; the message says what it is."""


def checked(values: object, tool: Tool, reader: Reader = DEFAULT) -> Slots:
    """Values as a model or a caller gave them → slots that the tool's JSON Schema accepts.

    ``null`` and empty texts are no values; a list of one stands for its item; numbers, dates, choices and yes or no are read
    from text; unknown names are ignored and reported; what still does not fit is left out and reported. Required slots
    without a value are missing, or empty texts if the reader is lenient, as in the third seed.

    Args:
        values: Slot → value; anything but a mapping holds no values.
        tool: The tool.
        reader: Language, present moment, synonyms, and whether to be lenient.

    Returns:
        The slots in declared order. Never raises for what was given.
    """
    given = _mapping(values)
    said: list[str] = []
    if given is None:
        said.append(f"slots must be an object, not {type(values).__name__}")
        given = {}
    found: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for slot in tool.slots:
        if slot.name not in given:
            continue
        try:
            value = _fitted(given[slot.name], slot, reader)
        except _Unfit as unfit:
            said.append(f"{slot.name}: {unfit}")
            continue
        if value is None:
            continue
        found[slot.name] = value
        if str(value) != str(given[slot.name]):
            sources[slot.name] = _shown(given[slot.name])
    known = {slot.name for slot in tool.slots}
    ignored = {str(name): value for name, value in given.items() if name not in known}
    said += [f"{name}: not a slot of {tool.name}, ignored" for name in ignored]
    found, faults = _valid(found, tool)
    missing = tuple(slot.name for slot in tool.slots if slot.required and slot.name not in found)
    kept = {name: source for name, source in sources.items() if name in found}
    slots = Slots(found, {}, missing, ignored, (*said, *faults), kept)
    if not reader.lenient:
        return slots
    empty = {slot.name: found.get(slot.name, "") for slot in tool.slots if slot.name in found or slot.name in missing}
    return replace(slots, values=empty, missing=(), said=(*slots.said, *(f"{name}: sent empty" for name in missing)))


def merged(first: Slots, second: Slots, tool: Tool) -> Slots:
    """Two readings of one message as one: what the first lacks comes from the second, unless the first has it elsewhere."""
    used = [str(value) for value in first.values.values()]
    values = {**{name: value for name, value in second.values.items() if str(value) not in used}, **first.values}
    spans = {**second.spans, **first.spans}
    return Slots(
        {slot.name: values[slot.name] for slot in tool.slots if slot.name in values},
        {name: span for name, span in spans.items() if name in values},
        tuple(slot.name for slot in tool.slots if slot.required and slot.name not in values),
        first.ignored,
        tuple(
            each
            for each in (*first.said, *second.said)
            if each.partition(":")[0] not in values or "nothing" not in each
        ),
        {**second.normalized_from, **first.normalized_from},
    )


def _mapping(values: object) -> dict[str, Any] | None:
    if isinstance(values, str):
        try:
            values = json.loads(values)
        except ValueError:
            return None
    if isinstance(values, list):  # [{"name": ..., "value": ...}], as strict structured output wants it
        pairs = [as_object(each) for each in cast("list[Any]", values)]
        if all("name" in pair and "value" in pair for pair in pairs):
            return {str(pair["name"]): pair["value"] for pair in pairs}
        return None
    return dict(cast("Mapping[str, Any]", values)) if isinstance(values, Mapping) else None


def _fitted(value: Any, slot: Slot, reader: Reader) -> Any:
    many = "array" in slot.type
    if isinstance(value, list):
        items = [each for each in cast("list[Any]", value) if each is not None]
        if many:
            return [_one(each, slot, reader) for each in items]
        if len(items) > 1:
            raise _Unfit(f"one value is wanted, {len(items)} were given")
        value = items[0] if items else None
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
        return None
    fitted = _one(value, slot, reader)
    return [fitted] if many else fitted


def _one(value: Any, slot: Slot, reader: Reader) -> Any:
    kind = type_of(slot)
    if options := options_of(slot):
        return _option(value, options, slot, reader)
    if kind == "boolean":
        return _truth(value)
    if kind in ("integer", "number"):
        return _number(value, whole=kind == "integer")
    if kind == "object":
        if not isinstance(value, Mapping):
            raise _Unfit(f"an object is wanted, not {_shown(value)}")
        return dict(cast("Mapping[str, Any]", value))
    if isinstance(value, Mapping | list):
        raise _Unfit(f"a text is wanted, not {_shown(cast('object', value))}")
    if isinstance(value, bool):
        raise _Unfit(f"a text is wanted, not {_shown(value)}")
    text = _digits(value) if isinstance(value, float) else str(value).strip()
    return _normal(text, slot, reader)


def _normal(text: str, slot: Slot, reader: Reader) -> str:
    """Dates, times, currencies and the like in their usual form."""
    kind = wanted(slot).kinds[:1]
    if kind and kind[0] in ("date", "datetime", "time", "currency", "plate", "identity_code"):
        found = values_in(text, slot, reader)
        if found and isinstance(found[0], str):
            return found[0]
        if kind[0] in ("date", "datetime") and slot.json_schema.get("format") and not text[:4].isdigit():
            raise _Unfit(f"{_shown(text)} is no date")
    return text


def _option(value: Any, options: tuple[Any, ...], slot: Slot, reader: Reader) -> Any:
    plain = flat(str(value)).replace("_", " ").strip()
    for option in options:
        if value == option or plain == flat(str(option)).replace("_", " "):
            return option
    found = choices(str(value), wanted(slot), reader.synonyms)
    best = max(found, key=lambda each: each.sure, default=None)
    if best and sum(each.sure == best.sure for each in found) == 1:
        return best.value
    raise _Unfit(f"{_shown(value)} is none of {', '.join(map(str, options[:10]))}")


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    plain = flat(str(value)).strip()
    if plain in _YES or plain in _NO:
        return plain in _YES
    raise _Unfit(f"yes or no is wanted, not {_shown(value)}")


def _number(value: Any, *, whole: bool) -> int | float:
    if isinstance(value, str):
        read = [each.value for each in numbers(value)]
        if len(read) != 1:
            raise _Unfit(f"a number is wanted, not {_shown(value)}")
        value = read[0]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Unfit(f"a number is wanted, not {_shown(value)}")
    if whole and value != int(value):
        raise _Unfit(f"a whole number is wanted, not {_shown(value)}")
    return int(value) if whole else value


def _valid(values: dict[str, Any], tool: Tool) -> tuple[dict[str, Any], list[str]]:
    """What the schema accepts, and what it does not: one slot at a time, the others left out."""
    faults: list[str] = []
    kept = dict(values)
    optional = tool.model_copy(update={"parameters": {**tool.parameters, "required": []}})
    for name, value in values.items():
        bare = Tool(name=optional.name, id=optional.id, parameters=optional.parameters)
        try:
            check_arguments(bare, {name: value})
        except ArgumentError as error:
            kept.pop(name)
            faults.append(
                f"{name}: {str(error).partition(': ')[2].partition('. It takes')[0].removeprefix(f'{name}: ')}"
            )
    return kept, faults


def _digits(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


def _shown(value: object) -> str:
    text = str(value)
    return f"'{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}'"
