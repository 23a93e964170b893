"""The decision log: one record a decision, in JSON Lines, without what users and tools said (pitfall C20)."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self, TextIO, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolcurator.errors import SettingsError
from toolcurator.routing.redact import redact

__all__ = ["LOG_KEY", "DecisionLog", "DecisionRecord", "LoggedDecision", "redact"]

_log = logging.getLogger(__name__)
LOG_KEY = "TOOLCURATOR_LOG_KEY"
"""The variable with the key of the hashes; with it, the same text has the same hash in every run."""

LogText = bool | Literal["redacted"]


class DecisionRecord(BaseModel):
    """One decision.

    Attributes:
        at: When.
        id: Of the turn, to find its feedback by.
        conversation: Of the conversation; hashed in the log.
        role: The persona.
        query: What the user said.
        decision: ``match``, ``ambiguous`` or ``none``.
        tool: Id of the tool it is about.
        outcome: ``answered``, ``asked``, ``declined``, ``failed_before`` or ``failed_after``.
        parts: Tool → what it came to, where one turn served several.
        path: What was gone through, in order (``decide``, ``intent``, ``call``, ``rag``, ...).
        scores: Tool → score, of the candidates.
        probability: That the tool is right.
        gap: Distance to the second tool; None where there is none (pitfall C2).
        thresholds: Name → the limit that was compared with.
        slots: Name → value.
        missing: Names of slots that were asked for.
        timings_ms: Step → milliseconds.
        tokens: ``input``, ``output`` → tokens of language models.
        cost_usd: Of language models.
        error: Why it failed.
        encoder: Id of the encoder.
        catalog: Fingerprint of the catalogue.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    id: str = ""
    conversation: str = ""
    role: str | None = None
    query: str
    decision: Literal["match", "ambiguous", "none"]
    tool: str = ""
    outcome: str = ""
    parts: Mapping[str, str] = Field(default_factory=dict[str, str])
    path: tuple[str, ...] = ()
    scores: Mapping[str, float] = Field(default_factory=dict[str, float])
    probability: float | None = None
    gap: float | None = None
    thresholds: Mapping[str, float] = Field(default_factory=dict[str, float])
    slots: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = Field(default_factory=dict[str, float])
    tokens: Mapping[str, int] = Field(default_factory=dict[str, int])
    cost_usd: float = 0.0
    error: str = ""
    encoder: str = ""
    catalog: str = ""


class DecisionLog:
    """Writes records, one JSON object a line. A log that cannot be written stops no turn: it says so once, and goes on.

    Args:
        to: A file, which is appended to, or an open text stream.
        log_text: What stays of the user's text and of slot values. False (the default): of the text a keyed hash and its
            length, of a value its type. ``"redacted"``: the text and values after `redact`. True: everything as it was.
        key: Key of the hashes; None for `LOG_KEY` of the environment, and without that a new one each time.

    Raises:
        SettingsError: The folder of the file does not exist.
    """

    def __init__(
        self, to: str | os.PathLike[str] | TextIO, *, log_text: LogText = False, key: str | bytes | None = None
    ) -> None:
        self._path = Path(cast("str", to)) if isinstance(to, str | os.PathLike) else None
        self._stream = cast("TextIO", to) if self._path is None else None
        if self._path is not None and not self._path.parent.is_dir():
            raise SettingsError(f"the decision log {self._path} cannot be written: its folder does not exist")
        given = key if key is not None else os.environ.get(LOG_KEY) or secrets.token_bytes(32)
        self._key = given.encode() if isinstance(given, str) else given
        self._log_text: LogText = log_text
        self._lock = threading.Lock()
        self._warned = False

    def write(self, record: DecisionRecord) -> None:
        """Append a record."""
        line = json.dumps(self._shown(record), ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "replace").decode() + "\n"
        try:
            with self._lock:
                if self._stream is not None:
                    self._stream.write(data)
                    self._stream.flush()
                elif self._path is not None:
                    if not self._path.exists():
                        self._path.touch(mode=0o600)
                    with self._path.open("a", encoding="utf-8", newline="\n") as file:
                        file.write(data)
        except (OSError, ValueError) as error:
            if not self._warned:
                self._warned = True
                _log.warning("the decision log cannot be written: %s", error)

    def _shown(self, record: DecisionRecord) -> dict[str, Any]:
        body = record.model_dump(mode="json")
        query, slots = body.pop("query"), body.pop("slots")
        body["query_hash"], body["query_chars"] = self._hash(query), len(query)
        body["conversation"] = self._hash(record.conversation) if record.conversation else ""
        if self._log_text is True:
            return body | {"query": query, "slots": slots, "conversation": record.conversation}
        body["error"] = redact(record.error if self._log_text else _without(record.error, slots))
        if self._log_text == "redacted":
            return body | {"query": redact(query), "slots": {name: _redacted(value) for name, value in slots.items()}}
        return body | {"slots": {name: _kind(value) for name, value in slots.items()}}

    def _hash(self, text: str) -> str:
        # keyed: the hash of a short text or a number could be found by trying all of them
        content = " ".join(text.lower().split()).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, content, hashlib.sha256).hexdigest()[:24]


class LoggedDecision(DecisionRecord):
    """A record as it stands in a log: without the text, unless the log keeps it.

    Attributes:
        query_hash: Keyed hash of the text, in lower case and with single spaces.
        query_chars: Length of the text.
    """

    query: str = ""
    query_hash: str = ""
    query_chars: int = 0

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """The records of a file; a line that was cut off by a crash is passed over."""
        with Path(path).open(encoding="utf-8") as file:
            for line in file:
                try:
                    yield cls.model_validate_json(line)
                except ValidationError:
                    _log.warning("a line of %s is no record of a decision", path)


def _without(text: str, slots: Mapping[str, Any]) -> str:
    """A message without the values of slots, which the one about an argument that does not fit repeats."""
    values = {str(value) for value in _leaves(slots) if len(str(value)) > 1}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[value]")
    return text


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for each in cast("Mapping[str, Any]", value).values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in cast("list[Any]", value):
            yield from _leaves(each)
    elif value is not None:
        yield value


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "[yes/no]"
    if isinstance(value, str):
        return "[text]"
    if isinstance(value, int | float):
        return "[number]"
    return "[list]" if isinstance(value, list) else "[object]" if isinstance(value, dict) else "[nothing]"


def _redacted(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _redacted(each) for key, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_redacted(each) for each in cast("list[Any]", value)]
    if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        text = redact(str(value))
        return value if text == str(value) else text
    return value
