"""Query → ranking, as the default preset does it: search whole, search in parts if that finds different tools, join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from toolcurator.index import Evidence, Query
from toolcurator.index.index import Floats, Ints
from toolcurator.retrieval.compound import split

Search = Callable[[Sequence[str]], Sequence[tuple[Query, Evidence]]]
"""Encodes and searches several texts at once."""

CONTEXT = 0.5
"""How much of the whole query's vector is added to that of each part, so that "her fees" still knows whose (pitfall A11)."""
MARGIN = 1.0
"""A part's best tool must beat, for that part, every other part's best by this much of the fused score."""
NEAR = 20
"""A part's best tool must be among this many of the whole query, or the part only sets the scene ("My name is Riya.")."""
NAMED = 5
"""Where a tool stands at the latest whose name the query says, and no other tool's."""
CLEAR = 0.4
"""The least match of such a name; no other may have more than half of it."""
STRENGTH = 0.8
"""A part's best cosine must reach this share of the whole query's."""


@dataclass(frozen=True, slots=True)
class Found:
    """One text that was searched, and the candidates' scores for it.

    Attributes:
        query: The text, encoded.
        evidence: What the index knows.
        scores: float32[m], fused.
    """

    query: Query
    evidence: Evidence
    scores: Floats

    def order(self) -> Ints:
        """Candidates with a score, best first, ties by id."""
        order = (-self.scores).argsort(kind="stable")
        if len(order) and self.scores[order[-1]] == -np.inf:
            return order[: np.count_nonzero(self.scores > -np.inf)]
        return order


@dataclass(frozen=True, slots=True)
class Ranking:
    """Tools in order, and what they were found by.

    Attributes:
        tools: int[r], positions in the index, best first.
        scores: float32[r], not increasing.
        found: What was searched: the whole query first, then its parts if it was split.
        whys: Why a tool is in, where it is not for its score alone: position → reason.
        raised: What tools that are needed together with others gained: position → part of its score.
    """

    tools: Ints
    scores: Floats
    found: tuple[Found, ...]
    whys: dict[int, str]
    raised: dict[int, float] = field(default_factory=dict[int, float])


def rank(
    query: str, search: Search, fuse: Callable[[Evidence], Floats], words: Callable[[str], Sequence[str]] | None
) -> Ranking:
    """Rank the candidates of a query.

    Args:
        query: The query.
        search: Encodes and searches.
        fuse: Scores candidates.
        words: Gives the words of a text that say something; None never splits.

    Returns:
        The ranking. A query is searched in parts only if they find different tools, each by a margin.
    """
    texts = split(query, words) if words else []
    whole, *parts = (Found(q, evidence, fuse(evidence)) for q, evidence in search([query, *texts]))
    if parts and _differ(whole, parts):
        return _join(whole, parts)
    order = whole.order()
    scores = whole.scores[order]
    if (at := _named(whole, order)) >= NAMED:
        order = np.concatenate((order[: NAMED - 1], order[at : at + 1], order[NAMED - 1 : at], order[at + 1 :]))
        scores[NAMED : at + 1] = scores[NAMED - 1 : at]  # the raised tool takes its neighbor's score
    return Ranking(whole.evidence.tools[order], scores, (whole,), {})


def _named(found: Found, order: Ints) -> int:
    """Place in the order of the one tool whose name the query clearly says, -1 if there is none (pitfall A18)."""
    match = found.evidence.name_match
    if len(match) <= NAMED or match[best := match.argmax()] < CLEAR:
        return -1
    if np.partition(match, -2)[-2] > match[best] / 2:
        return -1
    return int(np.flatnonzero(order == best)[0]) if found.scores[best] > -np.inf else -1


def _differ(whole: Found, parts: Sequence[Found]) -> bool:
    """Whether each part finds a tool of its own, which the whole query is about too (pitfalls A9, A10)."""
    if min(part.evidence.best.max(initial=0.0) for part in parts) < STRENGTH * whole.evidence.best.max(initial=0.0):
        return False
    near = set(whole.evidence.tools[whole.order()[:NEAR]].tolist())
    tops = [int(part.evidence.tools[order[0]]) for part in parts if len(order := part.order())]
    if len(set(tops)) < len(parts) or not near.issuperset(tops):
        return False
    for part, top in zip(parts, tops, strict=True):
        score = dict(zip(part.evidence.tools.tolist(), part.scores.tolist(), strict=True))
        if any(score[top] - score[other] < MARGIN for other in tops if other != top and other in score):
            return False
    return True


def _join(whole: Found, parts: Sequence[Found]) -> Ranking:
    """Order tools by how far each stays behind the best: of the part that it serves best, and of the whole query.

    Both count alike, but the latter half for a part's own best tool: each comes out near the top, and a part that was cut off
    wrongly costs little.
    """
    best: dict[int, float] = {}
    whys: dict[int, str] = {}
    for number, part in enumerate(parts, 1):
        for tool, gap in _behind(part).items():
            if gap > best.get(tool, -np.inf):
                best[tool], whys[tool] = gap, f"part {number}"
    also = _behind(whole)
    last, least = min(best.values()), min(also.values())
    total = {tool: best.get(tool, last) + also.get(tool, least) for tool in best.keys() | also.keys()}
    total |= {tool: also.get(tool, least) / 2 for tool, gap in best.items() if gap == 0}
    level = float(whole.scores.max())
    tools = sorted(total, key=lambda tool: (-total[tool], tool))
    scores = [level + total[tool] for tool in tools]
    return Ranking(np.array(tools, np.intp), np.array(scores, np.float32), (whole, *parts), whys)


def _behind(found: Found) -> dict[int, float]:
    order = found.order()
    scores = found.scores[order] - found.scores[order[0]]
    return dict(zip(found.evidence.tools[order].tolist(), scores.tolist(), strict=True))
