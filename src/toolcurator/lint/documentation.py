"""Descriptions that are missing or say nothing (TC101 to TC104), and arguments without documentation (TC201, TC202)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcurator.index.documents import in_words
from toolcurator.lexical import Tokenizer
from toolcurator.lexical.english import stem
from toolcurator.lint.finding import Finding, found
from toolcurator.tool import Slot, Tool

SHORT = 3
"""Fewer telling words than this beside those of the name say little."""

_NAMED = 8  # names of arguments in one message
_FILLER = frozenset(
    "tool function method api endpoint call operation action service use used using execute perform run return "
    "returns given "
    "this that these the a an to of for it its is be by via with from and or all any your my new one description "
    "mcp handler wrapper helper "
    "funktsioon tööriist funktion werkzeug fonction outil función herramienta функция инструмент".split()
)
_FILLER_STEMS = _FILLER | {*map(stem, _FILLER)}
_PLACEHOLDER = re.compile(
    r"\W*(?:todo|tbd|fixme|tba|n/?a|none|null|undefined|unknown|string|description|desc|test|foo(?:\s*bar)?|lorem "
    r"ipsum.*|placeholder|empty|xxx+|"
    r"no (?:description|docstring|documentation)(?: (?:provided|available|given|yet))?|(?:a |the |add |insert |"
    r"your |tool |short |some )*description"
    r"(?: (?:here|goes here|of the tool|to be added))?|(?:coming soon)|keine beschreibung|kirjeldus puudub|"
    r"описание отсутствует|sans description|"
    r"sin descripción|暂无描述|无描述)\W*",
    re.IGNORECASE | re.DOTALL,
)


def descriptions(tool: Tool, tokenizer: Tokenizer) -> Iterator[Finding]:
    """TC101 to TC104, the first that holds."""
    text = tool.description.strip()
    if not text:
        message = "no description; only its name can be found"
        if tool.profile is not None and tool.profile.function_description:
            message = "no description of its own, only that of its profile"
        yield found("TC101", tool.id, "description", message)
    elif _PLACEHOLDER.fullmatch(text):
        yield found(
            "TC103",
            tool.id,
            "description",
            "a placeholder; say what the tool does, for whom, and what it returns",
            text,
        )
    elif (fresh := informative_words(tool, tokenizer)) == 0:
        message = "it says nothing that the name does not; say what comes back, and when to use it"
        yield found("TC102", tool.id, "description", message, text)
    elif fresh < SHORT:
        message = (
            f"only {fresh} {'word' if fresh == 1 else 'words'} beyond the name; say what comes back, and when to use it"
        )
        yield found("TC104", tool.id, "description", message, text)


def informative_words(tool: Tool, tokenizer: Tokenizer) -> int:
    """Distinct words of the description that neither its name has nor any tool could have; pairs of characters in Chinese."""
    named = {*map(tokenizer.stem, tokenizer.words(tool.leaf)), *map(tokenizer.stem, tokenizer.words(tool.server))}
    said = tokenizer.telling(tool.description)
    return sum(1 for word in said if word not in named and word not in _FILLER_STEMS)


def is_placeholder(text: str) -> bool:
    """Whether a description is only a placeholder."""
    return _PLACEHOLDER.fullmatch(text.strip()) is not None


def slots(tool: Tool) -> Iterator[Finding]:
    """TC201 and TC202: one finding a tool, which names the arguments."""
    if missing := [slot.name for slot in tool.slots if not is_described(slot)]:
        message = f"{len(missing)} of {len(tool.slots)} arguments have no description: {_listed(missing)}"
        few = not any(slot.required and not is_described(slot) for slot in tool.slots) and 2 * len(missing) <= len(
            tool.slots
        )
        yield found("TC201", tool.id, "slots", message, severity="note" if few else None)
    if untyped := [slot.name for slot in tool.slots if not is_typed(slot)]:
        message = (
            f"{len(untyped)} of {len(tool.slots)} arguments have neither type nor allowed values: {_listed(untyped)}"
        )
        yield found("TC202", tool.id, "slots", message)


def is_described(slot: Slot) -> bool:
    """Whether an argument says more than its name: a description, or values to choose from."""
    text = slot.description.strip()
    if not text:
        return len(slot.enum) > 1
    return not _PLACEHOLDER.fullmatch(text) and _letters(text) != _letters(in_words(slot.name))


def is_typed(slot: Slot) -> bool:
    """Whether an argument's schema says what may be filled in."""
    return bool(
        slot.type or slot.enum or slot.json_schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "const", "properties"}
    )


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum()).removeprefix("the")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
