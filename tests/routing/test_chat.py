"""``toolcurator chat`` and ``route`` from end to end: the Estonian services, a real HTTP service, a scripted model over HTTP."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from faulty_service import Service

pytest.importorskip("httpx")
MAIN = "from toolcurator.cli import main; main()"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


def toolcurator(*arguments: object, said: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=120, env={**os.environ})


def test_three_turns_with_rules_alone(service: Service, examples: Path, index: Path) -> None:
    said = "Mis ilm homme on?\nTartus\naga ülehomme?\n"
    chat = toolcurator(
        "chat", examples / "et_services", "--index-dir", index, "--base-url", f"{service.url}/echo/{{id}}",
        "--private", "127.0.0.1", "--events", said=said,
    )  # fmt: skip
    assert chat.returncode == 0, chat.stderr
    events = [json.loads(line) for line in chat.stdout.splitlines()]
    turns = "".join("E" if event["type"] == "end" else event["type"][0] for event in events).split("E")
    assert [event["outcome"] for event in events if event["type"] == "end"] == ["asked", "answered", "answered"]
    assert turns[0] == "dsq"  # decision, slots, question
    place, day = ([dict(asked.query).get(name) for asked in service.asked] for name in ("place", "forecast_date"))
    assert place == ["Tartu", "Tartu"]
    assert day[0] is not None
    assert day[1] > day[0]
    assert [asked.path for asked in service.asked] == ["/echo/weather_forecast"] * 2


def scripted() -> ModuleType:
    """The scripted server of the enrichment's tests."""
    path = Path(__file__).parents[1] / "enrichment" / "conftest.py"
    spec = importlib.util.spec_from_file_location("scripted_for_chat", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_three_turns_with_a_model(
    service: Service, examples: Path, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request, a missing slot, a follow-up; the model confirms the tool, and its none is respected."""
    pytest.importorskip("dspy")
    module = scripted()
    monkeypatch.setenv("OPENAI_API_KEY", module.KEY)
    model = module.Server(tmp_path).start()
    good: dict[str, Any] = {"reasoning": "A rate.", "tool": "exchange_rate", "confidence": 0.95}
    model.script(
        {"to": 1, "content": good | {"slots": [{"name": "to_currency", "value": "THB"}]}},
        {"content": {"reasoning": "Not served.", "tool": "none", "confidence": 0.9, "slots": []}},
    )
    before = len(service.asked)
    try:
        chat = toolcurator(
            "chat", examples / "et_services", "--index-dir", index, "--base-url", f"{service.url}/echo/{{id}}",
            "--private", "127.0.0.1", "--llm", "openai/scripted", "--api-base", model.url,
            said="Palju ma saan Tai bahte?\n200 eurot\nja dollarites?\nPalju maksab euro kurss homme börsil?\n",
        )  # fmt: skip
    finally:
        model.stop()
    assert chat.returncode == 0, chat.stderr
    asked = [dict(each.query) for each in service.asked[before:]]
    assert [each.get("from_currency") for each in asked][:1] == ["EUR"]
    assert [each.get("to_currency") for each in asked] == ["THB", "USD"]
    lines = chat.stdout.splitlines()
    assert lines[0].startswith("Palun täpsustage")
    assert lines[-1].startswith("Sellega ma aidata ei oska")


def test_route_decides_and_calls_nothing(service: Service, examples: Path, index: Path, tmp_path: Path) -> None:
    before = len(service.asked)
    queries, out = tmp_path / "q.jsonl", tmp_path / "decisions.jsonl"
    rows = [
        {"id": "a", "query": "Palju saan 200 EUR eest THBdes?"},
        {"id": "b", "query": " "},
        {"id": "c", "query": "Write me a poem"},
    ]
    queries.write_text("\n".join(map(json.dumps, rows)))
    ran = toolcurator("route", examples / "et_services", "--index-dir", index, "--queries", queries, "--out", out)
    assert ran.returncode == 1  # one message could not be decided
    first, second, third = map(json.loads, out.read_text().splitlines())
    assert first.keys() == {"id", "decision", "tool", "probability", "candidates", "slots", "missing", "ms"}
    assert (first["id"], first["decision"], first["tool"]) == ("a", "match", "exchange_rate")
    assert first["slots"] == {"from_currency": "EUR", "to_currency": "THB", "amount": 200}
    assert (second["id"], "error" in second) == ("b", True)
    assert (third["decision"], third["tool"]) == ("none", None)
    assert len(service.asked) == before
    wrong = toolcurator("route", "tere")
    assert wrong.returncode == 2
    assert "a catalogue and a message are needed" in wrong.stderr


def test_route_shows_the_parts_and_the_seeds_fixed_limits(examples: Path, index: Path, tmp_path: Path) -> None:
    message = "Palju maksab elekter praegu ja mis ilm homme Tartus on?"
    queries = tmp_path / "q.txt"
    queries.write_text(f"{message}\nMis ilm homme Tartus on?\n")
    route = ["route", examples / "et_services", "--index-dir", index]
    two, one = map(json.loads, toolcurator(*route, "--queries", queries).stdout.splitlines())
    assert [part["tool"] for part in two["parts"]] == ["electricity_price", "weather_forecast"]
    assert [part["query"] for part in two["parts"]] == ["Palju maksab elekter praegu", "mis ilm homme Tartus on?"]
    assert two["parts"][0].keys() == (two.keys() - {"id", "ms", "parts"}) | {"query"}
    assert "parts" not in one
    classic = toolcurator("route", examples / "et_services", message, "--index-dir", index, "--preset", "classic")
    assert classic.returncode == 0, classic.stderr
    assert "< 0.050" in classic.stdout  # its margin
    assert "requests" not in classic.stdout
    without = toolcurator(*route, message, "--preset", "classic", "--encoder", "none")
    assert without.returncode == 2
    assert "need an encoder" in without.stderr


def test_chat_follows_and_calls_an_mcp_server(examples: Path, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    server = {"command": sys.executable, "args": [str(examples / "mcp" / "library.py")]}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"library": server}}), "utf-8")
    ran = toolcurator(
        "chat", config, "--index-dir", tmp_path / "index", said="When is the library open on 2026-12-06?\n"
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "closed"
    assert "library/opening_hours(day='2026-12-06')" in ran.stderr
