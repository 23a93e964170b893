"""`toolcurator train intent`: DSPy's optimizers on labelled turns, against a model behind OpenAI's protocol."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dspy")
pytest.importorskip("aiohttp")

from toolcurator import Curator
from toolcurator.errors import SettingsError
from toolcurator.routing.intent_program import IntentProgram
from toolcurator.routing.router import Router
from toolcurator.training.turns import FEWEST, TurnsError, held_out, read_turns

MAIN = "from toolcurator.cli import main; main()"
KEY = "sk-training-0123456789"
EASY = [("What is the weather in {0}?", {"place": "{0}"}), ("Will it rain in {0}", {"place": "{0}"})]
TOWNS = ("Tartu", "Narva", "Valga", "Viljandi", "Rakvere", "Paide")
HARD = "brolly needed around {0}"
NONE = (
    "write me a poem about the sea",
    "who won the match",
    "sing a song",
    "tell me a joke",
    "cook some soup",
    "paint a wall",
)


def turns() -> list[dict[str, Any]]:
    """What is said, what is meant; the hard ones are understood only by who has seen examples."""
    candidates = ["weather_forecast", "electricity_price", "court_hearing"]
    rows: list[dict[str, Any]] = []
    for town, nothing in zip(TOWNS, NONE, strict=True):
        for text, slots in EASY:
            filled = {name: value.format(town) for name, value in slots.items()}
            rows.append({"message": text.format(town), "tool": "weather_forecast", "slots": filled})
        rows.append({"message": HARD.format(town), "tool": "weather_forecast", "slots": {"place": town}})
        rows.append({"message": nothing, "tool": None})
    return [row | {"candidates": candidates} for row in rows]


class Model:
    """Answers like a model that learns from examples in its prompt."""

    def __init__(self) -> None:
        self.systems: list[str] = []
        self.spoilt = False  # with examples it answers worse
        known = {row["message"]: row for row in turns()}
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                good = self.headers.get("authorization") == f"Bearer {KEY}"
                said = model.answer(body, known) if good else {}
                reply: Any = {
                    "choices": [{"index": 0, "message": {"role": "assistant", "content": json.dumps(said)}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10},
                }
                data = json.dumps(reply if good else {"error": {"message": "wrong key"}}).encode()
                self.send_response(200 if good else 401)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, body: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        system, user = (each["content"] for each in body["messages"])
        self.systems.append(system)
        learned = "Example 1, what is asked" in system
        document = re.search(r"<data-[0-9a-f]+>\n(.*?)\n</data-", user, re.DOTALL)
        assert document is not None
        row = known.get(json.loads(document[1])["message"], {"tool": None})
        hard = row["message"].startswith("brolly") if "message" in row else False
        if (hard and not learned) or (learned and self.spoilt) or row["tool"] is None:
            return {"reasoning": "Nothing.", "tool": "none", "confidence": 0.9, "slots": []}
        slots = [{"name": name, "value": value} for name, value in row["slots"].items()]
        return {"reasoning": "Weather.", "tool": row["tool"], "confidence": 0.9, "slots": slots}


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    found = Model()
    yield found
    found.server.shutdown()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("turns") / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, turns())) + "\n")
    return path


def toolcurator(*arguments: object, key: str = KEY) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "OPENAI_API_KEY": key}
    )


@pytest.fixture(scope="module")
def trained(model: Model, examples: Path, index: Path, file: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("out") / "intent.json"
    ran = toolcurator(
        "train", "intent", examples / "et_services", "--index-dir", index, "--turns", file, "--llm", "openai/learner",
        "--api-base", model.url, "--out", out, "--json",
    )  # fmt: skip
    return ran, out


def test_training_measures_before_and_after_and_writes_what_is_better(trained: Any) -> None:
    ran, out = trained
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    before, after = report["before"], report["after"]
    assert before["turns"] == after["turns"] == 7
    assert report["learned_from"] == len(turns()) - 7
    assert before["none"] == after["none"] == 1.0
    assert before["tool"] < 1.0
    assert after["tool"] == after["slots_exact"] == after["slots_f1"] == 1.0
    assert report["kept"] is True
    assert 1 <= report["examples"] <= 4
    assert 14 < report["calls"] <= 14 + report["learned_from"]
    assert report["tokens_in"] == 100 * report["calls"]
    body = json.loads(out.read_text())
    assert (body["kind"], body["model"]) == ("toolcurator intent", "openai/learner")
    assert "it/s]" not in ran.stderr  # DSPy's own bars
    assert KEY not in out.read_text() + ran.stdout + ran.stderr


def test_route_and_router_use_what_was_trained(trained: Any, model: Model, examples: Path, index: Path) -> None:
    _, out = trained
    message = HARD.format("Tartu")
    route = ["route", examples / "et_services", message, "--index-dir", index, "--json"]
    by = ["--llm", "openai/learner", "--api-base", model.url]
    without = toolcurator(*route, *by)
    assert json.loads(without.stdout)["tool"] is None
    model.systems.clear()
    ran = toolcurator(*route, *by, "--intent", out)
    asked = "Example 1, what is asked" in model.systems[0]
    assert asked, ran.stderr
    alone = toolcurator(*route, "--intent", out)
    assert alone.returncode == 2
    assert "say which one with --llm" in alone.stderr
    curator = Curator.open(examples / "et_services", index_dir=index)
    with pytest.raises(SettingsError, match="is no trained intent"):
        Router(curator, llm="openai/learner", intent=_written(out.with_name("other.json"), {"kind": "else"}))


def _written(path: Path, body: Any) -> Path:
    path.write_text(body if isinstance(body, str) else json.dumps(body))
    return path


def test_a_file_that_is_none_or_of_another_signature_is_refused(trained: Any, tmp_path: Path) -> None:
    _, out = trained
    body = json.loads(out.read_text())
    for changed, why in (
        ("{", "cannot be read as a trained intent"),
        ([], "is no trained intent"),
        ({**body, "signature": "intent-00000000"}, "made for another signature"),
        ({**body, "state": {"demos": 3}}, "no state that DSPy can load"),
    ):
        with pytest.raises(SettingsError, match=why):
            IntentProgram.read(_written(tmp_path / "changed.json", changed))
    assert IntentProgram.read(out).model == "openai/learner"


@pytest.mark.parametrize("optimizer", ["labeled", "random"])
def test_a_prompt_that_is_worse_is_not_written(
    model: Model, examples: Path, index: Path, file: Path, tmp_path: Path, optimizer: str
) -> None:
    model.spoilt = optimizer == "labeled"
    try:
        ran = toolcurator(
            "train", "intent", examples / "et_services", "--index-dir", index, "--turns", file, "--out",
            tmp_path / "out.json", "--llm", "openai/learner", "--api-base", model.url, "--optimizer", optimizer,
        )  # fmt: skip
    finally:
        model.spoilt = False
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out.json").exists() == (optimizer == "random")
    assert ("not written: it is worse" in ran.stdout) == (optimizer == "labeled")
    assert "measured on 7 turns, learned from 17 others" in ran.stdout


def test_a_model_that_cannot_be_used_is_said_at_once(
    model: Model, examples: Path, index: Path, file: Path, tmp_path: Path
) -> None:
    arguments = ["train", "intent", examples / "et_services", "--index-dir", index, "--turns", file, "--out"]
    ran = toolcurator(*arguments, tmp_path / "o.json", "--llm", "openai/x", "--api-base", model.url, key="sk-wrong-1")
    assert ran.returncode == 2
    assert "answered 401 for openai/x" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "sk-wrong-1" not in ran.stderr
    nowhere = toolcurator(*arguments, tmp_path / "no" / "o.json", "--llm", "openai/x")
    assert "its folder does not exist" in nowhere.stderr


def test_bad_lines_are_named(examples: Path, index: Path, tmp_path: Path) -> None:
    curator = Curator.open(examples / "et_services", index_dir=index)
    path = tmp_path / "turns.jsonl"
    lines = [
        '{"message": "a", "tool": null}',
        "{",
        '{"tool": null}',
        '{"message": "a", "tool": "weather"}',
        '{"message": "a", "tool": null, "slots": {"place": "Tartu"}}',
        '{"message": "a", "tool": "weather_forecast", "slots": {"planet": "Mars"}}',
        '{"message": "a", "tool": null, "candidates": ["nothing"]}',
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(TurnsError) as raised:
        read_turns(path, curator)
    said = str(raised.value)
    for number, why in (
        (2, "not JSON"),
        (3, "message"),
        (4, "there is no tool 'weather'"),
        (5, "no tool"),
        (6, "planet"),
    ):
        assert re.search(rf"turns\.jsonl:{number}: [^;]*{why}", said), (number, said)
    assert "1 more lines" in said
    path.write_text(lines[0])
    with pytest.raises(TurnsError, match=f"{FEWEST} at least"):
        read_turns(path, curator)


def test_turns_are_split_alike_and_candidates_come_from_the_decision(
    examples: Path, index: Path, tmp_path: Path
) -> None:
    curator = Curator.open(examples / "et_services", index_dir=index)
    path = tmp_path / "turns.jsonl"
    row = {"message": "Mis ilm homme Tartus on?", "tool": "weather_forecast", "history": [["user", "Tere"]]}
    other = {**row, "tool": "hunting_permit", "history": [{"role": "user", "message": "Tere"}]}
    path.write_text("\n".join(map(json.dumps, [row, other, {**row, "tool": None}, row])))
    read = read_turns(path, curator)
    assert [len(turn.candidates) for turn in read] == [3, 3, 3, 3]
    assert [turn.added for turn in read] == [False, True, False, False]
    assert read[1].candidates[-1].id == "hunting_permit"
    assert read[0].history == read[1].history == (("user", "Tere"),)
    learn, measured = held_out(read, 0.5, seed=3)
    assert (len(learn), len(measured)) == (2, 2)
    again = held_out(read, 0.5, seed=3)
    assert (learn, measured) == again
