"""Query → decision: the one tool it is about, a choice of few, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["match", "ambiguous", "none"]

_ROUNDING = 1e-6  # float32

CANDIDATES = 3
"""Tools that an ambiguous decision leaves to choose from."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The limits of a decision; a score at a limit passes it (pitfall C6).

    Attributes:
        minimum: Below this, no tool is held to fit.
        high: From this on, the first tool is taken.
        margin: How far it must then stand before the second tool; not asked where there is no second (pitfall C2).
        scale: What they are limits of: ``probability``, or ``cosine`` as in the third seed.
    """

    minimum: float
    high: float
    margin: float = 0.0
    scale: Literal["probability", "cosine"] = "probability"


CLASSIC = Thresholds(0.38, 0.40, 0.05, "cosine")
"""The third seed's fixed limits (``src/tool_classifier/constants.py``), which serve its own encoder."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that the query may be about.

    Attributes:
        tool: Its id.
        score: What the decision compares: the fused score, or in the classic preset the highest cosine of its points.
        cosine: Highest cosine of its points; 0 without an encoder.
    """

    tool: str
    score: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What a query is about.

    Attributes:
        kind: ``match``, ``ambiguous`` or ``none``.
        tool: Id of the tool that was decided on; None unless it is a match.
        fits: Probability that any tool fits.
        right: Probability that the first candidate is the right tool.
        candidates: The first tools, best first, three at most. The first is the one that was scored (pitfall C3).
        thresholds: The limits that were used.
        why: The path taken, in words.
        calibrated: Whether the probabilities hold for this catalogue: calibrated on it. False for the packaged ones, and for
            the classic preset, whose cosines are no probabilities.
        parts: The decision of each part, where the query asks for several things.
        query: What was decided on: the text of the query, or of its part.
    """

    kind: Kind
    tool: str | None
    fits: float
    right: float
    candidates: tuple[Candidate, ...]
    thresholds: Thresholds
    why: str
    calibrated: bool
    parts: tuple[Decision, ...] = ()
    query: str = ""

    @property
    def gap(self) -> float | None:
        """How far the first tool stands before the second, in score; None with one tool (pitfall C2)."""
        if len(self.candidates) < 2:
            return None
        return self.candidates[0].score - self.candidates[1].score


def decide(
    candidates: Sequence[Candidate],
    thresholds: Thresholds,
    *,
    fits: float,
    right: float,
    calibrated: bool = False,
    parts: tuple[Decision, ...] = (),
    query: str = "",
) -> Decision:
    """Decide by the table of the specification.

    Args:
        candidates: Tools, best first, each once.
        thresholds: The limits.
        fits: Probability that any tool fits; in the classic preset the cosine of the first.
        right: Probability that the first is right; in the classic preset the same cosine.
        calibrated: Whether both were calibrated on this catalogue.
        parts: The decisions of its parts.
        query: What is decided on.

    Returns:
        none below the minimum; a match from ``high`` on if the second tool stays behind by the margin; else ambiguous.
    """
    first = list(candidates[:CANDIDATES])
    gap = first[0].score - first[1].score if len(first) > 1 else None

    def made(kind: Kind, why: str) -> Decision:
        tool = first[0].tool if kind == "match" else None
        return Decision(kind, tool, fits, right, tuple(first), thresholds, why, calibrated, parts, query)

    what = "cosine" if thresholds.scale == "cosine" else "probability that a tool fits"
    if not first:
        return made("none", "no tool is a candidate")
    if _below(fits, thresholds.minimum):
        return made("none", f"{what} {fits:.2f} < {thresholds.minimum:.2f}")
    what = "cosine" if thresholds.scale == "cosine" else "probability that it is right"
    if _below(right, thresholds.high):
        return made("ambiguous", f"{what} {right:.2f} < {thresholds.high:.2f}")
    if gap is not None and _below(gap, thresholds.margin):
        return made("ambiguous", f"gap to {first[1].tool} {gap:.3f} < {thresholds.margin:.3f}")
    return made("match", f"{what} {right:.2f} ≥ {thresholds.high:.2f}")


def _below(value: float, limit: float) -> bool:
    """Whether a value does not reach a limit; what differs by rounding (0.45 - 0.40 against 0.05) does."""
    return value < limit - _ROUNDING
