"""``toolcurator eval``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
WORDS = ("--encoder", "none", "--limit", "12")


def campus_with_leaks(examples: Path, folder: Path) -> Path:
    """The campus, its tools in JSON with ten of the test queries among their examples."""
    from toolcurator import Catalog

    rows = [json.loads(line) for line in (examples / "campus/queries.jsonl").read_text("utf-8").splitlines()]
    leaky = [row for row in rows if row["split"] == "test" and row["kind"] == "single"][:10]
    tools = [
        tool.model_copy(update={"examples": (*tool.examples, *(r["query"] for r in leaky if tool.id in r["relevant"]))})
        for tool in Catalog.load(examples / "campus")
    ]
    folder.mkdir()
    Catalog(tools).save(folder / "tools.jsonl")
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in leaky), "utf-8")
    return folder


def test_a_table_and_a_report(run: Run, examples: Path, tmp_path: Path) -> None:
    done = run("eval", examples / "campus", *WORDS, "--report", tmp_path / "out", "--json", tmp_path / "runs.json")
    assert done.code == 0, done.err
    assert "Rankings" in done.out
    assert "NDCG@10" in done.out
    assert "Does any tool fit?" in done.out
    assert "campus asking" in done.err.replace("  ", " ")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "report.md",
        "figures.json",
        "runs.json",
    }
    (saved,) = json.loads((tmp_path / "runs.json").read_text("utf-8"))["runs"]
    assert saved["label"] == "none"
    assert saved["asked"]["limit"] == 12
    assert len(saved["sets"][0]["answers"]) == 24


def test_several_runs_and_an_older_one(run: Run, examples: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    assert run("eval", examples / "campus", *WORDS, "--json", old).code == 0
    done = run("eval", examples / "campus", *WORDS, "--preset", "default,classic", "--against", old)
    assert done.code == 0, done.err
    assert "Against none (" in done.out
    assert "default · none" in done.out
    assert "classic · none" in done.out
    assert "+0.0 (p 1.000)" in done.out


def test_planted_leaks_are_reported(run: Run, examples: Path, tmp_path: Path) -> None:
    folder = campus_with_leaks(examples, tmp_path / "leaky")
    done = run("eval", folder, *WORDS, "--report", tmp_path / "out")
    assert done.code == 0, done.err
    assert "answered from memory: 10 word for word" in " ".join(done.out.split())
    assert "answered from memory: 10 word for word" in (tmp_path / "out/report.md").read_text("utf-8")
    clean = run("eval", examples / "campus", *WORDS)
    assert "answered from memory" not in " ".join(clean.out.split())


def test_examples_and_profiles(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "lamps"
    folder.mkdir()
    tools = [{"id": f"lamp_{at}", "name": f"lamp_{at}", "description": f"Lamp number {at}."} for at in range(12)]
    queries = [{"id": "q", "query": "more light on the desk", "relevant": ["lamp_3"]}]
    queries += [{"id": "t", "query": "light up my desk", "relevant": ["lamp_3"], "split": "train"}]
    queries += [{"id": "u", "query": "more light on the desk", "relevant": ["lamp_3"], "split": "train"}]
    for name, rows in (("tools", tools), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    profiles = tmp_path / "profiles.jsonl"
    profiles.write_text('{"id": "lamp_3", "tags": ["desk"]}\n', "utf-8")
    without = run("eval", folder, "--encoder", "none", "--json", tmp_path / "a.json")
    done = run(
        "eval", folder, "--encoder", "none", "--examples", "2", "--profiles", profiles, "--json", tmp_path / "b.json"
    )
    assert without.code == done.code == 0, done.err
    runs = [json.loads((tmp_path / name).read_text("utf-8"))["runs"][0] for name in ("a.json", "b.json")]
    hits = [run["sets"][0]["answers"][0]["hits"] for run in runs]
    assert hits[1][0] == "lamp_3"
    assert hits[0][:1] != ["lamp_3"]
    said = " ".join(done.out.split())
    assert "1 train queries are asked too, and were not drawn" in said
    assert runs[1]["asked"]["profiles"]
    done = run("eval", folder, "--encoder", "none", "--profiles", profiles, "--json", tmp_path / "c.json")
    assert done.code == 0, done.err
    (alone,) = json.loads((tmp_path / "c.json").read_text("utf-8"))["runs"]
    assert alone["sets"][0]["answers"][0]["hits"][:1] == ["lamp_3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sets", "kampus"), "no set 'kampus'; the nearest: campus"),
        (("--split", "train"), "no query in split 'train'; it has 10 dev/far"),
        (("--kind", "sinlge"), "no query in split 'test' of kind sinlge"),
        (("--preset", "clasic"), "--preset must be one of default, classic, not 'clasic'"),
        (("--preset", "default,classic", "--index-dir", "x"), "--index-dir holds one index"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(run: Run, examples: Path, options: tuple[str, ...], message: str) -> None:
    done = run("eval", examples / "campus", *WORDS, *options)
    assert done.code == 2
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert message in line
    assert done.out == ""
