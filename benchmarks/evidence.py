"""What profiles and examples add: the default beside each arm alone, in every condition that a set can be put into.

    python benchmarks/evidence.py --data path/to/bench [--sets metatool,apibank] [--json out.json]

Conditions: recorded profiles (``expansions/NAME.jsonl``), five example queries a tool from the train split (seed 0), and both.
Test split, at most 400 queries (seed 0), NDCG@10 and Completeness@10 in percent. Raw documents are in ``quality.py``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import sets
from rich.console import Console
from rich.progress import track
from rich.table import Table

from toolcurator import Curator
from toolcurator.evaluation.datasets import Dataset, load_datasets
from toolcurator.evaluation.examples import draw_examples, with_examples, with_profiles
from toolcurator.evaluation.metrics import measure

SETS = ("metatool", "apibank", "toolalpaca", "bfcl", "clinc150", "hwu64", "sgd", "snips")
RUNS: dict[str, dict[str, Any]] = {
    "BM25 alone": {"fusion": "sparse", "split": False},
    "dense alone": {"fusion": "dense", "split": False},
    "RRF": {"fusion": "rrf", "split": False},
    "default": {},
}
EXAMPLES = 5


def conditions(dataset: Dataset, profiles: Path) -> dict[str, Dataset]:
    """The set in each condition that it can be put into."""
    found: dict[str, Dataset] = {}
    if profiles.exists():
        found["profiles"] = with_profiles(dataset, profiles)
    for name, base in (("examples", dataset), ("both", found.get("profiles"))):
        if base is not None and (drawn := draw_examples(base, EXAMPLES, sets.SEED)).examples:
            found[name] = with_examples(base, drawn)
    return found


def run(dataset: Dataset, options: dict[str, Any]) -> dict[str, float]:
    curator = Curator.open(dataset.tools, **options)
    found = [[hit.id for hit in curator.select(query.query, k=10)] for query in dataset.queries]
    measures = measure(found, [query.needs for query in dataset.queries], (10,))
    return {name: 100 * measures.mean(name) for name in ("ndcg@10", "complete@10")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for name in track(given.sets.split(","), "sets", console=Console(stderr=True)):
        (dataset,) = load_datasets(
            [given.data], sets=[name], kinds=("single", "multi"), limit=sets.SAMPLE, seed=sets.SEED
        )
        for condition, each in conditions(dataset, given.data / "expansions" / f"{name}.jsonl").items():
            results.setdefault(name, {})[condition] = {label: run(each, how) for label, how in RUNS.items()}
    table = Table("NDCG@10", "with", *RUNS, box=None)
    for name, found in results.items():
        for condition, row in found.items():
            table.add_row(name, condition, *(f"{row[label]['ndcg@10']:.1f}" for label in RUNS))
    Console(width=120).print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
