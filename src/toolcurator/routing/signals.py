"""One search → what speaks for and against its first tool, in numbers that hold across queries and catalogues.

The length of the query is none of them, and what is lexical counts as a share of the query's own weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolcurator.index import LocalIndex, points_of
from toolcurator.lexical import Tokenizer
from toolcurator.retrieval.cosine_scale import CosineScale
from toolcurator.retrieval.ranking import Found

SIGNALS = (
    "cosine",
    "top",
    "span",
    "background",
    "nearby",
    "lead",
    "gap",
    "fused",
    "peak",
    "words",
    "agreement",
    "name",
    "covered",
    "unknown",
    "unmatched",
    "example_words",
    "example_mean",
    "head",
    "kernel",
    "kernel_gap",
    "kernel_sum",
)
"""What they are, of the first tool where not said otherwise:

- ``cosine``: highest cosine of its points; ``top``: of any tool's points; ``nearby``: mean of the five tools' after the highest;
- ``span``: cosine of the query and its shadow on the tool's points;
- ``background``: highest cosine of a general message;
- ``lead``: how far the tool stands above the mean of all, in cosine;
- ``fused``: fused score; ``gap``: its lead over the next tool's, 0 if there is none; ``peak``: its share of the softmax;
- ``words``: share of the query's BM25; ``agreement``: the sparse arm's score as a share of the best one; ``name``: name match;
- ``covered``: share of the query's weight (IDF) that stands in the tool's texts; ``unknown``: share that stands in no tool's;
  ``unmatched``: mean IDF of what does not stand in the tool's, against the highest there is;
- ``example_words``, ``example_mean``, ``head``: of its examples;
- ``kernel``, ``kernel_gap``, ``kernel_sum``: score of the kernel head, its lead over the next, and the sum over all tools.
"""

_OF_TOOLS = ("cosine", "top", "span", "nearby", "example_mean")
"""Those that are cosines of a query and a tool."""

_MOST_GAP = 6.0
_SHADOW = 0.05  # ridge of the shadow, so that many examples do not span everything
_NEXT = 5

Floats = NDArray[np.float32]
Words = Callable[[int], frozenset[str]]
"""Position of a tool → its tokens."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """One query's tools in order, and the signals of the first.

    Attributes:
        order: int[m], candidates of the evidence, best first, each a different tool.
        scores: float32[m], in that order.
        signals: In the order of `SIGNALS`.
    """

    order: NDArray[np.intp]
    scores: Floats
    signals: tuple[float, ...]


def outlook(
    found: Found,
    index: LocalIndex,
    words: Words,
    *,
    kernel: Floats | None = None,
    weight: float = 0.0,
    background: float = 0.0,
    scale: CosineScale | None = None,
) -> Outlook | None:
    """Order the tools of one search, and say what speaks for the first; None if there is no candidate.

    Args:
        found: The search.
        index: The index that was searched.
        words: Gives the tokens of a tool.
        kernel: float32[n], scores of the kernel head; None without one.
        weight: What its standard score weighs beside the fused score.
        background: Highest cosine of a general message.
        scale: Of the cosines, if they are those of another encoder than the packaged one.
    """
    evidence, scores = found.evidence, found.scores
    tools = evidence.tools
    own: Floats | None = None
    if kernel is not None:
        own = kernel[tools]
        if weight:
            scores = scores + np.float32(weight / max(float(kernel.std()), 1e-6)) * (own - kernel.mean())
    order = (-scores).argsort(kind="stable")
    order = order[: np.count_nonzero(scores > -np.inf)]
    if not len(order):
        return None
    first = int(order[0])
    gap = min(float(scores[first] - scores[order[1]]), _MOST_GAP) if len(order) > 1 else 0.0
    share = np.exp(np.minimum(scores[order] - scores[first], 0.0))
    best, sparse = evidence.best, evidence.sparse
    # the few highest, without sorting all
    highest = np.partition(best, -(_NEXT + 1))[-(_NEXT + 1) :] if len(best) > _NEXT else best
    top, *nearby = sorted(highest.tolist(), reverse=True)
    examples = evidence.examples
    covered, unknown, unmatched = _coverage(found, index, words(int(tools[first])))
    values = {
        "cosine": best[first],
        "top": top,
        "span": _shadow(found, index, int(tools[first])),
        "background": background,
        "nearby": sum(nearby) / max(len(nearby), 1),
        "lead": evidence.dense[first] - evidence.dense_mean,
        "gap": gap,
        "fused": scores[first],
        "peak": 1.0 / float(share.sum()),
        "words": evidence.words[first],
        "agreement": sparse[first] / max(float(sparse.max()), 1e-6),
        "name": evidence.name_match[first],
        "covered": covered,
        "unknown": unknown,
        "unmatched": unmatched,
        "example_words": examples.words[first] if examples is not None else 0.0,
        "example_mean": examples.mean[first] if examples is not None else evidence.document[first],
        "head": examples.head[first] if examples is not None else 0.0,
        "kernel": 0.0,
        "kernel_gap": 0.0,
        "kernel_sum": 0.0,
    }
    if own is not None and kernel is not None:
        rest = float(np.delete(own, first).max(initial=0.0))
        values |= {"kernel": own[first], "kernel_gap": own[first] - rest, "kernel_sum": kernel.sum()}
    if scale is not None:
        values |= {name: scale.of_tool(values[name]) for name in _OF_TOOLS}
        values |= {"background": scale.of_message(background), "lead": scale.factor * values["lead"]}
    return Outlook(order, scores[order], tuple(float(values[name]) for name in SIGNALS))


def words_of(index: LocalIndex, tokenizer: Tokenizer) -> Words:
    """The tokens of a tool's document and examples."""

    def words(position: int) -> frozenset[str]:
        points = points_of(index.tool(position), index.manifest.dense_parts)
        return frozenset(token for point in points for token in tokenizer(point.text))

    return words


def _coverage(found: Found, index: LocalIndex, mine: frozenset[str]) -> tuple[float, float, float]:
    """Of the query's weight the share in a tool's texts, the share in no tool's, and the mean of what the tool lacks."""
    idf, told, asked = index.words.idf, index.words.knows, index.queries.knows
    weights = {token: idf(token) for token in found.query.tokens}
    total = sum(weights.values())
    if not total:
        return 0.0, 1.0, 1.0
    missing = [weight for token, weight in weights.items() if token not in mine]
    nowhere = [weight for token, weight in weights.items() if not (told(token) or asked(token))]
    most = max(idf("\0"), 1e-6)  # that of a word no tool has
    lacking = sum(missing) / len(missing) / most if missing else 0.0
    return 1.0 - sum(missing) / total, sum(nowhere) / total, lacking


def _shadow(found: Found, index: LocalIndex, tool: int) -> float:
    """Cosine of the query and its ridge projection on the points of a tool; of its document if it has no examples."""
    vector = found.query.vector
    if vector is None:
        return 0.0
    start, end = index.starts[tool : tool + 2]
    points = index.vectors(np.array([tool, *range(int(start), int(end))]))
    products = points @ vector
    if len(points) == 1:
        return float(products[0])
    gram = points @ points.T
    shares = np.linalg.solve(gram + np.float32(_SHADOW) * np.eye(len(points), dtype=np.float32), products)
    length = max(float(shares @ gram @ shares), 0.0) ** 0.5
    return float(shares @ products) / max(length, 1e-6)
