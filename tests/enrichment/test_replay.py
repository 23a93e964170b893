"""A recorded run replayed gives the profiles that attaching it gives."""

import asyncio
import json
from pathlib import Path

import pytest

from toolcurator import Catalog, Tool
from toolcurator.enrichment.run import Report
from toolcurator.enrichment.session import Session, Stages, save

TEXTS = ("function_description", "tags", "when_to_use", "limitations", "example_queries", "grounded")
QUERIES = ["lend me a map", "a map please", "I need a map of the town", "where is the map", "map, for a week"]


def recorded(name: str, **changed: object) -> dict[str, object]:
    """A recorded profile."""
    return {
        "id": name,
        "function_description": f"Handles the {name.split('_')[1]} of a reader.",
        "tags": [name.split("_")[1], "library", "reader service"],
        "when_to_use": None,
        "limitations": None,
        "example_queries": QUERIES,
        "grounded": True,
        "model": "somebody",
    } | changed


@pytest.fixture
def library(tools, tmp_path: Path) -> tuple[list[Tool], Path]:
    """Tools, and a file in which one is not grounded and one is missing."""
    found = tools(5)
    rows = [recorded(tool.name) for tool in found[:3]] + [recorded(found[3].name, grounded=False)]
    path = tmp_path / "recorded.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return found, path


def replayed(tools: list[Tool], path: Path, folder: Path) -> tuple[Report, Catalog]:
    """The report, and the catalogue with what came out."""
    catalog = Catalog(tools)

    async def all_of_it() -> Report:
        async with Session(catalog, Stages(replay=path), folder / "run") as session:
            return await session.enrich(tools)

    report = asyncio.run(all_of_it())
    save(folder / "profiles.jsonl", report, catalog)
    return report, Catalog(tools, profiles=folder / "profiles.jsonl")


def test_a_replay_gives_what_attaching_gives(library, tmp_path: Path) -> None:
    tools, path = library
    report, found = replayed(tools, path, tmp_path)
    attached = Catalog(tools, profiles=path)
    for one, other in zip(attached, found, strict=True):
        assert [getattr(one.profile, name, None) for name in TEXTS] == [
            getattr(other.profile, name, None) for name in TEXTS
        ]
    assert [outcome.state for outcome in report.outcomes] == ["enriched"] * 3 + ["ungrounded", "failed"]
    assert "recorded" in report.outcomes[4].reason


def test_a_replay_goes_through_the_same_checks(library, tmp_path: Path) -> None:
    tools, path = library
    rows = [recorded(tools[0].name, tags=["map"]), recorded(tools[1].name, limitations="At most 77 maps.")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report, _ = replayed(tools[:2], path, tmp_path)
    assert report.outcomes[0].dropped.keys() == {"tags"}
    assert report.outcomes[1].dropped.keys() == {"limitations"}


def test_what_a_run_wrote_can_be_replayed_with_its_verdicts_until_the_document_changes(library, tmp_path: Path) -> None:
    tools, path = library
    _, first = replayed(tools, path, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "profiles.jsonl").read_text().splitlines()]
    for by in rows[0]["provenance"].values():
        by |= {"supported": True, "reason": "read it", "judge": "somebody"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    changed = [*tools[:2], tools[2].model_copy(update={"description": "Renew a book or a film."}), *tools[3:]]
    report, second = replayed(changed, path, tmp_path / "again")
    profile = second[tools[0].id].profile
    assert profile is not None
    assert profile.tags == first[tools[0].id].profile.tags  # type: ignore[union-attr]
    assert profile.provenance["tags"].supported is True
    assert profile.provenance["tags"].reason == "read it"
    assert "another document" in report.outcomes[2].reason


def test_profiles_of_other_tools_in_the_file_stay(library, tmp_path: Path) -> None:
    tools, path = library
    out = tmp_path / "profiles.jsonl"
    out.write_text(json.dumps(recorded("foreign_thing", set="elsewhere")) + "\n")
    replayed(tools, path, tmp_path)
    last = json.loads(out.read_text().splitlines()[-1])
    assert (last["id"], last["set"]) == ("foreign_thing", "elsewhere")
