"""How well does the core rank? Batch search over the public sets, raw documents, at most 400 test queries each (seed 0).

    python benchmarks/quality.py --data path/to/bench [--sets metatool,bfcl] [--split test] [--json out.json]

Rows: the default preset, each arm alone and RRF on the same index, and ``classic``, which indexes name and description only.
The queries go through ``Curator.select``, as ``toolcurator search --queries`` does.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import sets
from rich.console import Console
from rich.progress import track
from rich.table import Table

from toolcurator import Curator
from toolcurator.evaluation.datasets import Dataset, load_datasets
from toolcurator.evaluation.metrics import measure

SETS = ("metatool", "bfcl", "sealtools", "toolret4", "apibank", "toolalpaca", "clinc150", "sgd", "hwu64")
RUNS: dict[str, dict[str, Any]] = {
    "BM25 alone": {"fusion": "sparse"},
    "dense alone": {"fusion": "dense"},
    "RRF": {"fusion": "rrf"},
    "default": {},
    "default, whole": {"split": False},
    "classic": {"preset": "classic"},
}


def run(dataset: Dataset, options: dict[str, Any]) -> dict[str, float]:
    """Mean NDCG@10 and Completeness@10 in percent, and the share of queries that were split."""
    curator = Curator.open(dataset.tools, **{"split": "fusion" not in options, **options})
    found = [curator.select(query.query, k=10) for query in dataset.queries]
    measures = measure([[hit.id for hit in each] for each in found], [query.needs for query in dataset.queries], (10,))
    return {
        "ndcg@10": 100 * measures.mean("ndcg@10"),
        "completeness@10": 100 * measures.mean("complete@10"),
        "split": 100 * statistics.mean(bool(selection.parts) for selection in found),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--runs", default=";".join(RUNS), help="separated by ;")
    parser.add_argument("--split", default="test")
    parser.add_argument("--kinds", default="single,multi")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    names, runs = given.sets.split(","), given.runs.split(";")
    results: dict[str, dict[str, dict[str, float]]] = {name: {} for name in names}
    counts: dict[str, int] = {}
    console = Console()
    for name in track(names, description="sets", console=Console(stderr=True)):
        (dataset,) = load_datasets(
            [given.data],
            sets=[name],
            split=given.split,
            kinds=given.kinds.split(","),
            limit=sets.SAMPLE,
            seed=sets.SEED,
        )
        counts[name] = len(dataset.queries)
        for label in runs:
            results[name][label] = run(dataset, RUNS[label])
    for metric in ("ndcg@10", "completeness@10", "split"):
        table = Table("set", "queries", *runs, title=f"{metric} ({given.split}, {given.kinds})", box=None)
        for name in names:
            table.add_row(name, str(counts[name]), *(f"{results[name][label][metric]:.1f}" for label in runs))
        mean = [statistics.mean(results[name][label][metric] for name in names) for label in runs]
        table.add_row("task macro", "", *(f"{value:.1f}" for value in mean))
        console.print(table)
    if given.json:
        given.json.write_text(json.dumps({"split": given.split, "queries": counts, "results": results}, indent=1))


if __name__ == "__main__":
    main()
