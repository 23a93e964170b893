"""Read the 94 published OpenAPI documents, each in a process of its own, and count what became of their operations.

    python benchmarks/openapi.py --data BENCH [--json OUT] [--also FILE ...] [--encoder none] [--no-search]

`BENCH` (or the environment variable TOOLCURATOR_BENCH) is the folder that holds `openapi/INDEX.json`. Operations are counted
here, by walking paths and methods, not by the reader that is measured. `--also` adds documents that are not in the index, such as
GitHub's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
MOST_SECONDS, MOST_MB, LARGEST = 20.0, 1024.0, 64
QUERIES = (
    "add a pet to the store",
    "create a pull request",
    "send an e-mail to a list of subscribers",
    "play the next track",
    "scale a deployment to three replicas",
    "refund a payment",
)


def counted(path: Path) -> int:
    """Operations of a document, independently of the reader; a path that is a reference into the document is followed."""
    if path.suffix == ".json":
        document = json.loads(path.read_text(encoding="utf-8"))
    else:
        import yaml

        document = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    total = 0
    for item in (document.get("paths") or {}).values():
        hops = 0
        while isinstance(item, dict) and str(item.get("$ref", "")).startswith("#/") and hops < 10:
            target: Any = document
            for part in item["$ref"][2:].split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            item, hops = target, hops + 1
        total += sum(method in METHODS for method in item) if isinstance(item, dict) else 0
    return total


def read(path: Path) -> dict[str, Any]:
    """Read one document in this process."""
    from toolcurator.sources.openapi import read_openapi

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    reading = read_openapi(path)
    seconds = time.perf_counter() - start
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    sizes = [len(json.dumps(tool.parameters, separators=(",", ":"), ensure_ascii=False)) for tool in reading.tools]
    return {
        "tools": len(reading.tools),
        "ids": len({tool.id for tool in reading.tools}),
        "skipped": [f"{fault.entry}: {fault.message}" for fault in reading.skipped],
        "faults": [fault.message for fault in reading.faults],
        "seconds": round(seconds, 3),
        "peak_mb": round(peak, 1),
        "start_mb": round(before / unit, 1),
        "schema_mb": round(sum(sizes) / 1e6, 3),
        "largest_schema": max(sizes, default=0),
    }


def in_a_process(path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]}
    return json.loads(done.stdout)


def together(files: dict[str, Path]) -> dict[str, Any]:
    """Wire names of all operations of all documents, each document a server of its own."""
    from toolcurator import Catalog
    from toolcurator.sources.openapi import read_openapi

    tools = [tool for name, path in files.items() for tool in read_openapi(path, server=name).tools]
    catalog = Catalog(tools)
    names = list(catalog.wire_names.values())
    return {
        "tools": len(tools),
        "kept": len(catalog),
        "wire_names": len(set(names)),
        "longest": max(map(len, names)),
        "side_effects": {str(key): count for key, count in Counter(tool.side_effect for tool in tools).items()},
    }


def searched(folder: Path, encoder: str) -> dict[str, Any]:
    """The folder as one catalogue, asked a few questions."""
    from toolcurator import Curator

    with tempfile.TemporaryDirectory() as index:
        start = time.perf_counter()
        curator = Curator.open(folder, index_dir=index, encoder=encoder)
        opened = time.perf_counter() - start
        answers = {query: [hit.id for hit in curator.select(query, k=3)] for query in QUERIES}
    return {"seconds_to_index": round(opened, 1), "answers": answers}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench = os.environ.get("TOOLCURATOR_BENCH")
    parser.add_argument("--data", type=Path, default=bench and Path(bench), help="the bench folder")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="further documents")
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--encoder", default="packaged", help="of the search over all of them; none is quick")
    parser.add_argument("--no-search", action="store_true", help="leave out the search over all of them")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(read(options.one)))
        return 0
    if options.data is None:
        parser.error("--data or TOOLCURATOR_BENCH is needed")
    folder = options.data / "openapi"
    files = {row["file"]: folder / row["file"] for row in json.loads((folder / "INDEX.json").read_text("utf-8"))}
    files |= {path.name: path for path in options.also}
    rows: dict[str, dict[str, Any]] = {}
    failed: list[str] = []
    print(f"{'document':62} {'operations':>10} {'tools':>6} {'skipped':>7} {'s':>6} {'MB':>6} {'schemas MB':>10}")
    for name, path in files.items():
        row = rows[name] = {"operations": counted(path), **in_a_process(path)}
        if "error" in row:
            failed.append(f"{name}: {row['error']}")
            print(f"{name[-62:]:62} {row['operations']:>10} failed: {row['error']}")
            continue
        skipped = len(row["skipped"])
        print(
            f"{name[-62:]:62} {row['operations']:>10} {row['tools']:>6} {skipped:>7} {row['seconds']:>6.2f} "
            f"{row['peak_mb']:>6.0f} {row['schema_mb']:>10.2f}"
        )
        for reason in (*row["skipped"], *row["faults"]):
            print(f"    {reason[:150]}")
        if row["tools"] + skipped != row["operations"] or row["ids"] != row["tools"]:
            failed.append(f"{name}: {row['operations']} operations, {row['tools']} tools, {skipped} skipped")
        if row["seconds"] > MOST_SECONDS or row["peak_mb"] > MOST_MB:
            failed.append(f"{name}: {row['seconds']} s, {row['peak_mb']} MB")
    whole = {"rows": rows, "together": together(files)}
    names = whole["together"]
    if not names["tools"] == names["kept"] == names["wire_names"] or names["longest"] > LARGEST:
        failed.append(f"wire names: {names}")
    good = [row for row in rows.values() if "error" not in row]
    total = {key: round(sum(row[key] for row in good), 2) for key in ("operations", "tools", "seconds", "schema_mb")}
    total["skipped"] = sum(len(row["skipped"]) for row in good)
    total["slowest"], total["most_mb"] = max(row["seconds"] for row in good), max(row["peak_mb"] for row in good)
    whole["total"] = total
    print(f"\nall {len(rows)}: {total}\ntogether: {names}")
    if not options.no_search:
        print("indexing all of them ...", flush=True)
        whole["search"] = searched(folder, options.encoder)
        print(f"indexed in {whole['search']['seconds_to_index']} s")
        for query, hits in whole["search"]["answers"].items():
            print(f"  {query}: {', '.join(hits)}")
    for fault in failed:
        print(f"FAILED {fault}", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps({**whole, "failed": failed}, indent=1) + "\n", "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
