"""The plots of a report: recall by k, probabilities with and without a right tool, bars, risk, calibration, latency."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.evaluation.figures import curves_of
from toolcurator.evaluation.metrics import CUTS
from toolcurator.evaluation.record import SetRun
from toolcurator.evaluation.report.canvas import FAINT, INK, SERIES, Plot, draw
from toolcurator.evaluation.report.report import Report

_BINS = 20


def bars(report: Report, metric: str = "ndcg@10", name: str = "NDCG@10") -> Plot:
    """A bar a set and run, with the interval of its mean."""
    names = _sets(report)
    runs = len(report.figures)
    values = [{each.name: each.metrics[metric] for each in run.sets if each.metrics} for run in report.figures]
    names = [each for each in names if any(each in found for found in values)]

    def paint(axes: Any) -> None:
        high = 0.8 / runs
        for at, (run, found) in enumerate(zip(report.figures, values, strict=True)):
            places = [row + (at - (runs - 1) / 2) * high for row, each in enumerate(names) if each in found]
            means = [100 * found[each].mean for each in names if each in found]
            errors = [
                [100 * (found[each].mean - found[each].low) for each in names if each in found],
                [100 * (found[each].high - found[each].mean) for each in names if each in found],
            ]
            axes.barh(places, means, high * 0.86, color=_color(at), alpha=0.85, label=run.label)
            axes.errorbar(means, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2.2, alpha=0.75)
            for place, mean, over in zip(places, means, errors[1], strict=True):
                axes.annotate(
                    f"{mean:.1f}", (mean + over, place), (4, 0), textcoords="offset points", va="center", fontsize=8.5
                )
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", labelcolor=INK, length=0)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 112)
        axes.set_xticks(range(0, 101, 20))
        axes.grid(False, axis="y")
        axes.set_xlabel(f"{name}, mean over queries (%)")
        _legend(axes, runs)

    alt = _joined(
        f"{run.label}: " + ", ".join(f"{each} {100 * found[each].mean:.1f} percent" for each in names if each in found)
        for run, found in zip(report.figures, values, strict=True)
    )
    return draw(f"{name} by set", f"{name}. {alt}", 0.75 + len(names) * max(0.34, 0.22 * runs), paint)


def recall_by_k(report: Report, name: str) -> Plot:
    """Recall and Completeness of one set by the number of tools that are sent."""
    found = [(run.label, at, each) for at, run in enumerate(report.figures) for each in run.sets if each.name == name]
    found = [(label, at, each) for label, at, each in found if each.metrics]

    def paint(axes: Any) -> None:
        for label, at, each in found:
            recall = np.array([(m.mean, m.low, m.high) for k in CUTS for m in [each.metrics[f"recall@{k}"]]]) * 100
            complete = [100 * each.metrics[f"complete@{k}"].mean for k in CUTS]
            prefix = f"{label}: " if len(found) > 1 else ""
            axes.fill_between(CUTS, recall[:, 1], recall[:, 2], color=_color(at), alpha=0.16, linewidth=0)
            axes.plot(CUTS, recall[:, 0], "o-", color=_color(at), markersize=3.6, label=f"{prefix}Recall")
            axes.plot(
                CUTS, complete, "s--", color=_color(at), markersize=3, linewidth=1.2, label=f"{prefix}Completeness"
            )
        axes.set_xscale("log")
        axes.set_xticks(CUTS, [str(k) for k in CUTS])
        axes.minorticks_off()
        axes.set_ylim(0, 103)
        axes.set_xlabel("tools selected, k (logarithmic)")
        axes.set_ylabel("Recall, Completeness (%)")
        axes.legend(loc="lower right")

    alt = _joined(
        f"{label}: " + ", ".join(f"recall at {k} {100 * each.metrics[f'recall@{k}'].mean:.0f} percent" for k in CUTS)
        for label, _, each in found
    )
    return draw(f"{name}: recall by k", f"Recall by k on {name}. {alt}", 2.75, paint)


def distributions(run_label: str, each: SetRun) -> Plot:
    """How the probability that any tool fits lies where the first tool is right, where it is wrong, and where none fits."""
    groups = [
        ("right", np.array([a.fits for a in each.answers if a.needs and a.right]), SERIES[0]),
        ("wrong", np.array([a.fits for a in each.answers if a.needs and not a.right]), SERIES[1]),
        ("none fits", np.array([a.fits for a in each.answers if not a.needs]), SERIES[2]),
    ]
    groups = [(label, values, color) for label, values, color in groups if len(values)]
    edges = np.linspace(0, 1, _BINS + 1)

    def paint(axes: Any) -> None:
        for label, values, color in groups:
            share = 100 * np.histogram(values, edges)[0] / len(values)
            axes.stairs(share, edges, fill=True, color=color, alpha=0.18)
            axes.stairs(share, edges, color=color, linewidth=1.7, label=f"{label} ({len(values):,})")
        axes.axvline(each.threshold, color=FAINT, linewidth=1, linestyle=(0, (2, 2)))
        axes.annotate(
            "threshold",
            (each.threshold, 1),
            (3, -2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            va="top",
            fontsize=8.5,
            color=FAINT,
        )
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("probability that any tool fits")
        axes.set_ylabel("share of the group (%)")
        axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=3, columnspacing=1.2, handlelength=1.4)

    alt = _joined(
        f"{label}, {len(values)} queries: median {np.median(values):.2f}, "
        f"{100 * float((values >= each.threshold).mean()):.0f} percent above the threshold"
        for label, values, _ in groups
    )
    return draw(_titled(each.name, "probability that any tool fits", run_label), f"{each.name}. {alt}", 2.75, paint)


def risk_coverage(run_label: str, each: SetRun) -> Plot | None:
    """Share of wrong answers against the share of queries that are answered; None without out-of-scope queries."""
    curves = curves_of(each)
    if curves is None:
        return None

    def paint(axes: Any) -> None:
        axes.plot(100 * curves.coverage, 100 * curves.risk, color=SERIES[0])
        axes.axhline(100 * curves.risk[-1], color=FAINT, linewidth=1, linestyle=(0, (2, 2)))
        axes.annotate(
            "if every query is answered",
            (2, 100 * curves.risk[-1]),
            (0, 3),
            textcoords="offset points",
            fontsize=8.5,
            color=FAINT,
        )
        axes.set_xlim(0, 100)
        axes.set_ylim(0, max(10, 115 * float(curves.risk.max())))
        axes.set_xlabel("queries answered, surest first (%)")
        axes.set_ylabel("wrong among these (%)")

    half = 100 * float(curves.risk[len(curves.risk) // 2])
    alt = (
        f"Risk against coverage on {each.name}: of the surest half {half:.0f} percent are wrong, "
        f"of all {100 * float(curves.risk[-1]):.0f} percent; area {float(curves.risk.mean()):.3f}"
    )
    return draw(_titled(each.name, "risk and coverage", run_label), alt, 2.6, paint)


def reliability(run_label: str, each: SetRun) -> Plot | None:
    """Whether the probability is one: the share that has an answer, by what was predicted; None without such queries."""
    curves = curves_of(each)
    if curves is None:
        return None

    def paint(axes: Any) -> None:
        axes.plot([0, 1], [0, 100], color=FAINT, linewidth=1, linestyle=(0, (2, 2)))
        axes.plot(curves.predicted, 100 * curves.observed, color=SERIES[0], linewidth=1.2)
        sizes = 12 + 130 * curves.counts / curves.counts.max()
        axes.scatter(curves.predicted, 100 * curves.observed, s=sizes, color=SERIES[0], alpha=0.75, linewidths=0)
        axes.set_xlim(0, 1)
        axes.set_ylim(-3, 103)
        axes.set_xlabel("predicted probability that any tool fits")
        axes.set_ylabel("queries with an answer (%)")

    alt = f"Calibration on {each.name}: " + ", ".join(
        f"predicted {p:.2f} observed {o:.2f} ({int(n)} queries)"
        for p, o, n in zip(curves.predicted, curves.observed, curves.counts, strict=True)
    )
    return draw(_titled(each.name, "calibration", run_label), alt, 2.6, paint)


def latency(report: Report) -> Plot:
    """Time of a query by set and run: half of the queries, all but one in a hundred, and the median."""
    rows: list[tuple[str, int, NDArray[np.float64]]] = []
    for name in _sets(report):
        for at, run in enumerate(report.runs):
            rows += [(name, at, np.array([a.ms for a in each.answers])) for each in run.sets if each.name == name]

    def paint(axes: Any) -> None:
        for row, (_, at, ms) in enumerate(rows):
            low, quarter, middle, three, high = np.percentile(ms, (1, 25, 50, 75, 99))
            axes.plot([low, high], [row, row], color=_color(at), linewidth=1.3, alpha=0.7, solid_capstyle="butt")
            axes.plot([quarter, three], [row, row], color=_color(at), linewidth=6, alpha=0.55, solid_capstyle="butt")
            axes.plot([middle], [row], "o", color=INK, markersize=4)
            axes.annotate(f"{middle:.1f}", (high, row), (5, 0), textcoords="offset points", va="center", fontsize=8.5)
        labels = [name if len(report.runs) == 1 else f"{name}, {report.runs[at].label}" for name, at, _ in rows]
        axes.set_yticks(range(len(rows)), labels)
        axes.tick_params(axis="y", labelcolor=INK, length=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, 1.16 * max(float(np.percentile(ms, 99)) for _, _, ms in rows))
        axes.grid(False, axis="y")
        axes.set_xlabel("time of a query (ms)")

    alt = _joined(
        f"{name}, {report.runs[at].label}: median {np.median(ms):.1f} ms, 99th percentile {np.percentile(ms, 99):.1f} ms"
        for name, at, ms in rows
    )
    return draw("Latency of a query", alt, 0.75 + 0.3 * len(rows), paint)


def _sets(report: Report) -> list[str]:
    return list(dict.fromkeys(each.name for run in report.runs for each in run.sets))


def _color(at: int) -> str:
    return SERIES[at % len(SERIES)]


def _titled(name: str, what: str, run_label: str) -> str:
    return f"{name}: {what}{f' ({run_label})' if run_label else ''}"


def _legend(axes: Any, runs: int) -> None:
    if runs > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(runs, 3))


def _joined(sentences: Iterable[str]) -> str:
    return ". ".join(sentences)
