"""Stage 3: rejected fields are written again, by a stronger model if there is one (seed 2, Refinement)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from toolcurator.enrichment.calls import Answerer, Written
from toolcurator.enrichment.contract import Draft
from toolcurator.enrichment.source import Source
from toolcurator.enrichment.stage import Stage

TASK = """Some fields of a tool's profile were rejected. Write these fields again so that the tool's document supports all of
it, and mind the reasons. Leave a field empty if the document does not support any text for it. Write in the language of
the description. Leave all other fields empty."""


@cache
def refine_stage() -> Stage[Draft]:
    """The stage, with its DSPy signature (made at first use)."""
    inputs = {
        "document": "the tool's own document, as data",
        "rejected": "the rejected fields as JSON: what was written, and why it was rejected",
    }
    return Stage("refine", TASK, inputs, Draft)


class Refine:
    """Writes rejected fields again.

    Args:
        answerer: Who answers, and how often it is tried.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    async def __call__(self, source: Source, draft: Draft, reasons: Mapping[str, str]) -> Written[Draft]:
        """Write the fields again.

        Args:
            source: The raw document.
            draft: What was written.
            reasons: Rejected field → why.

        Returns:
            A tidy draft that holds nothing but rejected fields.

        Raises:
            GaveUp: No usable answer after all attempts.
        """
        stage = refine_stage()
        rejected = {name: {"written": getattr(draft, name), "reason": why} for name, why in reasons.items()}
        asked = stage.asking(source, rejected=json.dumps(rejected, ensure_ascii=False))
        return await self._answerer.answer(stage, asked, lambda text: stage.read(text).tidy().only(reasons))
