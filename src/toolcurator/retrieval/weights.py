"""How much each evidence counts in the weighted score, and where these numbers come from."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict

from toolcurator.settings import Settings

FEATURES = (
    "document",
    "words",
    "name",
    "example_mean",
    "example_best",
    "example_match",
    "head",
    "example_words",
)
"""Every evidence that has a weight."""
TEXT = ("document", "words", "name")
"""What there is without examples."""
LEXICAL = ("words", "example_words")
SINGLE = ("example_best", "example_match", "example_words")
"""What one example is enough for."""


BOUNDED = ("name", "example_match")
"""Evidence between 0 and 1; the other is standardized."""
TOTAL = 1.5
"""What the weights of standardized evidence add up to."""


class Weights(BaseModel):
    """Weights of standardized evidence (of the name match as it is).

    Attributes:
        document: Cosine of the document.
        words: BM25 over the tool's texts.
        name: Name match, between 0 and 1.
        example_mean: Mean cosine of the examples.
        example_best: Highest cosine of an example.
        example_match: How nearly an example is the same request, between 0 and 1.
        head: Score of the head, see `toolcurator.index.heads`.
        example_words: BM25 over the examples.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: float = 0.0
    words: float = 0.0
    name: float = 0.0
    example_mean: float = 0.0
    example_best: float = 0.0
    example_match: float = 0.0
    head: float = 0.0
    example_words: float = 0.0


class WeightTable(BaseModel):
    """Weights without and with examples.

    A catalogue of which a share s has examples gets (1 - s) times the first and s times the second, since what says much about a
    few tools says little about the order of all; but for `SINGLE`, so that a request that stands among the examples is found
    however few there are.

    Attributes:
        text: Where no tool has examples.
        examples: Where every tool has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Weights
    examples: Weights

    def at(self, share: float) -> Weights:
        """The weights for a share of tools with examples, in one scale: that of a margin must not depend on what there is."""
        text, examples = self.text.model_dump(), self.examples.model_dump()
        mixed = {name: (1 - share) * text[name] + share * examples[name] for name in FEATURES}
        if share > 0.0:
            mixed |= {name: examples[name] for name in SINGLE}
        scale = TOTAL / max(sum(value for name, value in mixed.items() if name not in BOUNDED), 1e-9)
        return Weights(**{name: scale * value for name, value in mixed.items()})

    def without(self, evidence: str) -> WeightTable:
        """The table with one evidence left out; the others keep their proportions."""
        nothing = {evidence: 0.0}
        return WeightTable(text=self.text.model_copy(update=nothing), examples=self.examples.model_copy(update=nothing))

    @classmethod
    def default(cls, settings: Settings, *, foreign: bool = False) -> WeightTable:
        """The packaged table, with what the settings say about words and names.

        Args:
            settings: Settings.
            foreign: The encoder does not know the catalogue's language: words count more.
        """
        table = _packaged()
        lexical = (settings.foreign_sparse_weight if foreign else settings.sparse_weight) / table.text.words
        named = settings.name_weight / table.text.name

        def scaled(weights: Weights) -> Weights:
            words = {name: getattr(weights, name) * lexical for name in LEXICAL}
            return weights.model_copy(update={**words, "name": weights.name * named})

        return cls(text=scaled(table.text), examples=scaled(table.examples))


@cache
def _packaged() -> WeightTable:
    said: Any = json.loads(files("toolcurator.retrieval").joinpath("weights.json").read_text("utf-8"))
    return WeightTable.model_validate({name: said[name] for name in ("text", "examples")})
