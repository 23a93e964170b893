"""The numbers in settings.py, weights.json and confidence.json: weights of the default fusion, and whether any tool fits.

    python benchmarks/fit_defaults.py --data path/to/bench [--write]

Reads train and dev splits only (test of toolret4, apibank and toolalpaca, which have no others, is never used here), and our own
``examples``. Prints the grid of the weights of text on dev (NDCG@10, each set weighted alike); climbs from the weights in use for
catalogues with examples, one at a time, on dev sets with profiles or with five train queries a tool; then fits the confidence:
a logistic model over `toolcurator.retrieval.confidence.FEATURES`, each set and each class weighted alike, checked leaving one set
out.
``--write`` puts the last two into the package. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import sets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from toolcurator import Curator
from toolcurator.evaluation.bench_form import rows_of
from toolcurator.evaluation.datasets import Dataset, load_datasets
from toolcurator.evaluation.examples import draw_examples, with_examples, with_profiles
from toolcurator.evaluation.metrics import measure
from toolcurator.index import Evidence
from toolcurator.retrieval import confidence
from toolcurator.retrieval.fusion import contributions, fuse
from toolcurator.retrieval.weights import FEATURES, Weights, WeightTable
from toolcurator.settings import Settings

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src/toolcurator/retrieval/confidence.json"
WEIGHTS = ROOT / "src/toolcurator/retrieval/weights.json"
RANKED = ("metatool", "bfcl", "sealtools", "clinc150", "sgd", "hwu64")
NONE_FITS = ("irrelevant", "near", "far")
MOST = 300
GRID = [(s, n) for s in (0.3, 0.4, 0.5, 0.6, 0.8) for n in (0.0, 0.5, 1.0, 2.0)]


def weights(data: Path) -> None:
    """NDCG@10 on dev by sparse weight and name weight."""
    table: dict[tuple[float, float], list[float]] = {pair: [] for pair in GRID}
    for name in RANKED:
        curator = Curator.open(data / name / "tools.jsonl", split=False)
        (dataset,) = load_datasets([data], sets=[name], split="dev", kinds=("single", "multi"), limit=MOST)
        found = curator.evidence([query.query for query in dataset.queries])
        needs = [query.needs for query in dataset.queries]
        for sparse, named in GRID:
            settings = Settings(sparse_weight=sparse, name_weight=named)
            measures = measure([ranked(curator, each, settings) for each in found], needs, (10,))
            table[sparse, named].append(100 * measures.mean("ndcg@10"))
    print(f"{'sparse':>7}{'name':>6}  " + "".join(f"{name:>10}" for name in RANKED) + f"{'mean':>8}")
    for (sparse, named), values in table.items():
        print(
            f"{sparse:7.1f}{named:6.1f}  " + "".join(f"{v:10.1f}" for v in values) + f"{statistics.mean(values):8.2f}"
        )


def ranked(curator: Curator, evidence: Evidence, settings: Settings) -> list[str]:
    scores = fuse(evidence, "weighted", settings, WeightTable.default(settings).at(0.0))
    return [curator.index.ids[evidence.tools[at]] for at in np.argsort(-scores, kind="stable")[:10]]


def conditions(data: Path) -> list[Dataset]:
    """Dev sets with examples: of a recorded profile, or drawn from the train split."""
    found: list[Dataset] = []
    for name in ("metatool", "clinc150", "hwu64", "sgd", "bfcl"):
        (dataset,) = load_datasets([data], sets=[name], split="dev", kinds=("single", "multi"), limit=MOST)
        found.append(with_examples(dataset, draw_examples(dataset, 5, sets.SEED)))
        if name == "metatool":
            found.append(with_profiles(dataset, data / "expansions" / f"{name}.jsonl"))
    return found


def example_weights(data: Path, write: bool) -> None:
    """Climb from the weights in use, one weight at a time, while the mean NDCG@10 over the conditions rises."""
    settings = Settings()
    table = WeightTable.default(settings)
    lessons: list[tuple[float, list[tuple[np.ndarray, list[str]]], list[Any]]] = []
    for dataset in conditions(data):
        curator = Curator.open(dataset.tools, split=False)
        found = curator.evidence([query.query for query in dataset.queries])
        unit = Weights(**dict.fromkeys(FEATURES, 1.0))
        made = [
            (
                np.stack(list(contributions(each, settings, unit).values()), axis=1),
                [curator.index.ids[at] for at in each.tools],
            )
            for each in found
        ]
        names = list(contributions(found[0], settings, unit))
        assert found[0].examples is not None
        lessons.append((found[0].examples.share, made, [query.needs for query in dataset.queries]))

    def value(weights: Weights) -> list[float]:
        out: list[float] = []
        for share, made, needs in lessons:
            at = WeightTable(text=table.text, examples=weights).at(share)
            column = np.array([getattr(at, name) for name in names])
            ranked = [[ids[i] for i in np.argsort(-(x @ column), kind="stable")[:10]] for x, ids in made]
            out.append(100 * measure(ranked, needs, (10,)).mean("ndcg@10"))
        return out

    best = table.examples
    top = statistics.mean(value(best))
    print("examples, before:", [round(v, 1) for v in value(best)], f"{top:.2f}", best)
    for name in FEATURES:
        for factor in (0.5, 0.75, 1.33, 2.0):
            tried = best.model_copy(update={name: round(factor * getattr(best, name), 3)})
            if (mean := statistics.mean(value(tried))) > top + 0.1:  # less is noise
                best, top = tried, mean
    print("examples, after:", [round(v, 1) for v in value(best)], f"{top:.2f}", best)
    if write:
        said = json.loads(WEIGHTS.read_text())
        WEIGHTS.write_text(json.dumps({**said, "examples": best.model_dump()}, indent=1) + "\n", encoding="utf-8")


def asked(data: Path) -> dict[str, tuple[Path, list[tuple[str, int]]]]:
    """Per catalogue its file, and queries with 1 if a tool fits, else 0."""
    found: dict[str, tuple[Path, list[tuple[str, int]]]] = {}
    for name in ("metatool", "clinc150", "sgd", "hwu64"):
        queries = [q for _, q in rows_of(data / name / "queries.jsonl") if q["split"] in ("train", "dev")]
        fit = [q["query"] for q in queries if q["kind"] in ("single", "multi") and q.get("first_turn", True)]
        none = [q["query"] for q in queries if q["kind"] == "irrelevant"]
        if name == "metatool":
            hard = rows_of(data / "negatives" / "metatool.jsonl")
            none += [q["query"] for _, q in hard if q["kind"] == "far" or q.get("length_matched")]
        labelled = [(q, 1) for q in sets.sample(fit, MOST)] + [(q, 0) for q in sets.sample(none, MOST)]
        found[name] = (data / name / "tools.jsonl", labelled)
    own = [query for _, query in rows_of(ROOT / "examples/campus/queries.jsonl")]
    found["campus"] = (
        ROOT / "examples/campus",
        [(q["query"], int(q["kind"] not in NONE_FITS)) for q in own if q["split"] == "dev"],
    )
    return found


def fits(data: Path, write: bool) -> None:
    """Fit, check and perhaps store the confidence."""
    models: dict[str, Any] = {}
    figures: dict[str, list[str]] = {}
    encoder = ""
    for kind, options in (("dense", {}), ("words", {"encoder": "none"})):
        rows: list[tuple[str, np.ndarray, np.ndarray]] = []
        for name, (path, queries) in asked(data).items():
            curator = Curator.open(path, split=False, **options)
            encoder = curator.index.encoder_id or encoder
            x = np.array([confidence.features(e) for e in curator.evidence([q for q, _ in queries])])
            rows.append((name, x, np.array([y for _, y in queries])))
        for left, x, y in rows:
            rest = fit([row for row in rows if row[0] != left])
            score = rest.decision_function(x)
            kept, refused = ((score >= 0) == (y == 1))[y == 1].mean(), ((score < 0) == (y == 0))[y == 0].mean()
            line = f"{left} left out: AUROC {roc_auc_score(y, score):.3f}, at 0.5 keeps {kept:.0%} and refuses {refused:.0%}"
            print(kind, line)
            figures.setdefault(kind, []).append(line)
        model = fit(rows)
        models[kind] = [round(float(v), 3) for v in (*model.coef_[0], model.intercept_[0])]
        print(kind, dict(zip((*confidence.FEATURES, "intercept"), models[kind], strict=True)))
    if write:
        body = {"encoder": encoder, **models, "threshold": 0.5, "fitted_on": figures}
        TARGET.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def fit(rows: list[tuple[str, np.ndarray, np.ndarray]]) -> LogisticRegression:
    x = np.concatenate([x for _, x, _ in rows])
    y = np.concatenate([y for _, _, y in rows])
    weight = np.concatenate([np.where(y == 1, 1 / max(1, y.sum()), 1 / max(1, (y == 0).sum())) for _, _, y in rows])
    return LogisticRegression(C=10.0, max_iter=1000).fit(x, y, sample_weight=weight * len(y) / weight.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--write", action="store_true", help="store the confidence in the package")
    given = parser.parse_args()
    weights(given.data)
    example_weights(given.data, given.write)
    fits(given.data, given.write)


if __name__ == "__main__":
    main()
