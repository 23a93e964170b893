"""The local index: memory-mapped arrays, exact scores."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolcurator.catalog import Catalog
from toolcurator.index.build import MIDDLE, codes_of
from toolcurator.index.documents import Point, points_of
from toolcurator.index.generations import Generation
from toolcurator.index.index import Evidence, Examples, Floats, Ints, Query, Spread
from toolcurator.lexical import Bm25
from toolcurator.settings import Settings
from toolcurator.tool import Tool

_NAMED = 10  # tools that come in through their name alone
_ALL = 256  # up to this many visible tools, every one is a candidate
_STEADY = 8  # tools
_THIRD = np.float32(1 / 3)


class LocalIndex:
    """Searches one generation. Many threads and processes may read the same one.

    Args:
        generation: A whole generation.
        settings: Weights of the BM25 fields, and of the examples.
    """

    def __init__(self, generation: Generation, settings: Settings) -> None:
        folder, manifest = generation.folder, generation.manifest
        self.generation = generation
        self.manifest = manifest
        self.ids = _strings(_bytes(folder / "ids.json"))
        # mapped now, since a builder may remove the files; parsed when first asked for
        self._names_json, self._wire_names_json = _bytes(folder / "names.json"), _bytes(folder / "wire_names.json")
        self._list = lru_cache(self._read_list)
        self.words = Bm25.open(folder / "words")
        self.queries = Bm25.open(folder / "queries")
        has = self.queries.postings.lengths[0] > 0
        self._has = None if has.all() else has
        self.has_examples = bool(has.any())
        self._example_weight = np.float32(settings.example_weight)
        self._names = Bm25.open(folder / "names")
        as_built = dict(zip(self.words.names, self.words.weights, strict=True)) == settings.field_weights
        self._weights = None if as_built else settings.field_weights
        self._name_mass: Floats = _array(folder, "name_mass")
        self._roles: NDArray[np.bool_] = _array(folder, "roles")
        self._lines: NDArray[np.int64] = _array(folder, "lines")
        self._lines_of_tools = _bytes(folder / "tools.jsonl")
        if manifest.encoder:
            self._vectors: Floats = _array(folder, "vectors")
            if manifest.scale:
                self._codes: NDArray[np.uint8] = _array(folder, "codes")
                self._shifts: NDArray[np.float64] = _array(folder, "shifts")
            self._starts: Ints = _array(folder, "examples")
            self._groups = _Groups.of(self._starts, len(self.ids))
            self._scales: Floats = _array(folder, "heads")
        self.tool = lru_cache(maxsize=4096)(self._tool)
        self.visible = lru_cache(maxsize=64)(self._visible)

    @property
    def encoder_id(self) -> str:
        """Id of the encoder that made the vectors; empty for an index of words alone."""
        return self.manifest.encoder

    def position(self, id: str) -> int | None:
        """Position of the tool of that id, None if there is none."""
        at = bisect_left(self.ids, id)
        return at if at < len(self.ids) and self.ids[at] == id else None

    @cached_property
    def catalog(self) -> Catalog:
        """All indexed tools as a catalogue; reads them all."""
        return Catalog(map(self.tool, range(len(self.ids))), language=self.manifest.language)

    @property
    def names(self) -> list[str]:
        """Bare name of each tool."""
        return self._list(False)

    @property
    def wire_names(self) -> list[str]:
        """Name of each tool on the wire."""
        return self._list(True)

    def point(self, number: int) -> Point:
        """The point of that number: documents come first, then the examples of each tool."""
        n = len(self.ids)
        owner = number if number < n else int(np.searchsorted(self._starts, number, side="right")) - 1
        place = 0 if number < n else 1 + number - int(self._starts[owner])
        return points_of(self.tool(owner), self.manifest.dense_parts)[place]

    def vectors(self, positions: NDArray[np.integer[Any]]) -> Floats:
        """float32[m, d]: the document vectors of tools."""
        return self._vectors[positions]

    @property
    def starts(self) -> Ints:
        """int[n + 1]: row of each tool's first example among `vectors`; the documents are the first n rows."""
        return self._starts

    def vectors_by_text(self) -> dict[str, Floats]:
        """The vector of every indexed text; reads all tools."""
        found: dict[str, Floats] = {}
        for at in range(len(self.ids)):
            start, end = self._starts[at : at + 2]
            rows = [at, *range(int(start), int(end))]
            points = points_of(self.tool(at), self.manifest.dense_parts)
            found.update((point.text, self._vectors[row]) for row, point in zip(rows, points, strict=True))
        return found

    def search(self, query: Query, *, role: str | None = None, limit: int = 100) -> Evidence:
        """The candidates of a query; see `toolcurator.index.Index`."""
        visible = self.visible(role)
        everybody = len(visible) == len(self.ids)
        words = self.words.scores(query.tokens, self._weights)
        words *= np.float32(1.0 / (self.words.mass(query.tokens) or 1.0))
        named = self._names.scores(query.words)
        cosines = self._scan(query.vector)
        asked: Floats | None = None
        if self.has_examples:
            asked = self.queries.scores(query.asked)
            asked *= np.float32(1.0 / (self.queries.mass(query.asked) or 1.0))
        if not everybody:
            words, named, cosines = words[visible], named[visible], cosines.of(visible)
            asked = asked[visible] if asked is not None else None
        sparse: Floats = words if asked is None else np.add(words, asked * self._example_weight, dtype=np.float32)
        if query.vector is None:  # words alone: those of the examples count like the others
            words, asked = sparse, None
        dense = cosines.dense
        chosen: Ints | slice = slice(None)  # views, no copies
        nearest: Ints = visible[:0]
        if len(visible) > _ALL:
            if query.vector is not None:
                nearest = _top(dense, limit)
            candidates = np.zeros(len(visible), np.bool_)
            for best in (nearest, _top(sparse, limit, positive=True), _top(named, _NAMED, positive=True)):
                candidates[best] = True
            chosen = np.flatnonzero(candidates)
        tools = visible[chosen]
        named = named[chosen]
        exact = cosines.of(chosen)
        if self.manifest.scale and query.vector is not None:
            if isinstance(chosen, slice):
                exact = self._rescore(query.vector, tools)
            else:  # reading the vectors of all candidates takes as long as the scan
                first = chosen.searchsorted(nearest[: max(1, limit // 2)])
                exact.correct(first, self._rescore(query.vector, tools[first]))
        document_spread, words_spread = _spread(cosines.document), _spread(words)
        examples = None
        if asked is not None:
            examples = _examples(cosines, exact, asked, asked[chosen], document_spread)
        return Evidence(
            tools=tools,
            encoded=query.vector is not None,
            dense=exact.dense,
            document=exact.document,
            best=exact.highest,
            sparse=sparse[chosen],
            words=words[chosen],
            examples=examples,
            name_precision=named / self._name_mass[chosen if everybody else tools],
            name_recall=named * np.float32(1.0 / (self._names.mass(query.words) or 1.0)),
            limit=limit,
            visible=len(visible),
            dense_mean=document_spread.mean if dense is cosines.document else _mean(dense),
            document_spread=document_spread,
            words_spread=words_spread,
        )

    def nearest_point(self, position: int, vector: Floats) -> tuple[int, float]:
        """Number of the tool's point nearest to a query vector, and its cosine."""
        start, end = self._starts[position : position + 2]
        rows: Ints = np.array([position, *range(int(start), int(end))])
        cosines = self._vectors[rows] @ vector
        at = int(cosines.argmax())
        return int(rows[at]), float(cosines[at])

    def highest(self, vector: Floats) -> float:
        """The highest cosine that any point of any tool has with a vector, float32[d]."""
        return float(self._scan(vector).highest.max(initial=0.0))

    def _scan(self, vector: Floats | None) -> Cosines:
        """The cosines of every tool; of 8-bit codes in a large index."""
        if vector is None:
            nothing = np.zeros(len(self.ids), np.float32)
            return Cosines(nothing, nothing, nothing, nothing, self._has)
        if not self.manifest.scale:
            return self._groups.score(self._vectors @ vector, self._scales)
        from simsimd import cdist

        codes, scale = codes_of(vector)
        products = np.asarray(cdist(codes[None], self._codes, "dot"))[0]
        products -= self._shifts  # whole numbers, so that nothing is lost
        products -= MIDDLE * (int(codes.sum()) - MIDDLE * len(codes))
        factor = 1.0 / (scale * self.manifest.scale)
        return self._groups.score(np.multiply(products, factor, dtype=np.float32, casting="same_kind"), self._scales)

    def _rescore(self, vector: Floats, tools: Ints) -> Cosines:
        """As `_scan`, in float32, for some tools only."""
        counts = self._starts[tools + 1] - self._starts[tools]
        starts = len(tools) + np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        examples: Ints = np.arange(len(tools), int(starts[-1])) + np.repeat(self._starts[tools] - starts[:-1], counts)
        heads = np.searchsorted(self._groups.owners, tools[counts > 0])
        rows = np.concatenate((tools, examples, self.manifest.points + heads))
        return _Groups.of(starts, len(tools)).score(self._vectors.take(rows, 0) @ vector, self._scales[heads])

    def _read_list(self, wire: bool) -> list[str]:
        return _strings(self._wire_names_json if wire else self._names_json)

    def _tool(self, position: int) -> Tool:
        start, end = self._lines[position : position + 2]
        return Tool.model_validate_json(self._lines_of_tools[start:end].tobytes())

    def _visible(self, role: str | None) -> Ints:
        if role is None:
            return np.arange(len(self.ids))
        roles = self.manifest.roles
        return np.flatnonzero(self._roles[roles.index(role) + 1 if role in roles else 0])


def _bytes(path: Path) -> NDArray[np.uint8]:
    return np.asarray(np.memmap(path, np.uint8, "r"))


def _strings(content: NDArray[np.uint8]) -> list[str]:
    return json.loads(content.tobytes())


def _array(folder: Path, name: str) -> NDArray[Any]:
    # asarray leaves the memmap subclass behind, whose slices cost five times as much
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))


class Cosines(NamedTuple):
    """What the vectors say about n tools.

    Attributes:
        document: float32[n], cosine of the document.
        mean: float32[n], mean cosine of its examples; that of the document if it has none.
        best: float32[n], the highest of them.
        head: float32[n], score of its head; 0 if it has none.
        has: bool[n], whether it has examples; None if all have, or none has.
    """

    document: Floats
    mean: Floats
    best: Floats
    head: Floats
    has: NDArray[np.bool_] | None

    @property
    def dense(self) -> Floats:
        """float32[n], the score of the dense arm.

        For a tool with examples the mean of its document's cosine, its best and its mean example's: in nine dev conditions 2.3
        points of NDCG@10 above the best of the three alone. (A maximum over points loses on some.)
        """
        if self.mean is self.document:
            return self.document
        return (self.document + self.mean + self.best) * _THIRD

    @property
    def highest(self) -> Floats:
        """float32[n], highest cosine among the tool's points."""
        return self.document if self.mean is self.document else np.maximum(self.document, self.best)

    def of(self, chosen: Ints | slice) -> Cosines:
        """Those of some tools only."""
        if isinstance(chosen, slice):
            return self
        document = self.document[chosen]
        has = self.has[chosen] if self.has is not None else None
        if self.mean is self.document:
            return Cosines(document, document, document, document, has)
        return Cosines(document, self.mean[chosen], self.best[chosen], self.head[chosen], has)

    def correct(self, at: Ints, exact: Cosines) -> None:
        """Put in the exact numbers of some tools."""
        for values, right in (
            (self.document, exact.document),
            (self.mean, exact.mean),
            (self.best, exact.best),
            (self.head, exact.head),
        ):
            values[at] = right


@dataclass(frozen=True, slots=True)
class _Groups:
    """Which points belong to which tool: documents come first, then the examples of each tool, then heads.

    Attributes:
        n: Number of tools.
        owners: int[o], the tools that have examples.
        firsts: int[o], where the examples of each start, behind the documents.
        counts: float32[o], how many there are.
        each: How many each has, if all have as many; otherwise 0.
        last: Where the heads start.
    """

    n: int
    owners: Ints
    firsts: Ints
    counts: Floats
    each: int
    last: int

    @classmethod
    def of(cls, starts: Ints, n: int) -> _Groups:
        """From int[n + 1], the number of each tool's first example."""
        counts = starts[1:] - starts[:-1]
        owners = np.flatnonzero(counts)
        counts = counts[owners]
        each = int(counts[0]) if len(owners) and (counts == counts[0]).all() else 0
        return cls(n, owners, starts[owners] - n, counts.astype(np.float32), each, int(starts[-1]))

    def score(self, products: Floats, scales: Floats) -> Cosines:
        """The cosines of each tool.

        Args:
            products: float32[p + o], one a point and one a head.
            scales: float32[o, 2], of the heads.
        """
        document = products[: self.n]
        if not len(self.owners):
            return Cosines(document, document, document, document, None)
        examples, owners = products[self.n : self.last], self.owners
        if self.each:  # a sixth of the time
            columns = np.ascontiguousarray(examples.reshape(-1, self.each).T)
            best, mean = np.maximum.reduce(columns), np.add.reduce(columns)
        else:
            best, mean = np.maximum.reduceat(examples, self.firsts), np.add.reduceat(examples, self.firsts)
        mean /= self.counts
        head = products[self.last :] * scales[:, 0]
        head += scales[:, 1]
        if len(owners) == self.n:
            return Cosines(document, mean, best, head, None)
        means, bests, heads, has = document.copy(), document.copy(), np.zeros_like(document), np.zeros(self.n, np.bool_)
        means[owners], bests[owners], heads[owners], has[owners] = mean, best, head, True
        return Cosines(document, means, bests, heads, has)


def _examples(
    every: Cosines, chosen: Cosines, words: Floats, words_chosen: Floats, document: Spread
) -> Examples | None:
    """What the examples say about the chosen tools, and how that spreads over all that have examples."""
    has = every.has
    if has is not None and not has.any():
        return None
    owned = [each if has is None else each[has] for each in (every.mean, every.best, every.head)]
    mean, best, head = map(_spread, owned)
    few = len(owned[0])
    return Examples(
        share=1.0 if has is None else float(np.count_nonzero(has)) / len(has),
        has=chosen.has,
        mean=chosen.mean,
        best=chosen.best,
        head=chosen.head,
        words=words_chosen,
        mean_spread=_steadied(mean, few, document),
        best_spread=_steadied(best, few, document),
        head_spread=head,
        words_spread=_spread(words),
    )


def _steadied(spread: Spread, n: int, like: Spread) -> Spread:
    """The spread of n values, drawn towards one that is known better: a handful of examples has none of its own."""
    own = n / (n + _STEADY)
    variance = own * spread.std**2 + (1 - own) * like.std**2
    return Spread(own * spread.mean + (1 - own) * like.mean, variance**0.5)


def _spread(values: Floats) -> Spread:
    """Mean and standard deviation (a few times faster than numpy's own on short arrays)."""
    mean = _mean(values)
    return Spread(mean, max(float(values @ values) / max(len(values), 1) - mean * mean, 0.0) ** 0.5)


def _mean(values: Floats) -> float:
    return float(np.add.reduce(values)) / max(len(values), 1)


def _top(scores: Floats, limit: int, *, positive: bool = False) -> Ints:
    """Positions of the best scores, best first, ties by position (so by id); with ``positive`` only scores above 0."""
    # The limit-th highest of the highest scores of blocks is passed by at least `limit` scores, and few more: a tenth of
    # the time that a partition of all takes. Any blocks will do: columns are read faster than rows.
    size = max(1, len(scores) // (4 * limit))
    blocks = len(scores) // size
    highest = scores[: blocks * size].reshape(size, blocks).max(axis=0)
    least = np.partition(highest, -limit)[-limit] if blocks > limit else -np.inf
    found = np.flatnonzero(scores > 0 if positive and least <= 0 else scores >= least)
    return found[np.argsort(-scores[found], kind="stable")[:limit]]
