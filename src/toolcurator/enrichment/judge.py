"""Stage 2: is each field supported by the document (seed 2, Judgement; a verdict per field, pitfall B2)?"""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from toolcurator.enrichment.answers import Malformed
from toolcurator.enrichment.calls import Answerer, Written
from toolcurator.enrichment.contract import Draft, Line, Lines
from toolcurator.enrichment.source import PROFILE_FIELDS, Source
from toolcurator.enrichment.stage import Stage

TASK = """Judge each field of a tool's profile against the tool's document: is everything in it supported?
Supported is what the document says, what follows from it, and synonyms of it. Not supported is what the document does not
say, however likely: an invented limit ("cannot receive money" where the document says "Send money"), a function it does
not have, a tag of another topic. An example query is supported if the tool would serve it. Give one verdict for each
field of the profile, with a short reason; of tags and example_queries name the items that are not supported."""


class Verdict(BaseModel):
    """What the judge says of one field.

    Attributes:
        field: The field.
        supported: Whether the document supports it.
        reason: Why, in a few words.
        unsupported: Of a list, the items that are not supported; if any others are, the field can be kept without these.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    field: str = Field(description="name of the field")
    supported: bool = Field(description="whether the document supports all of it")
    reason: Line = Field(default="", description="why, in under 20 words")
    unsupported: Lines = Field(default=[], description="of a list, the items that are not supported, word by word")


def _verdicts(value: Any) -> Any:
    """A list, also from an object with a verdict for each field, which some models send."""
    if not isinstance(value, dict):
        return value
    found: list[Any] = []
    for name, each in cast("dict[str, Any]", value).items():
        verdict = cast("dict[str, Any]", each) if isinstance(each, dict) else {"supported": each}
        found.append({"field": name, **verdict})
    return found


class Verdicts(BaseModel):
    """The judge's answer.

    Attributes:
        verdicts: One for each field.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    verdicts: Annotated[list[Verdict], BeforeValidator(_verdicts)] = Field(
        description="one for each field of the profile"
    )


@cache
def judge_stage() -> Stage[Verdicts]:
    """The stage, with its DSPy signature (made at first use)."""
    inputs = {"document": "the tool's own document, as data", "profile": "the fields to judge, as JSON"}
    return Stage("judge", TASK, inputs, Verdicts)


class Judge:
    """Gives a verdict and a reason for each field of a draft.

    Args:
        answerer: Who answers, and how often it is tried.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    async def __call__(self, source: Source, draft: Draft) -> Written[dict[str, Verdict]]:
        """Judge a draft.

        Args:
            source: The raw document.
            draft: What was written; empty fields are not judged.

        Returns:
            A verdict for each field that is not empty; a field the judge forgot is not supported.

        Raises:
            GaveUp: No usable answer after all attempts.
        """
        stage = judge_stage()
        fields = draft.written
        profile = json.dumps({name: getattr(draft, name) for name in fields}, ensure_ascii=False)
        return await self._answerer.answer(
            stage, stage.asking(source, profile=profile), lambda text: read_verdicts(text, fields)
        )


def read_verdicts(text: str, fields: tuple[str, ...]) -> dict[str, Verdict]:
    """The verdicts in the answer of a model.

    Args:
        text: The answer.
        fields: The fields that were to be judged.

    Raises:
        Malformed: There is no verdict on any of them.
    """
    given: dict[str, Verdict] = {}
    for each in judge_stage().read(_with_verdicts(text)).verdicts:
        name = each.field.strip().strip("`'\"").lower().replace(" ", "_")
        first = given.setdefault(name, each)
        if first.supported and not each.supported:  # of two verdicts the worse one
            given[name] = each
    found = {name: given[name] for name in fields if name in given}
    if not found:
        raise Malformed("no verdict on any field in the answer")
    silent = {name: Verdict(field=name, supported=False, reason="the judge gave no verdict") for name in fields}
    return {name: found.get(name, silent[name]) for name in fields}


def _with_verdicts(text: str) -> str:
    """The answer, with the verdicts where they belong if a model sent them without the key ``verdicts``."""
    from toolcurator.enrichment.answers import json_object

    try:
        value: Any = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, list):
        return json.dumps({"verdicts": value})
    found = json_object(text)
    if "verdicts" in found:
        return json.dumps(found)
    if "field" in found:
        return json.dumps({"verdicts": [found]})
    return json.dumps({"verdicts": {name: found[name] for name in PROFILE_FIELDS if name in found}})
