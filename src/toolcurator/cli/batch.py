"""A file of queries answered one JSON line each, for the commands that have ``--queries``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from toolcurator.cli.opened import progress


def answer_file(queries: Path, out: Path | None, title: str, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Answer a file, each line as it comes.

    Args:
        queries: JSON Lines with ``query`` (and ``id``, ``role``), or a text file with a query a line.
        out: Where the answers go; None for standard output.
        title: Of the progress bar.
        answer: Makes the answer of a query; what it raises on purpose becomes the line's ``error``.

    Returns:
        The exit code: 1 if a query could not be answered.

    Raises:
        QueryError: The file is not UTF-8.
    """
    from toolcurator.errors import QueryError, ToolCuratorError

    try:
        content = queries.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QueryError(f"{queries}: not UTF-8 ({error.reason} at byte {error.start})") from None
    lines = [(number, line) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    failed = 0
    sink = out.open("w", encoding="utf-8", errors="backslashreplace") if out else sys.stdout
    with progress(title) as report:
        try:
            for done, (number, line) in enumerate(lines, 1):
                asked: dict[str, Any] = {"id": str(number)}
                try:
                    asked |= _query(line, queries, number)
                    made = {"id": asked["id"], **answer(asked)}
                except ToolCuratorError as error:
                    failed += 1
                    made = {"id": asked["id"], "error": str(error)}
                sink.write(json.dumps(made, ensure_ascii=False) + "\n")
                if done % 50 == 0 or done == len(lines):
                    report(done, len(lines))
        finally:
            if out:
                sink.close()
    if failed:
        print(f"warning: {failed} of {len(lines)} queries could not be answered; their lines say why", file=sys.stderr)
    return 1 if failed else 0


def _query(line: str, path: Path, number: int) -> dict[str, Any]:
    """A line as a query: an object with ``query`` (and ``id``, ``role``), or the text itself."""
    from toolcurator.errors import QueryError

    if path.suffix.lower() not in (".jsonl", ".json", ".ndjson"):
        return {"query": line}
    try:
        asked: Any = json.loads(line)
    except ValueError as error:
        raise QueryError(f"{path}:{number}: not JSON ({error})") from None
    if not isinstance(asked, dict) or "query" not in asked:
        raise QueryError(f'{path}:{number}: expected an object with "query", such as {{"id": "1", "query": "..."}}')
    fields = cast(dict[str, Any], asked)
    return {**fields, "id": str(fields.get("id", number))}
