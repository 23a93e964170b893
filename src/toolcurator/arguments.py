"""The arguments of a call, checked against the tool's schema before anything is called (pitfall D7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from toolcurator.errors import ArgumentError
from toolcurator.tool import JsonSchema, Tool

_MOST_REFERENCES = 10_000
_MOST_STEPS = 10_000_000
_MOST_FAULTS = 5
_LONGEST = 200


class _UncheckableError(Exception):
    """The schema asks for more work than a check is worth."""


def check_arguments(tool: Tool, arguments: object) -> None:
    """Check the arguments of a call.

    A schema that cannot be used (broken, unresolvable, circular without end) refuses nothing but missing arguments: the
    tool's owner checks the rest. A ``pattern`` whose search could take exponential time is passed over. Nothing is fetched.

    Args:
        tool: The tool.
        arguments: Name → value, as a model gave them.

    Raises:
        ArgumentError: Something is missing, unknown or of the wrong kind. Its message names every argument at fault and
            what the tool expects, so that it can go back to the model as it is; it carries ``schema`` and ``missing``.
    """
    if not isinstance(arguments, Mapping):
        kind = type(arguments).__name__
        raise ArgumentError(f"{_name(tool)}: arguments must be an object, not {kind}{_expected(tool)}", tool.parameters)
    given = dict(cast("Mapping[str, Any]", arguments))
    missing = tuple(slot.name for slot in tool.slots if slot.required and slot.name not in given)
    faults = [f"{name} is missing" for name in missing]
    faults += [each for each in _faults(tool.parameters, given) if each not in faults]
    if faults:
        raise ArgumentError(f"{_name(tool)}: {'; '.join(faults)}{_expected(tool)}", tool.parameters, missing)


def _name(tool: Tool) -> str:
    return f"tool '{tool.id}'"


def _expected(tool: Tool) -> str:
    def words(name: str, kind: str, required: bool, values: tuple[str, ...]) -> str:
        allowed = f", one of {', '.join(values[:10])}{', …' if len(values) > 10 else ''}" if values else ""
        return f"{name} ({kind or 'any'}{', required' if required else ''}{allowed})"

    slots = [words(slot.name, slot.type, slot.required, slot.enum) for slot in tool.slots]
    return f". It takes {', '.join(slots)}" if slots else ". It takes no arguments"


def _faults(schema: JsonSchema, given: dict[str, Any]) -> list[str]:
    from jsonschema import exceptions, validators  # 60 ms, which a search does not have
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    make = cast("Any", validators)  # its types are partly unknown
    chosen = make.validator_for(schema, default=make.Draft202012Validator)
    follow = chosen.VALIDATORS
    left = _MOST_REFERENCES

    def counted(validator: Any, target: Any, instance: Any, body: Any) -> Iterator[Any]:
        nonlocal left
        left -= 1
        if left < 0:
            raise _UncheckableError
        yield from follow["$ref"](validator, target, instance, body) or ()

    def searched(validator: Any, pattern: Any, instance: Any, body: Any) -> Iterator[Any]:
        if isinstance(instance, str) and isinstance(pattern, str) and is_quick(pattern, len(instance)):
            yield from follow["pattern"](validator, pattern, instance, body) or ()

    def unsearched(*_: Any) -> tuple[()]:
        return ()

    guarded = {"$ref": counted, "pattern": searched, "patternProperties": unsearched, "additionalProperties": _closed}
    try:
        chosen.check_schema(schema)
        errors = make.extend(chosen, guarded)(schema, registry=cast("Any", Registry)()).iter_errors(given)
        found: list[Any] = [error for error, _ in zip(errors, range(_MOST_FAULTS), strict=False)]
    except (exceptions.SchemaError, Unresolvable, _UncheckableError, RecursionError, re.error, TypeError, ValueError):
        return []
    return [sentence for error in found for sentence in _sentences(error)]


def _closed(validator: Any, allowed: Any, instance: Any, body: Mapping[str, Any]) -> Iterator[Any]:
    """``additionalProperties``, without the patterns that may allow some of them."""
    from jsonschema.exceptions import ValidationError

    if not isinstance(instance, dict) or body.get("patternProperties"):
        return
    values = cast("dict[str, Any]", instance)
    extra = [name for name in values if name not in body.get("properties", {})]
    if isinstance(allowed, dict):
        for name in extra:
            yield from validator.descend(values[name], allowed, path=name)
    elif allowed is False and extra:
        yield ValidationError(f"{', '.join(extra)} is not known")


def _sentences(error: Any) -> Iterable[str]:
    """One error of the validator as sentences: the argument's path, and what was expected."""
    path = ".".join(str(part) for part in error.absolute_path)
    if error.validator == "required":
        names = [str(name) for name in error.validator_value if name not in error.instance]
        return [f"{path}{'.' if path else ''}{name} is missing" for name in names]
    message = str(error.message)
    if len(message) > _LONGEST:
        message = f"{message[:_LONGEST]}…"
    return [f"{path}: {message}" if path else message]


def is_quick(pattern: str, length: int) -> bool:
    """Whether a search surely takes few steps: no repeat inside a repeat, and few repeats for so long a text."""
    from importlib import import_module

    try:
        repeats = _repeats(import_module("re._parser").parse(pattern), inside=False)
    except (re.error, RecursionError, OverflowError):
        return False
    return repeats is not None and max(length, 1) ** max(repeats, 1) <= _MOST_STEPS


def _repeats(parts: Iterable[Any], *, inside: bool) -> int | None:
    """How many parts of a parsed pattern vary in length; None if one lies inside another, which can be exponential."""
    total = 0
    for operator, value in parts:
        name = str(operator)
        if inside and name in ("BRANCH", "GROUPREF", "ASSERT", "ASSERT_NOT"):
            return None
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = value
            varies = least != most
            if varies and inside:
                return None
            within = _repeats(body, inside=inside or int(most) > 1)
            if within is None:
                return None
            total += within + varies
        else:
            for body in _bodies(name, value):
                within = _repeats(body, inside=inside)
                if within is None:
                    return None
                total += within
    return total


def _bodies(name: str, value: Any) -> list[Any]:
    if name == "BRANCH":
        return list(value[1])
    if name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"):
        return [value if name == "ATOMIC_GROUP" else value[-1]]
    if name == "GROUPREF_EXISTS":
        return [each for each in value[1:] if each is not None]
    return []
