"""Ranking → the tools that go out: k, tokens, pinned tools and diversity. k and tokens are hard limits, always (pitfall A8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np

from toolcurator.index.index import Floats
from toolcurator.sources.schemas import to_openai
from toolcurator.tool import Tool

CHARACTERS_A_TOKEN = 4.0
"""Estimate for declarations in JSON; a caller who needs the model's own count passes a counter."""


class Pick(NamedTuple):
    """A tool that goes out.

    Attributes:
        tool: Position in the index.
        score: Its score.
        tokens: Tokens of its declaration; None where no budget was set.
    """

    tool: int
    score: float
    tokens: int | None


def estimate_tokens(text: str) -> int:
    """Tokens of a text, estimated at four characters each."""
    return max(1, round(len(text) / CHARACTERS_A_TOKEN))


def declaration_tokens(tool: Tool, name: str, count: Callable[[str], int] = estimate_tokens) -> int:
    """Tokens of a tool's declaration in OpenAI's form."""
    return count(json.dumps(to_openai(tool, name), ensure_ascii=False))


def pick(
    ranked: Iterable[tuple[int, float]],
    *,
    k: int,
    pinned: frozenset[int] = frozenset(),
    tokens: Callable[[int], int] | None = None,
    token_budget: int | None = None,
) -> tuple[list[Pick], int]:
    """Take the best tools within the limits.

    Args:
        ranked: Tools with their scores, best first; all pinned ones are among them.
        k: Most tools.
        pinned: Tools that are taken before any other, though they stand where their score puts them.
        tokens: Tokens of a tool's declaration; needed with a budget.
        token_budget: Most tokens of all declarations together. A tool that does not fit is passed over for the next that does.

    Returns:
        The picks, best first, and how many tools did not fit into the token budget.
    """
    if not pinned and token_budget is None:
        return [Pick(tool, score, None) for tool, score in islice(ranked, k)], 0
    order = list(ranked)
    left = float("inf") if token_budget is None else token_budget
    taken: dict[int, Pick] = {}
    over = 0
    for first in (True, False):
        for tool, score in order:
            if len(taken) >= k:
                break
            if (tool in pinned) != first:
                continue
            cost = tokens(tool) if tokens and token_budget is not None else None
            if cost is not None and cost > left:
                over += 1
                continue
            left -= cost or 0
            taken[tool] = Pick(tool, score, cost)
    return [taken[tool] for tool, _ in order if tool in taken], over


def diversify(tools: list[int], scores: Floats, vectors: Floats, weight: float, k: int) -> list[int]:
    """Order again so that near-duplicates do not crowd out the rest: maximal marginal relevance (Carbonell & Goldstein 1998).

    Args:
        tools: Tools, best first.
        scores: float32[r], their scores; only their range counts.
        vectors: float32[r, d] of unit length.
        weight: 0 keeps the order, 1 looks at difference alone.
        k: How many places are ordered; the rest follows in the old order.

    Returns:
        The tools in the new order.
    """
    low, high = float(scores.min()), float(scores.max())
    relevance = (scores - low) / max(high - low, 1e-9)
    nearest = np.zeros(len(tools), np.float32)
    open_ = np.ones(len(tools), np.bool_)
    order: list[int] = []
    for _ in range(min(k, len(tools))):
        value = np.where(open_, (1 - weight) * relevance - weight * nearest, -np.inf)
        at = int(value.argmax())
        order.append(at)
        open_[at] = False
        nearest = np.maximum(nearest, vectors @ vectors[at])
    return [tools[at] for at in (*order, *np.flatnonzero(open_))]
