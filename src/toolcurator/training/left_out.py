"""A catalogue's examples → queries with a known answer, each asked of an index that does not hold it."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.index import LocalIndex, build_index, points_of
from toolcurator.lexical import Tokenizer
from toolcurator.retrieval import Curator
from toolcurator.tool import Tool

FOLDS = 5
ENOUGH = 4
"""Examples a tool must have for one of them to be left out. With two, the one that stays says half of what the two did, and what
is fitted would turn away from examples altogether: on ``examples/campus`` it did, and lost 5 points on labelled queries."""


def left_out(
    curator: Curator, *, most: int = 1000, seed: int = 0
) -> Iterator[tuple[Curator, list[tuple[str, frozenset[str]]]]]:
    """Ask each example of an index without it, fold by fold.

    Args:
        curator: The curator; it is not changed.
        most: Examples that are asked; more are sampled down.
        seed: Seed of folds and sample.

    Yields:
        A curator without a fifth of the examples, and those: text, and ids of the tools that have it. It can be asked until the
        next one comes. Nothing where no tool has `ENOUGH` examples, or there is no encoder.
    """
    if curator.encoder is None:
        return
    tools = list(curator.index.catalog)
    taught = [
        (at, text) for at, tool in enumerate(tools) if len(texts := examples_of(tool)) >= ENOUGH for text in texts
    ]
    random.Random(seed).shuffle(taught)  # noqa: S311
    fold_of: dict[tuple[int, str], int] = {}
    counts = [0] * len(tools)
    for at, text in taught:  # a tool's examples go to different folds
        fold_of[at, text] = counts[at] % FOLDS
        counts[at] += 1
    owners: dict[str, set[str]] = {}
    for at, text in fold_of:
        owners.setdefault(text, set()).add(tools[at].id)
    known = _Known(curator.encoder, curator.index)
    for fold in range(FOLDS):
        gone = {pair for pair, number in fold_of.items() if number == fold}
        asked = [text for pair in taught[:most] if pair in gone for text in pair[1:]]
        if not asked:
            continue
        kept = [_without(tool, {text for owner, text in gone if owner == at}) for at, tool in enumerate(tools)]
        with tempfile.TemporaryDirectory(prefix="toolcurator-") as folder:
            generation = build_index(
                Catalog(kept, language=curator.index.manifest.language),
                Path(folder),
                encoder=known,
                tokenizer=Tokenizer(curator.index.manifest.language),
                settings=curator.settings,
            )
            rest = Curator(LocalIndex(generation, curator.settings), encoder=curator.encoder, settings=curator.settings)
            rest.use(curator.weights)
            yield rest, [(text, frozenset(owners[text])) for text in dict.fromkeys(asked)]


def examples_of(tool: Tool) -> list[str]:
    """Its example queries, those of its profile among them, as they are indexed."""
    return [point.text for point in points_of(tool, ("name",))[1:]]


def _without(tool: Tool, texts: set[str]) -> Tool:
    if not texts:
        return tool
    kept = tuple(text for text in tool.examples if text.strip() not in texts)
    profile = tool.profile
    if profile is not None:
        queries = tuple(text for text in profile.example_queries if text.strip() not in texts)
        profile = profile.model_copy(update={"example_queries": queries})
    return tool.model_copy(update={"examples": kept, "profile": profile})


class _Known:
    """An encoder that takes the vectors of the index for the texts that it holds.

    Args:
        encoder: Encodes what is not known.
        index: Holds the vectors.
    """

    def __init__(self, encoder: Encoder, index: LocalIndex) -> None:
        self.id, self.dimensions = encoder.id, encoder.dimensions
        self.max_tokens, self.languages = encoder.max_tokens, encoder.languages
        self.encode_queries, self.count_tokens = encoder.encode_queries, encoder.count_tokens
        self._encoder = encoder
        self._known = index.vectors_by_text()

    def encode_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """float32[n, d]."""
        unknown = [text for text in texts if text not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._encoder.encode_documents(unknown, progress=progress), strict=True))
        return np.stack([self._known[text] for text in texts])
