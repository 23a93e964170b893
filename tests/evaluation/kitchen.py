"""Small labelled sets, written here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]
MakeSet = Callable[..., Path]

TOOLS: Rows = [
    {"id": "kettle.boil", "name": "boil_water", "description": "Heats water in the kettle until it boils."},
    {"id": "oven.bake", "name": "bake", "description": "Bakes a cake or bread in the oven."},
    {"id": "fridge.list", "name": "list_food", "description": "Lists what food is in the fridge."},
    {"id": "timer.a", "name": "set_timer", "description": "Starts a countdown.", "equivalents": ["timer.b"]},
    {"id": "timer.b", "name": "start_timer", "description": "Starts an egg timer.", "equivalents": ["timer.a"]},
]
QUERIES: Rows = [
    {"id": "1", "query": "make the water hot", "relevant": ["kettle.boil"], "kind": "single", "split": "test"},
    {"id": "2", "query": "wake me in ten minutes", "relevant": ["timer.a"], "kind": "single", "split": "test"},
    {"id": "3", "query": "bread, and what milk is left", "relevant": ["oven.bake", "fridge.list"], "split": "test"},
    {
        "id": "4",
        "query": "something warm",
        "relevant": ["kettle.boil", "oven.bake"],
        "alternatives": True,
        "split": "test",
    },
    {"id": "5", "query": "who won the election", "relevant": [], "kind": "irrelevant", "split": "test"},
    {"id": "6", "query": "is there any cheese", "relevant": ["fridge.list"], "kind": "single", "split": "train"},
    {"id": "7", "query": "boil an egg for me", "relevant": ["kettle.boil"], "kind": "single", "split": "dev"},
]


def write_rows(path: Path, rows: Rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
