"""The providers that LiteLLM reaches, and that nothing but the model's address is ever reached. Each test imports all anew."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEARD = """
import sys
heard = set()
def hear(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        heard.add(arguments[1][0])
    elif event == "socket.getaddrinfo":
        heard.add(str(arguments[0]))
sys.addaudithook(hear)
from runs import run
from pathlib import Path
from toolcurator import Tool
tool = Tool(name="send_money", description="Send money to a person from your account.")
model = sys.argv[2]
report = run([tool], sys.argv[3], Path(sys.argv[1]), llm=model, judge=model, refine=model, patience=0.2)
import json
print(json.dumps({"heard": sorted(heard), "states": [each.state for each in report.outcomes], "stopped": report.stopped}))
"""


def fresh(folder: Path, model: str, base: str, **environment: str) -> dict[str, object]:
    """A run in a new process that listens to its own connections."""
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), **environment}
    found = subprocess.run(
        [sys.executable, "-c", HEARD, folder, model, base], capture_output=True, text=True, env=here, timeout=120
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return json.loads(found.stdout.splitlines()[-1])


@pytest.mark.slow
def test_nothing_but_the_models_address_is_reached(server, tmp_path: Path) -> None:
    found = fresh(tmp_path, "openai/scripted", server.url)
    assert found["states"] == ["enriched"]
    assert found["heard"] == ["127.0.0.1"]


@pytest.mark.slow
def test_a_provider_behind_litellm_is_asked_and_its_errors_understood(server, tmp_path: Path) -> None:
    environment = {"HOSTED_VLLM_API_BASE": server.url, "HOSTED_VLLM_API_KEY": "sk-vllm-0123456789"}
    found = fresh(tmp_path / "a", "hosted_vllm/scripted", "", **environment)
    assert found["states"] == ["enriched"]
    assert set(found["heard"]) <= {"127.0.0.1"}  # type: ignore[arg-type]
    server.script({"status": 401, "body": {"error": {"message": "bad key sk-vllm-0123456789"}}})
    found = fresh(tmp_path / "b", "hosted_vllm/scripted", "", **environment)
    assert "AuthenticationError" in str(found["stopped"])
    assert "sk-vllm-0123456789" not in str(found["stopped"])
    server.script({"status": 429, "body": {"error": {"message": "slow down"}}, "headers": {"retry-after": "900"}})
    found = fresh(tmp_path / "c", "hosted_vllm/scripted", "", **environment)
    assert "none is expected soon" in str(found["stopped"])
