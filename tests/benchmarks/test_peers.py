"""The comparison with peers, with our own rows only: no network, no environment is made."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from peer_environments import ADAPTERS, CannotRun, last_line, run  # noqa: E402
from peer_rows import ROWS  # noqa: E402
from peer_sets import endpoint, given_tools, write_set  # noqa: E402

from toolcurator import Catalog, Curator, Tool  # noqa: E402
from toolcurator.encoders import load_encoder  # noqa: E402
from toolcurator.evaluation.datasets import load_datasets  # noqa: E402
from toolcurator.evaluation.metrics import measure  # noqa: E402

CAMPUS = Path(__file__).parents[2] / "examples/campus"
TOOLS, LIMIT = 50, 20


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example catalogue as a set of the bench form, and one without queries but with recorded examples."""
    folder = tmp_path_factory.mktemp("bench")
    tools = [
        {"id": t.id, "name": t.name, "description": t.description, "parameters": t.parameters}
        for t in Catalog.load(CAMPUS).tools[:TOOLS]
    ]
    ids = {tool["id"] for tool in tools}
    asked = [json.loads(line) for line in (CAMPUS / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [query for query in asked if ids.issuperset(query.get("relevant", ()))]
    for name in ("campus", "unasked"):
        (folder / name).mkdir()
        (folder / name / "tools.jsonl").write_text("\n".join(map(json.dumps, tools)), encoding="utf-8")
    (folder / "campus/queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    (folder / "unasked/queries.jsonl").write_text("", encoding="utf-8")
    (folder / "expansions").mkdir()
    recorded = [
        {"id": tools[0]["id"], "grounded": True, "example_queries": ["one", "two"]},
        {"id": tools[1]["id"], "grounded": False, "example_queries": ["not about its tool"]},
        {"id": "gone", "grounded": True, "example_queries": ["of a tool that is gone"]},
    ]
    (folder / "expansions/unasked.jsonl").write_text("\n".join(map(json.dumps, recorded)), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def results(bench: Path) -> dict:
    out = bench / "out.json"
    command = [
        sys.executable,
        str(BENCHMARKS / "peers.py"),
        "--data",
        str(bench),
        "--sets",
        "campus",
        "--json",
        str(out),
    ]
    done = subprocess.run(
        [*command, "--peers", "toolcurator", "--limit", str(LIMIT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "dense alone" in done.stdout
    return json.loads(out.read_text())


def test_every_row_of_ours_has_every_figure(results: dict) -> None:
    assert results["sets"] == {
        "campus": {**results["sets"]["campus"], "tools": TOOLS, "queries": LIMIT, "known_items": False}
    }
    assert [row["label"] for row in results["rows"]] == [row.label for row in ROWS if row.adapter == "toolcurator"]
    for row in results["rows"]:
        found = row["sets"]["campus"]
        assert not row["error"]
        assert "error" not in found
        assert row["version"]
        assert row["import_s"] > 0
        assert found["build_s"] > 0
        assert 0 < found["query_p50_ms"] <= found["query_p99_ms"]
        assert 20 < found["peak_mb"] < 2000
        assert found["most_results"] == 20
        assert 0 < found["ndcg@10"] <= 100


def test_the_shared_encoder_ranks_as_the_packaged_one(results: dict, bench: Path, tmp_path: Path) -> None:
    (dataset,) = load_datasets([bench / "campus"], split="test", kinds=("single", "multi"), limit=LIMIT, seed=0)
    bare = [
        Tool(id=tool.id, name=tool.name, description=tool.description) for tool in Catalog.load(CAMPUS).tools[:TOOLS]
    ]
    curator = Curator.open(bare, fusion="dense", split=False, index_dir=tmp_path)
    rankings = [[hit.id for hit in curator.select(query.query, k=20)] for query in dataset.queries]
    expected = measure(rankings, [query.needs for query in dataset.queries])
    found = next(row for row in results["rows"] if row["label"] == "dense alone")["sets"]["campus"]
    assert found["ndcg@10"] == pytest.approx(100 * expected.mean("ndcg@10"))
    assert found["recall@5"] == pytest.approx(100 * expected.mean("recall@5"))
    assert found["complete@10"] == pytest.approx(100 * expected.mean("complete@10"))


def test_slots_are_read_only_where_the_row_says_so(results: dict) -> None:
    rows = {row["label"]: row["sets"]["campus"] for row in results["rows"]}
    # documents with slots are not known beforehand, so the endpoint was asked for them
    assert rows["toolcurator, slots too"]["encoding_s"] > 5 * rows["dense alone"]["encoding_s"]
    assert rows["toolcurator, slots too"]["ndcg@10"] != rows["toolcurator"]["ndcg@10"]


def test_a_set_without_labels_is_asked_its_recorded_examples(bench: Path, tmp_path: Path) -> None:
    encoder = load_encoder("packaged")
    assert encoder is not None
    asked = write_set(bench, "unasked", tmp_path / "set", encoder, limit=5, seed=0, split="test")
    first = next(iter(Catalog.load(CAMPUS))).id
    assert asked.known_items
    assert sorted(asked.queries) == ["one", "two"]
    assert asked.needs == ((frozenset({first}),),) * 2


def test_names_are_unique_and_ids_stay() -> None:
    tools = [Tool(id=f"{n}", name=name) for n, name in enumerate(("search", "search", "search_2", "search"))]
    given = given_tools(Catalog(tools))
    assert [tool.unique for tool in given] == ["search", "search_3", "search_2", "search_4"]
    assert [tool.name for tool in given] == [tool.name for tool in tools]
    assert [tool.id for tool in given] == ["0", "1", "2", "3"]
    assert {tool.document for tool in given} == {"search", "search 2"}


def test_endpoint_answers_as_the_encoder() -> None:
    encoder = load_encoder("packaged")
    assert encoder is not None
    texts = ["pay a fee", "open the door"]
    with endpoint(encoder) as url:
        request = urllib.request.Request(f"{url}/embeddings", json.dumps({"model": "m", "input": texts}).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            rows = json.load(answer)["data"]
    assert np.allclose([row["embedding"] for row in rows], encoder.encode_documents(texts), atol=1e-6)


def test_a_peer_that_fails_says_why() -> None:
    with pytest.raises(CannotRun, match="failed: ValueError: no such index"):
        run([sys.executable, "-c", "raise ValueError('no such index')"], timeout=30)
    with pytest.raises(CannotRun, match="not done within 0 s"):
        run([sys.executable, "-c", "import time; time.sleep(20)"], timeout=0.2)
    assert (
        last_line("WARNING: old\nERROR: No matching distribution\n[notice] new pip\n")
        == "ERROR: No matching distribution"
    )


def test_each_row_has_its_adapter_and_pinned_versions() -> None:
    assert len({row.label for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert (ADAPTERS / f"{row.adapter}_adapter.py").is_file()
        if row.adapter == "toolcurator":
            continue
        lines = (ADAPTERS / "requirements" / f"{row.adapter}.txt").read_text().splitlines()
        assert all(line.count("==") == 1 and " " not in line for line in lines)
        assert any(line.startswith(f"{row.package}==") for line in lines)


def test_unknown_peers_are_named() -> None:
    command = [sys.executable, str(BENCHMARKS / "peers.py"), "--data", ".", "--peers", "nobody"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "none of nobody" in done.stderr
