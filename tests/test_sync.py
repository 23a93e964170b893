"""A catalogue file that is kept in step with the sources it names."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolcurator import Catalog
from toolcurator.enrichment.source import source_of
from toolcurator.errors import CatalogError
from toolcurator.sync import Source, sync
from toolcurator.tool import Profile, Provenance

CLI = [sys.executable, "-m", "toolcurator.cli"]


def write(path: Path, *names: str, **described: str) -> None:
    tools = [{"name": name, "description": described.get(name, f"Does {name}.")} for name in names]
    path.write_text(yaml.safe_dump({"name": "desk", "tools": tools}))


def applied(path: Path, *sources: str) -> Any:
    report = sync(path, [Source(source=each) for each in sources])
    report.save(path)
    return report


def test_what_a_source_adds_changes_renames_and_removes(tmp_path: Path) -> None:
    catalog, source = tmp_path / "tools.json", tmp_path / "api.yaml"
    write(source, "lend", "renew", "pay", pay="Pays a fine.")
    assert applied(catalog, "api.yaml").diff.added == ("lend", "renew", "pay")
    assert not sync(catalog).diff
    write(source, "lend", "settle", "hours", lend="Lends a book.", settle="Pays a fine.")
    diff = sync(catalog).diff
    assert (diff.added, diff.removed) == (("hours",), ("renew",))
    assert dict(diff.changed) == {"lend": ("description",)}
    assert dict(diff.renamed) == {"pay": "settle"}
    assert [tool.name for tool in Catalog.load(catalog)] == ["lend", "renew", "pay"]  # not saved yet
    applied(catalog)
    assert {tool.name for tool in Catalog.load(catalog)} == {"lend", "settle", "hours"}


def test_what_was_added_in_the_catalogue_stays_and_profiles_of_changed_tools_become_stale(tmp_path: Path) -> None:
    catalog, source = tmp_path / "tools.yaml", tmp_path / "api.yaml"
    write(source, "lend", "pay", "hours")
    applied(catalog, "api.yaml")
    before = Catalog.load(catalog)
    about = {tool.name: Provenance(model="m", source_hash=source_of(tool).hash) for tool in before}
    tools = [
        tool.model_copy(
            update={
                "examples": (f"I want to {tool.name}",),
                "roles": ("reader",),
                "profile": Profile(when_to_use="at the desk", provenance={"when_to_use": about[tool.name]}),
            }
        )
        for tool in before
    ]
    tools.append(before["lend"].model_copy(update={"id": "own", "name": "own", "metadata": {}}))
    Catalog(tools, name=before.name, sources=before.sources).save(catalog)
    write(source, "lend", "settle", "hours", lend="Lends a book now.", settle="Does pay.")
    report = applied(catalog)
    assert report.stale == ("lend", "settle")  # a model reads the name too
    after = Catalog.load(catalog)
    assert after["settle"].examples == ("I want to pay",)  # renamed
    assert after["lend"].roles == ("reader",)
    assert after["lend"].profile is not None
    assert after["lend"].description == "Lends a book now."
    assert "own" in after  # written by hand, of no source
    write(source, "lend", "hours")
    assert "settle" not in applied(catalog).catalog


def test_a_source_that_cannot_be_read_loses_nothing(tmp_path: Path) -> None:
    catalog, one, two = tmp_path / "tools.json", tmp_path / "one.yaml", tmp_path / "two.yaml"
    write(one, "lend")
    write(two, "pay")
    applied(catalog, "one.yaml", "two.yaml")
    two.write_text("tools: [")
    write(one, "lend", "renew")
    report = applied(catalog)
    assert list(report.failed) == ["two.yaml"]
    assert {tool.name for tool in report.catalog} == {"lend", "renew", "pay"}
    two.unlink()
    assert "no such file" in applied(catalog).failed["two.yaml"]
    assert "pay" in Catalog.load(catalog)
    with pytest.raises(CatalogError, match=r"source three\.yaml: no such file"):
        sync(catalog, [Source(source="three.yaml")])  # a name that was mistyped is not written down


def test_a_server_that_is_down_keeps_its_tools(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    server = tmp_path / "server.py"
    server.write_text(
        "from mcp.server.mcpserver import MCPServer\n"
        "server = MCPServer('desk')\n"
        "@server.tool()\ndef lend(title: str) -> str:\n    'Lends a book.'\n    return title\n"
        "server.run()\n"
    )
    config = {name: {"command": sys.executable, "args": [str(server)]} for name in ("a", "b")}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": config}))
    catalog = tmp_path / "tools.json"
    assert {tool.id for tool in applied(catalog, "mcp.json").catalog} == {"a/lend", "b/lend"}
    config["b"] = {"command": sys.executable, "args": ["-c", "raise SystemExit('out of order')"]}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": config}))
    report = sync(catalog)
    assert list(report.failed) == ["b"]
    assert {tool.id for tool in report.catalog} == {"a/lend", "b/lend"}
    assert any("out of order" in str(fault) for fault in report.faults)


def test_openapi_operations_can_be_chosen(tmp_path: Path, examples: Path) -> None:
    document = next((examples / "openapi").glob("*.yaml"))
    (tmp_path / "api.yaml").write_text(document.read_text())
    everything = sync(tmp_path / "all.json", [Source(source="api.yaml")]).catalog
    reading = sync(tmp_path / "some.json", [Source(source="api.yaml", methods=("get",))])
    assert 0 < len(reading.catalog) < len(everything)
    assert {tool.endpoint.method for tool in reading.catalog if tool.endpoint} == {"GET"}
    reading.save(tmp_path / "some.json")
    assert not sync(tmp_path / "some.json").diff  # the filter stands in the file


@pytest.mark.parametrize(
    ("sources", "said"),
    [([], "names no sources"), ("api.yaml", "sources must be a list"), ([{"path": "x"}], "source is missing")],
)
def test_bad_sources_are_named(tmp_path: Path, sources: object, said: str) -> None:
    catalog = tmp_path / "tools.json"
    catalog.write_text(json.dumps({"sources": sources}))
    with pytest.raises(CatalogError, match=said):
        sync(catalog)
    with pytest.raises(CatalogError, match=r"expected \.json or \.yaml"):
        sync(tmp_path / "tools.jsonl")
