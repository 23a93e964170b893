"""The tables of a report, as text in cells; the terminal, Markdown and the page each set them in their own way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolcurator.evaluation.figures import TESTED, Average, SetFigures
from toolcurator.evaluation.report.report import Report
from toolcurator.evaluation.significance import Interval

SHOWN = ("ndcg@10", "recall@1", "recall@5", "recall@10", "complete@10", "mrr@10")
HEADS = {
    "ndcg": "NDCG",
    "recall": "Recall",
    "complete": "Complete",
    "mrr": "MRR",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        title: What it is about.
        head: Its columns; the first ``texts`` of them hold words, the others numbers.
        rows: Its cells.
        note: What one must know to read it.
        texts: Columns of words.
        averages: Rows at the end that are averages.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    texts: int = 1
    averages: int = 0


def tables(report: Report) -> list[Table]:
    """Every table that has something to say, the rankings first."""
    made = (rankings(report), comparisons(report), no_fit(report), costs(report), leaks(report), parts(report))
    return [table for table in made if table.rows]


def rankings(report: Report) -> Table:
    """Rankings: a row a set and run, then the averages by name."""
    several = len(report.figures) > 1
    rows: list[tuple[str, ...]] = []
    for name in sets_of(report):
        for run in report.figures:
            rows += [
                (*_who(name, run.label, several), f"{each.tools:,}", f"{each.queries:,}", *_metrics(each.metrics))
                for each in run.sets
                if each.name == name and each.metrics
            ]
    names = dict.fromkeys(average.name for run in report.figures for average in run.averages)
    means = [
        (*_who(name, run.label, several), "", average.of, *_metrics(average.metrics))
        for name in names
        for run in report.figures
        for average in run.averages
        if average.name == name
    ]
    return Table(
        "Rankings",
        (*_heads(several), "tools", "queries", *map(heading, SHOWN)),
        (*rows, *means),
        "In percent; ± is half of the 95 % interval (bootstrap over queries). A set's figure is its query micro average. "
        "Complete: every needed tool is within the first k. No instruction precedes a query."
        if not any(run.asked.instruction for run in report.runs)
        else "In percent. ToolRet's instruction precedes each query: it was written while looking at the answer.",
        texts=1 + several,
        averages=len(means),
    )


def comparisons(report: Report) -> Table:
    """Every run against the first one."""
    rows = [
        (
            each.set,
            each.new,
            f"{each.queries:,}",
            *(f"{100 * d.mean:+.1f} (p {_p(d.p)})" for d in map(each.differences.__getitem__, TESTED)),
            f"{each.differences[TESTED[0]].better} / {each.differences[TESTED[0]].worse}",
        )
        for each in report.comparisons
    ]
    first = report.runs[0].label if report.runs else ""
    return Table(
        f"Against {first}",
        ("set", "run", "shared", *map(heading, TESTED), "better / worse"),
        tuple(rows),
        f"Difference to {first} in points, on the queries both were asked; p by a paired randomization test (two-sided, "
        f"not corrected for the number of tests). Better / worse: queries whose {heading(TESTED[0])} rose or fell.",
        texts=2,
    )


def no_fit(report: Report) -> Table:
    """How well queries that no tool answers are told from the others."""
    several = len(report.figures) > 1
    rows = [
        (
            *_who(f"{name}, {kind}" if len(each.fit) > 1 else name, run.label, several),
            f"{fit.in_scope:,} / {fit.out_of_scope:,}",
            f"{fit.auroc:.3f}",
            _share(fit.recall),
            _share(fit.false_routes),
            _share(fit.kept),
            _share(fit.accuracy),
            _share(fit.served),
            f"{fit.calibration_error:.3f}",
            f"{fit.risk_area:.3f}",
        )
        for name in sets_of(report)
        for run in report.figures
        for each in run.sets
        if each.name == name
        for kind, fit in each.fit.items()
    ]
    return Table(
        "Does any tool fit?",
        (
            *_heads(several),
            "in / out",
            "AUROC",
            "refused",
            "false routes",
            "kept",
            "first right",
            "kept and right",
            "ECE",
            "risk area",
        ),
        tuple(rows),
        "In / out: queries with and without an answer. Refused, false routes: share of those without that fall below the "
        "threshold, or do not. Kept: share of those with an answer above it. ECE: expected calibration error, ten bins; it "
        "depends on the mix. Risk area: under the risk-coverage curve, lower is better. AUROC 0.5 is chance.",
        texts=1 + several,
    )


def costs(report: Report) -> Table:
    """Tokens and time."""
    several = len(report.figures) > 1
    found = [
        (name, run.label, each.cost)
        for name in sets_of(report)
        for run in report.figures
        for each in run.sets
        if each.name == name
    ]
    rows = [
        (
            *_who(name, label, several),
            f"{cost.every_tool:,}",
            f"{cost.selection:,.0f}",
            _share(cost.saved),
            f"{cost.p50:.1f}",
            f"{cost.p99:.1f}",
            f"{cost.build:.1f}",
        )
        for name, label, cost in found
    ]
    counters = ", ".join(dict.fromkeys(cost.counter for _, _, cost in found))
    sent = ", ".join(dict.fromkeys(str(cost.k) for _, _, cost in found))
    return Table(
        "Cost",
        (*_heads(several), "tokens, every tool", f"tokens, first {sent}", "saved", "p50 ms", "p99 ms", "open s"),
        tuple(rows),
        f"Tokens of the declarations in OpenAI's form ({counters}). Time of one query at a time, encoding and search. "
        "Open: seconds to open the catalogue, its index built if it was not there.",
        texts=1 + several,
    )


def leaks(report: Report) -> Table:
    """Queries that stand elsewhere too."""
    several = len(report.figures) > 1
    rows = [
        (
            *_who(name, run.label, several),
            f"{each.leaks.asked:,}",
            f"{each.leaks.train:,}",
            *map(str, figures.leaks_train),
            f"{each.leaks.examples:,}",
            *map(str, figures.leaks_examples),
            f"{100 * figures.unleaked['ndcg@10']:.1f}" if figures.unleaked else "",
        )
        for name in sets_of(report)
        for run, of in zip(report.runs, report.figures, strict=True)
        for each, figures in zip(run.sets, of.sets, strict=True)
        if each.name == name
    ]
    return Table(
        "Leakage",
        (
            *_heads(several),
            "asked",
            "train texts",
            "same in train",
            "near in train",
            "examples",
            "same in examples",
            "near in examples",
            "NDCG@10 without",
        ),
        tuple(rows),
        "Queries whose text stands in the train split, or among the tools' examples, which are in the index: the same but for "
        "case and punctuation, or four fifths of its character 4-grams shared (near). Without: the figure "
        "without those that stand among the examples.",
        texts=1 + several,
    )


def parts(report: Report) -> Table:
    """By kind and by subset."""
    several = len(report.figures) > 1
    rows = [
        (*_who(f"{name}, {part.name}", run.label, several), f"{part.queries:,}", *_plain(part.metrics))
        for name in sets_of(report)
        for run in report.figures
        for each in run.sets
        if each.name == name
        for part in each.parts
    ]
    return Table(
        "By kind and subset", (*_heads(several), "queries", *map(heading, SHOWN)), tuple(rows), texts=1 + several
    )


def sets_of(report: Report) -> list[str]:
    """Names of the sets, in order."""
    return list(dict.fromkeys(each.name for run in report.runs for each in run.sets))


def headline(report: Report) -> Average | SetFigures | None:
    """What the figures of the run that the report is about are summed up in: the task macro average, or the only set."""
    figures = report.figures[report.subject]
    macro = next((average for average in figures.averages if average.name == "task macro"), None)
    return macro or next((each for each in figures.sets if each.metrics), None)


def heading(metric: str) -> str:
    """``complete@10`` → ``Complete@10``."""
    name, _, k = metric.partition("@")
    return f"{HEADS[name]}@{k}"


def _metrics(metrics: dict[str, Interval]) -> Iterable[str]:
    first, *rest = SHOWN
    spread = 50 * (metrics[first].high - metrics[first].low)
    return (f"{100 * metrics[first].mean:.1f} ±{spread:.1f}", *(f"{100 * metrics[name].mean:.1f}" for name in rest))


def _plain(metrics: dict[str, float]) -> Iterable[str]:
    return (f"{100 * metrics[name]:.1f}" for name in SHOWN)


def _who(name: str, label: str, several: bool) -> Sequence[str]:
    return (name, label) if several else (name,)


def _heads(several: bool) -> Sequence[str]:
    return ("set", "run") if several else ("set",)


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
