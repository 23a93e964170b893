"""What each evidence of the score and each field of a profile is worth: NDCG@10 with one left out at a time.

    python benchmarks/ablation.py --data path/to/bench [--json out.json]

Evidence with recorded profiles (``expansions/NAME.jsonl``) and with five example queries a tool from the train split (seed 0);
fields of the profiles. Test split, at most 400 queries (seed 0). For any other set: `toolcurator eval --ablate evidence,fields`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sets
from evidence import conditions
from rich.console import Console
from rich.progress import track
from rich.table import Table

from toolcurator import Curator
from toolcurator.evaluation.ablation import PROFILE_FIELDS, leave_out, parts_to_leave_out, without_field
from toolcurator.evaluation.datasets import Dataset, load_datasets
from toolcurator.evaluation.metrics import measure

SETS = {
    "metatool": ("profiles", "examples"),
    "apibank": ("profiles",),
    "toolalpaca": ("profiles",),
    "clinc150": ("examples",),
    "hwu64": ("examples",),
    "sgd": ("examples",),
}


class Remembering:
    """An encoder that encodes each query once for all runs."""

    def __init__(self, encoder: Any, known: dict[str, Any]) -> None:
        self._encoder, self._known = encoder, known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def encode_queries(self, texts: Sequence[str]) -> Any:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._encoder.encode_queries([text])[0]
        return np.stack([self._known[text] for text in texts])


def run(dataset: Dataset, without: str, known: dict[str, Any]) -> float:
    """NDCG@10 in percent; ``without`` is empty for the whole."""
    if without in PROFILE_FIELDS:
        dataset = without_field(dataset, without)
    curator = Curator.open(dataset.tools)
    curator.encoder = Remembering(curator.encoder, known)  # type: ignore[assignment]
    if without and without not in PROFILE_FIELDS:
        leave_out(curator, without)
    found = [[hit.id for hit in curator.select(query.query, k=10)] for query in dataset.queries]
    return 100 * measure(found, [query.needs for query in dataset.queries], (10,)).mean("ndcg@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    known: dict[str, Any] = {}
    for name, wanted in track(SETS.items(), "sets", console=Console(stderr=True)):
        (dataset,) = load_datasets(
            [given.data], sets=[name], kinds=("single", "multi"), limit=sets.SAMPLE, seed=sets.SEED
        )
        found = conditions(dataset, given.data / "expansions" / f"{name}.jsonl")
        for condition in wanted:
            each = found[condition]
            names = parts_to_leave_out("evidence", [each]) + (
                parts_to_leave_out("fields", [each]) if condition == "profiles" else ()
            )
            results[f"{name}, {condition}"] = {name: run(each, name, known) for name in ("", *names)}
    table = Table("without", *results, box=None)
    for name in dict.fromkeys(name for row in results.values() for name in row):
        cells = [f"{row[name]:.1f}" if name in row else "" for row in results.values()]
        table.add_row(name or "(nothing left out)", *cells)
    Console(width=160).print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
