"""The report as one HTML page that needs nothing else: no script, no network, plots inside."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from toolcurator.evaluation.extra import load_library
from toolcurator.evaluation.figures import SetFigures
from toolcurator.evaluation.record import Answer, SetRun
from toolcurator.evaluation.report import plots
from toolcurator.evaluation.report.canvas import Plot
from toolcurator.evaluation.report.markdown import told
from toolcurator.evaluation.report.report import Report
from toolcurator.evaluation.report.tables import headline, sets_of, tables
from toolcurator.evaluation.report.terminal import warnings

_HARD = 8  # queries of a set that are shown, of those whose ranking is worst


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure that stands large at the top.

    Attributes:
        value: The figure.
        name: What it is.
        note: What it is the mean of.
    """

    value: str
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Group:
    """Plots that belong together.

    Attributes:
        title: What they show.
        note: How to read them.
        plots: The plots.
    """

    title: str
    note: str
    plots: tuple[Plot, ...]


def page(report: Report) -> str:
    """The page.

    Raises:
        MissingExtra: jinja2 or matplotlib is not installed.
    """
    environment = load_library("jinja2").Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files(__package__ or "").joinpath("page.html.j2").read_text("utf-8"))
    subject = report.runs[report.subject]
    return template.render(
        runs=[(run.label, told(run)) for run in report.runs],
        label=subject.label,
        tiles=tiles(report),
        warnings=warnings(report),
        tables={table.title.partition(" ")[0]: table for table in tables(report)},
        groups=groups(report),
        hard=[(each.name, hardest(each)) for each in subject.sets if each.ranked],
        leaked=[(each.name, each.leaks.leaks[:10]) for each in subject.sets if each.leaks.leaks],
        notes=[(each.name, each.notes) for each in subject.sets if each.notes],
        versions=subject.versions,
    )


def tiles(report: Report) -> list[Tile]:
    """The run that the report is about, summed up."""
    found: list[Tile] = []
    sets = report.figures[report.subject].sets
    best = headline(report)
    if best is not None:
        of = f"{best.queries:,} queries" if isinstance(best, SetFigures) else f"task macro, {best.of}"
        for metric, name in (("ndcg@10", "NDCG@10"), ("recall@5", "Recall@5"), ("complete@10", "Completeness@10")):
            value = best.metrics[metric]
            found.append(
                Tile(f"{100 * value.mean:.1f}", name, f"{100 * value.low:.1f} to {100 * value.high:.1f}; {of}")
            )
    aurocs = [fit.auroc for each in sets for fit in list(each.fit.values())[:1]]
    if aurocs:
        found.append(Tile(f"{sum(aurocs) / len(aurocs):.2f}", "AUROC, any fit", _mean_of(len(aurocs))))
    saved = [each.cost.saved for each in sets]
    found.append(
        Tile(f"{100 * sum(saved) / len(saved):.0f} %", "tokens saved", f"first {sets[0].cost.k} against every tool")
    )
    times = [each.cost.p50 for each in sets]
    found.append(Tile(f"{sum(times) / len(times):.1f} ms", "a query, p50", _mean_of(len(times))))
    return found


def groups(report: Report) -> list[Group]:
    """The plots, by what they show. Distributions and curves are those of the run that the report is about."""
    subject = report.runs[report.subject]
    label = subject.label if len(report.runs) > 1 else ""
    ranked = [
        name
        for name in sets_of(report)
        if any(each.name == name and each.ranked for run in report.runs for each in run.sets)
    ]
    outside = [each for each in subject.sets if any(not answer.needs for answer in each.answers)]
    found = [
        Group(
            "By set",
            "Lines are 95 % intervals: two bars whose lines overlap widely are not told apart by these queries.",
            (plots.bars(report), plots.bars(report, "complete@10", "Completeness@10")) if ranked else (),
        ),
        Group(
            "Recall by k",
            "Recall is the share of the needed tools among the first k, Completeness the share of queries with all of them. "
            "The band is Recall's 95 % interval.",
            tuple(plots.recall_by_k(report, name) for name in ranked),
        ),
        Group(
            "With and without a right tool",
            "The probability that any tool fits: where the first tool is right, where it is wrong, and where none fits. "
            "Where the groups stand apart, a threshold can tell them apart.",
            tuple(plots.distributions(label, each) for each in subject.sets),
        ),
        Group(
            "Risk and coverage",
            "Answering only the surest queries makes fewer mistakes. Wrong: the first tool is not right, or none fits.",
            tuple(plot for each in outside if (plot := plots.risk_coverage(label, each)) is not None),
        ),
        Group(
            "Calibration",
            "On the dotted diagonal the probability is what it says. The larger a dot, the more queries. The mix of queries "
            "with and without an answer is the set's, and moves the curve.",
            tuple(plot for each in outside if (plot := plots.reliability(label, each)) is not None),
        ),
        Group(
            "Latency",
            "One query at a time, encoding and search, on the machine named at the end. The dot is the median, which is also "
            "the number; the thick line holds half of the queries, the thin one all between the 1st and 99th percentile.",
            (plots.latency(report),),
        ),
    ]
    return [group for group in found if group.plots]


def hardest(each: SetRun) -> list[Answer]:
    """The queries of a set whose ranking is worst, those first whose right tool is nowhere."""
    scores = each.measures["ndcg@20"]
    order = sorted(range(len(each.ranked)), key=lambda at: (scores[at], each.ranked[at].id))
    return [each.ranked[at] for at in order[:_HARD] if scores[at] < 1]


def _mean_of(sets: int) -> str:
    return "one set" if sets == 1 else f"mean of {sets} sets"
