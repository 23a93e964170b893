"""The numbers in routing/packaged.json: probabilities for catalogues that were not calibrated.

    python benchmarks/fit_routing.py --data path/to/bench [--write] [--most 300]

Reads train and dev splits, our own ``examples``, and ``negatives`` of metatool (which have no split). Every catalogue, and in it
queries with a tool, near ones, far ones and irrelevant ones, count alike. Only signals that mean the same in every catalogue are
learned from: with all of them the fit is better on the catalogues it saw and worse on those it did not. Checked leaving one
catalogue out, as ``benchmarks/routing.py`` does on test splits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import sets

from toolcurator import Curator
from toolcurator.evaluation.bench_form import read_queries, rows_of
from toolcurator.evaluation.datasets import load_datasets
from toolcurator.evaluation.examples import draw_examples, with_examples
from toolcurator.lexical import Tokenizer
from toolcurator.retrieval.background import background_vectors
from toolcurator.routing.calibrate import area, choose
from toolcurator.routing.logistic import Logistic, fit_logistic
from toolcurator.routing.signals import SIGNALS, outlook, words_of

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src/toolcurator/routing/packaged.json"
FITS = ("top", "span", "background", "nearby")
RIGHT = (*FITS, "cosine", "lead", "gap", "fused", "peak")
WORDS = ("covered", "unknown", "name", "words")
WORDS_RIGHT = (*WORDS, "gap", "agreement", "peak")
PULL = 10.0


@dataclass(frozen=True)
class Rows:
    """The queries of one catalogue.

    Attributes:
        family: Which set it is; left out as a whole.
        kinds: str[n], ``in``, ``near``, ``far`` or ``irrelevant``.
        signals: float64[n, f].
        right: bool[n].
    """

    family: str
    kinds: np.ndarray
    signals: np.ndarray
    right: np.ndarray


def ask(family: str, curator: Curator, asked: Sequence[tuple[str, frozenset[str], str]]) -> Rows:
    """Ask a curator queries: text, ids of tools that are right, kind."""
    words = lru_cache(maxsize=4096)(words_of(curator.index, Tokenizer(curator.index.manifest.language)))
    background = background_vectors(curator.index, curator.encoder) if curator.encoder is not None else None
    kinds: list[str] = []
    signals: list[tuple[float, ...]] = []
    right: list[bool] = []
    for text, needed, kind in asked:
        found = curator.ranking(text).found[0]
        vector = found.query.vector
        near = float((background @ vector).max()) if background is not None and vector is not None else 0.0
        seen = outlook(found, curator.index, words, background=near, scale=curator.cosine_scale)
        if seen is not None:
            kinds.append(kind)
            signals.append(seen.signals)
            right.append(curator.index.ids[found.evidence.tools[seen.order[0]]] in needed)
    return Rows(family, np.array(kinds), np.array(signals), np.array(right))


def needed(query: Any) -> frozenset[str]:
    return frozenset[str]().union(*query.needs)


def catalogues(data: Path, most: int, options: dict[str, Any]) -> list[Rows]:
    """What is learned from."""
    found: list[Rows] = []
    for name, examples in (("metatool", 0), ("metatool", 5), ("clinc150", 5), ("hwu64", 5), ("sgd", 0), ("sgd", 5)):
        (dataset,) = load_datasets([data], sets=[name], split="dev", kinds=None, limit=most)
        if examples:
            dataset = with_examples(dataset, draw_examples(dataset, examples, sets.SEED))
        asked = [(q.query, needed(q), "in") for q in dataset.queries]
        asked += [(q.query, frozenset[str](), "irrelevant") for q in dataset.out_of_scope]
        outside = [q for q in dataset.train if not q.needs]
        asked += [(q.query, frozenset[str](), "irrelevant") for q in sets.sample(outside, most)]
        found.append(ask(name, Curator.open(dataset.tools, **options), asked + negatives(data, name)))
    for name, split in (("campus", "dev"), ("et_services", "dev")):
        folder = ROOT / "examples" / name
        own = [query for query in read_queries(folder / "queries.jsonl") if query.split == split]
        kinds = [(q.query, needed(q), "in" if q.needs else q.kind) for q in own]
        found.append(ask(name, Curator.open(folder, **options), kinds))
    return found


def negatives(data: Path, name: str) -> list[tuple[str, frozenset[str], str]]:
    """Near (of like length only) and far messages of a set, if it has any."""
    path = data / "negatives" / f"{name}.jsonl"
    if not path.is_file():
        return []
    rows = [row for _, row in rows_of(path) if row["kind"] == "far" or row.get("length_matched")]
    return [(row["query"], frozenset[str](), row["kind"]) for row in rows]


def fit(rows: Sequence[Rows], names: Sequence[str], target: str) -> Logistic:
    """One model over catalogues that count alike."""
    columns = [SIGNALS.index(name) for name in names]
    x = np.concatenate([each.signals[:, columns] for each in rows])
    y = np.concatenate([each.kinds == "in" if target == "fits" else each.right for each in rows])
    sizes: list[np.ndarray] = []
    for each in rows:
        outside = [kind for kind in sorted(set(each.kinds.tolist())) if kind != "in"]
        size = np.zeros(len(each.kinds))
        for kind in ("in", *outside):
            chosen = each.kinds == kind
            size[chosen] = (0.5 if kind == "in" else 0.5 / len(outside)) / chosen.sum()
        sizes.append(size)
    weight = np.concatenate(sizes)
    return fit_logistic(names, x, y, sizes=weight * len(y) / weight.sum(), pull=PULL)


def probabilities(model: Logistic, rows: Rows) -> np.ndarray:
    """float64[n]."""
    columns = [SIGNALS.index(name) for name in model.names]
    return np.array([model.probability(signals) for signals in rows.signals[:, columns]])


def check(rows: Sequence[Rows], names: Sequence[str], right_names: Sequence[str]) -> tuple[list[str], Any]:
    """Leave one catalogue out; returns lines for people, and limits that hold over all that were left out."""
    lines: list[str] = []
    fits, right, within, correct = [], [], [], []
    for each in rows:
        rest = [other for other in rows if other.family != each.family]
        p = probabilities(fit(rest, names, "fits"), each)
        q = np.minimum(probabilities(fit(rest, right_names, "right"), each), p)
        inside = each.kinds == "in"
        parts = [
            f"{kind} {area(p[inside], p[each.kinds == kind]):.3f}" for kind in sorted(set(each.kinds.tolist()) - {"in"})
        ]
        lines.append(f"{each.family} left out, AUROC: " + ", ".join(parts))
        fits.append(p), right.append(q), within.append(inside), correct.append(each.right)
    made = [np.concatenate(each) for each in (fits, right, within, correct)]
    return lines, choose(*made, 0.05, 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--most", type=int, default=300, help="queries a set and kind")
    parser.add_argument("--write", action="store_true", help="store the probabilities in the package")
    given = parser.parse_args()
    body: dict[str, Any] = {}
    checked: dict[str, list[str]] = {}
    for kind, names, right_names, options in (
        ("dense", FITS, RIGHT, {}),
        ("words", WORDS, WORDS_RIGHT, {"encoder": "none"}),
    ):
        rows = catalogues(given.data, given.most, options)
        lines, limits = check(rows, names, right_names)
        print(kind, *lines, limits, sep="\n  ")
        models = {"fits": fit(rows, names, "fits"), "right": fit(rows, right_names, "right")}
        body[kind] = {name: rounded(model) for name, model in models.items()}
        body[kind]["thresholds"] = {
            "minimum": limits.minimum,
            "high": limits.high,
            "margin": 0.0,
            "scale": "probability",
        }
        checked[kind] = lines
    if given.write:
        TARGET.write_text(json.dumps({**body, "checked": checked}, indent=1) + "\n", encoding="utf-8")


def rounded(model: Logistic) -> dict[str, Any]:
    return {
        "names": model.names,
        "weights": [round(weight, 3) for weight in model.weights],
        "intercept": round(model.intercept, 3),
    }


if __name__ == "__main__":
    main()
