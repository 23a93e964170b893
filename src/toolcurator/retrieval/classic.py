"""The first seed's pipeline to the letter (``Curator.open(..., preset="classic")``), comparable with it, faults included.

Reciprocal rank fusion with k = 60; a name anchor on substrings that forces a tool to the top; a narrow list of split markers
with ``max(top_k // parts + 2, 7)`` tools a part; five more tools where the strongest cosine is below 0.25. Known costs, kept
here on purpose: weak agreement can tie a strong single signal (pitfall A1), and the anchor fires on parts of words (A5) and
against negation (A6). Put right, because the index is shared: only BM25 scores above 0 have a rank (A2, A3), words are
Unicode (A16), and k is a hard limit also for a split query (A8).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from toolcurator.index import Index
from toolcurator.retrieval.fusion import reciprocal_ranks
from toolcurator.retrieval.ranking import Found, Ranking, Search
from toolcurator.settings import Settings

RRF_K = 60
ALWAYS_INC_RATIO = 0.60
FORCED = 999.0
LOW_CONF_SIM = 0.25
CONF_BOOST = 5
TOP_K = 20

_SPLIT_RE = re.compile(
    r"\b(?:and\s+then|and\s+also|after\s+that|additionally|"
    r",\s*then|,\s*and\s+also|then\s+also|as\s+well\s+as|"
    r"along\s+with|then|also|plus)\b",
    re.IGNORECASE,
)


def classic_settings(settings: Settings) -> Settings:
    """The settings with the seed's defaults wherever nothing else was asked for."""
    seed = {
        "k": TOP_K,
        "pass_through": 0,
        "fit_threshold": LOW_CONF_SIM,
        "no_fit": "widen",
        "widen_by": CONF_BOOST,
        "fusion": "rrf",
        "dense_parts": ("name", "description", "extra_context"),
        "field_weights": {"text": 1.0},
        "example_weight": 0.0,
    }
    asked = settings.model_dump(include=settings.model_fields_set)
    return Settings.of(**{**seed, **asked})


def rank(query: str, search: Search, index: Index, role: str | None, k: int) -> Ranking:
    """Rank as the seed does.

    Args:
        query: The query.
        search: Encodes and searches.
        index: Gives the names of the tools that the role may see.
        role: Persona.
        k: The caller's ``top_k``.
    """
    pieces = [piece for part in _SPLIT_RE.split(query) if (piece := part.strip(" ,;.?!"))]
    parts = pieces if len(pieces) > 1 else []
    found = [Found(q, evidence, reciprocal_ranks(evidence, RRF_K)) for q, evidence in search([query, *parts])]
    called = index.names
    names = [(int(at), called[int(at)]) for at in index.visible(role)]
    whole = _one(found[0], query, names)
    score: dict[int, float] = {}
    for part, text in zip(found[1:], parts, strict=True):
        budget = max(k // len(parts) + 2, 7)
        for tool, value in _best(_one(part, text, names))[:budget]:
            score[tool] = max(value, score.get(tool, 0.0))
    for tool, value in _best(whole):  # the top-up pass
        score.setdefault(tool, value if not parts else min(value, 1.0 / (RRF_K + 1)))
    ordered = sorted(score.items(), key=lambda pair: (-pair[1], pair[0]))
    return Ranking(
        np.array([tool for tool, _ in ordered], np.intp),
        np.array([value for _, value in ordered], np.float32),
        tuple(found),
        {tool: "anchor" for tool, value in ordered if value >= FORCED},
    )


def confidence(found: Sequence[Found]) -> float:
    """The strongest cosine of the whole query, which the seed holds against ``LOW_CONF_SIM``."""
    if found[0].query.vector is None:  # words alone: there is no cosine to hold against anything
        return float(found[0].evidence.sparse.max(initial=0.0) > 0)
    return float(np.clip(found[0].evidence.best.max(initial=0.0), 0.0, 1.0))


def always_include(query: str, name: str) -> bool:
    """The seed's name anchor: 60 % of the name's tokens of more than 3 characters stand, as substrings, in the query."""
    tokens = [token for token in name.lower().split("_") if len(token) > 3]
    if not tokens:
        return False
    return sum(1 for token in tokens if token in query.lower()) / len(tokens) >= ALWAYS_INC_RATIO


def _one(found: Found, text: str, names: Sequence[tuple[int, str]]) -> dict[int, float]:
    order = found.order()
    score = {int(found.evidence.tools[at]): float(found.scores[at]) for at in order}
    # several forced tools keep their order, as they do in the seed, whose sort is stable
    return score | {tool: FORCED + score.get(tool, 0.0) for tool, name in names if always_include(text, name)}


def _best(score: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(score.items(), key=lambda pair: (-pair[1], pair[0]))
