"""One row of the table of peers, in a process of its own: import an adapter, build its index, ask every query, write what came.

    python drive.py ADAPTER VARIANT FOLDER OUT --endpoint URL [--slots]      or, for the import alone: --imports

Times leave the encoder out: it is asked through `given.Vectors`, which counts its own seconds. Building ends with the first
answer, since some packages build their index at the first query.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import sys
import tempfile
import time
from importlib.metadata import version
from math import inf
from pathlib import Path

ROUNDS, LONG = 3, 40.0
"""All queries are asked three times, unless so many seconds have passed; a query's best time counts: machines are shared."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapter")
    parser.add_argument("variant")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--endpoint", default="")
    parser.add_argument("--package", default="")
    parser.add_argument("--slots", action="store_true")
    parser.add_argument("--imports", action="store_true")
    asked = parser.parse_args()
    began = time.perf_counter()
    adapter = importlib.import_module(f"{asked.adapter}_adapter")
    imported = time.perf_counter() - began
    if asked.imports:
        asked.out.write_text(json.dumps({"import_s": imported, "version": version(asked.package)}))
        return
    from given import MOST, Given

    with tempfile.TemporaryDirectory() as scratch:
        given = Given.read(asked.folder, Path(scratch), asked.endpoint, asked.slots)
        vectors = given.vectors
        began = time.perf_counter()
        ask = adapter.build(given, asked.variant)
        ask(given.queries[0])
        built, encoded = time.perf_counter() - began, vectors.seconds
        rankings: list[list[str]] = []
        took = [inf] * len(given.queries)
        started = time.perf_counter()
        for number in range(ROUNDS):
            if number and time.perf_counter() - started > LONG:
                break
            rankings.clear()
            for at, query in enumerate(given.queries):
                before, began = vectors.seconds, time.perf_counter()
                ranking = ask(query)
                took[at] = min(took[at], time.perf_counter() - began - (vectors.seconds - before))
                rankings.append(ranking[:MOST])
        answer = {
            "rankings": rankings,
            "query_s": took,
            "build_s": built - encoded,
            "encoding_s": encoded,
            "peak_mb": peak(),
            "load": os.getloadavg()[0],
        }
        asked.out.write_text(json.dumps(answer))
    # Some packages leave threads and clients behind that would keep the process waiting.
    sys.stderr.flush()
    os._exit(0)


def peak() -> float:
    """Most resident memory of this process, in MB."""
    try:  # getrusage counts what the parent held at the fork; this does not
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
    except OSError:
        unit = 1024**2 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
