"""What a search returns: hits in order, with their evidence, ready for any model's API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from toolcurator.sources.schemas import to_anthropic, to_gemini, to_mcp, to_openai, to_openai_responses
from toolcurator.tool import JsonSchema, Tool


@dataclass(frozen=True, slots=True)
class HitEvidence:
    """Why a tool was selected.

    Attributes:
        dense_rank: Rank by cosine from 1; 0 if the encoder did not bring it in.
        cosine: Cosine of the tool's document; 0 without an encoder.
        best_cosine: Highest cosine among its points.
        best_point: Text of that point.
        sparse_rank: Rank by BM25 from 1; 0 if no word of the query stands in it.
        sparse: BM25 as a share of what the query could score at most.
        name_match: How well the query's words and the name match, 0 to 1.
        fused: The score before reranking and diversity.
        shares: What each evidence adds to it, by name; empty unless the fusion is ``weighted``.
        why: What brought it in: ``score``, ``part 1``, ``pinned``, ``anchor``, ``pass-through``, ``widened``.
    """

    dense_rank: int
    cosine: float
    best_cosine: float
    best_point: str
    sparse_rank: int
    sparse: float
    name_match: float
    fused: float
    shares: dict[str, float]
    why: str

    def __str__(self) -> str:
        dense = f"cosine {self.best_cosine:.2f} (#{self.dense_rank or '–'})"
        sparse = f"words {self.sparse:.2f} (#{self.sparse_rank})" if self.sparse_rank else "no word"
        name = f", name {self.name_match:.2f}" if self.name_match else ""
        return f"{dense}, {sparse}{name}: {self.why}"


class Hit:
    """A tool found, with its score and evidence. The tool itself is read when it is first asked for.

    Attributes:
        id: Qualified id of the tool.
        score: What the hits are ordered by; comparable within one selection only.
        tokens: Estimated tokens of its declaration; None unless a token budget was set.
    """

    __slots__ = ("_evidence", "_position", "_tool", "id", "score", "tokens")

    def __init__(
        self,
        id: str,
        score: float,
        tokens: int | None,
        position: int,
        tool: Callable[[int], Tool],
        evidence: Callable[[int], HitEvidence],
    ) -> None:
        self.id = id
        self.score = score
        self.tokens = tokens
        self._position = position
        self._tool = tool
        self._evidence = evidence

    @property
    def tool(self) -> Tool:
        """The tool."""
        return self._tool(self._position)

    @property
    def evidence(self) -> HitEvidence:
        """Which point, which retriever, which rank, which rule."""
        return self._evidence(self._position)

    def __repr__(self) -> str:
        return f"Hit({self.id!r}, {self.score:.3f})"


@dataclass(frozen=True, slots=True)
class Selection:
    """The ordered hits of a query, and whether any tool fits at all.

    Attributes:
        query: What was asked, as it was searched (cut if it was far too long).
        hits: Best first, at most k, and within the token budget.
        fits: Probability that any tool fits.
        calibrated: Whether that probability was measured with this encoder; otherwise it is a guess.
        threshold: Probability below which no tool is held to fit.
        parts: The parts the query was searched in; empty if it was searched whole.
        wire_names: Name of each hit on the wire, in order: 64 ASCII characters at most, unique in the catalogue.
        notes: What the caller should know: parts cut off, hits left out for the token budget, ...
    """

    query: str
    hits: tuple[Hit, ...]
    fits: float
    calibrated: bool
    threshold: float
    parts: tuple[str, ...] = ()
    wire_names: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def no_fit(self) -> bool:
        """Whether no tool is held to fit."""
        return self.fits < self.threshold

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, best first."""
        return tuple(hit.tool for hit in self.hits)

    def openai(self) -> list[JsonSchema]:
        """``tools`` for OpenAI's chat completions."""
        return self._out(to_openai)

    def openai_responses(self) -> list[JsonSchema]:
        """``tools`` for OpenAI's responses API."""
        return self._out(to_openai_responses)

    def anthropic(self) -> list[JsonSchema]:
        """``tools`` for Anthropic's messages API."""
        return self._out(to_anthropic)

    def mcp(self) -> list[JsonSchema]:
        """``tools`` of an MCP ``tools/list`` result."""
        return self._out(to_mcp)

    def gemini(self) -> list[JsonSchema]:
        """``tools`` for Gemini: one object that holds all function declarations."""
        declarations = self._out(to_gemini)
        return [{"functionDeclarations": declarations}] if declarations else []

    def explain(self) -> str:
        """A table for people: every hit with rank and score of each arm, and why it is in."""
        from toolcurator.retrieval.explain import explain

        return explain(self)

    def _out(self, to: Callable[[Tool, str], JsonSchema]) -> list[JsonSchema]:
        return [to(hit.tool, name) for hit, name in zip(self.hits, self.wire_names(), strict=True)]
