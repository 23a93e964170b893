"""Requests for several tools: are all of them found? Raw, with profiles, with what was learned of tools needed together, and
with as many tools as are needed (``k="auto"``).

    python benchmarks/several.py --data path/to/bench [--json out.json]

All queries of the test split that need several tools, and a sample of 400 that need one (seed 0). Learned from train and dev.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

import sets
from rich.console import Console
from rich.progress import track
from rich.table import Table

from toolcurator import Curator
from toolcurator.evaluation.bench_form import read_queries
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.evaluation.metrics import measure

SETS = ("metatool", "bfcl")


def figures(
    curator: Curator, several: list[LabelledQuery], single: list[LabelledQuery], k: Any = 10
) -> dict[str, float]:
    made: dict[str, float] = {"queries": len(several)}
    for name, queries in (("several", several), ("one", single)):
        hits = [[hit.id for hit in curator.select(query.query, k=k)] for query in queries]
        found = measure(hits, [query.needs for query in queries], (10, 20))
        made[f"{name}, tools"] = statistics.mean(map(len, hits))
        made[f"{name}, complete"] = 100 * found.mean("complete@20")
        made[f"{name}, ndcg@10"] = 100 * found.mean("ndcg@10")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results: dict[str, dict[str, dict[str, float]]] = {}
    for name in track(SETS, "sets", console=Console(stderr=True)):
        queries = read_queries(given.data / name / "queries.jsonl")
        asked = [query for query in queries if query.split == "test"]
        several = [query for query in asked if len(query.needs) > 1]
        single = sets.sample([query for query in asked if len(query.needs) == 1])
        taught = [query for query in queries if query.split != "test" and query.needs]
        recorded = given.data / "expansions" / f"{name}.jsonl"
        for how, profiles in {"raw": None, "profiles": recorded}.items():
            if profiles is not None and not profiles.exists():
                continue
            with tempfile.TemporaryDirectory() as folder:
                curator = Curator.open(given.data / name / "tools.jsonl", profiles=profiles, index_dir=Path(folder))
                results.setdefault(name, {})[how] = figures(curator, several, single)
                results[name][f"{how}, k=auto"] = figures(curator, several, single, "auto")
                curator.fit(taught)
                results[name][f"{how}, fitted"] = figures(curator, several, single)
    table = Table("", "with", *next(iter(results["metatool"].values())), box=None)
    for name, found in results.items():
        for how, row in found.items():
            table.add_row(name, how, *(f"{value:.1f}" for value in row.values()))
    Console(width=120).print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
