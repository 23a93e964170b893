"""In what precision should the packaged encoder be shipped? Size, speed and retrieval quality of each, in one run.

    python benchmarks/encoder_precision.py --data path/to/bench          (or TOOLCURATOR_BENCH=path/to/bench)

Needs what ``scripts/export_encoder.py`` needs. Quality is that of the dense vectors alone: document = name with
underscores as spaces, and description; at most 400 test queries of each set, a random sample with seed 0; NDCG@10 with
linear gain. Speeds are measured in turns, so that a busy moment of the machine hits all variants alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from toolcurator.encoders import Encoder
from toolcurator.encoders.model_folder import read_folder
from toolcurator.encoders.onnx_encoder import OnnxEncoder

EXPORT = Path(__file__).parents[1] / "scripts" / "export_encoder.py"
VARIANTS = {
    "fp32": ["--precision", "fp32"],
    "fp16 weights": ["--precision", "fp16"],
    "int8 weights": ["--precision", "int8-weights"],
    "int8, weights in 7 bits": ["--precision", "int8"],
    "int8, weights in 8 bits": ["--precision", "int8", "--full-range"],
}
SETS = ("metatool", "bfcl", "toolret4", "apibank", "toolalpaca", "clinc150")
QUERY = "how much would I get in euros for two thousand baht today"
ROUNDS = 15


def export(options: list[str], out: Path) -> Path:
    subprocess.run([sys.executable, str(EXPORT), "--out", str(out), *options], check=True, capture_output=True)
    return out


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load_set(folder: Path) -> tuple[list[str], list[str], list[dict]]:
    """Documents, their ids, and the queries asked."""
    tools = read(folder / "tools.jsonl")
    documents = [f"{tool['name'].replace('_', ' ')} {tool.get('description') or ''}" for tool in tools]
    test = [query for query in read(folder / "queries.jsonl") if query["split"] == "test" and query["relevant"]]
    return documents, [tool["id"] for tool in tools], random.Random(0).sample(test, min(400, len(test)))


def ndcg(ranked: list[str], query: dict, k: int = 10) -> float:
    relevant = set(query["relevant"])
    gains = [1 / np.log2(rank + 2) for rank, name in enumerate(ranked[:k]) if name in relevant]
    if query.get("alternatives"):
        return float(gains[0]) if gains else 0.0  # any one is right: the best of them counts, the ideal is one
    return float(sum(gains) / sum(1 / np.log2(rank + 2) for rank in range(min(k, len(relevant)))))


def quality(encoder: Encoder, data: tuple[list[str], list[str], list[dict]]) -> float:
    documents, ids, queries = data
    scores = encoder.encode_queries([query["query"] for query in queries]) @ encoder.encode_documents(documents).T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    ranked = ([ids[i] for i in row] for row in order)
    return 100 * statistics.mean(ndcg(names, query) for names, query in zip(ranked, queries, strict=True))


def seconds(action: object) -> float:
    start = time.perf_counter()
    action()  # type: ignore[operator]
    return time.perf_counter() - start


def speeds(folders: dict[str, Path], documents: list[str]) -> dict[str, list[float]]:
    """Milliseconds to load; to encode a query with one and with two threads; documents a second with one thread."""
    took: dict[str, list[list[float]]] = {name: [[], [], [], []] for name in folders}
    for _ in range(ROUNDS):
        for name, folder in folders.items():
            one, two = (OnnxEncoder(read_folder(folder), threads=threads) for threads in (1, 2))
            took[name][0].append(seconds(one.open))
            for column, encoder in ((1, one), (2, two)):
                encoder.encode_queries([QUERY])
                took[name][column] += [seconds(lambda e=encoder: e.encode_queries([QUERY])) for _ in range(20)]
            took[name][3].append(seconds(lambda e=one: e.encode_documents(documents)))
    return {
        name: [1e3 * statistics.median(column) for column in columns[:3]]
        + [len(documents) / statistics.median(columns[3])]
        for name, columns in took.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the precisions of the packaged encoder.")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("TOOLCURATOR_BENCH"), help="folder of the bench sets"
    )
    args = parser.parse_args()
    if args.data is None:
        raise SystemExit("name the folder of the bench sets with --data or TOOLCURATOR_BENCH")
    data = {name: load_set(args.data / name) for name in SETS}
    words = " ".join(data["toolret4"][0]).split()
    documents = [" ".join(words[start : start + 40]) for start in range(0, 64 * 40, 40)]

    with tempfile.TemporaryDirectory() as folder:
        folders = {name: export(options, Path(folder) / str(i)) for i, (name, options) in enumerate(VARIANTS.items())}
        speed = speeds(folders, documents)
        print("| precision | MB | load ms | query ms, 1 thread | 2 threads | documents/s", *SETS, "mean |", sep=" | ")
        print("|---|---|---|---|---|---|" + "---|" * (len(SETS) + 1), flush=True)
        for name, place in folders.items():
            encoder = OnnxEncoder(read_folder(place))
            scores = [quality(encoder, data[entry]) for entry in SETS]
            load, one, two, rate = speed[name]
            cells = [f"{(place / 'model.onnx').stat().st_size / 1e6:.1f}", f"{load:.0f}", f"{one:.1f}", f"{two:.1f}"]
            cells += [f"{rate:.0f}", *(f"{score:.2f}" for score in scores), f"{statistics.mean(scores):.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
