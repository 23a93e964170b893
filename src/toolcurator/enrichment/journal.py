"""The run folder's answers: appended one line each as they arrive, read again after a kill (pitfall B6)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.enrichment.ledger import Ledger
from toolcurator.enrichment.model import Ask, EnrichmentError

_SYNC_SECONDS = 2.0  # what a power cut may cost; a kill costs nothing, since each line is written at once


class Entry(BaseModel):
    """One paid answer.

    Attributes:
        stage: Its stage.
        tool: Id of the tool.
        ask: Hash of the question (`Ask.digest`).
        model: Who answered.
        prompt: Version of the prompt.
        at: When.
        text: The answer as it came, usable or not.
        tokens_in: Tokens of the question, None if unknown.
        tokens_out: Tokens of the answer.
        cost: In US dollars, None if unknown.
        seconds: How long it took.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    stage: str
    tool: str
    ask: str
    model: str
    prompt: str
    at: datetime
    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0


class Journal:
    """Answers on disk. One process writes at a time.

    Args:
        path: The file, JSON Lines; made if there is none. A last line that was torn by a kill is cut off.

    Raises:
        EnrichmentError: The file cannot be read or written, or another process uses it.

    Attributes:
        ledger: What all answers cost, those of earlier sessions too.
        before: How many answers were there when the file was opened.
        unreadable: Lines that a crash of the machine spoiled; what they said is asked again.
    """

    def __init__(self, path: Path) -> None:
        from filelock import FileLock, Timeout

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path.with_suffix(".lock"), timeout=0)
            self._lock.acquire()
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            data = path.read_bytes()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                os.ftruncate(self._file, whole)
        except Timeout:
            raise EnrichmentError(
                f"{path.parent} is in use by another run: wait for it, or name another --run"
            ) from None
        except OSError as error:
            raise EnrichmentError(f"{path}: {error.strerror or error}") from None
        entries, self.unreadable = _entries(data[:whole])
        self.before = len(entries)
        self.ledger = Ledger()
        self._by_ask: dict[tuple[str, str], list[Entry]] = {}
        for entry in entries:
            self._by_ask.setdefault((entry.ask, entry.model), []).append(entry)
            self._count(entry)
        self._synced = time.monotonic()

    def answers(self, ask: Ask, model: str) -> Iterable[Entry]:
        """Earlier answers of a model to a question, oldest first."""
        return tuple(self._by_ask.get((ask.digest, model), ()))

    def add(self, ask: Ask, entry: Entry) -> None:
        """Write an answer.

        Raises:
            EnrichmentError: The disk is full, or the like.
        """
        line = entry.model_dump_json().encode() + b"\n"
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise EnrichmentError(f"an answer could not be written: {error.strerror or error}") from None
        self._count(entry)

    def _count(self, entry: Entry) -> None:
        self.ledger.add(
            entry.stage,
            entry.model,
            tokens_in=entry.tokens_in,
            tokens_out=entry.tokens_out,
            cost=entry.cost,
            seconds=entry.seconds,
        )

    def close(self) -> None:
        """Write through to the disk, and let others in."""
        os.fsync(self._file)
        os.close(self._file)
        self._lock.release()


def _entries(data: bytes) -> tuple[list[Entry], int]:
    found: list[Entry] = []
    spoiled = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            found.append(Entry.model_validate_json(line))
        except ValidationError:
            spoiled += 1
    return found, spoiled
