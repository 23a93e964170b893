"""A virtual environment for each peer, with the versions pinned in peer_adapters/requirements; made once, and kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ADAPTERS = Path(__file__).parent / "peer_adapters"
OURS = "toolcurator"


class CannotRun(Exception):
    """Why a peer has no figures."""


def python_of(adapter: str, envs: Path) -> Path:
    """The interpreter of an adapter's environment, made if need be; our own adapter runs in this one.

    Raises:
        CannotRun: The environment cannot be made; the message holds what pip said.
    """
    if adapter == OURS:
        return Path(sys.executable)
    pinned = ADAPTERS / "requirements" / f"{adapter}.txt"
    folder = envs / adapter
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "pinned"
    wanted = hashlib.sha256(pinned.read_bytes()).hexdigest()
    if not (stamp.is_file() and stamp.read_text() == wanted):
        print(f"{adapter}: making its environment", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(pinned)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CannotRun(f"cannot be installed: {last_line(done.stderr)}")
        stamp.write_text(wanted)
    return python


def run(command: list[str], timeout: float) -> None:
    """Run a child in `ADAPTERS` to its end.

    Raises:
        CannotRun: It failed, or took longer than ``timeout`` seconds.
    """
    # Modules are compiled once, so that import times are those of an installed package; nothing is asked of the network.
    environment = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    }
    environment |= {"PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # threads that wait for a busy core
    try:
        done = subprocess.run(
            command,
            cwd=ADAPTERS,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise CannotRun(f"not done within {timeout:.0f} s") from None
    if done.returncode:
        raise CannotRun(f"failed: {last_line(done.stderr)}")


def last_line(said: str) -> str:
    """The last line of an output that says something, shortened."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("WARNING")]
    errors = [line for line in lines if line.startswith("ERROR")]
    return ((errors or lines or ["no output"])[-1])[:300]
