"""How good a ranking is: NDCG with linear gain, Recall, reciprocal rank (all by ``ir-measures``) and Completeness, per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolcurator.evaluation.extra import load_library

CUTS = (1, 3, 5, 10, 20)
METRICS = ("ndcg", "recall", "complete", "mrr")

Needs = Sequence[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Measures:
    """Every metric of every query.

    Attributes:
        values: ``ndcg@10`` and so on → float64[n], one entry a query, from 0 to 1.
    """

    values: Mapping[str, NDArray[np.float64]]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self.values[name]

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def mean(self, name: str) -> float:
        """Mean over the queries (query micro average); NaN if there are none."""
        values = self.values[name]
        return float(values.mean()) if len(values) else float("nan")

    def at(self, chosen: NDArray[np.bool_]) -> Measures:
        """The same for some of the queries.

        Args:
            chosen: bool[n].
        """
        return Measures({name: values[chosen] for name, values in self.values.items()})


def measure(rankings: Sequence[Sequence[str]], needs: Sequence[Needs], cuts: Sequence[int] = CUTS) -> Measures:
    """Measure rankings.

    Completeness@k (ToolRet's) is 1 if every need is met within the first k, each by a tool of its own. The others are
    trec_eval's, over needs in place of documents: a need counts once, for the first tool that meets it, so that
    equivalents and alternatives neither add to the ideal nor to the gain. The order of a ranking is all that counts, never
    a score, so there are no ties; an id that comes twice counts for its first place.

    Args:
        rankings: Tool ids of each query, best first.
        needs: What each query needs; at least one need a query.
        cuts: The cutoffs k.

    Raises:
        MissingExtra: ``ir-measures`` is not installed.
        ValueError: A query without a need: it has no right ranking, and belongs to `toolcurator.evaluation.fit`.
    """
    library = load_library("ir_measures")
    if any(not each for each in needs):
        raise ValueError("a query without needs has no right ranking")
    measures = {
        measured @ k: f"{name}@{k}"
        for k in cuts
        for name, measured in (("ndcg", library.nDCG), ("recall", library.R), ("mrr", library.RR))
    }
    found: dict[str, NDArray[np.float64]] = {
        f"{name}@{k}": np.zeros(len(rankings), np.float64) for name in METRICS for k in cuts
    }
    qrels = {str(at): {f"need {i}": 1 for i in range(len(each))} for at, each in enumerate(needs)}
    runs = {
        str(at): {label: -float(rank) for rank, label in enumerate(met(ranked, each))}
        for at, (ranked, each) in enumerate(zip(rankings, needs, strict=True))
    }
    for value in library.iter_calc(list(measures), qrels, runs):
        found[measures[value.measure]][int(value.query_id)] = value.value
    for k in cuts:
        found[f"complete@{k}"] = (found[f"recall@{k}"] >= 1.0 - 1e-9).astype(np.float64)
    return Measures(found)


def met(ranked: Iterable[str], needs: Needs) -> list[str]:
    """Which need each place of a ranking meets.

    Args:
        ranked: Tool ids, best first.
        needs: The needs.

    Returns:
        One label a place: ``need 2`` where the third need is met for the first time, else a label that occurs nowhere else.
        A tool that meets several open needs counts for the narrowest.
    """
    open_ = sorted(range(len(needs)), key=lambda i: len(needs[i]))
    labels: list[str] = []
    for rank, id in enumerate(dict.fromkeys(ranked)):
        need = next((i for i in open_ if id in needs[i]), None)
        if need is None:
            labels.append(f"none {rank}")
        else:
            open_.remove(need)
            labels.append(f"need {need}")
    return labels
