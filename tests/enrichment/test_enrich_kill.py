"""B6: a run killed at any moment goes on where it was; nothing is lost, and nothing paid twice but the calls in flight."""

import json
import multiprocessing
import os
import random
import time
from pathlib import Path

import pytest
from runs import run, run_in_child

from toolcurator import Catalog
from toolcurator.enrichment.journal import Journal
from toolcurator.enrichment.model import Ask, EnrichmentError

KILLS = 3
PARALLEL = 4


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL here")
def test_b6_killed_at_random_moments_no_tool_is_lost_and_none_paid_twice(server, tools, tmp_path: Path) -> None:
    server.script(latency=0.02)
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["dspy", "aiohttp", "toolcurator.enrichment.session"])
    chance = random.Random(6)
    count = 30
    for _ in range(KILLS):
        before = sum(server.asked().values())
        child = forks.Process(target=run_in_child, args=(tools(count), server.url, tmp_path))
        child.start()
        goal = before + chance.randint(3, 2 * count // KILLS)
        while sum(server.asked().values()) < goal and child.is_alive():
            time.sleep(0.001)
        time.sleep(chance.random() * 0.03)
        assert child.is_alive(), "it is to be killed while it runs"
        child.kill()
        child.join()
        with (tmp_path / "run" / "answers.jsonl").open("ab") as file:  # as if torn in the middle of a line
            file.write(b'{"stage":"expand","tool":"ret')
    report = run(tools(count), server.url, tmp_path)
    asked = server.asked()
    assert report.count("enriched") == count
    assert not report.left
    catalog = Catalog(tools(count), profiles=tmp_path / "profiles.jsonl")
    assert all(tool.profile is not None and tool.profile.grounded for tool in catalog)
    assert set(asked) == {(stage, tool.name) for stage in ("expand", "judge") for tool in tools(count)}
    twice = sum(asked.values()) - len(asked)
    assert twice <= KILLS * PARALLEL, "more than the calls in flight were paid twice"
    run(tools(count), server.url, tmp_path)
    assert server.asked() == asked, "a finished run asks nothing more"


def test_b6_each_answer_is_on_disk_when_the_next_is_asked(server, tools, tmp_path: Path) -> None:
    server.script({"stage": "judge", "tool": "_04", "die": True})
    run(tools(6), server.url, tmp_path, parallel=1, patience=0.1)
    lines = (tmp_path / "run" / "answers.jsonl").read_text().splitlines()
    said = [(entry["stage"], entry["tool"]) for entry in map(json.loads, lines)]
    names = [tool.name for tool in tools(6)]
    assert said == [*((stage, name) for name in names[:4] for stage in ("expand", "judge")), ("expand", names[4])]


def test_b6_a_spoiled_line_costs_one_answer_and_not_the_run(server, tools, tmp_path: Path) -> None:
    run(tools(4), server.url, tmp_path)
    path = tmp_path / "run" / "answers.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "\0\0\0", *lines[3:]]) + "\n")
    before = server.asked()
    assert run(tools(4), server.url, tmp_path).count("enriched") == 4
    assert sum((server.asked() - before).values()) == 1


def test_another_model_or_document_is_asked_again(server, tools, tmp_path: Path) -> None:
    run(tools(2), server.url, tmp_path)
    run(tools(2), server.url, tmp_path, judge="openai/other")
    assert server.asked()["expand", "lend_book_00"] == 1
    assert server.asked()["judge", "lend_book_00"] == 2


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run" / "answers.jsonl")
    with pytest.raises(EnrichmentError, match="in use by another run"):
        Journal(tmp_path / "run" / "answers.jsonl")
    journal.close()
    Journal(tmp_path / "run" / "answers.jsonl").close()


def test_a_folder_of_something_else_is_left_alone(server, tools, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "letters.txt").write_text("mine")
    with pytest.raises(EnrichmentError, match="other files"):
        run(tools(1), server.url, tmp_path)


def test_the_same_question_about_another_tool_is_another_question() -> None:
    one, other = (Ask("expand", tool, "system", "user", {}) for tool in ("a", "b"))
    assert one.digest != other.digest
