"""Labelled queries: what is asked, and which tools answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toolcurator.errors import ToolCuratorError

AWARENESS = "awareness_positive"
"""Pseudo-kind: answerable queries that a set pairs with its unanswerable ones (MetaTool's first task)."""


class DatasetError(ToolCuratorError):
    """A data set cannot be found or read; the message names file and line."""


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query and what is right.

    Attributes:
        id: Its id, unique in the set.
        query: What is asked.
        needs: One set of tool ids for each tool that is needed, any of which will do; empty if no tool fits.
        kind: ``single``, ``multi``, ``irrelevant``, ``near``, ``far``, or what else the set says.
        split: ``train``, ``dev`` or ``test``.
        candidates: Tools that were offered with it; whether any fits holds against these only.
        lang: ISO 639 code, if the set says it.
        subset: Part of the set that it belongs to, if the set has parts.
        role: Persona who asks; None is the operator, who sees every tool.
        instruction: ToolRet's, written while looking at the answer: never for headline figures.
        awareness: The set pairs it with queries that need no tool.
    """

    id: str
    query: str
    needs: tuple[frozenset[str], ...]
    kind: str
    split: str = "test"
    candidates: tuple[str, ...] = ()
    lang: str = ""
    subset: str = ""
    role: str | None = None
    instruction: str = ""
    awareness: bool = False


@dataclass(frozen=True, slots=True)
class Meta:
    """What a set says about itself (``META.json``).

    Attributes:
        source: Where it comes from.
        commit: Which version of it.
        licence: Its licence.
        notes: What to know before a figure is quoted, known faults among it.
    """

    source: str = ""
    commit: str = ""
    licence: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set as it lies there: every query of every split.

    Attributes:
        name: Its name.
        tools: What ``Curator.open`` takes: a file, a folder, or tools.
        queries: All of its queries, in its order.
        meta: What it says about itself.
        category: Which kind of tools it is about, for the category macro average; empty if it has none.
    """

    name: str
    tools: Any
    queries: tuple[LabelledQuery, ...]
    meta: Meta = field(default_factory=Meta)
    category: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """What is evaluated of a set.

    Attributes:
        name: Name of the set.
        tools: What ``Curator.open`` takes.
        queries: The sample that rankings are measured on; every one has a need.
        out_of_scope: The sample that no tool answers.
        in_scope: What ``out_of_scope`` is told apart from: ``queries``, or those that the set pairs with them.
        train: Its train queries, for examples and for the leakage report; empty if the train split itself is evaluated.
        meta: What the set says about itself.
        category: As for `LabelledSet`.
        available: Answerable queries that the sample was drawn from.
    """

    name: str
    tools: Any
    queries: tuple[LabelledQuery, ...]
    out_of_scope: tuple[LabelledQuery, ...] = ()
    in_scope: tuple[LabelledQuery, ...] = ()
    train: tuple[LabelledQuery, ...] = ()
    meta: Meta = field(default_factory=Meta)
    category: str = ""
    available: int = 0

    def asked(self) -> tuple[LabelledQuery, ...]:
        """Every query that is asked, each once: the sample, then those that are there for the question whether any fits."""
        return tuple({query.id: query for query in (*self.queries, *self.in_scope, *self.out_of_scope)}.values())


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which queries of a set are evaluated.

    Attributes:
        split: The split.
        kinds: Only these kinds; None means all. `AWARENESS` is one of them.
        subsets: Only these parts of the set; None means all.
        limit: At most so many answerable ones, and as many without an answer; None means all.
        seed: Seed of the sample.
    """

    split: str = "test"
    kinds: tuple[str, ...] | None = None
    subsets: tuple[str, ...] | None = None
    limit: int | None = None
    seed: int = 0

    def of(self, found: LabelledSet) -> Dataset:
        """Take from a set what is wanted."""
        asked = [query for query in found.queries if query.split == self.split and self._part(query)]
        answerable = [query for query in asked if query.needs and self._kind(query)]
        outside = [query for query in asked if not query.needs and self._kind(query)]
        queries = self._sample(answerable)
        paired = [query for query in asked if query.awareness]
        train = () if self.split == "train" else tuple(query for query in found.queries if query.split == "train")
        return Dataset(
            name=found.name,
            tools=found.tools,
            queries=queries,
            out_of_scope=self._sample(outside),
            in_scope=(self._sample(paired) or queries) if outside else (),
            train=train,
            meta=found.meta,
            category=found.category,
            available=len(answerable),
        )

    def _part(self, query: LabelledQuery) -> bool:
        return self.subsets is None or query.subset in self.subsets

    def _kind(self, query: LabelledQuery) -> bool:
        return self.kinds is None or query.kind in self.kinds or (query.awareness and AWARENESS in self.kinds)

    def _sample(self, queries: Sequence[LabelledQuery]) -> tuple[LabelledQuery, ...]:
        """The same sample for the same queries, limit and seed, wherever it is drawn."""
        if self.limit is None or len(queries) <= self.limit:
            return tuple(queries)
        drawn = np.random.default_rng(self.seed).choice(len(queries), self.limit, replace=False)
        return tuple(queries[int(at)] for at in drawn.tolist())
