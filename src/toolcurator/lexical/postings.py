"""Which documents hold which token, in which field, how often: flat arrays that open by memory mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Postings:
    """Token counts of n documents with F fields.

    Attributes:
        starts: int64[V + 1], where each token's documents start in `docs`.
        docs: int32[Q], for each token its documents in rising order.
        firsts: int64[Q + 1], where the entries of a token in a document start in `fields` and `counts`.
        fields: uint8[P], field of an entry.
        counts: uint16[P], how often the token stands in that field of that document.
        lengths: int32[F, n], tokens in each field of each document.
    """

    ARRAYS: ClassVar = ("starts", "docs", "firsts", "fields", "counts", "lengths")

    starts: NDArray[np.int64]
    docs: NDArray[np.int32]
    firsts: NDArray[np.int64]
    fields: NDArray[np.uint8]
    counts: NDArray[np.uint16]
    lengths: NDArray[np.int32]

    @classmethod
    def count(cls, columns: Sequence[Sequence[Sequence[str]]], number: Mapping[str, int]) -> Postings:
        """Count tokens.

        Args:
            columns: Per field one token list for each document.
            number: Every token's number, from 0.

        Raises:
            ValueError: If the fields hold different numbers of documents, or there are more than 255.
        """
        sizes = [len(column) for column in columns]
        if len(set(sizes)) > 1 or len(sizes) > 255:
            raise ValueError(f"BM25 takes up to 255 fields over the same documents; documents per field: {sizes}")
        n = max(sizes, default=0)
        lengths = np.array([[len(document) for document in column] for column in columns], np.int32)
        lengths = lengths.reshape(len(columns), n)
        key = np.empty(int(lengths.sum()), np.int64)  # large catalogues fill the memory: no copies from here on
        part, end = key, 0
        for f, column in enumerate(columns):
            start, end = end, end + int(lengths[f].sum())
            part = key[start:end]
            part[:] = np.fromiter(map(number.__getitem__, chain.from_iterable(column)), np.int32, end - start)
            part *= n
            part += np.repeat(np.arange(n, dtype=np.int32), lengths[f])
            part *= len(columns)
            part += f
        key.sort()  # np.unique would copy it three times
        firsts = np.flatnonzero(_starts(key))
        counts = _small(np.diff(firsts, append=len(key)))
        distinct = [key[firsts]]
        del key, part, firsts
        return cls._of(distinct, counts, lengths, len(number))

    @classmethod
    def _of(
        cls, keys: list[NDArray[np.int64]], counts: NDArray[np.uint16], lengths: NDArray[np.int32], size: int
    ) -> Postings:
        """From rising keys, each token, document and field in one number.

        The list of that one array is emptied, so that it leaves the memory as soon as it is used up.
        """
        key = keys.pop()
        fields = np.empty(len(key), np.uint8)
        np.remainder(key, max(1, lengths.shape[0]), out=fields, casting="unsafe")
        key //= max(1, lengths.shape[0])
        firsts = np.flatnonzero(np.append(_starts(key), True))
        pair = key[firsts[:-1]]
        del key
        docs = np.empty(len(pair), np.int32)
        np.remainder(pair, max(1, lengths.shape[1]), out=docs, casting="unsafe")
        pair //= max(1, lengths.shape[1])
        return cls(
            starts=np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=size))]).astype(np.int64),
            docs=docs,
            firsts=firsts.astype(np.int64),
            fields=fields,
            counts=counts,
            lengths=lengths,
        )

    @property
    def n(self) -> int:
        """Number of documents."""
        return self.lengths.shape[1]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, as the constructor takes them."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    def term_frequencies(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32[Q]: the count of each token in each document, weighted by field (float32[F]) and summed."""
        if not len(self.docs):
            return np.zeros(0, np.float32)
        return np.add.reduceat(weights[self.fields] * self.counts, self.firsts[:-1])

    def used(self, kept: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """bool[V]: which tokens the kept documents hold."""
        seen = self._places(kept)[self.docs] >= 0
        return np.bincount(self._tokens()[seen], minlength=len(self.starts) - 1) > 0

    def updated(
        self, kept: NDArray[np.integer[Any]], renumbered: NDArray[np.int64], new: Postings, size: int
    ) -> Postings:
        """Keep some documents and put others between them.

        Args:
            kept: int[m], number of a kept document here, or -1 for the next document of `new`.
            renumbered: int64[V], the new number of each token, -1 for one that is not used any more.
            new: Counts of the new documents, by the new numbers of tokens.
            size: Number of tokens after the change.
        """
        lengths = np.zeros((self.lengths.shape[0], len(kept)), np.int32)
        lengths[:, kept >= 0] = self.lengths[:, kept[kept >= 0]]
        lengths[:, kept < 0] = new.lengths
        old_key, old_counts = self._keys(renumbered, self._places(kept), lengths.shape)
        new_key, new_counts = new._keys(np.arange(size), np.flatnonzero(kept < 0), lengths.shape)
        key = np.concatenate([old_key, new_key])
        order = np.argsort(key, kind="stable")
        return self._of([key[order]], np.concatenate([old_counts, new_counts])[order], lengths, size)

    def _keys(
        self, tokens: NDArray[np.int64], places: NDArray[np.int64], shape: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """Keys and counts of the entries whose document has a place."""
        pairs = np.diff(self.firsts)
        place = np.repeat(places[self.docs], pairs)
        token = np.repeat(tokens[self._tokens()], pairs)
        seen = place >= 0
        return ((token * shape[1] + place) * shape[0] + self.fields)[seen], self.counts[seen]

    def _tokens(self) -> NDArray[np.int64]:
        """int64[Q]: the token of each posting."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def _places(self, kept: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """int64[n]: where each document went, -1 if it was dropped."""
        places = np.full(self.n, -1, np.int64)
        places[kept[kept >= 0]] = np.flatnonzero(kept >= 0)
        return places


def _small(counts: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
    return np.minimum(counts, np.iinfo(np.uint16).max).astype(np.uint16)


def _starts(rising: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[n]: where another number starts."""
    starts = np.ones(len(rising), np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=starts[1:])
    return starts
