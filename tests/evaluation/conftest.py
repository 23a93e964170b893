"""A small labelled set as a fixture, in the bench form."""

import json
from pathlib import Path
from typing import Any

import pytest
from kitchen import QUERIES, TOOLS, MakeSet, Rows, write_rows


@pytest.fixture
def make_set(tmp_path: Path) -> MakeSet:
    """Writes a set in the bench form: name, queries, tools, and what else META.json says."""

    def make(name: str = "kitchen", queries: Rows = QUERIES, tools: Rows = TOOLS, **meta: Any) -> Path:
        folder = tmp_path / "sets" / name
        write_rows(folder / "queries.jsonl", queries)
        write_rows(folder / "tools.jsonl", tools)
        if meta:
            (folder / "META.json").write_text(json.dumps(meta), encoding="utf-8")
        return folder

    return make
