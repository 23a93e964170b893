"""``toolcurator sync``: bring a catalogue file back into step with the sources it names."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, progress, warn

if TYPE_CHECKING:
    from toolcurator.sync import SyncReport


_SHOWN = 30  # changes that are printed


def sync(
    catalog: Annotated[Path, typer.Argument(help="The catalogue file (.json, .yaml); made if it is not there.")],
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="A file, folder or address that is added to its sources; may be repeated.", show_default="none"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    no_index: Annotated[bool, typer.Option("--no-index", help="Leave the index to the next search.")] = False,
    encoder: Encoder = None,
    as_json: Json = False,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Read a catalogue's sources again, show what has changed, write it down, and bring the index up to date.

    What was added in the catalogue (examples, roles, tags, profiles) stays. Tools of a source that cannot be read stay as they
    were, and the command ends with 1.

    Example: toolcurator sync tools.json --source mcp.json --source https://example.org/openapi.json
    """
    import gc

    from toolcurator.sync import Source, relative
    from toolcurator.sync import sync as read_again

    gc.disable()  # this process makes many objects, keeps them all, and ends: looking for garbage takes a fifth of its time
    report = read_again(catalog, [Source(source=relative(each, catalog)) for each in source or ()])
    new = bool(report.diff) or not catalog.exists() or bool(source)
    if new and not dry_run:
        report.save(catalog)
    encoded, took = 0, 0.0
    if not dry_run and not no_index:
        start = time.perf_counter()
        encoded = _index(report, catalog, encoder=encoder, language=language, index_dir=index_dir)
        took = time.perf_counter() - start
    if as_json:
        diff = report.diff
        said = {
            "tools": len(report.catalog),
            "added": diff.added,
            "removed": diff.removed,
            "changed": {key: list(fields) for key, fields in diff.changed.items()},
            "renamed": dict(diff.renamed),
            "failed": report.failed,
            "stale": report.stale,
            "faults": [str(fault) for fault in report.faults],
            "encoded": encoded,
            "applied": new and not dry_run,
        }
        print(json.dumps(said, ensure_ascii=False, indent=2))
    else:
        _say(report, catalog, dry_run=dry_run, new=new)
        if took:
            print(f"index up to date: {encoded} texts encoded, {took:.1f} s")
    raise typer.Exit(1 if report.failed else 0)


def _index(synced: SyncReport, catalog: Path, **options: Any) -> int:
    """Build the index that a search of the catalogue opens; returns how many texts were encoded for it."""
    from toolcurator.encoders import load_encoder
    from toolcurator.index import open_index
    from toolcurator.settings import Settings

    settings = Settings.of(**{name: value for name, value in options.items() if value is not None})
    how = dict.fromkeys(("synonyms", "extra_context", "profiles", "server"))
    encoded = 0
    with progress("encoding") as report:

        def count(done: int, total: int) -> None:
            nonlocal encoded
            encoded = total
            report(done, total)

        loaded = load_encoder(settings.encoder)
        open_index(catalog, settings=settings, encoder=loaded, progress=count, catalog=synced.catalog, **how)
    return encoded


def _say(report: SyncReport, catalog: Path, *, dry_run: bool, new: bool) -> None:
    warn([str(fault) for fault in report.faults])
    for source, why in report.failed.items():
        print(f"could not be read, its tools stay as they were: {source}: {why}", file=sys.stderr)
    lines = str(report.diff).splitlines()
    print("\n".join(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        print(f"and {len(lines) - _SHOWN:,} more (--json lists them all)")
    diff = report.diff
    counts = {"added": diff.added, "removed": diff.removed, "changed": diff.changed, "renamed": diff.renamed}
    said = ", ".join(f"{len(ids):,} {name}" for name, ids in counts.items() if ids) or "nothing has changed"
    n = len(report.catalog.sources)
    sources = f"{n:,} source{'' if n == 1 else 's'}"
    what = "not written (--dry-run)" if dry_run else "written" if new else "in step"
    print(f"{catalog}: {len(report.catalog):,} tools of {sources}, {said}; {what}")
    if report.stale:
        print(
            f"{len(report.stale):,} profiles were written from another text: toolcurator enrich {catalog} --only stale"
        )
