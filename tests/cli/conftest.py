"""The command, run in this process: what it prints, and how it ends."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Its output as JSON."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """The lines of its output."""
        return self.out.splitlines()


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs ``toolcurator`` with arguments, from the entry point on."""
    from toolcurator.cli import main

    monkeypatch.setenv("COLUMNS", "200")
    level = logging.getLogger().level

    def run_(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["toolcurator", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    yield run_
    logging.getLogger().setLevel(level)


HOUSE = [
    {
        "name": "turn_off_light",
        "server": "home",
        "description": "Switches a lamp off.",
        "examples": ["it is too bright"],
    },
    {"name": "set_reminder", "server": "home", "description": "Reminds you of something at a time.", "tags": ["time"]},
    {
        "name": "unlock_door",
        "server": "home",
        "description": "Unlocks the front door.",
        "roles": ["owner"],
        "parameters": {
            "type": "object",
            "properties": {"door": {"type": "string", "description": "Which door", "enum": ["front", "back"]}},
            "required": ["door"],
        },
    },
    {"name": "play_music", "server": "radio", "description": "Plays a song or an album."},
    {"name": "old_alarm", "server": "home", "description": "Rings.", "state": "inactive"},
    *(
        {"name": f"filler_{i}", "description": f"Something else for the door, the light or music, number {i}."}
        for i in range(8)
    ),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A catalogue file of thirteen tools, twelve of them in service."""
    path = tmp_path / "house.json"
    path.write_text(json.dumps(HOUSE), encoding="utf-8")
    return path


@pytest.fixture
def words(tmp_path: Path) -> tuple[object, ...]:
    """Options for a search by words alone, in an index folder of its own."""
    return ("--encoder", "none", "--index-dir", tmp_path / "index")
