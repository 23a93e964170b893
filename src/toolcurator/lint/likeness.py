"""Pairs of tools that are hard to tell apart (TC401): vectors and names, and the words that each has and the other lacks."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders import Encoder
from toolcurator.lexical import Tokenizer
from toolcurator.lint.finding import Finding, found
from toolcurator.tool import Tool

Floats = NDArray[np.float32]

ALIKE = 0.86
"""Likeness of two documents from which a pair is reported whatever the names."""
ALIKE_NAMED = 0.68
"""The same where the names are alike too."""
NAMES_ALIKE = 0.75

_BLOCK = 1024
_NEIGHBOURS = 4  # of each tool, so that a thousand copies of one tool stay a few thousand pairs
_WORDS = 5  # shown of each side
_HASHED = 1024
_UNRELATED = (
    "send email",
    "weather forecast for a city",
    "delete a file from disk",
    "convert currency",
    "play a song",
    "list open pull requests",
    "book a hotel room",
    "translate text into another language",
    "patient blood pressure history",
    "resize an image",
    "stock price",
    "turn off the kitchen light",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tools that are alike.

    Attributes:
        first: Position of the first tool.
        second: Position of the second.
        likeness: Of their documents: 0 for unrelated texts, 1 for equal ones.
        names: Of their names, 0 to 1.
        only_first: Words of the first tool that the second lacks, the most telling first.
        only_second: The other way round.
    """

    first: int
    second: int
    likeness: float
    names: float
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def unrelated(encoder: Encoder) -> float:
    """The mean cosine of texts that have nothing in common, which differs from model to model."""
    vectors = encoder.encode_documents(_UNRELATED)
    cosines = vectors @ vectors.T
    return float(cosines[np.triu_indices(len(vectors), 1)].mean())


def word_vectors(texts: Sequence[str], tokenizer: Tokenizer) -> Floats:
    """float32[n, 1024] of unit length: TF-IDF of the tokens, hashed; what stands in for an encoder where there is none."""
    counts = [Counter(tokenizer(text)) for text in texts]
    idf = _idf([counted.keys() for counted in counts])
    vectors = np.zeros((len(texts), _HASHED), np.float32)
    for row, counted in zip(vectors, counts, strict=True):
        for token, count in counted.items():
            code = crc32(token.encode("utf-8", "replace"))
            row[code % _HASHED] += (1 if code >> 16 & 1 else -1) * (1 + log(count)) * idf[token]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def pairs_of(
    tools: Sequence[Tool], texts: Sequence[str], vectors: Floats, base: float, tokenizer: Tokenizer
) -> list[Pair]:
    """The pairs that are alike, the most alike first.

    Args:
        tools: n tools.
        texts: Their documents.
        vectors: float32[n, d] of unit length.
        base: Cosine of unrelated texts, which counts as likeness 0.
        tokenizer: The tokenizer.
    """
    names = [tokenizer.telling(tool.leaf) for tool in tools]
    name_idf = _idf(names)
    said = [_said(text, tokenizer) for text in texts]
    idf = _idf([words.keys() for words in said])
    found_pairs: list[Pair] = []
    for first, second, cosine in _neighbours(vectors, base + ALIKE_NAMED * (1 - base)):
        likeness = min(1.0, max(0.0, (cosine - base) / (1 - base)))
        named = _names_alike(tools[first].leaf, tools[second].leaf, names[first], names[second], name_idf)
        if likeness >= ALIKE or named >= NAMES_ALIKE:
            only = (_beyond(said[first], said[second], idf), _beyond(said[second], said[first], idf))
            found_pairs.append(Pair(first, second, likeness, named, *only))
    return sorted(found_pairs, key=lambda pair: (-(pair.likeness + pair.names), pair.first, pair.second))


def confusable(tools: Sequence[Tool], pairs: Sequence[Pair]) -> Iterator[Finding]:
    """TC401: a finding for each pair; only a note where both sides have words of their own."""
    for pair in pairs:
        one, other = tools[pair.first], tools[pair.second]
        own = f"only here: {_listed(pair.only_first)}; only there: {_listed(pair.only_second)}"
        told_apart = len(pair.only_first) > 1 and len(pair.only_second) > 1
        yield found(
            "TC401",
            one.id,
            "description",
            f"hard to tell from {other.id} (texts {pair.likeness:.2f}, names {pair.names:.2f}); {_advice(one, other, pair)}",
            own,
            severity="note" if told_apart else None,
            related=(other.id,),
        )


def _advice(one: Tool, other: Tool, pair: Pair) -> str:
    if not pair.only_first and not pair.only_second:
        if one.server != other.server:
            return "they say the same: name the system that each works on, or keep one"
        return "they say the same: keep one, or say when to use which"
    if not pair.only_first or not pair.only_second:
        lacking = one if not pair.only_first else other
        return f"say in {lacking.name} what the other does not do"
    if not one.description.strip() or not other.description.strip():
        return "describe both"
    return "say in each when to use it and when the other"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "nothing"


def _neighbours(vectors: Floats, least: float) -> list[tuple[int, int, float]]:
    """Each tool's nearest few at or above a cosine, every pair once."""
    n = len(vectors)
    kept: dict[tuple[int, int], float] = {}
    nearest = min(_NEIGHBOURS, n)
    for start in range(0, n, _BLOCK):
        block = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(block))
        block[rows, start + rows] = -1
        best = np.argpartition(-block, nearest - 1, axis=1)[:, :nearest] if n > nearest else np.argsort(-block, axis=1)
        for row, columns in enumerate(best):
            for column in columns.tolist():
                if (cosine := float(block[row, column])) >= least:
                    kept[min(start + row, column), max(start + row, column)] = cosine
    return [(first, second, cosine) for (first, second), cosine in kept.items()]


def _names_alike(one: str, other: str, words: Sequence[str], others: Sequence[str], idf: Mapping[str, float]) -> float:
    """1 for equal names; else the share of their words' weight (IDF) that they have in common, or how alike the letters are."""
    if one == other:
        return 1.0
    common, all_ = {*words} & {*others}, {*words} | {*others}
    total = sum(idf[word] for word in all_)
    shared = sum(idf[word] for word in common) / total if total else 0.0
    letters = difflib.SequenceMatcher(None, one.lower(), other.lower()).ratio()
    return max(shared, letters if letters >= 0.9 else 0.0)


def _said(text: str, tokenizer: Tokenizer) -> dict[str, str]:
    """Stem → word, of the telling words of a text, in order."""
    telling = {*tokenizer.telling(text)}
    found_words: dict[str, str] = {}
    for word in tokenizer.words(text):
        if (stem := tokenizer.stem(word)) in telling:
            found_words.setdefault(stem, word)
    return found_words


def _beyond(words: Mapping[str, str], others: Mapping[str, str], idf: Mapping[str, float]) -> tuple[str, ...]:
    own = [stem for stem in words if stem not in others]
    return tuple(words[stem] for stem in sorted(own, key=lambda stem: -idf[stem])[:_WORDS])


def _idf(documents: Sequence[Iterable[str]]) -> dict[str, float]:
    count = Counter(word for document in documents for word in set(document))
    return {word: log(1 + len(documents) / n) for word, n in count.items()}
