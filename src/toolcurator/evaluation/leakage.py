"""Do the queries that are asked stand, word for word or nearly so, in the train split or among the tools' examples?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from toolcurator.evaluation.extra import load_library

NEAR = 0.8
"""Least Jaccard similarity of the sets of character 4-grams of two near duplicates."""
GRAM = 4
_PAIRS = 4_000_000  # compared at once, so that memory stays small

Place = Literal["train", "examples"]


class Leak(BaseModel):
    """A query that stands elsewhere too.

    Attributes:
        query: Id of the query that is asked.
        text: What it asks.
        place: Where it stands: the ``train`` split, or the ``examples`` of a tool, which are in the index.
        found: The text that stands there.
        owner: Id of the train query, or of the tool.
        similarity: 1 for the same text (but for case, spaces and punctuation), else the Jaccard similarity.
    """

    model_config = ConfigDict(frozen=True)

    query: str
    text: str
    place: Place
    found: str
    owner: str
    similarity: float

    @property
    def exact(self) -> bool:
        """Whether it is the same text."""
        return self.similarity == 1.0


class LeakReport(BaseModel):
    """What was compared, and what was found.

    Attributes:
        asked: Queries that are asked.
        train: Texts of the train split.
        examples: Example queries of the tools.
        leaks: At most one a query and place, the nearest text.
    """

    model_config = ConfigDict(frozen=True)

    asked: int
    train: int
    examples: int
    leaks: tuple[Leak, ...] = ()

    def of(self, place: Place, *, exact: bool) -> tuple[Leak, ...]:
        """The leaks of one kind."""
        return tuple(leak for leak in self.leaks if leak.place == place and leak.exact == exact)


def find_leaks(
    asked: Sequence[tuple[str, str]],
    *,
    train: Sequence[tuple[str, str]] = (),
    examples: Sequence[tuple[str, str]] = (),
    near: float = NEAR,
) -> LeakReport:
    """Look for the queries in the train split and in the examples of the tools.

    Args:
        asked: Id and text of each query.
        train: Id and text of each train query.
        examples: Id of the tool and text of each of its examples.
        near: Least similarity that is reported.
    """
    leaks: list[Leak] = []
    places: tuple[tuple[Place, Sequence[tuple[str, str]]], ...] = (("train", train), ("examples", examples))
    for place, texts in places:
        for i, j, similarity in nearest([text for _, text in asked], [text for _, text in texts], near):
            (query, text), (owner, found) = asked[i], texts[j]
            leaks.append(Leak(query=query, text=text, place=place, found=found, owner=owner, similarity=similarity))
    return LeakReport(asked=len(asked), train=len(train), examples=len(examples), leaks=tuple(leaks))


def normalized(text: str) -> str:
    """A text in lower case, compatibility forms made one, and anything but letters and digits made one space."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded))


def nearest(left: Sequence[str], right: Sequence[str], near: float) -> list[tuple[int, int, float]]:
    """Pairs of like texts.

    Every pair is compared, by one product of sparse matrices: the 4-grams that two texts share, and by it their Jaccard
    similarity.

    Args:
        left: Texts to look for.
        right: Texts to look in.
        near: Least similarity, above 0.

    Returns:
        Position in ``left``, position in ``right``, similarity; the nearest of each text of ``left`` that has one.

    Raises:
        MissingExtra: scipy is not installed.
    """
    sought, there = [normalized(text) for text in left], [normalized(text) for text in right]
    first = {text: j for j, text in reversed(list(enumerate(there))) if text}
    best = {i: (1.0, first[text]) for i, text in enumerate(sought) if text in first}
    known: dict[str, int] = {}
    rows = _matrix([_grams(text) for text in sought], known, grow=True)
    sizes = np.array([len(_grams(text)) for text in sought], np.float64)
    chunk = max(1, _PAIRS // max(1, len(left)))
    for start in range(0, len(there), chunk):
        grams = [_grams(text) for text in there[start : start + chunk]]
        shared = (_matrix(grams, known) @ rows.T).tocoo()
        lengths = np.array([len(each) for each in grams], np.float64)
        alike = shared.data / (lengths[shared.row] + sizes[shared.col] - shared.data)
        for at in np.flatnonzero(alike >= near).tolist():
            # different texts can have the same grams; only the same text is exact
            i, j, found = int(shared.col[at]), start + int(shared.row[at]), min(float(alike[at]), 0.999)
            if found > best.get(i, (0.0, 0))[0]:
                best[i] = (found, j)
    return [(i, j, alike) for i, (alike, j) in sorted(best.items())]


def _matrix(texts: Sequence[frozenset[str]], known: dict[str, int], *, grow: bool = False) -> Any:
    """Sparse 0/1 matrix: a row a text, a column a gram that is known; with ``grow`` new ones become known."""
    if grow:
        for gram in (gram for each in texts for gram in each):
            known.setdefault(gram, len(known))
    columns = [[column for gram in each if (column := known.get(gram)) is not None] for each in texts]
    starts = np.cumsum([0, *map(len, columns)])
    flat = np.fromiter((column for each in columns for column in each), np.int32, int(starts[-1]))
    shape = (len(texts), max(1, len(known)))
    return load_library("scipy.sparse").csr_matrix((np.ones(len(flat), np.float64), flat, starts), shape=shape)


def _grams(text: str) -> frozenset[str]:
    if not text:
        return frozenset()
    padded = f" {text} "
    return frozenset(padded[at : at + GRAM] for at in range(max(1, len(padded) - GRAM + 1)))
