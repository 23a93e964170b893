"""The public sets as the benchmarks read them: tools, a fixed sample of labelled queries, and how a ranking is scored."""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

SAMPLE, SEED = 400, 0


@dataclass(frozen=True)
class Labelled:
    """A query and what is right: one set of ids for each tool that is needed, any of which will do.

    ``alternatives`` makes one need of all relevant tools; ``equivalents`` of a tool stand in for it.
    """

    id: str
    query: str
    needs: tuple[frozenset[str], ...]
    kind: str


def data_option(parser: argparse.ArgumentParser) -> None:
    """``--data``, or the environment variable TOOLCURATOR_BENCH."""
    default = os.environ.get("TOOLCURATOR_BENCH")
    parser.add_argument(
        "--data", type=Path, required=default is None, default=default and Path(default), help="the bench folder"
    )


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sample(values: Sequence[Any], most: int = SAMPLE) -> list[Any]:
    """At most so many, a random sample with a fixed seed."""
    return list(values) if len(values) <= most else random.Random(SEED).sample(values, most)


def labelled(
    folder: Path, split: str = "test", kinds: Sequence[str] = ("single", "multi"), most: int = SAMPLE
) -> list[Labelled]:
    """A sample of a set's queries that have a right answer."""
    same = {tool["id"]: tool.get("equivalents") or [] for tool in rows(folder / "tools.jsonl")}
    found = [
        q for q in rows(folder / "queries.jsonl") if q.get("relevant") and q["split"] == split and q["kind"] in kinds
    ]
    return [_read(query, same) for query in sample(found, most)]


def _read(query: dict[str, Any], same: dict[str, list[str]]) -> Labelled:
    needs = [frozenset({id, *same.get(id, ())}) for id in query["relevant"]]
    if query.get("alternatives"):
        needs = [frozenset().union(*needs)]
    return Labelled(query["id"], query["query"], tuple(needs), query["kind"])


def ndcg(ranked: Sequence[str], needs: Sequence[frozenset[str]], k: int = 10) -> float:
    """NDCG@k with linear gain; each need counts once, for the first tool that meets it."""
    open_ = list(needs)
    gain = 0.0
    for rank, id in enumerate(ranked[:k]):
        met = next((need for need in open_ if id in need), None)
        if met is not None:
            open_.remove(met)
            gain += 1 / log2(rank + 2)
    return gain / sum(1 / log2(rank + 2) for rank in range(min(k, len(needs))))


def complete(ranked: Sequence[str], needs: Sequence[frozenset[str]], k: int = 10) -> float:
    """1 if every need is met within the first k, else 0."""
    first = set(ranked[:k])
    return float(all(first & need for need in needs))
