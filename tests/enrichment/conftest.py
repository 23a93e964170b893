"""A scripted server in a process of its own, and tools to ask it about."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcurator import Tool

KEY = "sk-scripted-0123456789"


class Server:
    """The process, its script and its log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log.tsv"
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self.script()

    def script(self, *rules: dict[str, Any], **settings: Any) -> None:
        """What it does from now on."""
        draft = self.folder / "script.draft"
        draft.write_text(json.dumps({"rules": rules, **settings}))
        draft.replace(self.folder / "script.json")

    def start(self) -> "Server":
        """Start it, on a port of its own."""
        port = self.folder / "port"
        port.unlink(missing_ok=True)
        code = Path(__file__).with_name("scripted_server.py")
        self.process = subprocess.Popen([sys.executable, code, port, self.folder / "script.json", self.log])
        for _ in range(1000):
            if port.exists():
                break
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{port.read_text()}/v1"
        return self

    def stop(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def asked(self) -> Counter[tuple[str, str]]:
        """(stage, tool) → how often it was asked."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Counter(tuple(line.split("\t")[:2]) for line in lines if line.count("\t") == 2)  # type: ignore[misc]

    def models(self) -> dict[str, set[str]]:
        """Stage → the models that were asked."""
        found: dict[str, set[str]] = {}
        for line in self.log.read_text().splitlines():
            stage, _, model = line.split("\t")
            found.setdefault(stage, set()).add(model)
        return found


@pytest.fixture(scope="session")
def _process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("server"))
    yield found
    found.stop()


@pytest.fixture
def server(_process: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A running server with an empty script and an empty log, and a key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    _process.log.write_text("")
    _process.script()
    return _process if _process.process is not None and _process.process.poll() is None else _process.start()


@pytest.fixture
def tools() -> Callable[[int], list[Tool]]:
    """Makes so many tools of a lending library."""

    def make(count: int) -> list[Tool]:
        verbs, nouns = ("lend", "return", "renew", "reserve", "repair"), ("book", "map", "film", "game", "record")
        return [
            Tool(
                name=f"{verbs[i % 5]}_{nouns[i // 5 % 5]}_{i:02}",
                description=f"To {verbs[i % 5]} a {nouns[i // 5 % 5]} of the library, shelf {i}.",
                parameters={
                    "type": "object",
                    "properties": {"card": {"type": "string", "description": "Number of the card."}},
                },
            )
            for i in range(count)
        ]

    return make
