"""A selection as a table for people."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from toolcurator.retrieval.selection import Selection


def explain(selection: Selection, width: int = 180) -> str:
    """The table as plain text."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(table(selection), end="")
    return f"{out.getvalue().rstrip()}\n{summary(selection)}"


def summary(selection: Selection) -> str:
    """One or a few lines: whether any tool fits, the parts, and what else the caller should know."""
    guess = "" if selection.calibrated else ", uncalibrated for this encoder"
    verdict = "no tool fits" if selection.no_fit else "a tool fits"
    lines = [f"{verdict} (probability {selection.fits:.2f}, threshold {selection.threshold:.2f}{guess})"]
    if selection.parts:
        lines.append("searched in parts: " + " | ".join(cell(part).plain for part in selection.parts))
    return "\n".join([*lines, *selection.notes])


def table(selection: Selection) -> Table:
    """Per hit: score, dense rank and cosine, BM25 rank and share, name match, why it is in, best point, and shares."""
    from rich.table import Table

    rows = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("#", "tool", "score", "cosine", "words", "name", "why", "nearest text", "made of"):
        right = name in ("#", "score", "cosine", "words", "name")
        rows.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=name != "nearest text",
            overflow="ellipsis",
        )
    for number, hit in enumerate(selection, 1):
        seen = hit.evidence
        rows.add_row(
            str(number),
            cell(hit.id),
            f"{hit.score:.2f}",
            _arm(seen.best_cosine, seen.dense_rank),
            _arm(seen.sparse, seen.sparse_rank),
            f"{seen.name_match:.2f}" if seen.name_match else "–",
            seen.why,
            cell(_short(seen.best_point)),
            made_of(seen.shares),
        )
    return rows


def made_of(shares: Mapping[str, float]) -> str:
    """What a score is made of: text (the document's cosine), words, name, examples (all that is theirs), and head."""
    groups: dict[str, float] = {}
    for name, value in shares.items():
        group = "examples" if name.startswith("example") else "text" if name == "document" else name
        groups[group] = groups.get(group, 0.0) + value
    return ", ".join(f"{name} {value:.1f}" for name, value in groups.items() if abs(value) >= 0.05)


def cell(text: str, style: str = "") -> Text:
    """A text of somebody else's as it is: no markup, no emoji codes, no control characters."""
    from rich.text import Text

    return Text("".join(c if c.isprintable() else " " for c in text), style)


def _arm(score: float, rank: int) -> str:
    return f"{score:.2f} #{rank}" if rank else f"{score:.2f} –" if score else "–"


def _short(text: str, most: int = 48) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
