"""``toolcurator call``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp_house import DAY, Older, listed
from typer.testing import CliRunner

from toolcurator.cli.call import call

READS = {"annotations": {"readOnlyHint": True}}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    tools = (listed("rain", "Will it rain", DAY, **READS), listed("flood", "Flood the cellar"), listed("gone"))
    file = tmp_path / "mcp.json"
    file.write_text(
        json.dumps({"mcpServers": {"sky": Older(tmp_path / "sky", *tools).config, "x": {"command": "no-such"}}})
    )
    return file


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import typer; from toolcurator.cli.call import call; app = typer.Typer(); app.command()(call); app()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)


def test_a_tool_is_called(source: Path) -> None:
    done = run(str(source), "rain", "--args", '{"day": "today"}', "--json")
    assert done.returncode == 0
    assert json.loads(json.loads(done.stdout)["text"])["arguments"] == {"day": "today"}
    assert "warning: MCP server 'x': cannot be started: the command 'no-such' is not found" in done.stderr
    assert "older server up" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rain"], "day is missing"),
        (["rian"], "the nearest: rain"),
        (["rain", "--args", "{"], "--args is not JSON"),
        (["rain", "--args", "[]"], "--args must be a JSON object"),
        (["flood"], "add --yes to call it all the same"),
    ],
)
def test_what_is_refused(source: Path, arguments: list[str], said: str) -> None:
    import typer

    app = typer.Typer()
    app.command()(call)
    done = CliRunner().invoke(app, [str(source), *arguments])
    assert said in str(done.exception)


def test_a_side_effect_needs_a_yes(source: Path) -> None:
    import typer

    app = typer.Typer()
    app.command()(call)
    assert CliRunner().invoke(app, [str(source), "flood", "--yes"]).exit_code == 0
