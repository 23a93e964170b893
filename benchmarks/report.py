"""Writes docs/benchmarks.md from the figures in benchmarks/results: never edit that page by hand.

python benchmarks/report.py
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/benchmarks.md"
TARGETS = {"metatool": 66.5, "bfcl": 78.0, "sealtools": 83.5, "toolret4": 52.5, "apibank": 58.5}
SEED_RRF = {
    "metatool": 57.9,
    "bfcl": 69.6,
    "sealtools": 72.5,
    "toolret4": 49.7,
    "apibank": 50.0,
    "toolalpaca": 77.8,
    "clinc150": 69.6,
    "sgd": 63.4,
}


def main() -> None:
    quality, speed = (json.loads((HERE / "results" / f"{name}.json").read_text()) for name in ("quality", "speed"))
    PAGE.write_text(
        "\n\n".join(["# Benchmarks", INTRODUCTION, *ranking(quality), *times(speed), lexical()]) + "\n",
        encoding="utf-8",
    )


INTRODUCTION = """Written by `benchmarks/report.py` from `benchmarks/results/*.json`. To repeat:

```sh
make bench TOOLCURATOR_BENCH=path/to/bench      # speed, then quality, then this page
```

Texts of the public sets are other people's and are not part of this project; each set's source is named in its `META.json`."""


def ranking(quality: dict[str, Any]) -> list[str]:
    results, counts = quality["results"], quality["queries"]
    runs = list(next(iter(results.values())))
    out = [
        "## Ranking",
        f"Raw documents (no profiles, examples or labels), packaged encoder, **{quality['split']}** split, a random sample of "
        "at most 400 queries a set (seed 0), `Curator.select(query, k=10)`. *BM25*, *dense* and *RRF* run on the index of the "
        "default preset, never split; *default, whole* is the default without splitting; *classic* is the first seed's pipeline, "
        "which indexes name and description only. The last columns are the target of the core and the seed's RRF as measured "
        "before this code was written. The mean is over sets (task macro).",
    ]
    for metric, title in (("ndcg@10", "NDCG@10"), ("completeness@10", "Completeness@10")):
        rows = [[name, str(counts[name]), *(f"{results[name][run][metric]:.1f}" for run in runs)] for name in results]
        mean = [f"{statistics.mean(results[name][run][metric] for name in results):.1f}" for run in runs]
        rows.append(["**task macro**", "", *mean])
        heads = [title, "queries", *runs]
        if metric == "ndcg@10":
            heads += ["target", "seed's RRF"]
            rows = [[*row, shown(TARGETS.get(row[0])), shown(SEED_RRF.get(row[0]))] for row in rows]
        out.append(markdown(heads, rows))
    split = ", ".join(f"{name} {results[name]['default']['split']:.0f} %" for name in results)
    out.append(f"Queries that the default searched in parts: {split}.")
    return out


def times(speed: dict[str, Any]) -> list[str]:
    heads = list(next(iter(speed.values())))
    rows = [[shape, *(number(values[head]) for head in heads)] for shape, values in speed.items()]
    return [
        "## Speed and memory of the local index",
        "One process a step, two cores, made-up texts and random vectors of 384 dimensions (`benchmarks/speed.py`), no encoder. "
        "*open* is a warm index, median of 15; *search* is all of `Curator.select` with k = 10 but encoding "
        "the query, 400 different queries; *edit* builds again after one description changed, *edit encoded* says how many texts "
        "were encoded for it. Peaks are of resident memory, in MB, Python and libraries included. Machines differ: compare "
        "rows.",
        markdown(["", *(head.replace("_", " ") for head in heads)], rows),
    ]


def lexical() -> str:
    return "BM25 engines, tokenizer rules and field weights are measured in [The lexical side](lexical.md)."


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
