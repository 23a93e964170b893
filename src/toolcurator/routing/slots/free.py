"""Free text by the tool's own examples: what stands where an example has a value, or looks like one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

from toolcurator.routing.slots.dates import month_of
from toolcurator.routing.slots.estonian import nominative
from toolcurator.routing.slots.found import Mention
from toolcurator.routing.slots.gazetteer import place_named
from toolcurator.routing.slots.text import Word, best_alike, parts_of, words_of
from toolcurator.routing.slots.wanted import Wanted
from toolcurator.tool import Tool

FUNCTION_WORDS = frozenset(
    # Estonian
    "ja on ei see kas mis voi kui oma kuidas selle mida palun kes kus saab mulle mul mu minu palju ning et ma kes ta nad me meie "
    "soovin tahan tahaks vaja saaks saan saada sooviksin vajan olen oleks pole ka veel nuud just juba siis aga sest kuni alates "
    "eest peal juurde jaoks kohta kohe seda sellel sel meil teil teie tema tere aitah vaba uks kaks esimene milline millal mitu "
    "otsin otsi leia leidub kuskilt kogu kujul palju praegu tana homme eile mind ise nii siin siit seal sinna teha tehke kellel "
    # English
    "the a an of and to in is for on with that by be are this from or as at it your you all can using if i my do what how me "
    "has not get will which when please want would like need could find show give tell there any some looking have was were "
    "search look book make set put add play us about up am im id "
    # Russian
    "и в на с по не что как мне я хочу нужно есть ли где когда какой какая какие "
    "для у за из к пожалуйста найдите покажите мой моя".split()
)
_FOLLOWING = frozenset("called named titled nimega nimeline about for by with teemal kohta".split())


def by_schema(text: str, slot: Wanted) -> list[Mention]:
    """Values that the slot's own ``examples`` (or ``x-examples``) list, where they stand in the query."""
    listed = slot.schema.get("examples", slot.schema.get("x-examples", []))
    values = [str(each) for each in cast("list[Any]", listed)] if isinstance(listed, list) else []
    found: list[Mention] = []
    for value in values:
        if len(value) < 2:
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
            found.append(Mention("example", match[0], *match.span(), sure=min(1.0, 0.6 + len(value) / 40)))
    return found


def by_examples(text: str, tool: Tool, slot: Wanted, *, inflected: bool) -> list[Mention]:
    """Words that look like those that change from one example query to the next.

    A word of the query is taken if an example has it in some form and the description does not, or if its end is that of two
    or more such words (nahaarsti, silmaarsti: korvaarsti).

    Args:
        text: The query.
        tool: The tool with its example queries.
        slot: A required slot of free text.
        inflected: Whether words stand in cases, so that the nominative is wanted.
    """
    fillers, ends, anchors = _fillers(tool.id, tool.examples, f"{tool.name} {tool.description}", slot.words)
    found: list[Mention] = []
    words = words_of(text)
    for i, word in enumerate(words):
        base = nominative(word.text) if inflected else word.text
        plain = parts_of(base)[-1] if parts_of(base) else ""
        if len(plain) < 5 or word.plain in FUNCTION_WORDS or month_of(word.plain) or place_named(word.plain)[0]:
            continue
        known = best_alike(plain, fillers) > 0.9
        alike_end = any(plain.endswith(end) and len(plain) > len(end) + 1 for end in ends)
        if known or alike_end:
            anchored = i + 1 < len(words) and words[i + 1].plain in anchors
            sure = 0.5 + 0.15 * known + 0.15 * alike_end + 0.2 * anchored
            found.append(Mention("text", base.lower() if inflected else base, word.start, word.end, sure=sure))
    return found


def leftover(text: str, tool: Tool, taken: Sequence[Mention], *, inflected: bool) -> list[Mention]:
    """For a search: the words that neither the tool's own texts nor grammar explain, in one run."""
    known = _known(tool)
    words = [
        word for word in words_of(text) if not any(word.start < each.end and each.start < word.end for each in taken)
    ]
    runs: list[list[Word]] = []
    for word in words:
        if (
            word.plain in FUNCTION_WORDS
            or best_alike(word.plain, known) >= 0.6
            or len(word.plain) < 3
            or word.plain.isdigit()
        ):
            continue
        if runs and not text[runs[-1][-1].end : word.start].strip(" "):
            runs[-1].append(word)
        else:
            runs.append([word])
    if not runs:
        return []
    best = max(runs, key=lambda run: sum(len(word.text) for word in run))
    value = text[best[0].start : best[-1].end]
    return [Mention("text", nominative(value) if inflected else value, best[0].start, best[-1].end, sure=0.6)]


def following(text: str, slot: Wanted) -> list[Mention]:
    """What stands behind the slot's own word or "called", up to the next function word ("keyword: bus stops")."""
    words = words_of(text)
    found: list[Mention] = []
    for i, word in enumerate(words[:-1]):
        own = best_alike(word.plain, slot.names) > 0.8
        colon = text[word.end : words[i + 1].start].strip()
        if not (
            (own and colon in (":", "=", "is", "on"))
            or (word.plain in _FOLLOWING and i and best_alike(words[i - 1].plain, slot.names) > 0.8)
        ):
            continue
        end = i + 1
        while (
            end < len(words)
            and words[end].plain not in FUNCTION_WORDS
            and (end == i + 1 or text[words[end - 1].end : words[end].start] == " ")
        ):
            end += 1
        if end > i + 1:
            found.append(
                Mention(
                    "text",
                    text[words[i + 1].start : words[end - 1].end],
                    words[i + 1].start,
                    words[end - 1].end,
                    sure=0.8,
                )
            )
    return found


def _known(tool: Tool) -> frozenset[str]:
    return _vocabulary(
        tool.name,
        tool.description,
        tool.examples,
        tuple(f"{s.name} {s.description} {' '.join(s.enum)}" for s in tool.slots),
    )


@lru_cache(maxsize=512)
def _vocabulary(name: str, description: str, examples: tuple[str, ...], slots: tuple[str, ...]) -> frozenset[str]:
    own = {word for text in (name, description, *slots) for word in parts_of(text) if len(word) > 3}
    counts = Counter(word for example in examples for word in {each[:5] for each in parts_of(example)})
    often = {word for example in examples for word in parts_of(example) if counts[word[:5]] > 1}
    return frozenset(own | often)


@lru_cache(maxsize=512)
def _fillers(
    tool: str, examples: tuple[str, ...], described: str, slot_words: tuple[str, ...]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words that stand in one example only and that nothing else explains, ends of such words, and words that follow them."""
    own = [*parts_of(described), *slot_words]
    seen: Counter[str] = Counter()
    for example in examples:
        seen.update(set(_content(example)))
    fillers = {word for word, count in seen.items() if count == 1 and best_alike(word, own) < 0.6}
    bases = {nominative(word) for word in fillers}
    ends = Counter(base[-4:] for base in bases if len(base) > 5)
    kept = {end for end, count in ends.items() if count > 1} | {base[-4:] for base in bases if len(base) >= 9}
    anchors = {
        second.plain
        for example in examples
        for first, second in pairwise(words_of(example))
        if nominative(first.plain)[-4:] in kept
    }
    return frozenset(bases), frozenset(kept), frozenset(anchors)


def _content(example: str) -> Iterator[str]:
    for word in words_of(example):
        if (
            word.plain not in FUNCTION_WORDS
            and len(word.plain) > 4
            and not place_named(word.plain)[0]
            and not month_of(word.plain)
        ):
            yield word.plain
