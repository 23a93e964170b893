"""What is wrong with one entry of a source, in one line a person can act on (pitfall D8)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.sources.json_values import in_words

_EXPECTED = {
    "string_type": "a string",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}


class Fault(BaseModel):
    """One fault of a source. It never stops the rest from loading.

    Attributes:
        path: The file, as it was named; empty for tools that came from code.
        line: Line of the entry, from 1; 0 if there is none.
        entry: Name or id of the tool; ``#3`` for the third entry if it has no name; empty if the file is at fault.
        message: What is wrong, and what was expected.
    """

    model_config = ConfigDict(frozen=True)

    path: str = ""
    line: int = 0
    entry: str = ""
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path and self.line else f"{self.path}: " if self.path else ""
        name = self.entry if self.entry.startswith("#") else f"'{self.entry}'"
        return f"{place}{f'tool {name}: ' if self.entry else ''}{self.message}"


def explain(error: ValidationError) -> str:
    """A pydantic error as one short sentence: field, what was expected, what came."""
    found = error.errors(include_url=False)
    more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    return (
        "; ".join(
            _sentence(each["type"], each["loc"], each["msg"], each["input"], each.get("ctx", {})) for each in found[:3]
        )
        + more
    )


def _sentence(kind: str, loc: Sequence[int | str], message: str, value: object, context: dict[str, object]) -> str:
    field = ".".join(str(part) for part in loc if part not in ("function-before", "model")) or "the entry"
    if kind == "missing":
        return f"{field} is missing"
    if kind == "extra_forbidden":
        return f"{field} is not a field that is known here"
    if kind in _EXPECTED:
        came = repr(value) if kind == "bool_parsing" else in_words(value)
        return f"{field} must be {_EXPECTED[kind]}, not {came}"
    if kind == "literal_error":
        return f"{field} must be {context['expected']}, not {value!r:.60}"
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    return f"{field}: {message[:1].lower()}{message[1:]}"
