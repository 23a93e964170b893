"""``toolcurator enrich`` as a person types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolcurator.cli.app import app
from toolcurator.enrichment.model import EnrichmentError, open_model
from toolcurator.errors import QueryError


@pytest.fixture
def folder(tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a catalogue of six tools, one without a description."""
    monkeypatch.chdir(tmp_path)
    entries = [tool.model_dump(mode="json", include={"name", "description", "parameters"}) for tool in tools(6)]
    entries[5]["description"] = ""
    (tmp_path / "library.json").write_text(json.dumps(entries))
    return tmp_path


def enrich(*arguments: object) -> "tuple[int, str, str]":
    result = CliRunner().invoke(app, ["enrich", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_a_catalogue_is_enriched_and_searched(folder: Path, server) -> None:
    code, out, err = enrich("library.json", "--llm", "openai/scripted", "--api-base", server.url)
    assert code == 0
    assert "5 enriched, 1 ungrounded, 0 failed" in out
    assert "library.profiles.jsonl" in out
    assert "it has no description" in err
    for stage in ("expand", "judge"):
        assert stage in out
    assert (folder / "library.run" / "answers.jsonl").exists()
    search = CliRunner().invoke(
        app,
        [
            "search",
            "library.json",
            "somebody wants a film",
            "--profiles",
            "library.profiles.jsonl",
            "--encoder",
            "none",
        ],
    )
    assert search.exit_code == 0


def test_json_says_what_was_done_and_paid(folder: Path, server) -> None:
    server.script({"tool": "_01", "content": "no"})
    code, out, _ = enrich(
        "library.json", "--llm", "openai/scripted", "--api-base", server.url, "--json", "--parallel", 2
    )
    assert code == 1
    facts = json.loads(out)
    assert (facts["enriched"], facts["ungrounded"], facts["failed"], facts["left"]) == (4, 1, 1, 0)
    assert facts["failed_tools"].keys() == {"return_book_01"}
    stages = {row["stage"]: row for row in facts["stages"]}
    assert stages["expand"]["calls"] == 4 + 3
    assert stages["expand"]["tokens_in"] > 1000
    assert stages["expand"]["unpriced"] == 7
    assert facts["cost"] is None


def test_cost_is_counted_where_the_provider_tells(folder: Path, server) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}
    reply = {"choices": [{"message": {"content": json.dumps({"grounded": False})}}], "usage": usage}
    server.script({"stage": "expand", "body": reply})
    _, out, _ = enrich("library.json", "--llm", "openai/scripted", "--api-base", server.url, "--json", "--limit", 3)
    assert json.loads(out)["cost"] == 0.75


def test_a_dry_run_says_what_it_would_cost_and_asks_nobody(folder: Path, server) -> None:
    code, out, _ = enrich("library.json", "--llm", "openai/gpt-4o-mini", "--dry-run")
    assert code == 0
    assert "6 of 6 tools are due" in out
    assert "about $" in out
    _, out, _ = enrich("library.json", "--llm", "x", "--api-base", server.url, "--judge", "none", "--dry-run", "--json")
    facts = json.loads(out)
    assert [row["stage"] for row in facts["stages"]] == ["expand", "refine"]
    assert facts["cost"] is None
    assert facts["stages"][0]["calls"] == 5
    assert not server.asked()
    assert not (folder / "library.run").exists()


def test_only_some_tools(folder: Path, server) -> None:
    common = ("library.json", "--llm", "openai/scripted", "--api-base", server.url, "--json")
    _, out, _ = enrich(*common, "--limit", 2)
    assert json.loads(out)["enriched"] == 2
    _, out, _ = enrich(*common, "--sample", 2)
    assert json.loads(out)["enriched"] + json.loads(out)["ungrounded"] == 2
    _, out, _ = enrich(*common, "--only", "stale")
    _, out, _ = enrich(*common, "--only", "stale")
    facts = json.loads(out)
    assert (facts["enriched"], facts["ungrounded"], facts["in_use"]) == (0, 1, 5)
    assert max(server.asked().values()) == 1


def test_a_run_that_stops_says_how_to_go_on(folder: Path, server) -> None:
    server.script({"tool": "_02", "status": 401, "body": "wrong"})
    code, out, err = enrich("library.json", "--llm", "openai/scripted", "--api-base", server.url, "--parallel", 1)
    assert code == 1
    assert "2 enriched" in out
    assert "the same command goes on" in err
    server.script()
    code, _, _ = enrich("library.json", "--llm", "openai/scripted", "--api-base", server.url)
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one of --llm"),
        (["--llm", "a", "--replay", "library.json"], "one of --llm"),
        (["--llm", "a", "--out", "x.txt"], "must end in .jsonl"),
    ],
)
def test_what_is_wrong_with_the_options_is_said(arguments: list[str], said: str, folder: Path) -> None:
    with pytest.raises(QueryError, match=said):
        enrich("library.json", *arguments)


@pytest.mark.parametrize(
    ("name", "base"), [("", ""), ("openai/x", "ftp://user:secret@host/v1?key=secret"), ("x", "host")]
)
def test_an_address_that_is_none_is_refused_without_its_secrets(name: str, base: str) -> None:
    with pytest.raises(EnrichmentError) as caught:
        open_model(name, base)
    assert "secret" not in str(caught.value)
