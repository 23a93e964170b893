"""Asking a curator, and what is made of the answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kitchen import QUERIES, TOOLS, MakeSet

from toolcurator import Curator
from toolcurator.errors import CatalogError
from toolcurator.evaluation.cost import ESTIMATE, token_counter
from toolcurator.evaluation.datasets import Dataset, DatasetError, load_datasets
from toolcurator.evaluation.examples import draw_examples, with_examples, with_profiles
from toolcurator.evaluation.figures import NAMES, compare, figures_of, fit_inputs
from toolcurator.evaluation.offered import fits_among
from toolcurator.evaluation.record import Asked, Run, SetRun, read_runs
from toolcurator.evaluation.report.report import write_runs
from toolcurator.evaluation.run import described, evaluate

Opened = Callable[..., Curator]


def ask(opened: Opened, folder: Path, label: str = "words", **how: Any) -> Run:
    """A run over one set by words alone."""
    (dataset,) = load_datasets([folder])
    curator = opened(dataset.tools, encoder="none", **how)
    return described(label, curator, Asked(), [evaluate(dataset, curator)])


def only(run: Run) -> SetRun:
    (found,) = run.sets
    return found


def test_a_set_is_asked(make_set: MakeSet, opened: Opened) -> None:
    steps: list[tuple[int, int]] = []
    (dataset,) = load_datasets([make_set(notes="A kitchen.")])
    curator = opened(dataset.tools, encoder="none")
    came = evaluate(dataset, curator, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(at, 5) for at in range(1, 6)]
    answers = {answer.id: answer for answer in came.answers}
    assert answers["1"].hits[0] == "kettle.boil"
    assert answers["1"].right
    assert answers["1"].ms > 0
    assert not answers["5"].ranked
    assert [answer.id for answer in came.ranked] == ["1", "2", "3", "4"]
    assert (came.tools, came.available, came.notes, came.warnings) == (5, 4, "A kitchen.", ())
    assert came.measures["recall@1"][0] == 1
    assert came.cost.counter == ESTIMATE
    assert came.cost.every_tool > 100
    assert came.cost.saved == 0  # five tools, of which ten are sent


def test_what_came_can_be_saved_and_read_again(make_set: MakeSet, opened: Opened, tmp_path: Path) -> None:
    run = ask(opened, make_set())
    write_runs([run], tmp_path / "deep" / "runs.json")
    assert read_runs(tmp_path / "deep" / "runs.json") == (run,)
    assert run.encoder == ""
    assert run.settings["encoder"] == "none"
    assert "index_dir" not in run.settings
    assert run.versions["ir-measures"][0].isdigit()
    (tmp_path / "other.json").write_text('{"runs": [{}]}', "utf-8")
    with pytest.raises(DatasetError, match="no runs that this version can read"):
        read_runs(tmp_path / "other.json")
    with pytest.raises(DatasetError, match="No such file"):
        read_runs(tmp_path / "none.json")


def test_a_need_that_the_catalogue_does_not_hold_is_told(make_set: MakeSet, opened: Opened) -> None:
    folder = make_set(queries=[{"id": "1", "query": "tea", "relevant": ["teapot.pour"]}])
    (warning,) = only(ask(opened, folder)).warnings
    assert "does not hold: 1, the first is '1' ('teapot.pour')" in warning


def test_a_query_that_says_nothing_finds_nothing(make_set: MakeSet, opened: Opened) -> None:
    queries = [*QUERIES, {"id": "8", "query": "\x16", "relevant": ["oven.bake"], "split": "test"}]
    came = only(ask(opened, make_set(queries=queries)))
    answer = came.answers[4]
    assert (answer.id, answer.hits, answer.fits) == ("8", (), 0.0)
    assert "nothing to search for: 1, the first is '8'" in came.warnings[0]
    assert came.measures["ndcg@10"][4] == 0


def test_whether_any_fits_holds_against_the_tools_that_were_offered(campus_words: Curator) -> None:
    query = "raise a formal complaint"
    right = fits_among(campus_words, query, ["campus/submit_grievance"])
    wrong = fits_among(campus_words, query, ["campus/get_cgpa"])
    assert right > wrong
    assert fits_among(campus_words, query, ["no/such_tool"]) == 0.0
    (evidence,) = campus_words.evidence([query])
    assert right == pytest.approx(
        fits_among(campus_words, query, [campus_words.index.ids[at] for at in evidence.tools]), abs=0.3
    )


def test_a_role_sees_only_its_own_tools(examples: Path, campus_words: Curator) -> None:
    (dataset,) = load_datasets([examples / "campus"], limit=30)
    came = evaluate(dataset, campus_words)
    roles = {query.id: query.role for query in dataset.asked()}
    visible = campus_words.index.catalog.visible
    seen = {role: {tool.id for tool in visible(role)} for role in roles.values()}
    assert len(seen["student"]) < len(campus_words)
    assert all(set(answer.hits) <= seen[roles[answer.id]] for answer in came.answers)


def test_figures(examples: Path, campus_words: Curator) -> None:
    (dataset,) = load_datasets([examples / "campus"])
    run = described("words", campus_words, Asked(), [evaluate(dataset, campus_words)])
    (found,) = figures_of(run).sets
    assert list(found.metrics) == list(NAMES)
    for name in NAMES:
        interval = found.metrics[name]
        assert interval.low <= interval.mean <= interval.high
        assert interval.mean == pytest.approx(only(run).measures.mean(name))
    assert [part.name for part in found.parts] == ["kind multi", "kind single"]
    assert sum(part.queries for part in found.parts) == found.queries == 76
    assert list(found.fit) == ["all", "far", "near"]
    assert found.fit["all"].out_of_scope == found.fit["far"].out_of_scope + found.fit["near"].out_of_scope == 20
    assert found.fit["far"].auroc > found.fit["near"].auroc
    assert figures_of(run).averages == ()


def test_averages_are_named_and_each_weighs_differently(make_set: MakeSet, opened: Opened) -> None:
    make_set("a", category="cooking")
    make_set("b", queries=QUERIES[:2], category="cooking")
    folder = make_set("c", queries=QUERIES[2:3], category="waiting").parent
    runs = [ask(opened, folder / name) for name in "abc"]
    figures = figures_of(runs[0].model_copy(update={"sets": tuple(only(run) for run in runs)}))
    a, b, c = (each.metrics["ndcg@10"].mean for each in figures.sets)
    micro, task, category = figures.averages
    assert (micro.name, task.name, category.name) == ("query micro", "task macro", "category macro")
    assert (micro.of, task.of, category.of) == ("7 queries", "3 sets", "2 sets cooking, 1 sets waiting")
    assert micro.metrics["ndcg@10"].mean == pytest.approx((4 * a + 2 * b + c) / 7)
    assert task.metrics["ndcg@10"].mean == pytest.approx((a + b + c) / 3)
    assert category.metrics["ndcg@10"].mean == pytest.approx(((a + b) / 2 + c) / 2)


def test_two_runs_are_compared_on_the_queries_they_share(make_set: MakeSet, opened: Opened) -> None:
    folder = make_set()
    old = ask(opened, folder)
    changed = [
        {**QUERIES[0], "query": "another text under the same id"},
        *QUERIES[1:3],
        {"id": "9", "query": "new", "relevant": []},
    ]
    new = ask(opened, make_set(queries=changed), "new")
    (comparison,) = compare(old, new)
    assert (comparison.old, comparison.new, comparison.set, comparison.queries) == ("words", "new", "kitchen", 2)
    assert comparison.differences["ndcg@10"].mean == 0
    turned = [{**answer, "hits": answer["hits"][::-1]} for answer in only(old).model_dump()["answers"]]
    worse = SetRun.model_validate({**only(old).model_dump(), "answers": turned})
    (comparison,) = compare(old, old.model_copy(update={"label": "back to front", "sets": (worse,)}))
    before, after = only(old).measures["mrr@10"], worse.measures["mrr@10"]
    assert comparison.differences["mrr@10"].mean == pytest.approx(float(np.mean(after - before)))
    assert comparison.differences["mrr@10"].worse > 0
    assert compare(old, new.model_copy(update={"sets": ()})) == ()


def test_paired_queries_stand_against_the_irrelevant_ones_only(make_set: MakeSet, opened: Opened) -> None:
    queries = [
        *({**row, "awareness_positive": row["id"] == "1"} for row in QUERIES),
        {"id": "8", "query": "polish the kettle", "relevant": [], "kind": "near", "split": "test"},
    ]
    answers = only(ask(opened, make_set(queries=queries))).answers
    assert [len(values) for values in fit_inputs(answers, "irrelevant")] == [2, 2, 2]
    assert [len(values) for values in fit_inputs(answers, "near")] == [5, 5, 5]
    assert [len(values) for values in fit_inputs(answers, "all")] == [6, 6, 6]


def kitchen_with_train(make_set: MakeSet) -> Dataset:
    train = [
        {"id": f"t{at}", "query": f"cool the drink {at}", "relevant": ["fridge.list"], "split": "train"}
        for at in range(9)
    ]
    train += [{"id": "t9", "query": "Make the water HOT!", "relevant": ["kettle.boil"], "split": "train"}]
    train += [{"id": "t10", "query": "timer now", "relevant": ["timer.a"], "split": "train"}]
    train += [{"id": "t11", "query": "all at once", "relevant": ["oven.bake", "fridge.list"], "split": "train"}]
    return load_datasets([make_set(queries=QUERIES[:5] + train)])[0]


def test_examples_are_drawn_from_train_but_never_what_is_asked(make_set: MakeSet) -> None:
    dataset = kitchen_with_train(make_set)
    drawn = draw_examples(dataset, 3, seed=0)
    assert len(drawn.examples["fridge.list"]) == 3
    assert drawn.examples["timer.a"] == drawn.examples["timer.b"] == ("timer now",)
    assert "kettle.boil" not in drawn.examples
    assert drawn.refused == 1
    assert draw_examples(dataset, 3, seed=0) == drawn
    assert draw_examples(dataset, 3, seed=1).examples["fridge.list"] != drawn.examples["fridge.list"]
    tools = {tool.id: tool for tool in with_examples(dataset, drawn).tools}
    assert tools["fridge.list"].examples == drawn.examples["fridge.list"]
    assert tools["kettle.boil"].examples == ()


def test_ten_planted_leaks_are_reported(examples: Path, opened: Opened) -> None:
    (dataset,) = load_datasets([examples / "campus"])
    planted = dataset.queries[:10]
    stolen: dict[str, list[str]] = {}
    for query in planted:
        stolen.setdefault(min(query.needs[0]), []).append(query.query.upper())
    clean = draw_examples(dataset, 5, 0)
    assert clean.examples == {}  # the campus has no train split
    leaky = with_examples(dataset, type(clean)({id: tuple(texts) for id, texts in stolen.items()}, 0))
    curator = opened(list(leaky.tools), encoder="none")
    run = described("leaky", curator, Asked(), [evaluate(leaky, curator)])
    leaks = only(run).leaks.of("examples", exact=True)
    assert {leak.query for leak in leaks} >= {query.id for query in planted}
    (figures,) = figures_of(run).sets
    assert figures.leaks_examples[0] >= 10
    assert figures.unleaked["ndcg@10"] != figures.metrics["ndcg@10"].mean


def test_recorded_profiles_are_attached(make_set: MakeSet, tmp_path: Path) -> None:
    (dataset,) = load_datasets([make_set()])
    rows = [
        {"set": "kitchen", "id": "oven.bake", "tags": ["cake"], "limitations": None, "other": 1},
        {"set": "garden", "id": "oven.bake", "tags": ["soil"]},
    ]
    path = tmp_path / "profiles.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    tools = {tool.id: tool for tool in with_profiles(dataset, path).tools}
    assert tools["oven.bake"].profile is not None
    assert tools["oven.bake"].profile.tags == ("cake",)
    assert tools["kettle.boil"].profile is None
    path.write_text('{"id": "x", "tags": "no list"}', "utf-8")
    with pytest.raises(CatalogError, match=r"profiles.jsonl:1: tags must be a list"):
        with_profiles(dataset, path)


def test_tokens_are_estimated_where_tiktoken_has_no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    name, count = token_counter()
    assert name == ESTIMATE
    assert count("eight ch") == 2


def test_the_instruction_stays_out_unless_it_is_asked_for(make_set: MakeSet, opened: Opened) -> None:
    row = {"id": "1", "query": "please", "instruction": "boil water in the kettle", "relevant": ["kettle.boil"]}
    (dataset,) = load_datasets([make_set(queries=[row], tools=[*TOOLS, *FILLERS])])
    curator = opened(dataset.tools, encoder="none")
    assert evaluate(dataset, curator).answers[0].hits[:1] != ("kettle.boil",)
    assert evaluate(dataset, curator, instruction=True).answers[0].hits[0] == "kettle.boil"


FILLERS = [{"id": f"a{at}", "name": f"please_{at}", "description": f"Please number {at}."} for at in range(9)]
