"""``toolcurator enrich``: profiles of the tools of a catalogue, written and judged by models."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcurator.cli.opened import Json, Language, Profiles, Synonyms, warn

if TYPE_CHECKING:
    from toolcurator.enrichment.estimate import Estimate
    from toolcurator.enrichment.ledger import Ledger, Spent
    from toolcurator.enrichment.run import Progress, Report
    from toolcurator.enrichment.session import Session


class Only(StrEnum):
    """Which tools are enriched."""

    STALE = "stale"


def enrich(
    catalogs: Annotated[list[Path], typer.Argument(metavar="CATALOG...", help="One or more files or folders.")],
    llm: Annotated[str | None, typer.Option(help="Model that writes, a LiteLLM name: openai/gpt-4o-mini.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Model that judges each field, or none.", show_default="--llm")
    ] = None,
    refine: Annotated[
        str | None, typer.Option(help="Model that writes rejected fields again, or none.", show_default="--llm")
    ] = None,
    api_base: Annotated[
        str, typer.Option(help="Address of an OpenAI-compatible server, such as http://localhost:8000/v1.")
    ] = "",
    api_key_env: Annotated[str, typer.Option(help="Environment variable with its key.")] = "OPENAI_API_KEY",
    replay: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Recorded profiles that answer instead of a model.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="Folder that keeps every answer.", show_default="beside --out, .run")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the profiles go.", show_default="CATALOG.profiles.jsonl, in this folder")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    only: Annotated[
        Only | None, typer.Option(help="stale: only tools without a profile, or changed since it was written.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many tools, the first ones.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="At most so many tools, drawn by chance.")] = None,
    parallel: Annotated[int, typer.Option(min=1, max=1024, help="Calls at a time.")] = 16,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 120.0,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds that the model may be down before the run stops.")
    ] = 600.0,
    queries: Annotated[bool, typer.Option("--queries/--no-queries", help="Example queries as well.")] = True,
    profiles: Profiles = None,
    synonyms: Synonyms = None,
    language: Language = None,
    as_json: Json = False,
) -> None:
    """Write profiles of tools with a model, judge them field by field, and keep what the tools' own documents support.

    Killed or stopped, the same command goes on where it was. Example: toolcurator enrich examples/campus --llm openai/gpt-4o-mini
    """
    import asyncio

    from toolcurator.catalog import Catalog
    from toolcurator.enrichment.run import due, stale
    from toolcurator.enrichment.session import Session, Stages, estimated, save
    from toolcurator.errors import QueryError

    if (llm is None) == (replay is None):
        raise QueryError(
            "one of --llm MODEL and --replay FILE is needed: toolcurator enrich CATALOG --llm openai/gpt-4o-mini"
        )
    out = out or Path(f"{_stem(catalogs[0])}.profiles.jsonl")
    if out.suffix != ".jsonl":
        raise QueryError(f"--out {out} must end in .jsonl")
    folder = run or out.with_name(f"{out.name.removesuffix('.jsonl').removesuffix('.profiles')}.run")
    before = profiles or (out if out.exists() and out.stat().st_size else None)
    catalog = Catalog.load(*catalogs, synonyms=synonyms, profiles=before, language=language)
    warn([str(fault) for fault in catalog.faults])
    stages = Stages(
        llm=llm or "",
        judge=_other(judge, llm),
        refine=_other(refine, llm),
        api_base=api_base,
        key_env=api_key_env,
        replay=replay,
        parallel=parallel,
        timeout=timeout,
        patience=patience,
        queries=queries,
    )
    todo = due(catalog, only_stale=only is Only.STALE, limit=limit, sample=sample)
    if dry_run:
        _show_estimate(len(todo), len(catalog), len(stale(catalog)), estimated(todo, stages), as_json)
        return
    session = Session(catalog, stages, folder)
    warn(session.faults)
    start = time.perf_counter()
    try:
        with _progress(session.ledger) as progress:
            report = asyncio.run(_enriched(session, todo, progress))
    except KeyboardInterrupt:
        print(
            f"stopped: {session.ledger.calls:,} answers are kept in {folder}; the same command goes on", file=sys.stderr
        )
        raise
    kept = save(out, report, catalog)
    _show(report, session, folder, out, kept, time.perf_counter() - start, as_json)
    raise typer.Exit(1 if report.stopped or report.count("failed") else 0)


async def _enriched(session: Session, todo: Sequence[Any], progress: Progress) -> Report:
    async with session:
        return await session.enrich(todo, progress=progress)


def _other(model: str | None, llm: str | None) -> str:
    return "" if model == "none" else model or llm or ""


def _stem(catalog: Path) -> str:
    path = catalog.resolve()
    if path.is_dir():
        return path.name
    return path.parent.name if path.stem == "tools" else path.stem


@contextmanager
def _progress(ledger: Ledger) -> Generator[Progress]:
    """A bar on stderr with the rate, the time that is left and the money spent."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("enriching"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[cost]}"),
        console=Console(stderr=True),
    )
    task = bar.add_task("", total=None, rate="", cost="")
    shown = start = 0.0

    def report(done: int, total: int) -> None:
        nonlocal shown, start
        now = time.monotonic()
        if not start:
            start = now
            bar.start()
        if now - shown < 0.1 and done < total:
            return
        shown = now
        rate = f"{done / (now - start):.1f} tools/s" if now > start else ""
        cost = "" if ledger.cost is None else f"${ledger.cost:.2f}"
        bar.update(task, completed=done, total=total, rate=rate, cost=cost)

    try:
        yield report
    finally:
        if start:
            bar.stop()


