"""Several processes on one index: builders, readers, and readers whose generation is replaced under them (pitfall A15)."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcurator import Curator, Tool

PRELUDE = """
import json, sys, time
from pathlib import Path
from toolcurator import Curator, Tool
folder, go = Path(sys.argv[1]), Path(sys.argv[2])
def tools(mark):
    return [Tool(name=f"{mark}_thing_{i}", description=f"Handles {mark} number {i}.") for i in range(25)]
def answer(mark):
    curator = Curator.open(tools(mark), encoder="none", index_dir=folder)
    found = curator.select(f"{mark} thing 7", k=3)
    return [len(curator), found[0].id, found[0].tool.description, found.openai()[0]["function"]["name"]]
print("ready", flush=True)
while not go.exists():
    time.sleep(0.001)
"""


def _start(tmp_path: Path, code: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PRELUDE + code, str(tmp_path / "index"), str(tmp_path / "go"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _finish(
    tmp_path: Path, processes: list["subprocess.Popen[str]"], *, meanwhile: Callable[[], None] = lambda: None
) -> list[Any]:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    (tmp_path / "go").touch()
    meanwhile()
    results = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        results.append(json.loads(out))
        assert "WARNING" not in err
    return results


def _is_clean(folder: Path) -> bool:
    generation = json.loads((folder / "CURRENT").read_text())["generation"]
    return {path.name for path in folder.iterdir()} == {"CURRENT", "build.lock", generation}


def test_a15_three_processes_build_the_same_index_at_once(tmp_path: Path) -> None:
    processes = [_start(tmp_path, 'print(json.dumps(answer("amber")))') for _ in range(3)]
    results = _finish(tmp_path, processes)
    assert results == [[25, "amber_thing_7", "Handles amber number 7.", "amber_thing_7"]] * 3
    assert _is_clean(tmp_path / "index")


def test_a15_two_processes_that_want_different_indexes_in_one_folder(tmp_path: Path) -> None:
    """Wasteful, but each always gets its own answers."""
    code = "print(json.dumps([answer(sys.argv[3]) for _ in range(8)]))"
    results = _finish(tmp_path, [_start(tmp_path, code, mark) for mark in ("amber", "birch")])
    for mark, found in zip(("amber", "birch"), results, strict=True):
        assert found == [[25, f"{mark}_thing_7", f"Handles {mark} number 7.", f"{mark}_thing_7"]] * 8
    assert _is_clean(tmp_path / "index")


def _tools(mark: str) -> list[Tool]:
    return [Tool(name=f"{mark}_thing_{i}", description=f"Handles {mark} number {i}.") for i in range(25)]


def _write(file: Path, mark: str) -> Path:
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps([tool.model_dump(exclude_defaults=True) for tool in _tools(mark)]))
    draft.replace(file)
    return file


READ = """
file, done = Path(sys.argv[3]), Path(sys.argv[4])
wrong, read = [], 0
while not done.exists():
    curator = Curator.open(file, encoder="none", index_dir=folder)
    marks = sorted({id.split("_")[0] for id in curator.index.ids})
    found = curator.select(f"{marks[0]} thing 7", k=2)
    if len(curator) != 25 or len(marks) != 1 or found.openai()[0]["function"]["name"] != f"{marks[0]}_thing_7":
        wrong.append([len(curator), marks, repr(found.hits)])
    read += 1
print(json.dumps([read, wrong]))
"""


def test_a15_readers_see_a_whole_index_while_a_builder_swaps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A catalogue file is replaced again and again; whoever opens it gets the one or the other, whole."""
    folder, file, done = tmp_path / "index", _write(tmp_path / "tools.json", "amber"), tmp_path / "done"
    Curator.open(file, encoder="none", index_dir=folder)
    readers = [_start(tmp_path, READ, str(file), str(done)) for _ in range(2)]

    def swaps() -> None:
        for number in range(25):
            _write(file, "birch" if number % 2 == 0 else "amber")
            assert len(Curator.open(file, encoder="none", index_dir=folder)) == 25
        done.touch()

    results = _finish(tmp_path, readers, meanwhile=swaps)
    assert [wrong for _, wrong in results] == [[], []]
    assert all(read > 3 for read, _ in results)
    assert not caplog.records
    _write(file, "amber")
    assert Curator.open(file, encoder="none", index_dir=folder).select("amber thing 7")[0].id == "amber_thing_7"


def test_a15_a_file_and_tools_from_code_in_one_folder(tmp_path: Path) -> None:
    """The generation that was just found may be swept before it is opened: then the next one is taken."""
    file = _write(tmp_path / "tools.json", "amber")
    from_file = """
found = [Curator.open(Path(sys.argv[3]), encoder="none", index_dir=folder).select("amber thing 7", k=1) for _ in range(15)]
print(json.dumps([[hit.id for hit in each] for each in found]))
"""
    from_code = 'print(json.dumps([answer("birch")[1:2] for _ in range(15)]))'
    results = _finish(tmp_path, [_start(tmp_path, from_file, str(file)), _start(tmp_path, from_code)])
    assert results == [[["amber_thing_7"]] * 15, [["birch_thing_7"]] * 15]


def test_a15_a_curator_outlives_its_generation(tmp_path: Path) -> None:
    """A server keeps its index while another process replaces it: everything it is asked for must still work."""
    tools = [*_tools("amber"), Tool(name="search", server="a"), Tool(name="search", server="b")]
    old = Curator.open(tools, encoder="none", index_dir=tmp_path)
    classic = Curator.open(tools, encoder="none", index_dir=tmp_path / "classic", preset="classic")
    Curator.open(_tools("birch"), encoder="none", index_dir=tmp_path)
    Curator.open(_tools("birch"), encoder="none", index_dir=tmp_path / "classic", preset="classic")
    for curator in (old, classic):
        found = curator.select("amber thing 7", k=3)
        assert found[0].tool.description.startswith("Handles amber number ")
        assert found[0].evidence.sparse_rank > 0
        assert found.openai()[0]["function"]["name"] == found[0].id
        assert [wire for wire in curator.select("search").wire_names() if "search" in wire] == [
            "a__search",
            "b__search",
        ]
        assert len(curator.select("amber thing 7", token_budget=60)) >= 1
        assert found[0].id in found.explain()
        assert curator.tool("b__search").id == "b/search"
        assert len(curator) == 27
