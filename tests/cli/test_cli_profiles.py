"""``--profiles`` of every command."""

import json
from pathlib import Path

import pytest

CAMPUS = Path(__file__).parent.parent / "data" / "profiles" / "campus.jsonl"
LEFT_OUT = f"warning: {CAMPUS}: 1 profile is not grounded and is left out: 'get_cgpa'"


def test_show_prints_the_profile(run, examples: Path) -> None:
    shown = run("show", examples / "campus", "block_card", "--profiles", CAMPUS)
    assert shown.code == 0
    at = shown.lines.index("profile:")
    assert [line.strip() for line in shown.lines[at + 1 :]] == [
        "function:       Stops a debit or credit card for good.",
        "when to use:    A card is gone or somebody else spends with it.",
        "tags:           stolen card",
        "example queries:",
        "a pickpocket got my purse",
        "card gone, kill it",
    ]
    assert shown.err.splitlines() == [LEFT_OUT]
    assert (
        "limitations:    Shows figures only"
        in run("show", examples / "campus", "get_attendance", "--profiles", CAMPUS).out
    )
    assert "profile:" not in run("show", examples / "campus", "block_card").out
    as_json = run("show", examples / "campus", "block_card", "--json", "--profiles", CAMPUS).json
    assert as_json["profile"]["tags"] == ["stolen card"]


def test_convert_writes_the_profiles_down(run, examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "campus.json"
    assert run("convert", examples / "campus", "--profiles", CAMPUS, "--out", out).code == 0
    profiled = {tool["id"] for tool in json.loads(out.read_text("utf-8"))["tools"] if "profile" in tool}
    assert profiled == {"campus/get_attendance", "campus/submit_grievance", "bank/block_card"}
    plain = run("convert", examples / "campus", "--to", "openai").out
    assert run("convert", examples / "campus", "--to", "openai", "--profiles", CAMPUS).out == plain


def test_index_and_search_take_them(run, house: Path, words, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"id": "play_music", "example_queries": ["put on a zydeco record"], "tags": ["zydeco"]}\n', "utf-8"
    )
    assert run("index", house, "--json", "--profiles", path, *words).json["faults"] == []
    generations = sorted(tmp_path.glob("index/g-*"))
    ran = run("search", house, "zydeco", "--k", 1, "--json", "--profiles", path, *words)
    assert ran.code == 0
    assert [hit["id"] for hit in ran.json["hits"]] == ["radio/play_music"]
    assert sorted(tmp_path.glob("index/g-*")) == generations


@pytest.mark.parametrize("command", ["search", "index", "show", "convert", "eval"])
def test_a_bad_file_ends_with_one_line(run, examples: Path, tmp_path: Path, command: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a", "tags": ["b"]}\n{"id": "x", "tags": 3}\n', "utf-8")
    query = ("a query",) if command == "search" else ()
    ran = run(command, examples / "campus", *query, "--profiles", path)
    assert (ran.code, ran.out) == (2, "")
    assert f"error: {path}:2: tags must be a list, not a number" in ran.err
