"""``toolcurator convert``: a catalogue in another form."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from toolcurator.cli.opened import Profiles, Synonyms, warn


class Target(StrEnum):
    """What a catalogue can be written as."""

    catalog = "catalog"
    openai = "openai"
    openai_responses = "openai_responses"
    anthropic = "anthropic"
    gemini = "gemini"
    mcp = "mcp"


def convert(
    catalogs: Annotated[list[str], typer.Argument(metavar="CATALOG...", help="Files, folders or addresses.")],
    to: Annotated[Target, typer.Option(help="catalog is our own form.")] = Target.catalog,
    out: Annotated[
        Path | None,
        typer.Option(help="File; a catalogue by its ending: .yaml, .json or .jsonl.", show_default="stdout"),
    ] = None,
    role: Annotated[str | None, typer.Option(help="Only the tools that this persona may see.")] = None,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
) -> None:
    """Write a catalogue in another form. What came in that form goes out as it came."""
    import sys
    import tempfile

    from toolcurator.catalog import Catalog
    from toolcurator.sources import schemas

    catalog = Catalog.load(*catalogs, synonyms=synonyms, profiles=profiles)
    warn([str(fault) for fault in catalog.faults])
    tools = catalog.visible(role) if role else catalog.tools
    if to is Target.catalog:
        chosen = Catalog(tools, name=catalog.name, language=catalog.language)
        if out:
            chosen.save(out)
            return
        with tempfile.TemporaryDirectory() as folder:
            chosen.save(draft := Path(folder) / "catalog.yaml")
            sys.stdout.write(draft.read_text("utf-8"))
        return
    write = getattr(schemas, f"to_{to.value}")
    found = [write(tool, catalog.wire_names[tool.id]) for tool in tools if tool.state == "active"]
    body = {"tools": found} if to is Target.mcp else [{"functionDeclarations": found}] if to is Target.gemini else found
    text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    if out:
        out.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)
