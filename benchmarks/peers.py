"""toolcurator beside others: the same tools, queries and encoder, each package in its own environment, in one run.

    python benchmarks/peers.py --data path/to/bench [--sets metatool,bfcl,mcp_tools] [--peers NAMES] [--json out.json]

A row is one way of one package to rank tools, driven through its public interface by a file in benchmarks/peer_adapters/.
Rows come in two groups: with name and description only, and with the arguments too, which some packages read by themselves.
Packages that take a text get the same text; those that write it themselves get name and description (and arguments).

The encoder is the packaged one for everyone, and outside of all figures: its vectors are looked up, or asked of a local
endpoint, and the time for that is taken off. Memory is that of the row's process. The environments are made at the first run,
by pip, and kept (``--envs``).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from peer_environments import CannotRun, python_of, run
from peer_rows import ROWS, Row
from peer_sets import Asked, endpoint, write_set
from platformdirs import user_cache_path
from rich.console import Console
from rich.table import Table
from sets import data_option

from toolcurator import __version__
from toolcurator.encoders import Encoder, load_encoder
from toolcurator.evaluation.metrics import measure

SETS = "metatool,bfcl,mcp_tools"
COLUMNS = {
    "ndcg@10": "NDCG@10",
    "recall@5": "Recall@5",
    "complete@10": "Compl.@10",
    "build_s": "build s",
    "query_p50_ms": "p50 ms",
    "query_p99_ms": "p99 ms",
    "peak_mb": "peak MB",
}


def main(arguments: list[str] | None = None) -> None:
    """Run what was asked, print the tables, write the JSON."""
    given = _options().parse_args(arguments)
    wanted = [row for row in ROWS if not given.peers or row.adapter in given.peers.split(",")]
    if not wanted:
        raise SystemExit(
            f"--peers: none of {given.peers}; there are {', '.join(dict.fromkeys(r.adapter for r in ROWS))}"
        )
    encoder = load_encoder("packaged")
    assert encoder is not None
    with tempfile.TemporaryDirectory() as scratch:
        results = compare(given, wanted, encoder, Path(scratch))
    show(results)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data_option(parser)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--peers", default="", help="adapters, separated by commas; all by default")
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=int, default=400, help="most queries a set")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--timeout", type=float, default=1800, help="most seconds for one row on one set")
    parser.add_argument("--envs", type=Path, default=user_cache_path("toolcurator") / "peers")
    parser.add_argument("--json", type=Path)
    return parser


def compare(given: argparse.Namespace, rows: list[Row], encoder: Encoder, scratch: Path) -> dict[str, Any]:
    """Every row on every set, as the JSON has it, which is written after each row."""
    asked: dict[str, Asked] = {}
    for name in given.sets.split(","):
        print(f"{name}: writing tools, queries and vectors", file=sys.stderr)
        asked[name] = write_set(
            given.data, name, scratch / name, encoder, limit=given.limit, seed=given.seed, split=given.split
        )
    results = about(given, encoder, asked)
    imports: dict[str, dict[str, Any]] = {}
    with endpoint(encoder) as url:
        for row in rows:
            found: dict[str, Any] = {**asdict(row), "version": "", "import_s": None, "error": "", "sets": {}}
            results["rows"].append(found)
            try:
                python = python_of(row.adapter, given.envs)
                if row.adapter not in imports:
                    imports[row.adapter] = importing(row, python, scratch)
                found |= imports[row.adapter]
                for name in asked:
                    found["sets"][name] = on_set(row, python, scratch / name, asked[name], url, given.timeout)
                    print(f"{row.label} on {name}: {_told(found['sets'][name])}", file=sys.stderr)
            except CannotRun as error:
                found["error"] = str(error)
                print(f"{row.label}: {error}", file=sys.stderr)
            if given.json:
                given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return results


def about(given: argparse.Namespace, encoder: Encoder, asked: dict[str, Asked]) -> dict[str, Any]:
    """What was run, on what; the rows are still to come."""
    return {
        "split": given.split,
        "limit": given.limit,
        "seed": given.seed,
        "encoder": encoder.id,
        "toolcurator": __version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "sets": {
            name: {
                "tools": each.tools,
                "queries": len(each.queries),
                "known_items": each.known_items,
                "encoding_ms": encoding_ms(encoder, each.queries),
            }
            for name, each in asked.items()
        },
        "rows": [],
    }


def encoding_ms(encoder: Encoder, queries: Sequence[str]) -> float:
    """Median time that encoding a query takes, the part of a search that all rows leave out."""
    took: list[float] = []
    for query in queries[:100]:
        start = time.perf_counter()
        encoder.encode_queries([query])
        took.append(time.perf_counter() - start)
    return 1000 * statistics.median(took)


def importing(row: Row, python: Path, scratch: Path) -> dict[str, Any]:
    """Version of a package, and the median of three imports in fresh processes, after one that compiles it."""
    out = scratch / "imports.json"
    command = [str(python), "drive.py", row.adapter, "", "", str(out), "--imports", "--package", row.package]
    took: list[dict[str, Any]] = []
    for _ in range(4):
        run(command, 600)
        took.append(json.loads(out.read_text()))
    return {"version": took[0]["version"], "import_s": statistics.median(each["import_s"] for each in took[1:])}


def on_set(row: Row, python: Path, folder: Path, asked: Asked, url: str, timeout: float) -> dict[str, Any]:
    """A row on a set: run it, and measure what it ranked; ``error`` says why it could not be run."""
    out = folder / "answer.json"
    command = [str(python), "drive.py", row.adapter, row.variant, str(folder), str(out), "--endpoint", url]
    try:
        run(command + ["--slots"] * row.slots, timeout)
    except CannotRun as error:
        return {"error": str(error)}
    answer = json.loads(out.read_text())
    out.unlink()
    measures = measure(answer["rankings"], asked.needs, cuts=(5, 10))
    took = sorted(answer["query_s"])
    return {
        **{name: 100 * measures.mean(name) for name in ("ndcg@10", "recall@5", "complete@10")},
        "build_s": answer["build_s"],
        "encoding_s": answer["encoding_s"],
        "query_p50_ms": 1000 * statistics.median(took),
        "query_p99_ms": 1000 * took[min(len(took) - 1, int(0.99 * len(took)))],
        "peak_mb": answer["peak_mb"],
        "most_results": max(map(len, answer["rankings"])),
        "mean_results": statistics.mean(map(len, answer["rankings"])),
        "load": answer["load"],
    }


def show(results: dict[str, Any]) -> None:
    """One table a set on the terminal."""
    console = Console(width=None if sys.stdout.isatty() else 170)
    for name, about in results["sets"].items():
        what = "known items, written by a language model" if about["known_items"] else results["split"]
        title = f"{name}: {about['tools']:,} tools, {about['queries']} queries ({what})"
        table = Table("", *COLUMNS.values(), "import s", "version", title=title, box=None, title_justify="left")
        for row in results["rows"]:
            found = row["sets"].get(name, {})
            if error := row["error"] or found.get("error"):
                table.add_row(row["label"], error)
                continue
            cells = (f"{found[column]:.1f}" if "@" in column else number(found[column]) for column in COLUMNS)
            table.add_row(row["label"], *cells, number(row["import_s"]), row["version"])
        console.print(table)


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _told(found: dict[str, Any]) -> str:
    return found.get("error") or f"NDCG@10 {found['ndcg@10']:.1f}, {found['query_p50_ms']:.2f} ms a query"


if __name__ == "__main__":
    main()
