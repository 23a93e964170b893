"""Do we get the figures of the design's first table again, and what do the seed's own rules cost?

    python benchmarks/design_table.py --data path/to/bench [--sets metatool,bfcl] [--json out.json]

The table's protocol, written out here from its description and not with our index: name (underscores as spaces) and
description; the packaged encoder, 256 tokens; BM25 by ``bm25s`` in its Lucene form, k1 1.5, b 0.75, tokens split at case,
punctuation and underscore, longer than one character; reciprocal rank fusion with k = 60 over each list's first 100 with scores
above 0; at most 400 test queries, seed 0; NDCG@10. Beside it the same fusion with the first seed's name anchor, with its
tokens (white space and underscores), with both, and our preset ``classic``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sets import SAMPLE, data_option

from toolcurator import Catalog, Curator
from toolcurator.encoders import load_encoder
from toolcurator.evaluation.bench_form import rows_of
from toolcurator.evaluation.datasets import Dataset, load_datasets
from toolcurator.evaluation.metrics import measure
from toolcurator.retrieval.classic import always_include

SETS = ("metatool", "bfcl", "sealtools", "toolret4", "apibank", "toolalpaca", "clinc150", "sgd")
DEPTH, RRF_K = 100, 60

_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")

Floats = NDArray[np.float32]


def table_tokens(text: str) -> list[str]:
    return [word for word in _WORD.findall(_CASE.sub(" ", text).lower()) if len(word) > 1]


def seed_tokens(text: str) -> list[str]:
    return text.lower().replace("_", " ").split()


def bm25(documents: Sequence[str], queries: Sequence[str], tokens: Callable[[str], list[str]]) -> Floats:
    """float32[q, n]."""
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index([tokens(text) for text in documents], show_progress=False)
    known = index.vocab_dict
    asked = [[token for token in tokens(query) if token in known] for query in queries]
    nothing = np.zeros(len(documents), np.float32)
    return np.stack([index.get_scores(each) if each else nothing for each in asked])


def standardized(scores: Floats) -> Floats:
    return (scores - scores.mean(1, keepdims=True)) / (scores.std(1, keepdims=True) + 1e-9)


def reciprocal(scores: Floats) -> Floats:
    """float32[q, n]: 1 / (k + rank) of the first hundred above 0, else 0."""
    out = np.zeros_like(scores)
    for row, given in zip(out, scores, strict=True):
        best = np.argsort(-given, kind="stable")[:DEPTH]
        best = best[given[best] > 0]
        row[best] = 1 / (RRF_K + np.arange(1, len(best) + 1))
    return out


def run(dataset: Dataset, folder: Path, encoder: Any) -> dict[str, float]:
    """NDCG@10 in percent of every row."""
    tools = sorted(Catalog.of(dataset.tools).visible(None), key=lambda tool: tool.id)
    documents = [f"{tool.name.replace('_', ' ')} {tool.description}" for tool in tools]
    queries = [query.query for query in dataset.queries]
    dense = encoder.encode_queries(queries) @ encoder.encode_documents(documents).T
    words, seeds = (bm25(documents, queries, tokens) for tokens in (table_tokens, seed_tokens))
    forced = 999 * np.array([[always_include(query, tool.name) for tool in tools] for query in queries], np.float32)
    fused, fused_seeds = (reciprocal(dense) + reciprocal(each) for each in (words, seeds))
    rows = {
        "BM25": words,
        "dense": dense,
        "RRF": fused,
        "z-score": standardized(dense) + 0.5 * standardized(words),
        "RRF, anchor": fused + forced,
        "RRF, seed's tokens": fused_seeds,
        "RRF, both": fused_seeds + forced,
    }
    ids = [tool.id for tool in tools]
    ranked = {
        name: [[ids[at] for at in np.argsort(-row, kind="stable")[:10]] for row in all_] for name, all_ in rows.items()
    }
    curator = Curator.open(dataset.tools, preset="classic")
    ranked["classic"] = [[hit.id for hit in curator.select(query, k=10)] for query in queries]
    # the first measurements knew no equivalents (sgd has some)
    right = {str(row["id"]): row["relevant"] for _, row in rows_of(folder / "queries.jsonl")}
    needs = [[frozenset({id}) for id in right[query.id]] for query in dataset.queries]
    return {name: 100 * measure(found, needs, (10,)).mean("ndcg@10") for name, found in ranked.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data_option(parser)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    encoder = load_encoder("packaged")
    datasets = load_datasets([given.data], sets=given.sets.split(","), kinds=("single", "multi"), limit=SAMPLE)
    results = {
        each.name: run(each, given.data / each.name, encoder)
        for each in track(datasets, "sets", console=Console(stderr=True))
    }
    heads = list(next(iter(results.values())))
    table = Table("NDCG@10", *heads, box=None)
    for name, row in results.items():
        table.add_row(name, *(f"{row[head]:.1f}" for head in heads))
    Console(width=160).print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