def _show_estimate(due: int, tools: int, stale: int, rows: Sequence[Estimate], as_json: bool) -> None:
    known = [row.cost for row in rows if row.cost is not None]
    total = sum(known) if len(known) == len(rows) and rows else None
    if as_json:
        facts = {"tools": tools, "due": due, "stale": stale, "stages": [asdict(row) for row in rows], "cost": total}
        print(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    print(f"{due:,} of {tools:,} tools are due, {stale:,} profiles are stale")
    _table(rows)
    print(f"about ${total:.2f}" if total is not None else "the price of a model is not known", end="")
    print(" (tokens counted as four bytes each, answers and rejections guessed)")


def _show(report: Report, session: Session, folder: Path, out: Path, kept: int, seconds: float, as_json: bool) -> None:
    dropped: dict[str, int] = {}
    for outcome in report.outcomes:
        for name in outcome.dropped:
            dropped[name] = dropped.get(name, 0) + 1
    poisoned = [outcome for outcome in report.outcomes if outcome.orders]
    facts = {
        "run": session.run,
        "folder": str(folder),
        "profiles": str(out),
        "in_use": kept,
        **{state: report.count(state) for state in ("enriched", "ungrounded", "failed")},
        "left": len(report.left),
        "stopped": report.stopped,
        "dropped": dropped,
        "answers_from_before": session.resumed,
        "cost": session.ledger.cost,
        "seconds": round(seconds, 2),
        "stages": [asdict(row) for row in session.ledger.rows],
        "ungrounded_tools": {each.id: each.reason for each in report.outcomes if each.state == "ungrounded"},
        "failed_tools": {each.id: each.reason for each in report.outcomes if each.state == "failed"},
        "tools_that_give_orders": {each.id: each.orders for each in poisoned},
    }
    if as_json:
        print(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        _table(session.ledger.rows)
        if session.resumed:
            print(f"{session.resumed:,} of these answers are of earlier sessions")
        fields = ", ".join(f"{name} {count:,}" for name, count in dropped.items())
        print(
            f"{facts['enriched']:,} enriched, {facts['ungrounded']:,} ungrounded, {facts['failed']:,} failed"
            f"{f'; not supported and dropped: {fields}' if fields else ''}"
        )
        print(f"{kept:,} profiles in {out}: toolcurator search CATALOG QUERY --profiles {out}")
    warn([f"tool '{each.id}': {each.state}, {each.reason}" for each in report.outcomes if each.reason])
    warn([f"tool '{each.id}': its document speaks to the model: {each.orders[0][:100]!r}" for each in poisoned])
    if report.stopped:
        print(
            f"stopped: {report.stopped}\n{len(report.left):,} tools are left on their own documents; "
            f"every answer is kept in {folder}, and the same command goes on",
            file=sys.stderr,
        )


def _table(rows: Sequence[Estimate] | Sequence[Spent]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("stage", "model", "calls", "tokens in", "tokens out", "US$", "s a call"):
        table.add_column(name, justify="left" if name in ("stage", "model") else "right")
    for row in rows:
        seconds = getattr(row, "seconds", None)
        unknown = row.cost is None or getattr(row, "unpriced", 0) == row.calls
        table.add_row(
            row.stage,
            row.model,
            f"{row.calls:,}",
            f"{row.tokens_in:,}",
            f"{row.tokens_out:,}",
            "?" if unknown else f"{row.cost:.4f}",
            "" if seconds is None else f"{seconds / row.calls:.2f}",
        )
    Console(width=120, highlight=False).print(table)
