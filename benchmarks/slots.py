"""Slot F1 of the rules, exact match, no model: ``python benchmarks/slots.py --data BENCH [--json OUT] [--show SET]``.

A slot counts as right if name and value are equal (numbers as numbers, texts without case and outer space). The tool is given, so
that this measures slots alone. The rules were written with the
misses on dev of et_services in view, and some of sgd and bfcl; no test split was looked at.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from sets import data_option

from toolcurator import Catalog, Tool
from toolcurator.routing.slots import Reader, fill_each

NOW = datetime(2026, 11, 30, 12, 0)  # et_services: dates relative to this day
VERBATIM = ("snips", "sgd")  # their values are the user's words, not normalized: the span counts too
SETS = ("et_services", "buerokratt_et", "snips", "sgd", "bfcl")


@dataclass
class Count:
    """Right, given and due slots, and the time they took."""

    right: int = 0
    given: int = 0
    due: int = 0
    queries: int = 0
    exact: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def row(self) -> dict[str, float]:
        precision = self.right / self.given if self.given else 0.0
        recall = self.right / self.due if self.due else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return {
            "queries": self.queries,
            "slots": self.due,
            "precision": round(100 * precision, 1),
            "recall": round(100 * recall, 1),
            "f1": round(100 * f1, 1),
            "all_right": round(100 * self.exact / max(1, self.queries), 1),
            "ms": round(1000 * self.seconds / max(1, self.queries), 2),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    data_option(parser)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--show", default="", help="print the misses of this set")
    parser.add_argument("--split", default="dev")
    options = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}
    for name in options.sets:
        for key, count in measure(options.data / name, options.split).items():
            rows[key] = count.row()
            if options.show == name:
                print(f"--- {key}", *count.wrong, sep="\n")
    table = Table("set", *next(iter(rows.values())))
    for key, row in rows.items():
        table.add_row(key, *map(str, row.values()))
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def measure(folder: Path, split: str) -> dict[str, Count]:
    """Set and language or kind → what was counted."""
    services = folder / "services.jsonl"
    tools = {tool.id: tool for tool in Catalog.load(services if services.exists() else folder / "tools.jsonl").tools}
    counts: dict[str, Count] = {}
    for query in _queries(folder, split):
        asked = [tools[each] for each in query["relevant"] if each in tools]
        if not asked or query.get("entities") is None:
            continue
        if len(asked) > 1 and (query.get("alternatives") or query["kind"] == "single"):
            asked = asked[:1]
        due = dict(_due(query, asked))
        lang = query.get("lang", "")
        reader = Reader(language=lang or "en", now=NOW)
        start = time.perf_counter()
        found = fill_each(query["query"], asked, reader)
        seconds = time.perf_counter() - start
        given = {name: value for each in found.values() for name, value in each.values.items()}
        key = f"{folder.name} {lang} {query['kind'] if folder.name == 'et_services' else ''}".strip()
        count = counts.setdefault(" ".join(key.split()), Count())
        count.queries += 1
        count.seconds += seconds
        count.due += len(due)
        count.given += len(given)
        verbatim = {
            name: query["query"][start:end] for each in found.values() for name, (start, end) in each.spans.items()
        }
        right = sum(
            name in due
            and (_equal(due[name], value) or (folder.name in VERBATIM and _equal(due[name], verbatim[name])))
            for name, value in given.items()
        )
        count.right += right
        count.exact += right == len(due) == len(given)
        if not right == len(due) == len(given):
            text = query["query"].replace("\n", " ")
            count.wrong.append(f"{query['id']} {text}\n    due   {_short(due)}\n    given {given}")
    return counts


def _queries(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    with (folder / "queries.jsonl").open() as lines:
        for line in lines:
            query = json.loads(line)
            if query.get("split") == split and query.get("kind") in ("single", "multi"):
                yield query


def _due(query: dict[str, Any], asked: list[Tool]) -> Iterator[tuple[str, list[Any]]]:
    entities = query["entities"]
    if isinstance(entities, dict):
        yield from ((name, [value]) for name, value in entities.items())
        return
    names = {slot.name for tool in asked for slot in tool.slots}
    for each in entities:
        if each["slot"] in names and each.get("in_text", True):
            yield each["slot"], [*each.get("accepted", ()), each["value"]]


def _equal(due: list[Any], value: Any) -> bool:
    return any(_plain(each) == _plain(value) for each in due)


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).casefold().strip()
    return str(float(value))


def _short(due: dict[str, list[Any]]) -> dict[str, Any]:
    return {name: values[0] for name, values in due.items()}


if __name__ == "__main__":
    main()
