"""``toolcurator sync``."""

from pathlib import Path
from typing import Any

import yaml


def write(path: Path, **tools: str) -> None:
    path.write_text(yaml.safe_dump([{"name": name, "description": text} for name, text in tools.items()]))


def test_sync_writes_the_catalogue_and_encodes_what_has_changed(run: Any, tmp_path: Path) -> None:
    source, catalog, index = tmp_path / "desk.yaml", tmp_path / "tools.json", ["--index-dir", str(tmp_path / "index")]
    write(source, lend="Lends a book.", renew="Extends a loan.", pay="Pays a fine.")
    first = run("sync", str(catalog), "--source", str(source), *index)
    assert first.code == 0
    assert "3 tools of 1 source, 3 added; written" in first.out
    assert "3 texts encoded" in first.out
    assert "in step" in run("sync", str(catalog), *index).out
    write(source, lend="Lends a book.", renew="Extends a loan by a week.", pay="Pays a fine.")
    before = catalog.read_bytes()
    dry = run("sync", str(catalog), "--dry-run", *index)
    assert "~ renew: description" in dry.out
    assert catalog.read_bytes() == before
    said = run("sync", str(catalog), "--json", *index).json
    assert (said["changed"], said["encoded"], said["applied"]) == ({"renew": ["description"]}, 1, True)
    built = (tmp_path / "index/CURRENT").read_bytes()
    assert run("search", str(catalog), "by a week", "--json", "--k", "1", *index).json["hits"][0]["id"] == "renew"
    assert (tmp_path / "index/CURRENT").read_bytes() == built  # a search finds the index in step


def test_sync_names_a_source_that_is_gone_and_ends_with_1(run: Any, tmp_path: Path) -> None:
    source, catalog = tmp_path / "desk.yaml", tmp_path / "tools.yaml"
    write(source, lend="Lends a book.")
    assert run("sync", str(catalog), "--source", str(source), "--no-index").code == 0
    source.unlink()
    gone = run("sync", str(catalog), "--no-index")
    assert gone.code == 1
    assert "could not be read, its tools stay as they were: desk.yaml: no such file" in gone.err
    wrong = run("sync", str(tmp_path / "other.yaml"))
    assert wrong.code == 2
    assert "names no sources: add them with --source" in wrong.err
