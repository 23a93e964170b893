"""Tools that are needed together raise each other, where labelled requests for several tools have shown it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from toolcurator.retrieval.ranking import Ranking

LEADERS = 3
"""So many tools at the top of a ranking raise others."""
PEAK = 2.0
"""How peaked the probabilities of the leaders are."""
DOUBT = 1.0
"""Requests that are added to those counted, so that one alone proves little."""
LEAST = 0.05
"""A smaller share is not kept."""


class Together(BaseModel):
    """Which tools are needed together.

    Attributes:
        shares: Tool id → other id → share of the requests for several tools that need the first and need the second as well.
        weight: What a certain companion of a certain leader adds to its score.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shares: Mapping[str, Mapping[str, float]]
    weight: float

    @classmethod
    def of(cls, requests: Iterable[Sequence[frozenset[str]]], weight: float) -> Self:
        """Count.

        Args:
            requests: What each request needs: one set of interchangeable ids for each tool. Requests for one tool say nothing.
            weight: As for the class.
        """
        seen: Counter[str] = Counter()
        both: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for needs in requests:
            if len(needs) < 2:
                continue
            for at, need in enumerate(needs):
                others = {tool for other in (*needs[:at], *needs[at + 1 :]) for tool in other}
                for tool in need:
                    seen[tool] += 1
                    both[tool].update(others - {tool})
        shares = {
            tool: {other: round(share, 4) for other, n in sorted(counted.items()) if (share := n / (seen[tool] + DOUBT)) >= LEAST}
            for tool, counted in sorted(both.items())
        }  # fmt: skip
        return cls(shares={tool: others for tool, others in shares.items() if others}, weight=weight)

    def at(self, ids: Sequence[str]) -> Companions:
        """The same by position in an index; tools that it does not hold are left out."""
        place = {key: at for at, key in enumerate(ids)}
        return {
            place[tool]: {place[other]: self.weight * share for other, share in others.items() if other in place}
            for tool, others in self.shares.items()
            if tool in place
        }


Companions = Mapping[int, Mapping[int, float]]
"""Position of a tool → position of a companion → what it adds at most."""


def raise_companions(ranking: Ranking, companions: Companions) -> Ranking:
    """The ranking with the companions of its leaders raised, each by what it adds times the leader's probability.

    The probability is the softmax of the scores times `PEAK`. Only tools that the search found are raised.
    """
    scores = ranking.scores
    if not len(scores):
        return ranking
    likely = np.exp(PEAK * (scores - scores[0]))
    likely /= likely.sum()
    raised: dict[int, float] = {}
    for leader, chance in zip(ranking.tools[:LEADERS].tolist(), likely[:LEADERS].tolist(), strict=True):
        for tool, most in companions.get(leader, {}).items():
            raised[tool] = raised.get(tool, 0.0) + chance * most
    if not raised:
        return ranking
    scores = scores + np.array([raised.get(tool, 0.0) for tool in ranking.tools.tolist()], np.float32)
    order = (-scores).argsort(kind="stable")
    return replace(ranking, tools=ranking.tools[order], scores=scores[order], raised=raised)
