"""Queries whose answer is known → rows to calibrate on: their signals, and whether any tool fits and the first is right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders import Progress
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.lexical import Tokenizer
from toolcurator.retrieval import Curator
from toolcurator.retrieval.background import background_vectors, general_queries, spoken
from toolcurator.routing.kernel_head import KernelHead, fit_kernel_head
from toolcurator.routing.signals import outlook, words_of
from toolcurator.training.left_out import FOLDS, examples_of, left_out

Kind = Literal["in", "general", "near"]

KERNEL_WEIGHTS = (0.0, 0.25, 0.5, 1.0)
"""What the kernel head may weigh beside the fused score; the calibration takes the one that finds most."""
FEW = 30
"""Labelled queries without a tool from which on the general ones are left out."""
MOST = 3000
"""Labelled queries that are asked; more are sampled down."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    """One query.

    Attributes:
        kind: ``in`` if a tool fits, else ``general`` or ``near``.
        signals: For each of `KERNEL_WEIGHTS`, in the order of `SIGNALS`.
        right: For each of them, whether the first tool is right.
    """

    kind: Kind
    signals: tuple[tuple[float, ...], ...]
    right: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    query: str
    right: frozenset[str]
    kind: Kind
    role: str | None = None


def gather(
    curator: Curator,
    queries: Sequence[LabelledQuery] | None,
    negatives: Sequence[str],
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[Row], KernelHead | None]:
    """Ask queries whose answer is known.

    Args:
        curator: The curator; it is not changed.
        queries: Labelled queries; those that stand among the examples are passed over. None asks each example of an index
            without it.
        negatives: Messages from near the domain that no tool serves.
        seed: Seed of samples and folds.
        progress: Called with queries asked and queries to ask.

    Returns:
        The rows, and the kernel head of the whole catalogue if it can have one. General messages that are asked stand in no
        background they are compared with.
    """
    general = [_Asked(each.query, frozenset(), "general") for each in general_queries()]
    known = {text.strip().casefold() for tool in curator.index.catalog for text in examples_of(tool)}
    asked: list[_Asked] = []
    for query in queries or ():
        right = frozenset[str]().union(*query.needs)
        kind: Kind = "in" if right else "near" if query.kind == "near" else "general"
        if query.query.strip().casefold() not in known:
            asked.append(_Asked(query.query, right, kind, query.role))
    if len(asked) > MOST:
        asked = random.Random(seed).sample(asked, MOST)  # noqa: S311
    outside = sum(not each.right for each in asked)
    asked += [_Asked(text, frozenset(), "near") for text in negatives]
    background = background_vectors(curator.index, curator.encoder) if curator.encoder is not None else None
    kernel = fit_kernel_head(curator.index, background) if background is not None else None
    folds = np.random.default_rng(seed).permutation(len(general)) % FOLDS
    in_language = spoken({curator.index.manifest.language, *(query.lang for query in queries or ())})
    total = len(asked) + (len(in_language) if outside < FEW or queries is None else 0)
    done = 0

    def report(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, max(total, done))

    rows: list[Row] = []
    for row in _ask(curator, asked, kernel, background):
        rows.append(row)
        report(1)
    if queries is not None:
        if outside < FEW:
            for fold in range(FOLDS):
                part = [general[at] for at in in_language if folds[at] == fold]
                rest = background[folds != fold] if background is not None else None
                head = fit_kernel_head(curator.index, rest) if rest is not None and kernel is not None else None
                rows += _ask(curator, part, head, rest)
                report(len(part))
        return rows, kernel
    seen = 0
    for fold, (rest_curator, pairs) in enumerate(left_out(curator, seed=seed)):
        seen = fold + 1
        rest = background[folds != fold] if background is not None else None
        head = fit_kernel_head(rest_curator.index, rest) if rest is not None and kernel is not None else None
        part = [_Asked(text, right, "in") for text, right in pairs]
        part += [general[at] for at in in_language if folds[at] == fold]
        total = max(total, len(asked) + len(in_language) + FOLDS * len(pairs))
        rows += _ask(rest_curator, part, head, rest)
        report(len(part))
    if not seen:
        rows += _ask(curator, [general[at] for at in in_language], None, None)
    return rows, kernel


def _ask(
    curator: Curator, asked: Sequence[_Asked], kernel: KernelHead | None, background: Floats | None
) -> Iterator[Row]:
    words = lru_cache(maxsize=4096)(words_of(curator.index, Tokenizer(curator.index.manifest.language)))
    ids = curator.index.ids
    for each in asked:
        found = curator.ranking(each.query, role=each.role).found[0]
        vector = found.query.vector
        scores = kernel.scores(vector) if kernel is not None and vector is not None else None
        near = float((background @ vector).max(initial=0.0)) if background is not None and vector is not None else 0.0
        seen = [
            outlook(
                found, curator.index, words, kernel=scores, weight=weight, background=near, scale=curator.cosine_scale
            )
            for weight in (KERNEL_WEIGHTS if scores is not None else KERNEL_WEIGHTS[:1])
        ]
        whole = [one for one in seen if one is not None]
        if whole:
            yield Row(
                each.kind,
                tuple(one.signals for one in whole),
                tuple(ids[found.evidence.tools[one.order[0]]] in each.right for one in whole),
            )
