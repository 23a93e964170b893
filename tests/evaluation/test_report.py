"""The report: what stands in it, and that it needs nothing from elsewhere."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kitchen import QUERIES, TOOLS, write_rows

from toolcurator import Curator
from toolcurator.evaluation.datasets import load_datasets
from toolcurator.evaluation.record import Asked, Run
from toolcurator.evaluation.report import Report, write_report
from toolcurator.evaluation.report.canvas import INK, draw
from toolcurator.evaluation.run import described, evaluate

_VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Every element with its attributes; it complains about one that is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, opened: Callable[..., Curator]) -> Run:
    queries = [{**row, "subset": "a" if at % 2 else "b"} for at, row in enumerate(QUERIES)]
    queries.append({"id": "8", "query": "<b>bake</b> & serve", "relevant": ["oven.bake"], "split": "test"})
    queries.append({"id": "9", "query": "Make the water hot!", "relevant": ["kettle.boil"], "split": "train"})
    folder = tmp_path_factory.mktemp("sets")
    for name, rows in (("kitchen", queries), ("pantry", QUERIES[:4])):
        write_rows(folder / name / "queries.jsonl", rows)
        write_rows(folder / name / "tools.jsonl", TOOLS)
    (folder / "kitchen" / "META.json").write_text('{"notes": "Small & <made up>."}', "utf-8")
    datasets = load_datasets([folder])
    curator = opened(datasets[0].tools, encoder="none")
    return described("words", curator, Asked(), [evaluate(dataset, curator) for dataset in datasets])


@pytest.fixture(scope="module")
def written(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report on that run."""
    return write_report(Report.of([run]), tmp_path_factory.mktemp("out")).parent


def test_the_page_needs_nothing_else(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
    page = Page(text)
    assert page.open == []
    assert not page.all("script")
    assert not page.all("link")
    assert not page.all("img")
    urls = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert urls <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, not addresses
    assert "@import" not in text
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', text))
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert all(f'id="{target}"' in text for target in re.findall(r'(?:href="|url\()#([\w-]+)', text))


def test_every_plot_has_words_and_axes(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
    plots = Page(text).all("svg")
    titles = re.findall(r"<figcaption>(.*?)</figcaption>", text)
    assert len(plots) == len(titles) == 2 + 2 + 2 + 1 + 1 + 1
    assert all(plot["role"] == "img" and len(plot["aria-label"] or "") > 20 for plot in plots)
    assert all("viewbox" in plot and "width" not in plot for plot in plots)
    figures = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    words = [re.findall(r"<text[^>]*>(.*?)</text>", figure) for figure in figures]
    assert sum("tools selected, k (logarithmic)" in each for each in words) == 2
    assert sum("probability that any tool fits" in each for each in words) == 2
    assert sum("time of a query (ms)" in each for each in words) == 1
    assert sum("wrong among these (%)" in each for each in words) == 1
    assert "#010203" not in text  # every color is the page's own
    assert not re.search(r"(fill|stroke): #", text)


def test_texts_are_shown_as_they_are(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
    assert "Small &amp; &lt;made up&gt;." in text
    assert "<made up>" not in text
    assert "Small & <made up>." in (written / "report.md").read_text("utf-8")


def test_markdown_and_json_say_the_same(written: Path) -> None:
    text = (written / "report.md").read_text("utf-8")
    said = json.loads((written / "figures.json").read_text("utf-8"))
    (figures,) = said["figures"]
    for each in figures["sets"]:
        assert f"| {each['name']} | 5 | {each['queries']} | {100 * each['metrics']['ndcg@10']['mean']:.1f} ±" in text
    assert "| **query micro** |" in text
    assert "| **task macro** |" in text
    assert [average["name"] for average in figures["averages"]] == ["query micro", "task macro"]
    assert "| kitchen | 6 | 2 | 1 | 0 | 0 | 0 | 0 |" in text  # the planted train query
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")


def test_two_runs_and_an_older_one(run: Run, tmp_path: Path) -> None:
    report = Report.of([run, run.model_copy(update={"label": "again"})], against=[run])
    assert [each.label for each in report.runs] == [f"words ({run.made:%Y-%m-%d %H:%M})", "words", "again"]
    assert {(each.new, each.set) for each in report.comparisons} == {
        (label, name) for label in ("words", "again") for name in ("kitchen", "pantry")
    }
    text = write_report(report, tmp_path).read_text("utf-8")
    assert "kitchen: calibration (words)" in text  # of the run that was measured now
    assert "p 1.000" in text


def test_the_older_run_of_the_same_name_is_the_one_to_compare_with(run: Run) -> None:
    other = run.model_copy(update={"label": "other"})
    assert Report.of([run], against=[other, run]).runs[0].label.startswith("words (")
    assert Report.of([run], against=[other]).runs[0].label.startswith("other (")


def test_a_drawing_is_the_same_every_time() -> None:
    first, second = (draw("A line", "It rises.", 2, lambda axes: axes.plot([1, 2], color=INK)) for _ in range(2))
    assert first == second
    assert "var(--ink)" in first.svg
