"""``toolcurator fit``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcurator.retrieval.fitted import FILE


def test_the_command_reports_and_forgets(run: Callable[..., Any], examples: Path, tmp_path: Path) -> None:
    labelled = ("fit", examples / "campus", "--queries", examples / "campus/queries.jsonl", "--index-dir", tmp_path)
    done = run(*labelled, "--dry-run")
    assert done.code == 0, done.err
    assert "NDCG@10" in done.out
    assert "each scored by weights fitted without it" in done.out
    assert not (tmp_path / FILE).exists()
    said = json.loads(run(*labelled, "--json", "--dry-run").out)
    assert said["learned_from"] == "queries"
    assert "nothing was fitted here" in run("fit", examples / "campus", "--index-dir", tmp_path, "--forget").out
    few = run("fit", examples / "et_services", "--encoder", "none", "--index-dir", tmp_path / "et")
    assert few.code == 2
    assert "words alone" in few.err
