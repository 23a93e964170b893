"""How well a tool is documented, from 0 to 100, without asking a model.

| part | points | full when |
|---|---|---|
| description | 15 | there is one that is no placeholder |
| informative | 30 | it has 12 distinct words beyond the name |
| slots described | 20 | every argument has a description or values to choose from |
| slots typed | 10 | every argument has a type |
| examples | 10 | there are three example queries, the author's or the profile's |
| effect | 5 | ``side_effect`` is declared |
| length | 10 | the encoder reads all of it; half if it reads name and description |

A tool without arguments has the points for slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolcurator.lexical import Tokenizer
from toolcurator.lint.documentation import informative_words, is_described, is_placeholder, is_typed
from toolcurator.lint.length import Reach
from toolcurator.tool import Tool

INFORMATIVE = 12
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a tool's score.

    Attributes:
        tool: Id of the tool.
        description: 0 or 15.
        informative: 0 to 30.
        described: 0 to 20.
        typed: 0 to 10.
        examples: 0 to 10.
        effect: 0 or 5.
        length: 0 to 10.
    """

    tool: str
    description: float
    informative: float
    described: float
    typed: float
    examples: float
    effect: float
    length: float

    @property
    def total(self) -> float:
        """0 to 100."""
        return (
            self.description
            + self.informative
            + self.described
            + self.typed
            + self.examples
            + self.effect
            + self.length
        )


def score(tool: Tool, tokenizer: Tokenizer, reach: Reach | None) -> Score:
    """The score of a tool.

    Args:
        tool: The tool.
        tokenizer: The catalogue's tokenizer.
        reach: How far the encoder reads; None without an encoder, which counts as all of it.
    """
    text = tool.description.strip()
    said = bool(text) and not is_placeholder(text)
    slots = tool.slots
    examples = {*tool.examples, *(tool.profile.example_queries if tool.profile is not None else ())}
    unread = reach is not None and bool(reach.cut)
    told = reach is not None and reach.cut not in ("name", "description")
    return Score(
        tool=tool.id,
        description=15.0 if said else 0.0,
        informative=30.0 * min(1.0, informative_words(tool, tokenizer) / INFORMATIVE) if said else 0.0,
        described=20.0 * (sum(map(is_described, slots)) / len(slots) if slots else 1.0),
        typed=10.0 * (sum(map(is_typed, slots)) / len(slots) if slots else 1.0),
        examples=10.0 * min(1.0, len(examples) / EXAMPLES),
        effect=5.0 if tool.side_effect is not None else 0.0,
        length=10.0 if not unread else 5.0 if told else 0.0,
    )
