"""``toolcurator index``: build the index of a catalogue before it is asked."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, Synonyms, open_curator
from toolcurator.settings import Preset


def index(
    catalogs: Annotated[list[str], typer.Argument(metavar="CATALOG...", help="Files, folders or addresses.")],
    preset: Annotated[
        Preset | None, typer.Option(help="classic indexes what the first seed does.", show_default="default")
    ] = None,
    encoder: Encoder = None,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
    as_json: Json = False,
) -> None:
    """Build the index of a catalogue, or find that it is up to date."""
    start = time.perf_counter()
    curator = open_curator(
        catalogs,
        preset=preset,
        encoder=encoder,
        synonyms=synonyms,
        profiles=profiles,
        language=language,
        index_dir=index_dir,
    )
    about = curator.index.manifest
    size = sum(size for size, _ in about.files.values())
    facts = {
        "folder": str(curator.index.generation.folder.parent),
        "tools": about.tools,
        "points": about.points,
        "encoder": about.encoder or "none",
        "language": about.language,
        "roles": list(about.roles),
        "bytes": size,
        "seconds": round(time.perf_counter() - start, 3),
        "faults": list(curator.faults),
    }
    if as_json:
        print(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    print(
        f"{facts['tools']:,} tools, {facts['points']:,} points, language {facts['language']}, encoder {facts['encoder']}"
    )
    print(f"{facts['folder']} ({about.key[:12]}, {size / 1e6:.1f} MB), ready after {facts['seconds']} s")
