"""Loading sets: what counts as right, what is sampled, and what is said when it cannot be read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kitchen import QUERIES, TOOLS, MakeSet, write_rows

from toolcurator.errors import ToolCuratorError
from toolcurator.evaluation.datasets import DatasetError, load_datasets


def needs(folder: Path, **how: Any) -> dict[str, tuple[frozenset[str], ...]]:
    (dataset,) = load_datasets([folder], **how)
    return {query.id: query.needs for query in dataset.queries}


def test_a_need_is_a_tool_or_what_stands_in_for_it(make_set: MakeSet) -> None:
    assert needs(make_set()) == {
        "1": (frozenset({"kettle.boil"}),),
        "2": (frozenset({"timer.a", "timer.b"}),),
        "3": (frozenset({"oven.bake"}), frozenset({"fridge.list"})),
        "4": (frozenset({"kettle.boil", "oven.bake"}),),
    }


def test_a_querys_own_equivalents_stand_in_too(make_set: MakeSet) -> None:
    query = {"id": "1", "query": "tea", "relevant": ["kettle.boil"], "equivalents": ["oven.bake"]}
    assert needs(make_set(queries=[query])) == {"1": (frozenset({"kettle.boil", "oven.bake"}),)}


def test_queries_without_an_answer_are_a_sample_of_their_own(make_set: MakeSet) -> None:
    (dataset,) = load_datasets([make_set()])
    assert [query.id for query in dataset.out_of_scope] == ["5"]
    assert dataset.in_scope == dataset.queries
    assert [query.id for query in dataset.train] == ["6"]
    assert [query.kind for query in dataset.queries] == ["single", "single", "multi", "single"]


def test_paired_queries_are_what_the_others_are_told_apart_from(make_set: MakeSet) -> None:
    queries = [{**row, "awareness_positive": row["id"] in ("1", "6")} for row in QUERIES]
    folder = make_set(queries=queries)
    (dataset,) = load_datasets([folder], limit=1, seed=3)
    assert [query.id for query in dataset.in_scope] == ["1"]
    assert {query.id for query in dataset.asked()} == {"1", "5", *(query.id for query in dataset.queries)}
    (only,) = load_datasets([folder], kinds=["awareness_positive"])
    assert [query.id for query in only.queries] == ["1"]


def test_split_kind_and_subset(make_set: MakeSet) -> None:
    queries = [{**row, "subset": "warm" if row["id"] in ("1", "4") else "cold"} for row in QUERIES]
    folder = make_set(queries=queries)
    assert list(needs(folder, split="dev")) == ["7"]
    assert list(needs(folder, kinds=["multi"])) == ["3"]
    assert list(needs(folder, subsets=["warm"])) == ["1", "4"]
    (dataset,) = load_datasets([folder], split="train")
    assert dataset.train == ()  # what is asked is no leak of itself


def test_the_sample_is_that_of_the_first_measurements(make_set: MakeSet) -> None:
    queries = [
        {"id": str(at), "query": f"question {at}", "relevant": [TOOLS[at % 5]["id"]], "kind": "single", "split": "test"}
        for at in range(60)
    ] + [{"id": "x", "query": "no", "relevant": [], "kind": "irrelevant", "split": "test"}]
    folder = make_set(queries=queries)
    (dataset,) = load_datasets([folder], limit=25)
    # the draw by which the design's table was measured
    drawn = np.random.default_rng(0).choice(60, 25, replace=False)
    assert [query.id for query in dataset.queries] == [str(at) for at in drawn]
    assert len(dataset.queries) == 25
    assert dataset.available == 60
    (other,) = load_datasets([folder], limit=25, seed=1)
    assert other.queries != dataset.queries


def test_negatives_beside_the_sets_come_in_if_their_length_matches(make_set: MakeSet) -> None:
    folder = make_set()
    rows = [
        {"id": "n1", "query": "clean the kettle", "kind": "near", "length_matched": True},
        {"id": "n2", "query": "hi", "kind": "far", "length_matched": False},
    ]
    write_rows(folder.parent / "negatives" / "kitchen.jsonl", rows)
    (dataset,) = load_datasets([folder])
    assert [(query.id, query.kind) for query in dataset.out_of_scope] == [("5", "irrelevant"), ("n1", "near")]


def test_a_folder_of_sets(make_set: MakeSet, caplog: pytest.LogCaptureFixture) -> None:
    folder = make_set("one").parent
    make_set("two", queries=QUERIES[5:])  # nothing in test
    make_set("three")
    (folder / "notes").mkdir()
    assert [dataset.name for dataset in load_datasets([folder])] == ["one", "three"]
    assert "two is left out: no query in split 'test'; it has 1 dev/single, 1 train/single" in caplog.text
    assert [dataset.name for dataset in load_datasets([folder], sets=["three", "one"])] == ["three", "one"]
    with pytest.raises(DatasetError, match="two: no query in split 'test' of kind single"):
        load_datasets([folder], sets=["two"], kinds=["single"])
    with pytest.raises(DatasetError, match="no set 'tree'; the nearest: three"):
        load_datasets([folder], sets=["tree"])
    with pytest.raises(DatasetError, match="no set 'xyz'; there are: one, three, two"):
        load_datasets([folder], sets=["xyz"])


def test_the_current_folder_has_a_name(make_set: MakeSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_set())
    assert load_datasets(["."])[0].name == "kitchen"


def test_a_catalogue_by_another_name(make_set: MakeSet) -> None:
    folder = make_set()
    (folder / "tools.jsonl").rename(folder / "services.jsonl")
    (dataset,) = load_datasets([folder])
    assert dataset.tools == folder
    assert dataset.queries[1].needs == (frozenset({"timer.a", "timer.b"}),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1", "query": ', r"queries.jsonl:2: not JSON"),
        ('["a query"]', r"queries.jsonl:2: expected an object, not a list"),
        ('{"id": "1", "query": " "}', r'queries.jsonl:2: "query" must be a text that is not empty'),
        ('{"query": "a", "relevant": "kettle.boil"}', r'queries.jsonl:2: "relevant" must be a list of tool ids'),
        ('{"id": "0", "query": "a"}', r"1 ids occur more than once, the first is '0'"),
    ],
)
def test_a_bad_line_is_named(make_set: MakeSet, line: str, message: str) -> None:
    folder = make_set()
    (folder / "queries.jsonl").write_text('{"id": "0", "query": "tea", "relevant": []}\n' + line + "\n", "utf-8")
    with pytest.raises(DatasetError, match=message):
        load_datasets([folder])


def test_what_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such folder"):
        load_datasets([tmp_path / "nowhere"])
    with pytest.raises(DatasetError, match="is no data set, and holds none: expected a folder with queries"):
        load_datasets([tmp_path])


def test_beir(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    write_rows(folder / "corpus.jsonl", [{"_id": "d1", "title": "boil", "text": "hot"}, {"_id": "d2", "text": "cold"}])
    write_rows(folder / "queries.jsonl", [{"_id": "q1", "text": "tea"}, {"_id": "q2", "text": "ice"}])
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n", "utf-8")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td2\t2\n", "utf-8")
    (dataset,) = load_datasets([folder])
    assert [(query.id, query.query, query.needs) for query in dataset.queries] == [("q1", "tea", (frozenset({"d1"}),))]
    assert [(tool.id, tool.name, tool.description) for tool in dataset.tools] == [
        ("d1", "boil", "hot"),
        ("d2", "d2", "cold"),
    ]
    (folder / "qrels" / "test.tsv").write_text("q1 d1 1\n", "utf-8")
    with pytest.raises(DatasetError, match=r"test.tsv:1: expected query id, document id and score"):
        load_datasets([folder])


LABELS = [{"id": "web_1", "doc": {"name": "tea"}, "relevance": 1}, {"id": "code_1", "doc": {}, "relevance": 0}]
POOL = {
    "web": [
        {"id": "web_1", "documentation": json.dumps({"name": "tea", "description": "Makes tea.", "tags": ["drink"]})}
    ],
    "code": [{"id": "code_1", "documentation": "{'func_name': 'add', 'functionality': 'Adds.'}"}],
    "customized": [{"id": "own_1", "documentation": "Opens the window."}],
}
ASKED = {
    "mnms": [
        {
            "id": "m1",
            "query": "a hot drink",
            "instruction": "Find tea.",
            "labels": json.dumps(LABELS),
            "category": "web",
        },
        {"id": "m2", "query": " ", "instruction": "", "labels": "[]", "category": "web"},
    ],
    "craft-vqa": [
        {"id": "c1", "query": "one and one", "instruction": "", "labels": '[{"id": "code_1"}]', "category": "code"}
    ],
}


def check_toolret(folder: Path) -> None:
    code, web = load_datasets([folder])
    assert (code.name, code.category, web.name, web.category) == ("craft-vqa", "code", "mnms", "web")
    assert code.tools is web.tools  # one pool, opened once
    assert [(query.id, query.needs, query.instruction) for query in web.queries] == [
        ("m1", (frozenset({"web_1"}),), "Find tea.")  # without the row that asks nothing
    ]
    assert [(tool.id, tool.name, tool.description) for tool in web.tools] == [
        ("code_1", "add", "Adds."),
        ("own_1", "own_1", "Opens the window."),
        ("web_1", "tea", "Makes tea."),
    ]
    assert web.tools[2].profile is not None
    assert web.tools[2].profile.tags == ("drink",)


def test_a_local_copy_of_toolret(tmp_path: Path) -> None:
    for task, rows in ASKED.items():
        write_rows(tmp_path / "ToolRet-Queries" / task / "queries.jsonl", rows)
    for category, rows in POOL.items():
        (tmp_path / "ToolRet-Tools" / category).mkdir(parents=True)
        (tmp_path / "ToolRet-Tools" / category / "tools.json").write_text(json.dumps(rows), "utf-8")
    check_toolret(tmp_path)


def test_toolret_as_it_lies_on_the_hub(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for half, parts in (("queries", ASKED), ("tools", POOL)):
        for name, rows in parts.items():
            folder = tmp_path / half / name
            folder.mkdir(parents=True)
            parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{half}-00000-of-00001.parquet")
    check_toolret(tmp_path)


def test_toolret_with_a_row_that_cannot_be_read(tmp_path: Path) -> None:
    write_rows(tmp_path / "queries" / "mnms.jsonl", [{"id": "m1", "query": "tea", "labels": "none"}])
    write_rows(tmp_path / "tools" / "web.jsonl", POOL["web"])
    with pytest.raises(ToolCuratorError, match=r'mnms.jsonl:1: "labels" must be a list'):
        load_datasets([tmp_path])
