"""How many tools are enough: ``k="auto"``."""

from __future__ import annotations

import numpy as np

from toolcurator.retrieval.ranking import Found, Ranking

PEAK = 1.25
"""Scores times this are log odds. Chosen on the dev splits (raw, profiles, examples; each set alike): at the target 0.95 the
selections held all needed tools of 95 in 100 of the queries whose tools the first twenty held."""


def enough(ranking: Ranking, target: float, most: int) -> int:
    """How many of the first tools hold all that are needed, with a target probability.

    Every part of the query needs one tool. Which one, tells the softmax of the scores of its first candidates; parts do not
    depend on each other.

    Args:
        ranking: The ranking, by weighted scores.
        target: Probability to reach.
        most: At most so many.
    """
    parts = [_probabilities(found, most) for found in ranking.found[1:] or ranking.found]
    each = target ** (1 / len(parts))
    held = [0.0] * len(parts)
    for k, tool in enumerate(ranking.tools[:most].tolist(), 1):
        held = [sofar + part.get(tool, 0.0) for sofar, part in zip(held, parts, strict=True)]
        if min(held) >= each:
            return k
    return most


def _probabilities(found: Found, most: int) -> dict[int, float]:
    order = found.order()[:most]
    scores = found.scores[order]
    likely = np.exp(PEAK * (scores - scores[:1]))
    likely /= max(float(likely.sum()), 1e-9)
    return dict(zip(found.evidence.tools[order].tolist(), likely.tolist(), strict=True))
