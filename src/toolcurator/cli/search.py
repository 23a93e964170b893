"""``toolcurator search``: ask a catalogue, once or for a file of queries."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcurator.cli.batch import answer_file
from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, Synonyms, open_curator
from toolcurator.settings import Fusion, NoFit, Preset
from toolcurator.tool import Format

if TYPE_CHECKING:
    from toolcurator.retrieval import Curator, Selection


def search(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="CATALOG... QUERY", help="Files, folders or addresses, then the query (none with --queries)."
        ),
    ],
    k: Annotated[
        str | None,
        typer.Option("--k", "-k", help='Most tools, or "auto": as many as are needed.', show_default="10, classic 20"),
    ] = None,
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is seen.")] = None,
    preset: Annotated[
        Preset | None, typer.Option(help="classic is the first seed's pipeline.", show_default="default")
    ] = None,
    fusion: Annotated[Fusion | None, typer.Option(help="How the arms are joined.", show_default="weighted")] = None,
    encoder: Encoder = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each tool is in.")] = False,
    as_json: Json = False,
    declare: Annotated[Format | None, typer.Option("--as", help="Print the declarations for this API.")] = None,
    token_budget: Annotated[int | None, typer.Option(min=1, help="Most tokens of all declarations.")] = None,
    no_fit: Annotated[NoFit | None, typer.Option(help="What to do when no tool fits.", show_default="keep")] = None,
    pinned: Annotated[list[str] | None, typer.Option("--pin", help="Id of a tool that is always in.")] = None,
    diversity: Annotated[
        float | None, typer.Option(min=0, max=1, help="0 none, towards 1 fewer near-duplicates.")
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help='JSON Lines with "id" and "query", or a text a line.'),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the answers to --queries go.", show_default="stdout")] = None,
    rerank: Annotated[
        str | None, typer.Option(help="Reranker for the first hits: a folder or a hub name.", show_default="none")
    ] = None,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Find the tools that a query needs.

    Example: toolcurator search examples/campus "show my attendance and also raise a grievance" --explain
    """
    from toolcurator.errors import QueryError

    catalogs, query = (arguments, "") if queries else (arguments[:-1], arguments[-1])
    if not catalogs:
        raise QueryError(f"a catalogue and a query are needed, only {query!r} came: toolcurator search CATALOG QUERY")
    curator = open_curator(
        catalogs,
        preset=preset,
        fusion=fusion,
        encoder=encoder,
        diversity=diversity,
        rerank_model=rerank,
        pinned=tuple(pinned) if pinned else None,
        synonyms=synonyms,
        profiles=profiles,
        language=language,
        index_dir=index_dir,
    )
    limits: dict[str, Any] = {"k": _size(k), "role": role, "token_budget": token_budget, "no_fit": no_fit}
    if queries:
        raise typer.Exit(_batch(curator, queries, out, limits))
    selection = curator.select(query, **limits)
    if declare:
        print(json.dumps(getattr(selection, declare)(), ensure_ascii=False, indent=2))
    elif as_json:
        print(json.dumps(_as_json(selection), ensure_ascii=False, indent=2))
    else:
        _print(selection, explain)


def _print(selection: Selection, explain: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from toolcurator.retrieval.explain import cell, summary, table

    if explain:
        rows = table(selection)
    else:
        rows = Table(box=None, pad_edge=False, show_header=False)
        for number, hit in enumerate(selection, 1):
            text = " ".join(hit.tool.description.split())
            short = text if len(text) < 80 else f"{text[:79]}…"
            rows.add_row(str(number), cell(hit.id, "bold"), f"{hit.score:.2f}", cell(short))
    wide = Console(width=None if sys.stdout.isatty() else 180, highlight=False)
    if len(selection):
        wide.print(rows)
    wide.print(summary(selection), style="yellow" if selection.no_fit else "", markup=False, emoji=False)


def _as_json(selection: Selection) -> dict[str, Any]:
    from dataclasses import asdict

    hits = [
        {"id": hit.id, "score": hit.score, "name": hit.tool.name, "wire_name": wire, "evidence": asdict(hit.evidence)}
        for hit, wire in zip(selection, selection.wire_names(), strict=True)
    ]
    return {
        "query": selection.query,
        "fits": selection.fits,
        "calibrated": selection.calibrated,
        "no_fit": selection.no_fit,
        "parts": selection.parts,
        "notes": selection.notes,
        "hits": hits,
    }


def _batch(curator: Curator, queries: Path, out: Path | None, limits: dict[str, Any]) -> int:
    """Answer a file of queries; returns the exit code."""

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        start = time.perf_counter()
        role = limits["role"] or asked.get("role")  # a line never sees more than the command may
        found = curator.select(asked["query"], **{**limits, "role": role})
        return {
            "hits": [{"id": hit.id, "score": round(hit.score, 6)} for hit in found],
            "fits": round(found.fits, 4),
            "ms": round(1000 * (time.perf_counter() - start), 3),
        }

    return answer_file(queries, out, "searching", answer)


def _size(text: str | None) -> int | str | None:
    """A number of tools, or ``auto``."""
    from toolcurator.errors import QueryError

    if text is None or text == "auto":
        return text
    if not text.isdigit() or int(text) < 1:
        raise QueryError(f"--k must be a whole number from 1 or auto, not {text!r}")
    return int(text)
