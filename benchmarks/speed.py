"""How fast and how small is the local index, and how fast a decision on it?

    python benchmarks/speed.py [--json out.json]

200 tools, 5,000, and 50,000 points in two shapes; each step in a process of its own. Texts are made up from a seeded vocabulary
and the vectors are random (seed 0), since neither changes the time of a search; the encoder is left out, so these are the index,
fusion and the making of the selection or the decision alone. Medians over many rounds.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

SHAPES = {
    "200 tools": (200, 0),
    "200 tools, 5 examples each": (200, 5),
    "5,000 tools": (5_000, 0),
    "5,000 tools, 5 examples each": (5_000, 5),
    "8,333 tools, 5 examples each": (8_333, 5),
    "50,000 tools": (50_000, 0),
}
QUERY = "how much would I get in euros for two thousand baht today"


class RandomVectors:
    """An encoder whose vectors depend on the text alone and cost next to nothing; it counts what it encodes."""

    id = "random-384"
    dimensions = 384
    max_tokens = 256
    languages = ("en",)
    encoded = 0

    def encode_documents(self, texts: Sequence[str], *, progress: Callable[[int, int], None] | None = None) -> Any:
        self.encoded += len(texts)
        seeds = [hash(text) & 0xFFFFFFFF for text in texts]
        vectors = np.stack([np.random.default_rng(seed).standard_normal(384, np.float32) for seed in seeds])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_queries = encode_documents

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def catalog(tools: int, examples: int, edited: bool = False) -> Any:
    """Made-up tools: a name of three words, a description of some twenty, three slots."""
    from toolcurator import Catalog, Tool

    dice = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "al", "en", "or")]
    words = sorted({"".join(dice.choices(syllables, k=dice.choice((2, 3)))) for _ in range(20_000)})
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def some(n: int) -> str:
        return " ".join(dice.choices(words, cum_weights=weights, k=n))

    made = [
        Tool(
            name=f"{'_'.join(dice.choices(words, k=3))}_{number}",
            description=some(20),
            parameters={
                "type": "object",
                "properties": {w: {"type": "string", "description": some(6)} for w in some(3).split()},
            },
            examples=tuple(some(9) for _ in range(examples)),
        )
        for number in range(tools)
    ]
    if edited:
        made[7] = made[7].model_copy(update={"description": "something else altogether"})
    return Catalog(made, language="en")


def child(step: str, shape: str, folder: Path) -> dict[str, float]:
    """One step in a process of its own; times in ms, memory in MB."""
    tools, examples = SHAPES[shape]
    from toolcurator.index import LocalIndex, build_index
    from toolcurator.index.generations import Generations
    from toolcurator.lexical import Tokenizer
    from toolcurator.retrieval import Curator
    from toolcurator.settings import Settings

    settings, encoder = Settings(), RandomVectors()
    if step in ("build", "edit"):
        given = catalog(tools, examples, edited=step == "edit")
        start = time.perf_counter()
        build_index(given, folder, encoder=encoder, tokenizer=Tokenizer("en"), settings=settings)
        return {
            f"{step}_ms": 1000 * (time.perf_counter() - start),
            f"{step}_encoded": encoder.encoded,
            f"{step}_peak_mb": peak(),
        }

    def opened() -> LocalIndex:
        generation = Generations(folder).current()
        assert generation is not None
        return LocalIndex(generation, settings)

    opens = [timed(opened) for _ in range(15)]
    curator = Curator(opened(), encoder=encoder, settings=settings)
    vector = encoder.encode_queries([QUERY])
    curator.encoder.encode_queries = lambda texts: np.repeat(vector, len(texts), 0)  # type: ignore[method-assign,union-attr]
    words = curator.index.ids[7].split("_")[:2]
    queries = [f"{QUERY} {' '.join(words)} {number}" for number in range(400)]
    others = [f"{QUERY} {' '.join(words)} {number}" for number in range(400, 800)]
    for query in queries[:50]:
        curator.select(query, k=10)
    from toolcurator.retrieval.fusion import fuse

    found = curator.evidence(queries[50:250])
    weights = curator._weights_for(found[0])
    scoring = [timed(lambda e=each: fuse(e, "weighted", settings, weights)) for each in found]
    searches = [timed(lambda q=query: curator.select(q, k=10)) for query in queries]
    search_peak = peak()
    from toolcurator.routing.decider import Decider

    decider = Decider(curator)
    for query in queries[:50]:
        decider.decide(query)
    decisions = [timed(lambda q=query: decider.decide(q)) for query in others]
    return {
        "open_ms": median(opens),
        "search_p50_ms": median(searches),
        "scoring_ms": median(scoring),
        "search_p99_ms": sorted(searches)[int(0.99 * len(searches))],
        "search_peak_mb": search_peak,
        "decision_p50_ms": median(decisions),
        "decision_p99_ms": sorted(decisions)[int(0.99 * len(decisions))],
    }


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - start)


def median(values: list[float]) -> float:
    return float(np.median(values))


def peak() -> float:
    """Highest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--shapes", default=";".join(SHAPES))
    parser.add_argument("--child", nargs=3, metavar=("STEP", "SHAPE", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        step, shape, folder = given.child
        print(json.dumps(child(step, shape, Path(folder))))
        return
    results: dict[str, dict[str, float]] = {}
    for shape in given.shapes.split(";"):
        results[shape] = {}
        with tempfile.TemporaryDirectory() as folder:
            for step in ("build", "search", "edit"):
                command = [sys.executable, __file__, "--child", step, shape, folder]
                done = subprocess.run(command, check=True, capture_output=True, text=True, env={**_environment()})
                results[shape] |= json.loads(done.stdout)
    heads = list(next(iter(results.values())))
    table = Table("", *(head.replace("_", " ") for head in heads), box=None)
    for shape, row in results.items():
        table.add_row(shape, *(f"{row[head]:,.0f}" if row[head] >= 100 else f"{row[head]:.3g}" for head in heads))
    Console(width=180).print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONHASHSEED": "0"}


if __name__ == "__main__":
    main()
