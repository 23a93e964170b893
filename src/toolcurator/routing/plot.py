"""A calibration as a picture: what each limit would do, and how the probabilities of both kinds of queries lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolcurator.errors import ToolCuratorError
from toolcurator.evaluation.extra import load_library
from toolcurator.routing.calibration import Calibration

FORMATS = (".svg", ".png", ".pdf")

_INSIDE, _OUTSIDE, _NEAR = "#1f6feb", "#c2410c", "#9333ea"


class PlotError(ToolCuratorError):
    """A picture cannot be written."""


def plot_calibration(calibration: Calibration, path: Path) -> None:
    """Draw the trade-off curve and the two distributions.

    Args:
        calibration: The calibration.
        path: A file ending in one of `FORMATS`.

    Raises:
        PlotError: The file is of another kind, or cannot be written.
        MissingExtra: matplotlib is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise PlotError(f"{path}: a picture ends in {', '.join(FORMATS)}")
    matplotlib = load_library("matplotlib")
    figure_type: Any = load_library("matplotlib.figure").Figure
    with matplotlib.rc_context({"svg.fonttype": "none", "axes.spines.top": False, "axes.spines.right": False}):
        figure = figure_type(figsize=(9.0, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        _curve(left, calibration)
        _spread(right, calibration)
        try:
            figure.savefig(path)
        except OSError as error:
            raise PlotError(f"{path}: {error.strerror or error}") from None


def _curve(axes: Any, calibration: Calibration) -> None:
    points = calibration.curve
    at = [100 * point.false_route for point in points]
    axes.plot(at, [100 * point.matched for point in points], color=_INSIDE, marker=".", label="matched right")
    axes.plot(at, [100 * point.wrong for point in points], color=_OUTSIDE, marker=".", label="matched wrong")
    near = [(100 * point.near, 100 * point.matched) for point in points if point.near is not None]
    if near:
        axes.plot(*zip(*near, strict=True), color=_NEAR, ls="--", label="matched right, by near false routes")
    chosen = calibration.figures
    axes.plot(100 * chosen.false_route.share, 100 * chosen.matched.share, "o", color="black", ms=7, label="chosen")
    axes.set(xlabel="false routes, % of queries no tool fits", ylabel="% of queries with a tool", ylim=(0, 100))
    axes.set_title("What each limit would do", loc="left")
    axes.legend(frameon=False, fontsize=8)
    axes.grid(alpha=0.3)


def _spread(axes: Any, calibration: Calibration) -> None:
    bins = len(calibration.spread_in)
    edges = [step / bins for step in range(bins + 1)]
    for counts, color, label in (
        (calibration.spread_in, _INSIDE, "a tool fits"),
        (calibration.spread_out, _OUTSIDE, "none fits"),
    ):
        total = max(sum(counts), 1)
        axes.stairs([100 * count / total for count in counts], edges, fill=True, alpha=0.45, color=color, label=label)
    axes.axvline(calibration.thresholds.minimum, color="black", lw=1, ls=":", label="minimum")
    axes.set(xlabel="probability that any tool fits", ylabel="% of its kind")
    axes.set_title("How they lie", loc="left")
    axes.legend(frameon=False, fontsize=8, loc="upper center")
