"""How good decisions are: accuracy, in against out of scope, near and far messages, calibration error.

    python benchmarks/routing.py --data path/to/bench [--most 1000] [--json results/routing.json]

clinc150 and hwu64 with twenty examples an intent and metatool with five a tool are calibrated on dev (and the out-of-scope
queries of train) and decide the test split; nothing is chosen on it. Near and far messages are told from test queries by weights
learned on the *other* catalogues (``fit_routing.py``). The third seed's fixed limits stand beside, on the same queries.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fit_routing
import numpy as np
import sets

from toolcurator import Curator
from toolcurator.evaluation.datasets import load_datasets
from toolcurator.evaluation.examples import draw_examples, with_examples, with_profiles
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.routing.calibrate import area, calibrate, calibration_error
from toolcurator.routing.decide import Decision
from toolcurator.routing.decider import Decider

RECALL = 0.8
SETS = (("clinc150", 20), ("hwu64", 20), ("metatool", 5))


def scoped(data: Path, name: str, examples: int, most: int | None) -> dict[str, Any]:
    """One set: calibrated on dev, asked on test."""
    (dev,) = load_datasets([data], sets=[name], split="dev", limit=most)
    (test,) = load_datasets([data], sets=[name], split="test", limit=most)
    shown = with_examples(test, draw_examples(test, examples, sets.SEED))
    curator = Curator.open(shown.tools)
    asked = {query.id: query for query in (*dev.queries, *dev.in_scope)}
    outside = [query for query in test.train if not query.needs]
    inside = test.in_scope if name == "metatool" else test.queries
    out = [query for query in test.out_of_scope if query.kind == "irrelevant"]
    share = len(inside) / (len(inside) + len(out))  # how the set is made, which dev's share is not
    made = calibrate(curator, [*asked.values(), *dev.out_of_scope, *outside], in_scope=share)
    decider = Decider(curator, made.calibration, kernel=made.kernel)
    own = measure(decider, inside, out)
    own["kernel weight"] = made.calibration.kernel_weight
    own["expected"] = made.calibration.figures.model_dump()
    return {"calibrated": own, "seed": measure(Decider(curator, "classic"), inside, out)}


def measure(decider: Decider, inside: Sequence[LabelledQuery], out: Sequence[LabelledQuery]) -> dict[str, Any]:
    """Figures of decisions on queries with and without a tool."""
    made = [decider.decide(query.query) for query in inside]
    others = [decider.decide(query.query) for query in out]
    right = np.array([_right(decision, query) for decision, query in zip(made, inside, strict=True)])
    fits, none = np.array([each.fits for each in made]), np.array([each.fits for each in others])
    limit = float(np.quantile(none, RECALL))
    matched = np.array([each.kind == "match" for each in made])
    found = {
        "queries": len(made),
        "out of scope": len(others),
        "accuracy": float(right.mean()),
        "auroc": area(fits, none),
        "right and kept at recall 80 %": float((right & (fits > limit)).mean()),
        "false routes": float(np.mean([each.kind == "match" for each in others])),
        "misses": float(np.mean([each.kind == "none" for each in made])),
        "matched right": float((matched & right).mean()),
        "matched wrong": float((matched & ~right).mean()),
    }
    if decider.calibrated:
        true = np.arange(len(fits) + len(none)) < len(fits)
        said = np.concatenate((fits, none))
        drawn = np.random.default_rng(sets.SEED).uniform(size=(1000, len(said))) < said
        found["ece"] = calibration_error(said, true)
        found["ece by chance"] = float(np.mean([calibration_error(said, each) for each in drawn]))  # were it perfect
    return found


def _right(decision: Decision, query: LabelledQuery) -> bool:
    return bool(decision.candidates) and any(decision.candidates[0].tool in need for need in query.needs)


def near(data: Path, most: int) -> dict[str, Any]:
    """AUROC of test queries against near and far messages, by weights of the other catalogues."""
    rest = fit_routing.catalogues(data, most, {})
    found: dict[str, Any] = {}
    for name, examples, profiles in (("metatool", 0, 0), ("metatool", 5, 0), ("apibank", 0, 0), ("apibank", 0, 1)):
        (test,) = load_datasets([data], sets=[name], split="test", limit=None)
        if examples:
            test = with_examples(test, draw_examples(test, examples, sets.SEED))
        if profiles:
            test = with_profiles(test, data / "expansions" / f"{name}.jsonl")
        asked = [(q.query, fit_routing.needed(q), "in") for q in sets.sample(test.queries, 2 * most)]
        rows = fit_routing.ask(name, Curator.open(test.tools), asked + fit_routing.negatives(data, name))
        model = fit_routing.fit([each for each in rest if each.family != name], fit_routing.FITS, "fits")
        values, kinds = fit_routing.probabilities(model, rows), rows.kinds
        best = rows.signals[:, fit_routing.SIGNALS.index("top")]
        label = f"{name}, {examples} examples" + (", profiles" if profiles else "")
        found[label] = {
            kind: {
                "auroc": area(values[kinds == "in"], values[kinds == kind]),
                "best cosine alone": area(best[kinds == "in"], best[kinds == kind]),
                "seed: matched from 0.40 on": float((best[kinds == kind] >= 0.40).mean()),
            }
            for kind in ("near", "far")
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets.data_option(parser)
    parser.add_argument("--most", type=int, help="queries a set and kind; all by default")
    parser.add_argument("--learn", type=int, default=300, help="queries a catalogue to learn near and far from")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    for name, examples in SETS:
        figures[f"{name}, {examples} examples"] = scoped(given.data, name, examples, given.most)
        print(name, json.dumps(figures[f"{name}, {examples} examples"], indent=1), flush=True)
    figures["near and far"] = near(given.data, given.learn)
    print(json.dumps(figures["near and far"], indent=1))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
