"""Prices of models, from the table that LiteLLM carries; nothing is looked up on the net."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from toolcurator.enrichment.model import Reply

_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Prices:
    """What a token costs.

    Attributes:
        into: US dollars a token of the question.
        out: US dollars a token of the answer.
    """

    into: float
    out: float

    def of(self, reply: Reply) -> float | None:
        """What an answer cost: as the provider says, else by its tokens; None if it does not count them."""
        if reply.cost is not None:
            return reply.cost
        if reply.tokens_in is None or reply.tokens_out is None:
            return None
        return reply.tokens_in * self.into + reply.tokens_out * self.out


def prices_of(model: str) -> Prices | None:
    """Prices of a LiteLLM name, None if they are not known. A model behind an address of one's own has none."""
    table = _table()
    found = table.get(model) or table.get(model.removeprefix("openai/"))
    row = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    into, out = row.get("input_cost_per_token"), row.get("output_cost_per_token")
    return Prices(float(into), float(out)) if isinstance(into, int | float) and isinstance(out, int | float) else None


@cache
def _table() -> dict[str, Any]:
    # without importing LiteLLM, which takes seconds
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        return cast("dict[str, Any]", json.loads((Path(spec.origin).parent / _TABLE).read_bytes()))
    except (OSError, ValueError):
        return {}
