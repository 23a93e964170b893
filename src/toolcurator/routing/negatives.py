"""A file of messages that no tool serves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from toolcurator.errors import QueryError


def read_negatives(path: Path) -> tuple[str, ...]:
    """The messages of a file: one a line, or JSON Lines with ``query`` (named so, or where the first line is an object).

    Raises:
        QueryError: The file cannot be read, or a line holds no message; the message names file and line.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path}: cannot be read as UTF-8 text ({type(error).__name__})") from None
    listed = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    objects = path.suffix.lower() in (".jsonl", ".ndjson") or (bool(listed) and listed[0][1].startswith("{"))
    found = dict.fromkeys(_message(path, number, line) if objects else line for number, line in listed)
    if not found:
        raise QueryError(f"{path}: no messages")
    return tuple(found)


def _message(path: Path, number: int, line: str) -> str:
    try:
        said: Any = json.loads(line)
    except ValueError as error:
        raise QueryError(f"{path}:{number}: not JSON ({error})") from None
    query = cast(dict[str, Any], said).get("query") if isinstance(said, dict) else said
    if not isinstance(query, str) or not query.strip():
        raise QueryError(f'{path}:{number}: expected {{"query": "..."}}')
    return query.strip()
