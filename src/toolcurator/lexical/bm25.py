"""BM25 over weighted fields, in its Lucene form, on memory-mapped arrays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from math import log1p
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.errors import ToolCuratorError
from toolcurator.lexical.postings import Postings
from toolcurator.lexical.vocabulary import Vocabulary

FORMAT = 1
_REMEMBERED = 16_384  # tokens
_WEIGHTINGS = 16  # kept in memory beside the one that was built

Weights = tuple[float, ...]


class LexicalIndexError(ToolCuratorError):
    """A saved lexical index is missing, damaged or of another format."""


@dataclass(frozen=True, eq=False)
class Bm25:
    """BM25 of n documents that have several fields.

    Fields are joined before saturation, as if the text of a field were repeated by its weight (the simple form of
    BM25F), which ranks better than a sum of one BM25 a field:

        score = sum over tokens of idf * tf / (tf + k1 * (1 - b + b * length / mean length))
        tf = sum over fields of weight * count;  length = sum over fields of weight * number of tokens
        idf = ln(1 + (n - df + 0.5) / (df + 0.5)), above 0 for any df (pitfall A3); df counts documents, not fields

    The mean length is that of the documents that have any token.

    Attributes:
        names: The fields.
        k1: How fast a repeated token saturates.
        b: How much a long document is discounted.
        weights: The weighting of `impacts`.
        vocabulary: The V tokens of all fields.
        postings: Which documents hold which token how often.
        idfs: float32[V].
        impacts: float32[Q], what a token adds to the score of a document under `weights`, for each of `postings.docs`.
    """

    names: tuple[str, ...]
    k1: float
    b: float
    weights: Weights
    vocabulary: Vocabulary
    postings: Postings
    idfs: NDArray[np.float32]
    impacts: NDArray[np.float32]
    _other_impacts: dict[Weights, NDArray[np.float32]] = field(
        default_factory=dict[Weights, NDArray[np.float32]], init=False, repr=False
    )

    @classmethod
    def build(
        cls,
        fields: Mapping[str, Sequence[Sequence[str]]],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        weights: Mapping[str, float] | None = None,
    ) -> Bm25:
        """Count tokens and weigh them.

        Args:
            fields: Per field one token list for each document, in the same order.
            k1: How fast a repeated token saturates.
            b: How much a long document is discounted, 0 to 1.
            weights: Weight per field of the usual query (default: 1 each). `scores` takes any others, but their first
                use weighs every posting again.

        Raises:
            ValueError: If the fields hold different numbers of documents, or there are more than 255.
        """
        names = tuple(fields)
        usual = tuple(float((weights or {}).get(name, 1.0)) for name in names)
        tokens = sorted(set(chain.from_iterable(chain.from_iterable(fields.values()))))
        return cls._of(names, k1, b, usual, tokens, Postings.count(list(fields.values()), _numbered(tokens)))

    def updated(self, kept: NDArray[np.integer[Any]], fields: Mapping[str, Sequence[Sequence[str]]]) -> Bm25:
        """The index of changed documents: equal to building it anew, but the texts of kept documents are not needed.

        Args:
            kept: int[m], for each document of the new index its number in this one (each at most once), or -1 for a new
                or changed document.
            fields: Per field one token list for each -1 in `kept`, in the same order.

        Raises:
            ValueError: If the fields are others than this index has, or do not fit `kept`.
        """
        kept = np.asarray(kept, np.int64)
        columns = [fields.get(name, ()) for name in self.names]
        missing = int(np.count_nonzero(kept < 0))
        if set(fields) - set(self.names) or any(len(column) != missing for column in columns):
            raise ValueError(f"updated() needs the tokens of {missing} documents in each of the fields {self.names}")
        old = self.vocabulary.tokens()
        used = self.postings.used(kept)
        fresh = set(chain.from_iterable(chain.from_iterable(columns)))
        tokens = sorted(fresh.union(token for token, in_use in zip(old, used.tolist(), strict=True) if in_use))
        number = _numbered(tokens)
        renumbered = np.array([number.get(token, -1) for token in old], np.int64)
        postings = self.postings.updated(kept, renumbered, Postings.count(columns, number), len(tokens))
        return self._of(self.names, self.k1, self.b, self.weights, tokens, postings)

    @classmethod
    def _of(
        cls, names: tuple[str, ...], k1: float, b: float, weights: Weights, tokens: list[str], postings: Postings
    ) -> Bm25:
        df = np.diff(postings.starts)
        idfs = np.log1p((postings.n - df + 0.5) / (df + 0.5)).astype(np.float32)
        impacts = _weigh(postings, idfs, weights, k1, b)
        return cls(names, k1, b, weights, Vocabulary.of(tokens), postings, idfs, impacts)

    def save(self, folder: Path) -> None:
        """Write into a folder, which is made; equal indexes give equal bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {**self.vocabulary.arrays(), **self.postings.arrays(), "idfs": self.idfs, "impacts": self.impacts}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        about = {"format": FORMAT, "names": self.names, "k1": self.k1, "b": self.b, "weights": self.weights}
        (folder / "bm25.json").write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Bm25:
        """Map a saved index into memory.

        Raises:
            LexicalIndexError: If it is missing, damaged or of another format.
        """
        try:
            about = json.loads((folder / "bm25.json").read_text(encoding="utf-8"))
            if about["format"] != FORMAT:
                raise ValueError(f"format {about['format']}, not {FORMAT}")
            # np.asarray takes off the memmap subclass, whose slices cost five times as much
            arrays: dict[str, NDArray[Any]] = {
                file.stem: np.asarray(np.load(file, mmap_mode="r", allow_pickle=False)) for file in folder.glob("*.npy")
            }
            vocabulary = Vocabulary(*(arrays[name] for name in Vocabulary.ARRAYS))
            postings = Postings(*(arrays[name] for name in Postings.ARRAYS))
            idfs, impacts = arrays["idfs"], arrays["impacts"]
            if not (len(vocabulary) == len(idfs) == len(postings.starts) - 1 and len(postings.docs) == len(impacts)):
                raise ValueError("its arrays do not belong together")
            names, weights = tuple(about["names"]), tuple(about["weights"])
            return cls(names, about["k1"], about["b"], weights, vocabulary, postings, idfs, impacts)
        except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
            raise LexicalIndexError(f"{folder}: not a readable lexical index ({error}); build it again") from error

    @property
    def n(self) -> int:
        """Number of documents."""
        return self.postings.n

    @property
    def knows(self) -> Callable[[str], bool]:
        """Whether a document holds a token, for the tokenizer; a function that is quick to call."""
        return self.vocabulary.has

    def scores(
        self,
        tokens: Sequence[str],
        weights: Mapping[str, float] | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """Score every document.

        Args:
            tokens: The query's tokens; each counts once, however often it is repeated.
            weights: Weight per field, 0 or more; a field that is not named weighs nothing. None: as it was built.
            mask: bool[n], False where a document must not be seen.

        Returns:
            float32[n], 0 where a document holds no token or is not to be seen.
        """
        total = np.zeros(self.n, np.float32)
        held = self._held
        if weights is None:
            found = [pair for token in dict.fromkeys(tokens) if (pair := held(token))]
        else:
            impacts = self._impacts(tuple([float(weights.get(name, 0.0)) for name in self.names]))
            found = [(self.postings.docs[span], impacts[span]) for _, span in self._spans(tokens)]
        if not found:
            return total
        # np.bincount is as fast, but its float64[n] can make the allocator give memory back and fetch it at every query
        docs, impacts = map(np.concatenate, zip(*found, strict=True))
        np.add.at(total, docs, impacts)
        if mask is not None:
            total *= mask
        return total

    def field_scores(self, tokens: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Per field, float32[n]: what `scores` gives when that field alone weighs 1."""
        return {name: self.scores(tokens, {name: 1.0}) for name in self.names}

    def highest(self) -> NDArray[np.float32]:
        """float32[n]: what each document scores for all of its own tokens, the most that any query can give it."""
        return np.bincount(self.postings.docs, self.impacts, self.n).astype(np.float32)

    @cached_property
    def idf(self) -> Callable[[str], float]:
        """IDF of a token, a function that is quick to call; of an unknown one the largest, since an unknown word is specific."""
        find, idfs, unknown = self.vocabulary.find, self.idfs, log1p((self.n + 0.5) / 0.5)

        def idf(token: str) -> float:
            i = find(token)
            return float(idfs[i]) if i >= 0 else unknown

        return lru_cache(maxsize=_REMEMBERED)(idf)

    def mass(self, tokens: Sequence[str]) -> float:
        """The IDF of distinct tokens, summed."""
        return sum(map(self.idf, set(tokens)))

    def matched(self, tokens: Sequence[str], docs: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """float32[m]: the IDF of distinct tokens that each of the given documents (int[m]) holds, summed."""
        total = np.zeros(len(docs), np.float32)
        wanted = docs.astype(np.int32)
        for i, span in self._spans(tokens):
            holders = self.postings.docs[span]
            total += self.idfs[i] * (holders.take(holders.searchsorted(wanted), mode="clip") == wanted)
        return total

    @cached_property
    def _held(self) -> Callable[[str], tuple[NDArray[np.int32], NDArray[np.float32]] | None]:
        """The documents that hold a token, and what it adds to their scores; remembered, since slicing takes its time."""
        find, starts, docs, impacts = self.vocabulary.find, self.postings.starts.data, self.postings.docs, self.impacts

        def held(token: str) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
            i = find(token)
            return (docs[starts[i] : starts[i + 1]], impacts[starts[i] : starts[i + 1]]) if i >= 0 else None

        return lru_cache(maxsize=_REMEMBERED)(held)

    def _spans(self, tokens: Sequence[str]) -> list[tuple[int, slice]]:
        """Number and postings of each distinct token that is known."""
        starts = self.postings.starts.data  # single items are read three times faster than from the array
        find = self.vocabulary.find
        numbers = [i for token in dict.fromkeys(tokens) if (i := find(token)) >= 0]
        return [(i, slice(starts[i], starts[i + 1])) for i in numbers]

    def _impacts(self, weights: Weights) -> NDArray[np.float32]:
        if weights == self.weights:
            return self.impacts
        known = self._other_impacts
        if weights not in known:
            if len(known) >= _WEIGHTINGS:
                known.clear()
            known[weights] = _weigh(self.postings, self.idfs, weights, self.k1, self.b)
        return known[weights]


def _numbered(tokens: list[str]) -> dict[str, int]:
    return {token: i for i, token in enumerate(tokens)}


def _weigh(postings: Postings, idfs: NDArray[np.float32], weights: Weights, k1: float, b: float) -> NDArray[np.float32]:
    weight = np.array(weights, np.float32)
    tf = postings.term_frequencies(weight)
    length = weight @ postings.lengths
    mean = float(length.sum()) / max(1, np.count_nonzero(length))  # most tools may have no examples
    norm = k1 * (1 - b + b * length / max(mean, 1e-9))
    idf = np.repeat(idfs, np.diff(postings.starts))
    return (idf * tf / np.maximum(tf + norm[postings.docs], 1e-9)).astype(np.float32)
