"""What only a process of its own can show: pipes, signals, no network, no terminal, odd encodings."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "from toolcurator.cli import main; main()"
NO_NETWORK = """
import socket
def refuse(*arguments, **options):
    raise AssertionError("the network was asked for")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""


def _run(
    *arguments: object, before: str = "", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", before + MAIN, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
        cwd=cwd,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("encoder", ["packaged", "none"])
def test_d9_offline_it_starts_at_once(house: Path, tmp_path: Path, encoder: str) -> None:
    """No hub, no network, no cache of models: the packaged encoder, or words alone."""
    done = _run(
        *("search", house, "turn off the light", "--k", 1, "--json"),
        *("--encoder", encoder, "--index-dir", tmp_path / "i"),
        before=NO_NETWORK,
        HF_HUB_OFFLINE="1",
        HF_HOME=str(tmp_path / "empty"),
        HOME=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hits"][0]["id"] == "home/turn_off_light"


def test_d9_a_hub_model_offline_is_one_line_at_once(house: Path, tmp_path: Path) -> None:
    done = _run(
        *("search", house, "light", "--encoder", "some-org/some-model", "--index-dir", tmp_path / "i"),
        before=NO_NETWORK,
        HF_HUB_OFFLINE="1",
        HF_HOME=str(tmp_path / "empty"),
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("error: ")
    assert "some-org/some-model" in done.stderr or "hub" in done.stderr


def test_errors_are_one_line_and_debug_shows_more(tmp_path: Path) -> None:
    short = _run("search", tmp_path / "nowhere.yaml", "query", "--encoder", "none")
    assert (short.returncode, short.stdout) == (2, "")
    assert len(short.stderr.strip().splitlines()) == 1
    assert "nowhere.yaml" in short.stderr
    long = _run("--debug", "search", tmp_path / "nowhere.yaml", "query", "--encoder", "none")
    assert long.returncode == 1
    assert "Traceback" in long.stderr
    assert "CatalogError" in long.stderr


def test_a_reader_that_has_seen_enough_is_no_error(house: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.txt"
    queries.write_text("turn off the light\n" * 3000)
    command = [
        sys.executable,
        "-c",
        MAIN,
        "search",
        house,
        "--queries",
        queries,
        "--encoder",
        "none",
        "--index-dir",
        tmp_path / "i",
    ]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["hits"]
    process.stdout.close()
    process.wait(timeout=60)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_a_terminal_that_knows_few_letters_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    text = json.dumps([{"name": "法令検索", "description": "õppetoetuse – taotlus " * 10}], ensure_ascii=False)
    path.write_text(text, "utf-8")
    where = ("--encoder", "none", "--index-dir", tmp_path / "i")
    for encoding, command in (
        ("ascii", ("search", path, "法令", "--explain", *where)),
        ("ascii", ("search", path, "法令", "--json", *where)),
        ("cp1252", ("show", path)),
    ):
        done = _run(*command, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert done.returncode == 0, (command, done.stderr)


def test_it_works_from_another_folder_and_with_relative_paths(house: Path, tmp_path: Path) -> None:
    where = ("--encoder", "none", "--json")
    one = _run("search", "house.json", "light", *where, cwd=house.parent, XDG_CACHE_HOME=str(tmp_path / "cache"))
    other = _run("search", house, "light", *where, cwd=Path("/"), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert one.returncode == other.returncode == 0, one.stderr + other.stderr
    assert json.loads(one.stdout)["hits"] == json.loads(other.stdout)["hits"]
    assert len(list((tmp_path / "cache").rglob("CURRENT"))) == 1, "one file is one index, however it is named"


def test_the_example_of_the_help_works(examples: Path, campus, campus_index: Path) -> None:
    done = _run(
        *(
            "search",
            examples / "campus",
            "show my attendance and also raise a grievance",
            "--explain",
            "--role",
            "student",
        ),
        *("--index-dir", campus_index),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert {line.split()[1] for line in lines[1:3]} == {"campus/get_attendance", "campus/submit_grievance"}
    assert "searched in parts: " in done.stdout
