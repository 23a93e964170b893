"""``toolcurator fit``: fit the weights of the score to a catalogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, Synonyms, open_curator, progress


def fit(
    catalogs: Annotated[list[Path], typer.Argument(metavar="CATALOG...", help="One or more files or folders.")],
    queries: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help='Labelled queries: JSON Lines with "query" and "relevant" (ids).',
            show_default="the catalogue's own examples",
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only queries of this split.", show_default="all but test")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Go back to the packaged weights.")] = False,
    encoder: Encoder = None,
    as_json: Json = False,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Fit the weights of the score to a catalogue, and keep them if they are better beyond noise.

    Example: toolcurator fit examples/campus --queries examples/campus/queries.jsonl
    """
    from toolcurator.evaluation.bench_form import read_queries

    curator = open_curator(
        catalogs, encoder=encoder, synonyms=synonyms, profiles=profiles, language=language, index_dir=index_dir
    )
    if forget:
        print("the packaged weights are used" if curator.forget_fit() else "nothing was fitted here")
        return
    labelled = None
    if queries:
        labelled = [q for q in read_queries(queries) if (q.split == split if split else q.split != "test")]
    with progress("fitting") as report:
        found = curator.fit(labelled, keep=not dry_run, progress=report)
    if as_json:
        print(json.dumps(found.model_dump(), indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    from toolcurator.retrieval.weights import FEATURES

    rows = Table("", "before", "after", box=None, pad_edge=False)
    for name in FEATURES:
        rows.add_row(name.replace("_", " "), f"{getattr(found.old, name):.2f}", f"{getattr(found.new, name):.2f}")
    rows.add_row("NDCG@10", *(f"{100 * each[0]:.1f}" for each in (found.before, found.after)))
    Console(width=120, highlight=False).print(rows)
    print(f"{found.queries} {found.learned_from}, each scored by weights fitted without it")
    _say("weights", found.difference, found.better)
    if (learned := found.together) is not None:
        before, after = (100 * share for share in learned.complete)
        print(f"{learned.requests} requests for several tools: all found in ten {before:.1f} % → {after:.1f} %")
        _say("tools needed together", learned.difference, learned.better)
    if found.table is not None or found.companions is not None:
        print("not kept (--dry-run)" if dry_run else "kept beside the index (--forget goes back)")


def _say(what: str, difference: tuple[float, float, float], better: bool) -> None:
    mean, low, high = (100 * each for each in difference)
    verdict = "better" if better else "not better beyond noise: not used"
    print(f"{what}: NDCG@10 {mean:+.1f} (95 % between {low:+.1f} and {high:+.1f}), {verdict}")
