"""A run over tools, as the tests want it: few attempts, short waits."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolcurator import Catalog, Tool
from toolcurator.enrichment.run import Report, due
from toolcurator.enrichment.session import Session, Stages, save

MODEL = "openai/scripted"


def run(tools: Sequence[Tool] | Catalog, url: str, folder: Path, *, stale: bool = False, **how: Any) -> Report:
    """Enrich tools against a server; the profiles go to ``profiles.jsonl`` in the folder."""
    catalog = tools if isinstance(tools, Catalog) else Catalog(tools)
    settings = {"llm": MODEL, "judge": MODEL, "refine": MODEL, "api_base": url, "parallel": 4, "patience": 0.5} | how

    async def all_of_it() -> Report:
        async with Session(catalog, Stages(**settings), folder / "run") as session:
            return await session.enrich(due(catalog, only_stale=stale))

    report = asyncio.run(all_of_it())
    save(folder / "profiles.jsonl", report, catalog)
    return report


def run_in_child(tools: Sequence[Tool], url: str, folder: Path) -> None:
    """The same, to be killed."""
    run(tools, url, folder)
