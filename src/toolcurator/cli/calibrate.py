"""``toolcurator calibrate``: how sure decisions are, and where to draw the lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, Synonyms, open_curator, progress

if TYPE_CHECKING:
    from toolcurator.routing.calibration import Calibration, Rate


def calibrate(
    catalogs: Annotated[list[Path], typer.Argument(metavar="CATALOG...", help="One or more files or folders.")],
    queries: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help='Labelled queries: JSON Lines with "query" and "relevant" (ids; empty if no tool fits).',
            show_default="the catalogue's own examples",
        ),
    ] = None,
    negatives: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help='Messages near the domain that no tool serves: lines, or JSON Lines with "query".',
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="What may go wrong: false-route=SHARE, miss=SHARE.", show_default="false-route=0.05 miss=0.05"
        ),
    ] = None,
    in_scope: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=0.99,
            help="Share of the traffic that has a tool.",
            show_default="that of the labelled queries, else 0.5",
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only queries of this split.", show_default="all but test")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the trade-off into this file (.svg, .png, .pdf).")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Go back to the packaged calibration.")] = False,
    encoder: Encoder = None,
    as_json: Json = False,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Learn how sure the decisions on a catalogue are, and where to draw the lines; kept beside its index.

    Example: toolcurator calibrate examples/et_services --target false-route=0.05 --plot calibration.svg
    """
    from toolcurator.evaluation.bench_form import read_queries
    from toolcurator.routing.calibrate import FALSE_ROUTE, MISS
    from toolcurator.routing.calibrate import calibrate as run
    from toolcurator.routing.calibration import forget_calibration
    from toolcurator.routing.negatives import read_negatives

    limits = {"false-route": FALSE_ROUTE, "miss": MISS} | dict(map(_target, target or ()))
    curator = open_curator(
        catalogs, encoder=encoder, synonyms=synonyms, profiles=profiles, language=language, index_dir=index_dir
    )
    if forget:
        there = forget_calibration(curator.index)
        print("the packaged calibration is used" if there else "nothing was calibrated here")
        return
    labelled = None
    if queries:
        labelled = [q for q in read_queries(queries) if (q.split == split if split else q.split != "test")]
    near = read_negatives(negatives) if negatives else ()
    with progress("asking") as report:
        made = run(
            curator,
            labelled,
            negatives=near,
            false_route=limits["false-route"],
            miss=limits["miss"],
            in_scope=in_scope,
            progress=report,
        )
    if not dry_run:
        made.save(curator)
    if plot:
        from toolcurator.routing.plot import plot_calibration

        plot_calibration(made.calibration, plot)
    if as_json:
        print(json.dumps(made.calibration.model_dump(mode="json"), indent=2))
        return
    _print(made.calibration)
    print("not kept (--dry-run)" if dry_run else "kept beside the index (--forget goes back)")


def _print(found: Calibration) -> None:
    from rich.console import Console
    from rich.table import Table

    near = any(point.near is not None for point in found.curve)
    table = Table("limit", "false routes", *(["near ones"] if near else []), "right", "wrong", box=None, pad_edge=False)
    for point in found.curve:
        shares = [point.false_route, *([point.near or 0.0] if near else []), point.matched, point.wrong]
        table.add_row(f"{point.high:.2f}", *(f"{share:.1%}" for share in shares))
    print("Matched from which probability on, as shares of the queries without a tool, and of those with one:")
    Console(width=100, highlight=False).print(table)
    figures, limits = found.figures, found.thresholds
    print(
        f"learned from {found.in_scope:,} {found.learned_from}, {found.general:,} general and {found.near:,} near messages; "
        "every figure is of queries the model had not seen"
    )
    head = f", kernel head weighs {found.kernel_weight}" if found.kernel_weight else ""
    print(f"AUROC {figures.auroc:.3f}, calibration error {figures.ece:.3f}{head}")
    rows: list[tuple[str, Rate | None]] = [
        ("first is right", figures.accuracy),
        ("matched right", figures.matched),
        ("matched wrong", figures.wrong),
        ("ambiguous", figures.ambiguous),
        (f"missed (asked: at most {found.miss:.0%})", figures.miss),
        (f"false routes (asked: at most {found.false_route:.0%})", figures.false_route),
        ("  near ones among them", figures.false_near),
    ]
    for name, rate in rows:
        if rate is not None:
            print(f"{name:38} {rate}")
    print(f"none below {limits.minimum:.3f}, match from {limits.high:.3f} on, between them ambiguous")


def _target(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if name not in ("false-route", "miss") or not 0 <= share < 1:
        raise typer.BadParameter(f"{text!r}: expected false-route=SHARE or miss=SHARE, such as false-route=0.05")
    return name, share
