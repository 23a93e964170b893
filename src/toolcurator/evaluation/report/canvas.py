"""A drawing → inline SVG that takes its colors from the page, so that one page is right on light and on dark."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolcurator.evaluation.extra import load_library

WIDTH = 4.7
"""Inches of every drawing: text stays readable when a phone shows it, and two stand side by side on a desk."""

INK, FAINT, GRID = "#010203", "#020304", "#030405"
SERIES = ("#0a0101", "#0a0202", "#0a0303", "#0a0404", "#0a0505", "#0a0606")
_ROLES = {INK: "--ink", FAINT: "--faint", GRID: "--grid"} | {
    color: f"--s{number}" for number, color in enumerate(SERIES, 1)
}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
    "font.size": 9.5,
    "axes.edgecolor": GRID,
    "axes.labelcolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.8,
}


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing.

    Attributes:
        title: What stands above it.
        alt: What it shows, in words, for those who cannot see it.
        svg: The SVG element.
    """

    title: str
    alt: str
    svg: str


def draw(title: str, alt: str, height: float, paint: Callable[[Any], None]) -> Plot:
    """Make a drawing.

    Args:
        title: What stands above it.
        alt: What it shows, in words.
        height: Inches.
        paint: Draws on matplotlib axes, in the colors above; they become the page's own.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    matplotlib = load_library("matplotlib")
    figure_type = load_library("matplotlib.figure").Figure
    slug = re.sub(r"\W+", "-", title).strip("-").lower()
    style = {**_STYLE, "axes.prop_cycle": matplotlib.cycler(color=SERIES), "svg.hashsalt": slug}
    with matplotlib.rc_context(style):
        figure = figure_type(figsize=(WIDTH, height), layout="constrained")
        paint(figure.subplots())
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Plot(title, alt, _inline(file.getvalue(), slug, alt))


def _inline(text: str, slug: str, alt: str) -> str:
    """The SVG element alone: named, without a size of its own, its colors and fonts left to the page."""
    svg = text[text.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    for color, role in _ROLES.items():
        svg = svg.replace(color, f"var({role})")
    svg = re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", svg)
    used = set(re.findall(r"#([\w.-]+)[\")]", svg))
    svg = re.sub(r' id="([\w.-]+)"', lambda found: f' id="{slug}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r'(href="|url\()#([\w.-]+)', rf"\1#{slug}-\2", svg)
    head = re.search(r'viewBox="[^"]+"', svg)
    box = head[0] if head else ""
    body = svg[svg.index(">") + 1 :]
    label = alt.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} {box} role="img" aria-label="{label}">{body}'
