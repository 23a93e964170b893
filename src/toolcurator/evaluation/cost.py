"""What a selection costs: tokens of its declarations against sending every tool, and time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from toolcurator.retrieval import Curator
from toolcurator.retrieval.budget import declaration_tokens, estimate_tokens

ENCODING = "o200k_base"
ESTIMATE = "estimate: four characters a token"


class Cost(BaseModel):
    """Tokens and time of one set.

    Attributes:
        counter: What counted the tokens.
        k: Tools that are sent.
        every_tool: Tokens of all declarations, in OpenAI's form.
        selection: Mean tokens of the first k declarations of a query.
        p50: Median time of a query in milliseconds: encoding and search, one after the other.
        p99: 99th percentile of it.
        build: Seconds to open the catalogue, its index built if it was not there.
    """

    model_config = ConfigDict(frozen=True)

    counter: str
    k: int
    every_tool: int
    selection: float
    p50: float
    p99: float
    build: float

    @property
    def saved(self) -> float:
        """Share of the tokens that are saved."""
        return 1.0 - self.selection / self.every_tool if self.every_tool else 0.0


def token_counter() -> tuple[str, Callable[[str], int]]:
    """Name and function that count tokens: tiktoken's if it is there with its data, else an estimate.

    tiktoken downloads its data when it is first used; nothing here does that unasked. It counts only where
    ``TIKTOKEN_CACHE_DIR``, its own variable for use without a network, names a folder that is not empty.
    """
    cache = os.environ.get("TIKTOKEN_CACHE_DIR")
    if cache and Path(cache).is_dir() and any(Path(cache).iterdir()):
        try:
            encoding = import_module("tiktoken").get_encoding(ENCODING)
        except (ImportError, OSError, ValueError):
            return ESTIMATE, estimate_tokens
        return f"tiktoken {ENCODING}", lambda text: len(encoding.encode(text, disallowed_special=()))
    return ESTIMATE, estimate_tokens


def tool_tokens(curator: Curator, count: Callable[[str], int]) -> dict[str, int]:
    """Tokens of every tool's declaration, by id."""
    index = curator.index
    return {id: declaration_tokens(index.tool(at), index.wire_names[at], count) for at, id in enumerate(index.ids)}


def cost_of(
    rankings: Sequence[Sequence[str]],
    ms: Sequence[float],
    tokens: Mapping[str, int],
    *,
    k: int,
    counter: str,
    build: float,
) -> Cost:
    """Sum up.

    Args:
        rankings: Tool ids of each query, best first.
        ms: Milliseconds of each query.
        tokens: Tokens of each tool.
        k: Tools that are sent.
        counter: What counted the tokens.
        build: Seconds to open the catalogue.
    """
    p50, p99 = np.percentile(ms, (50, 99)) if len(ms) else (float("nan"), float("nan"))
    sums = [sum(tokens[id] for id in ranked[:k]) for ranked in rankings]
    return Cost(
        counter=counter,
        k=k,
        every_tool=sum(tokens.values()),
        selection=float(np.mean(sums)) if sums else 0.0,
        p50=float(p50),
        p99=float(p99),
        build=build,
    )
