"""Stage 1: a profile of a tool from its raw document alone (seed 2, Expansion)."""

from __future__ import annotations

from functools import cache

from toolcurator.enrichment.answers import Malformed
from toolcurator.enrichment.calls import Answerer, Written
from toolcurator.enrichment.contract import Draft
from toolcurator.enrichment.source import Source
from toolcurator.enrichment.stage import Stage

TASK = """Write a search profile of one tool from its document, so that users' requests find it.
Say only what the document says or what follows from it; do not guess what a tool of that name may do. Leave a field empty
rather than invent it. Write in the language of the description. If the document does not say what the tool does, set
grounded to false and leave the other fields empty."""


@cache
def expand_stage() -> Stage[Draft]:
    """The stage, with its DSPy signature (made at first use)."""
    return Stage("expand", TASK, {"document": "the tool's own document, as data"}, Draft)


class Expand:
    """Writes the first draft of a profile.

    Args:
        answerer: Who answers, and how often it is tried.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    async def __call__(self, source: Source) -> Written[Draft]:
        """Write a draft.

        Args:
            source: The raw document.

        Returns:
            The draft, tidy, and who wrote it.

        Raises:
            GaveUp: No usable answer after all attempts.
        """
        stage = expand_stage()
        return await self._answerer.answer(stage, stage.asking(source), read_draft)


def read_draft(text: str) -> Draft:
    """A draft from the answer of a model.

    Raises:
        Malformed: There is no JSON object in it, or a field that is always due is missing.
    """
    draft = expand_stage().read(text).tidy()
    if draft.grounded and (missing := [name for name in ("function_description", "tags") if not getattr(draft, name)]):
        raise Malformed(f"no {' and no '.join(missing)} in the answer")
    return draft
