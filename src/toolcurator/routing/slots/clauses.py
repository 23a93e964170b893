"""The clauses of a query, and which of several tools each is about (pitfall C10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import combinations

from toolcurator.routing.slots.dates import dates
from toolcurator.routing.slots.found import Span
from toolcurator.routing.slots.free import FUNCTION_WORDS
from toolcurator.routing.slots.gazetteer import place_named
from toolcurator.routing.slots.places import addresses
from toolcurator.routing.slots.text import best_alike, parts_of, words_of
from toolcurator.tool import Tool

_ANY_DAY = datetime(2026, 1, 1)
_SPLIT = re.compile(
    r"(?<=[?!;])\s+|(?<=[^\W\d_]{3}\.)\s+(?=[^\W\d_])|(?<=\d\.)\s+(?-i:(?=[A-ZÕÄÖÜА-Я][a-zõäöüа-я]+\s+[a-zõäöüа-я]))|"
    r",\s+(?=(?:ja|ning|aga|kas|mis|mitu|millal|kus|kui|palju|kelle|tee|and|but|what|when|where|how|is|are|и|а|где|когда|сколько|что)\b)|"
    r"\s+(?=(?:and|ja|ning|и|а также|also|then)\s)|,\s+(?=[^\W\d_])|\s[\u2013\u2014]\s",
    re.IGNORECASE,
)


def clauses(text: str) -> list[Span]:
    """Where the clauses of a text stand; an address with a comma in it stays whole."""
    spans: list[Span] = []
    start = 0
    held = addresses(text)
    for match in _SPLIT.finditer(text):
        if any(each.start <= match.start() < each.end for each in held):
            continue
        if match.start() > start:
            spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def clauses_of(text: str, tools: Sequence[Tool], fills: Callable[[Tool, Span], int]) -> list[list[Span]]:
    """The clauses that are about each of several tools.

    A clause whose words are no tool's belongs to the only one that finds a value in it, else to its neighbor.

    Args:
        text: The query.
        tools: The tools it asks for.
        fills: How many slots of a tool a clause fills.
    """
    vocabularies = [_vocabulary(tool) for tool in tools]
    shared = frozenset[str]().union(*(one & other for one, other in combinations(vocabularies, 2)))
    spans = clauses(text)
    owners = [_owner(text, span, vocabularies, shared) for span in spans]
    for i, span in enumerate(spans):
        if owners[i] < 0:
            able = [j for j, tool in enumerate(tools) if fills(tool, span)]
            owners[i] = able[0] if len(able) == 1 else -1
    sentences = [
        text.count(". ", 0, start) + text.count("? ", 0, start) + text.count("! ", 0, start) for start, _ in spans
    ]
    for i, owner in enumerate(owners):
        if owner < 0:
            near = sorted(
                (j for j in range(len(spans)) if owners[j] >= 0),
                key=lambda j: (sentences[j] != sentences[i], j > i, abs(j - i)),
            )
            owners[i] = owners[near[0]] if near else 0
    return [[span for span, owner in zip(spans, owners, strict=True) if owner == i] for i in range(len(tools))]


def _owner(text: str, span: Span, vocabularies: Sequence[frozenset[str]], shared: frozenset[str]) -> int:
    """The tool whose words a clause has, -1 if none stands out. Names, dates and places say nothing about it."""
    words = words_of(text[span[0] : span[1]])
    telling = [
        word.plain
        for i, word in enumerate(words)
        if len(word.plain) > 2
        and word.plain not in FUNCTION_WORDS
        and not (i and word.text[0].isupper() and word.text[1:].islower())
        and not place_named(word.plain)[0]
        and not dates(word.text, _ANY_DAY)
    ]
    scores = [0.0] * len(vocabularies)
    for word in telling:
        if best_alike(word, shared) >= 0.6:
            continue
        for i, vocabulary in enumerate(vocabularies):
            score = best_alike(word, vocabulary)
            scores[i] += score * score if score >= 0.6 else 0.0
    best = max(range(len(scores)), key=lambda i: scores[i])
    return best if scores[best] > 0.5 and sorted(scores)[-2] < scores[best] else -1


def only(text: str, spans: Sequence[Span]) -> str:
    """The text with everything else blank, so that places in it are places in the text."""
    kept = [" "] * len(text)
    for start, end in spans:
        kept[start:end] = text[start:end]
        for i in range(end, min(end + 2, len(text))):  # the punctuation behind
            if not text[i].isalnum():
                kept[i] = text[i]
    return "".join(kept)


@lru_cache(maxsize=512)
def _words_of(name: str, description: str, examples: tuple[str, ...]) -> frozenset[str]:
    found = dict.fromkeys(word for text in (name, description, *examples) for word in parts_of(text) if len(word) > 2)
    return frozenset(found)


def _vocabulary(tool: Tool) -> frozenset[str]:
    return _words_of(f"{tool.name} {tool.leaf} {tool.id}", tool.description, tool.examples) | frozenset(
        _slot_words(tool)
    )


def _slot_words(tool: Tool) -> Iterator[str]:
    for slot in tool.slots:
        for text in (slot.name, *slot.enum):
            yield from (word for word in parts_of(text) if len(word) > 2)
