"""A builder killed at any moment never leaves an index that opens wrong (acceptance point 6, pitfall A15)."""

import contextlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL here")

KILLS = 20
FILE_EVENTS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "mmap.__new__"})


def _catalog(version: int, n: int) -> list[Any]:
    """Tools whose answers tell the version: `the_answer` and the description that a word is found by."""
    from toolcurator import Tool

    mark = ("amber", "birch")[version]
    tools = [Tool(name=f"{mark}_thing_{i}", description=f"Handles number {i} of the {mark} kind.") for i in range(n)]
    return [
        *tools,
        Tool(name="the_answer", description=f"Tells the secret of {mark}.", examples=(f"what about {mark}",)),
    ]


def _build(folder: str, version: int, n: int, encoder: str, kill_at: int, line: Connection) -> None:
    """Build in this process; ``kill_at`` ends it by SIGKILL before that file operation, 0 never."""
    import onnxruntime  # noqa: F401  so that loading it is no part of the time measured
    import tokenizers  # noqa: F401

    from toolcurator import Curator

    seen = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in FILE_EVENTS and folder in str(arguments[0] if arguments else ""):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    tools = _catalog(version, n)
    sys.addaudithook(watch)
    line.send("start")
    Curator.open(tools, encoder=encoder, index_dir=folder)
    line.send(seen)


class Lab:
    """Starts builders from a clean process that has everything imported already."""

    def __init__(self) -> None:
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(["toolcurator.retrieval.curator", "numpy", "filelock", "pytest"])

    def build(
        self, folder: Path, version: int, n: int, encoder: str, *, kill_at: int = 0, after: float | None = None
    ) -> Any:
        """Run a builder; returns (exit code, seconds, what it sent at last)."""
        ours, theirs = self.processes.Pipe()
        process = self.processes.Process(target=_build, args=(str(folder), version, n, encoder, kill_at, theirs))
        process.start()
        theirs.close()
        assert ours.recv() == "start"
        start = time.perf_counter()
        if after is not None:
            time.sleep(after)
            process.kill()
        sent = None
        with contextlib.suppress(EOFError):
            sent = ours.recv()
        seconds = time.perf_counter() - start
        process.join()
        return process.exitcode, seconds, sent


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


def _check(folder: Path, wanted: int, n: int, encoder: str, caplog: pytest.LogCaptureFixture) -> str:
    """What stands there is whole, whoever was killed; the next opening gives the right answers and cleans up."""
    from toolcurator import Curator
    from toolcurator.index.generations import Generations

    caplog.clear()
    current = Generations(folder).current()
    assert not caplog.records, caplog.text
    found = "none" if current is None else "whole"
    curator = Curator.open(_catalog(wanted, n), encoder=encoder, index_dir=folder)
    assert not caplog.records, caplog.text
    mark, other = ("amber", "birch") if wanted == 0 else ("birch", "amber")
    assert len(curator) == n + 1
    assert all(mark in id or id == "the_answer" for id in curator.index.ids)
    first = curator.select(f"what about {mark}")[0]
    assert (first.id, first.tool.description) == ("the_answer", f"Tells the secret of {mark}.")
    assert curator.select(f"{mark} thing 3")[0].id == f"{mark}_thing_3"
    assert not curator.index.words.scores([other], {"name": 1.0, "description": 1.0}).any()
    return found


def _is_clean(lab: "Lab", folder: Path, n: int) -> bool:
    """The next builder that has something to build removes whatever the killed ones left."""
    for version in (0, 1):
        assert lab.build(folder, version, n, "none")[0] == 0
    generation = json.loads((folder / "CURRENT").read_text())["generation"]
    return {path.name for path in folder.iterdir()} == {"CURRENT", "build.lock", generation}


def test_a15_twenty_kills_at_random_moments(lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rng, n = random.Random(20), 80
    folder = tmp_path / "index"
    whole = min(lab.build(folder, version, n, "none")[1] for version in (0, 1, 0, 1))
    moments = [(i + rng.random()) / 12 for i in range(12)] + [0.7 + 0.3 * (i + rng.random()) / 8 for i in range(8)]
    rng.shuffle(moments)
    assert len(moments) == KILLS
    version = 1
    for part in moments:
        version = 1 - version
        for _ in range(20):
            code, _, _ = lab.build(folder, version, n, "none", after=whole * part)
            assert code in (0, -signal.SIGKILL)
            assert _check(folder, version, n, "none", caplog) == "whole"
            version = 1 - version if code == 0 else version
            if code != 0:
                break
            whole *= 0.9  # it was done before it was killed: this machine is faster than it was
        else:
            pytest.fail("no builder could be caught at work")
    assert _is_clean(lab, folder, n)


def test_a15_kills_between_any_two_file_operations(lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The moments of above are chosen by a clock; these by what the builder is about to do next."""
    n, folder = 4, tmp_path / "index"
    lab.build(folder, 0, n, "none")
    code, _, events = lab.build(folder, 1, n, "none")
    assert code == 0
    assert events > 60
    last = range(events - 44, events + 1, 4)
    version = 1
    for kill_at in [1, 3, events // 4, events // 2, *last]:
        version = 1 - version
        code, _, _ = lab.build(folder, version, n, "none", kill_at=kill_at)
        assert code == -signal.SIGKILL
        assert _check(folder, version, n, "none", caplog) == "whole"
    assert _is_clean(lab, folder, n)


@pytest.mark.slow
def test_a15_a_kill_before_each_single_file_operation(
    lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    n, folder = 4, tmp_path / "index"
    lab.build(folder, 0, n, "none")
    events = lab.build(folder, 1, n, "none")[2]
    version = 1
    for kill_at in range(1, events + 1):
        version = 1 - version
        code, _, _ = lab.build(folder, version, n, "none", kill_at=kill_at)
        assert code == -signal.SIGKILL
        assert _check(folder, version, n, "none", caplog) == "whole"


def test_a15_kills_while_the_first_index_is_built(lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """There is no old index to fall back to: the folder is empty or new, and the next builder starts afresh."""
    n = 4
    events = lab.build(tmp_path / "whole", 0, n, "none")[2]
    for number, kill_at in enumerate((1, 2, events // 3, 2 * events // 3, events - 3, events)):
        folder = tmp_path / str(number)
        assert lab.build(folder, 0, n, "none", kill_at=kill_at)[0] == -signal.SIGKILL
        _check(folder, 0, n, "none", caplog)
        assert _is_clean(lab, folder, n)


def test_a15_kills_while_vectors_are_made(lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rng, n = random.Random(3), 12
    folder = tmp_path / "index"
    whole = min(lab.build(folder, version, n, "packaged")[1] for version in (0, 1))
    version = 1
    for part in (0.5, 0.8, 0.97):
        version = 1 - version
        lab.build(folder, version, n, "packaged", after=whole * (part + 0.05 * rng.random()))
        assert _check(folder, version, n, "packaged", caplog) == "whole"
