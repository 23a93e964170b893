"""What an index is: it takes a query and a role, and gives the candidates of every arm with their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from toolcurator.index.documents import Point
from toolcurator.tool import Tool

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the index takes it.

    Attributes:
        text: What was asked.
        tokens: Its tokens.
        words: Its plain words, stemmed, for the name match.
        asked: Its tokens for the examples, where words like "what" tell one request from another.
        vector: float32[d] of unit length; None searches by words alone.
    """

    text: str
    tokens: Sequence[str]
    words: Sequence[str]
    vector: Floats | None
    asked: Sequence[str] = ()


class Spread(NamedTuple):
    """Mean and standard deviation."""

    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class Examples:
    """What the example queries of the candidates say; 0 for a tool that has none.

    Attributes:
        share: Share of the visible tools that have examples.
        has: bool[m], whether the tool has any; None if all have.
        mean: float32[m], mean cosine of the examples.
        best: float32[m], highest cosine of an example.
        head: float32[m], score of the head, see `toolcurator.index.heads`.
        words: float32[m], BM25 over the examples as a share of what the query could score at most.
        mean_spread: Of ``mean``, over the visible tools that have examples.
        best_spread: Of ``best``.
        head_spread: Of ``head``.
        words_spread: Of ``words``, over all visible tools.
    """

    share: float
    has: NDArray[np.bool_] | None
    mean: Floats
    best: Floats
    head: Floats
    words: Floats
    mean_spread: Spread
    best_spread: Spread
    head_spread: Spread
    words_spread: Spread


@dataclass(frozen=True)
class Evidence:
    """What the index knows about the candidates of one query. Arrays have one entry a candidate, m in all.

    Candidates are the best tools of each arm, and those whose name the query holds; they stand in order of their id.

    Attributes:
        tools: int[m], positions of the tools in the index.
        encoded: Whether the query had a vector; without one, all that is dense is 0.
        dense: float32[m], score of the dense arm: cosine of the document, or the mean of document, best and mean example.
        document: float32[m], cosine of the document.
        best: float32[m], highest cosine among its points.
        sparse: float32[m], score of the sparse arm: words, and the words of the examples by their weight.
        words: float32[m], BM25 over the tool's texts as a share of what the query could score at most (0 to about 1); without a
            vector the examples' words are among them.
        examples: What the examples say; None if no visible tool has any, or the query has no vector.
        name_precision: float32[m], share of the name's weight (IDF) that the query's words hold.
        name_recall: float32[m], share of the query's weight that stands in the name.
        limit: How many of an arm's best have a rank; all of these are candidates.
        visible: Tools that the role may see.
        dense_mean: Mean of ``dense`` over all visible tools.
        document_spread: Of ``document``, over all visible tools.
        words_spread: Of ``words``, over all visible tools.
    """

    tools: Ints
    encoded: bool
    dense: Floats
    document: Floats
    best: Floats
    sparse: Floats
    words: Floats
    examples: Examples | None
    name_precision: Floats
    name_recall: Floats
    limit: int
    visible: int
    dense_mean: float
    document_spread: Spread
    words_spread: Spread

    def of(self, kept: NDArray[np.bool_]) -> Evidence:
        """The evidence of some candidates only.

        Args:
            kept: bool[m].
        """
        return _kept(replace(self, examples=self.examples and _kept(self.examples, kept)), kept)

    @cached_property
    def dense_rank(self) -> Ints:
        """int[m], rank in the dense arm from 1, ties by position; 0 if it is not among its best."""
        return _ranks(self.dense, self.limit if self.encoded else 0)

    @cached_property
    def sparse_rank(self) -> Ints:
        """int[m], the same in the sparse arm; only scores above 0 have one."""
        return _ranks(self.sparse, min(self.limit, int(np.count_nonzero(self.sparse > 0))))

    @cached_property
    def name_match(self) -> Floats:
        """float32[m] between 0 and 1: how much of the name stands in the query, and of the query in the name.

        Both count by IDF over the catalogue's names, so that ``get`` says little, and a name that matches to a small part
        of a long query is weak evidence. It is evidence, never an override (pitfalls A6, A26).
        """
        return self.name_precision * np.sqrt(self.name_recall)


_Arrays = TypeVar("_Arrays", Evidence, Examples)


def _kept(found: _Arrays, kept: NDArray[np.bool_]) -> _Arrays:
    values: dict[str, Any] = {each.name: getattr(found, each.name) for each in fields(found)}
    return replace(found, **{name: value[kept] for name, value in values.items() if isinstance(value, np.ndarray)})


def _ranks(scores: Floats, most: int) -> Ints:
    ranks = np.zeros(len(scores), np.intp)
    best = (-scores).argsort(kind="stable")[:most]
    ranks[best] = np.arange(1, len(best) + 1)
    return ranks


class Index(Protocol):
    """A searchable catalogue. Tools stand in order of their id, and are known by that position."""

    @property
    def encoder_id(self) -> str:
        """Id of the encoder that made the vectors; empty for an index of words alone."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """Tool ids, sorted."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Bare name of each tool."""
        ...

    @property
    def wire_names(self) -> Sequence[str]:
        """Name of each tool on the wire."""
        ...

    def position(self, id: str) -> int | None:
        """Position of the tool of that id, None if there is none."""
        ...

    def tool(self, position: int) -> Tool:
        """The tool at a position."""
        ...

    def point(self, number: int) -> Point:
        """The point of that number."""
        ...

    def vectors(self, positions: NDArray[np.integer[Any]]) -> Floats:
        """float32[m, d]: the document vectors of tools."""
        ...

    def nearest_point(self, position: int, vector: Floats) -> tuple[int, float]:
        """Number of the tool's point nearest to a query vector, and its cosine."""
        ...

    def visible(self, role: str | None) -> Ints:
        """int[v]: positions of the tools that a role may see; None is the operator's view, all of them."""
        ...

    def search(self, query: Query, *, role: str | None = None, limit: int = 100) -> Evidence:
        """The candidates of a query.

        Args:
            query: The query.
            role: Persona; tools that it may not see do not exist for it, also not in means and ranks.
            limit: Candidates an arm.
        """
        ...
