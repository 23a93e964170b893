"""The commands joined, and what happens when one fails."""

from __future__ import annotations

import io
import logging
import sys

import typer

from toolcurator.cli.calibrate import calibrate
from toolcurator.cli.call import call
from toolcurator.cli.chat import chat
from toolcurator.cli.convert import convert
from toolcurator.cli.enrich import enrich
from toolcurator.cli.eval import evaluate
from toolcurator.cli.fit import fit
from toolcurator.cli.index import index
from toolcurator.cli.lint import lint
from toolcurator.cli.review import review
from toolcurator.cli.route import route
from toolcurator.cli.search import search
from toolcurator.cli.show import show
from toolcurator.cli.sync import sync
from toolcurator.cli.train import train
from toolcurator.version import __version__

app = typer.Typer(
    name="toolcurator",
    help="Find the few tools a query needs among hundreds, and say when none fits.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (search, index, show, convert, fit, lint, enrich, review, sync, call, route, chat, calibrate):
    app.command()(command)
app.command("eval")(evaluate)
app.add_typer(train, name="train")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"toolcurator {__version__}")
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction]
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format="%(levelname)s: %(message)s")
    for library in ("httpx", "httpcore", "httpx2", "httpcore2", "filelock", "asyncio"):
        logging.getLogger(library).setLevel(logging.WARNING)


def main() -> None:
    """Entry point of the ``toolcurator`` command. Exit codes: 0 done, 1 partly, 2 not, 130 interrupted."""
    debug = "--debug" in sys.argv
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # half a surrogate pair must not end a batch
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has seen enough
        raise SystemExit(0) from None
    except Exception as error:
        if debug:
            raise
        from pydantic import ValidationError

        from toolcurator.errors import ToolCuratorError

        if isinstance(error, ValidationError):
            from toolcurator.sources.fault import explain

            message = f"settings: {explain(error)}"
        elif isinstance(error, ToolCuratorError | OSError):
            message = str(error)
        else:
            message = f"internal error, {type(error).__name__}: {error} (--debug before the command shows where)"
        print(f"error: {' '.join(message.split())}", file=sys.stderr)
        raise SystemExit(2) from None
