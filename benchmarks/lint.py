"""What does `toolcurator lint` find on real MCP tools? A table of rules and severities, and how long it takes.

    python benchmarks/lint.py --data BENCH [--set mcp_tools ...] [--sample N] [--json out.json]

`BENCH` (or the environment variable TOOLCURATOR_BENCH) is the folder of data sets. `--sample` prints findings of the rules on
stuffing and poisoning (TC5, TC6), a random choice with a fixed seed, to be judged by hand; the guide gives the judgement.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from sets import SEED, data_option

from toolcurator import Catalog
from toolcurator.encoders import load_encoder
from toolcurator.lint import RULES, LintReport, lint


def measure(folder: Path, encoder: str) -> tuple[dict[str, Any], LintReport]:
    """Lint a set with an encoder whose vectors are made within the measured time, and again without any encoder."""
    catalog = Catalog.load(folder)
    start = time.perf_counter()
    report = lint(catalog, encoder=load_encoder(encoder))
    with_encoder = time.perf_counter() - start
    start = time.perf_counter()
    lint(catalog)
    row = {
        "set": folder.name,
        "seconds": round(with_encoder, 1),
        "seconds without encoder": round(time.perf_counter() - start, 1),
        "findings": dict(report.by_rule),
        **{
            key: value
            for key, value in report.as_json().items()
            if key in ("tools", "encoder", "counts", "score", "pairs_left_out")
        },
    }
    return row, report


def show(row: dict[str, Any], report: LintReport, sample: int) -> None:
    """Print a set's table, and its sample."""
    console = Console(width=150, highlight=False)
    table = Table(title=f"{row['set']}: {row['tools']:,} tools, {row['seconds']} s", title_justify="left")
    for name in ("rule", "name", "error", "warning", "note"):
        table.add_column(name, justify="left" if name in ("rule", "name") else "right")
    for rule in RULES:
        counts = report.by_rule.get(rule, {"error": 0, "warning": 0, "note": 0})
        table.add_row(rule, RULES[rule].name, *(f"{counts[each]:,}" for each in ("error", "warning", "note")))
    console.print(table)
    console.print(
        f"mean score {report.mean:.1f}, by tenths {report.histogram}, further pairs {report.pairs_left_out:,}"
    )
    found = [finding for finding in report.findings if finding.rule[:3] in ("TC5", "TC6")]
    for finding in random.Random(SEED).sample(found, min(sample, len(found))):
        console.print(
            f"{finding.rule} {finding.severity} {finding.tool} {finding.where}\n    {finding.message}\n    {finding.evidence}",
            markup=False,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data_option(parser)
    parser.add_argument("--set", action="append", help="may be repeated; default mcp_tools")
    parser.add_argument("--encoder", default="packaged")
    parser.add_argument("--sample", type=int, default=0, help="findings of TC5 and TC6 to print")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.set or ["mcp_tools"]:
        row, report = measure(options.data / name, options.encoder)
        show(row, report, options.sample)
        rows.append(row)
    if options.json:
        options.json.write_text(f"{json.dumps(rows, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    main()
