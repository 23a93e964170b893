"""Asking a curator every query of a set, and writing down what came of it."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from toolcurator.encoders import Progress
from toolcurator.errors import QueryError
from toolcurator.evaluation.cost import ESTIMATE, cost_of, tool_tokens
from toolcurator.evaluation.labels import Dataset, LabelledQuery
from toolcurator.evaluation.leakage import find_leaks
from toolcurator.evaluation.offered import fits_among
from toolcurator.evaluation.record import Answer, Asked, Run, SetRun
from toolcurator.retrieval import Curator
from toolcurator.retrieval.budget import estimate_tokens
from toolcurator.version import __version__

SENT = 10
"""Tools that are sent to a model where the cost is counted: the default k of a curator."""


def evaluate(
    dataset: Dataset,
    curator: Curator,
    *,
    k: int = 20,
    instruction: bool = False,
    build: float = 0.0,
    counter: tuple[str, Callable[[str], int]] = (ESTIMATE, estimate_tokens),
    progress: Progress | None = None,
) -> SetRun:
    """Ask a curator every query of a set.

    Args:
        dataset: The set.
        curator: Opened over the set's tools.
        k: Depth of the rankings.
        instruction: Put ToolRet's instruction before each query; it was written while looking at the answer.
        build: Seconds it took to open the curator, for the record.
        counter: Name and function that count tokens, see `toolcurator.evaluation.cost.token_counter`.
        progress: Called with queries done and queries to ask.
    """
    asked = dataset.asked()
    ranked = {query.id for query in dataset.queries}
    paired = {query.id for query in dataset.in_scope}
    curator.select("warm up", k=k)  # the first search of a process loads what the others find loaded
    answers: list[Answer] = []
    calibrated = True
    refused: list[str] = []
    for done, query in enumerate(asked, 1):
        text = f"{query.instruction} {query.query}" if instruction and query.instruction else query.query
        answer = Answer(
            id=query.id,
            query=query.query,
            kind=query.kind,
            subset=query.subset,
            needs=tuple(tuple(sorted(need)) for need in query.needs),
            ranked=query.id in ranked,
            paired=query.id in paired,
        )
        try:
            start = time.perf_counter()
            selection = curator.select(text, k=k, role=query.role, no_fit="keep")
            ms = 1000 * (time.perf_counter() - start)
        except QueryError:  # it says nothing; then no tool is found, which is also the answer
            refused.append(query.id)
        else:
            calibrated &= selection.calibrated
            fits = fits_among(curator, text, query.candidates, query.role) if query.candidates else selection.fits
            came = {
                "hits": tuple(hit.id for hit in selection),
                "scores": tuple(round(hit.score, 6) for hit in selection),
                "fits": round(fits, 6),
                "ms": round(ms, 3),
            }
            answer = answer.model_copy(update=came)
        answers.append(answer)
        if progress is not None:
            progress(done, len(asked))
    name, count = counter
    return SetRun(
        name=dataset.name,
        category=dataset.category,
        notes=dataset.meta.notes,
        tools=len(curator),
        available=dataset.available,
        threshold=curator.settings.fit_threshold,
        calibrated=calibrated,
        answers=tuple(answers),
        cost=cost_of(
            [answer.hits for answer in answers],
            [answer.ms for answer in answers if answer.ms],
            tool_tokens(curator, count),
            k=min(k, SENT),
            counter=name,
            build=round(build, 3),
        ),
        leaks=find_leaks(
            [(query.id, query.query) for query in asked],
            train=[(query.id, query.query) for query in dataset.train],
            examples=[(tool.id, text) for tool in curator.index.catalog for text in tool.examples],
        ),
        warnings=(*_unknown(asked, curator), *_refused(refused)),
    )


def described(label: str, curator: Curator, asked: Asked, sets: Sequence[SetRun]) -> Run:
    """A run with everything that makes it repeatable."""
    settings = curator.settings.model_dump(mode="json", exclude_defaults=True, exclude={"index_dir"})
    libraries = ("numpy", "onnxruntime", "tokenizers", "ir-measures", "scikit-learn")
    return Run(
        label=label,
        made=datetime.now(UTC).replace(microsecond=0),
        settings=settings,
        encoder=curator.index.encoder_id,
        versions={
            "toolcurator": __version__,
            "python": platform.python_version(),
            "machine": f"{platform.system()} {platform.machine()}",
            **{library: _version(library) for library in libraries},
        },
        asked=asked,
        sets=tuple(sets),
    )


def _unknown(asked: Sequence[LabelledQuery], curator: Curator) -> tuple[str, ...]:
    """A need that no tool of the catalogue can meet is a fault of the data, and would only lower the figures."""
    known = set(curator.index.ids)
    lost = {id: query for query in asked for need in query.needs if not need & known for id in need}
    if not lost:
        return ()
    id, query = next(iter(lost.items()))
    queries = len({query.id for query in lost.values()})
    return (
        f"queries that need a tool which the catalogue does not hold: {queries}, the first is {query.id!r} ({id!r})",
    )


def _refused(ids: Sequence[str]) -> tuple[str, ...]:
    return (f"queries with nothing to search for: {len(ids)}, the first is {ids[0]!r}",) if ids else ()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
