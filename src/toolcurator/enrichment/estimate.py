"""What a run would cost, before a call is made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolcurator.enrichment.expand import expand_stage
from toolcurator.enrichment.judge import judge_stage
from toolcurator.enrichment.prices import Prices
from toolcurator.enrichment.refine import refine_stage
from toolcurator.enrichment.source import Source
from toolcurator.enrichment.stage import Stage

BYTES_A_TOKEN = 4
REFINED = 0.15
"""Share of tools of which a field is rejected, a guess; their fields are written and judged once more."""

_ANSWER = {"expand": 230, "judge": 170, "refine": 90}  # tokens: the recorded profiles of the bench have 190 to 250
_PROFILE_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one stage would cost.

    Attributes:
        stage: The stage.
        model: The model.
        calls: Calls.
        tokens_in: Tokens of the questions, four bytes a token.
        tokens_out: Tokens of the answers, a guess.
        cost: US dollars, None if the price is not known.
    """

    stage: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate(
    sources: Iterable[Source], models: Mapping[str, str], prices: Mapping[str, Prices | None]
) -> tuple[Estimate, ...]:
    """What the stages would cost for these documents; nobody is asked.

    Args:
        sources: The documents that are due.
        models: Stage → model; a stage that is missing is left out.
        prices: Stage → prices of its model.
    """
    described = [source for source in sources if source.described]
    documents = sum(_tokens(source.fenced) for source in described)
    refined = round(REFINED * len(described)) if "refine" in models else 0
    share = refined / len(described) if described else 0.0
    rows: list[Estimate] = []
    stages: tuple[tuple[Stage[Any], float], ...] = (
        (expand_stage(), 1.0),
        (judge_stage(), 1.0 + share),
        (refine_stage(), share),
    )
    for stage, times in stages:
        if stage.name not in models:
            continue
        calls = round(times * len(described))
        beside = _overhead(stage) + (0 if stage.name == "expand" else _PROFILE_TOKENS)
        tokens_in = round(times * documents) + calls * beside
        tokens_out = calls * _ANSWER[stage.name]
        price = prices.get(stage.name)
        cost = tokens_in * price.into + tokens_out * price.out if price else None
        rows.append(Estimate(stage.name, models[stage.name], calls, tokens_in, tokens_out, cost))
    return tuple(rows)


def _overhead(stage: Stage[Any]) -> int:
    return _tokens(stage.system) + _tokens(json.dumps(stage.schema)) + 60


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
