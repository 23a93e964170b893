"""What a profile must look like: the draft a model writes, and the rules each of its fields keeps (seed 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from toolcurator.enrichment.language import other_language
from toolcurator.enrichment.source import PROFILE_FIELDS
from toolcurator.sources.json_values import as_object

FieldName = Literal["function_description", "tags", "when_to_use", "limitations", "example_queries"]

MOST_WORDS = 19
"""Of a function description and of when to use a tool ("under 20 words")."""
TAGS = (3, 5)
QUERIES = (5, 8)
"""Fewest and most."""

_MOST_WORDS_LIMITATIONS = 60
_MOST_WORDS_QUERY = 60
_TAG_LENGTH = 60
_NOTHING = re.compile(
    r"(?:none|null|n/?a|no(?:ne)? (?:stated|specified|mentioned|limitations?)|not (?:stated|specified))\W*", re.I
)
_PUNCTUATION = re.compile(r"[\W_]+")
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")


def _one_text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(str(each) for each in cast("list[Any]", value) if each is not None)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _list_of_texts(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, str):
        return [part for part in re.split(r"[,;\n]", value) if part.strip()]
    if isinstance(value, list):
        found: list[Any] = []
        for each in cast("list[Any]", value):
            inner = as_object(each) or {}
            one: Any = next(iter(inner.values())) if len(inner) == 1 else each  # [{"query": "..."}]
            if one is not None:
                found.append(str(one) if isinstance(one, int | float) else one)
        return found
    return value


def _unless_denied(value: Any) -> Any:
    return not (value is False or (isinstance(value, str) and value.strip().lower() in ("false", "no", "f")))


Line = Annotated[str, BeforeValidator(_one_text)]
Unless = Annotated[bool, BeforeValidator(_unless_denied)]
Lines = Annotated[list[str], BeforeValidator(_list_of_texts)]


class Draft(BaseModel):
    """What a model writes about a tool; the descriptions are part of the prompt.

    Attributes:
        function_description: What it does.
        tags: Words by which it is looked for.
        when_to_use: The situation that calls for it.
        limitations: What its author says it cannot do.
        example_queries: What users would say.
        grounded: Whether the document says what the tool does at all.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    function_description: Line = Field(default="", description="What the tool does, one sentence of under 20 words.")
    tags: Lines = Field(
        default=[], description="3 to 5 tags in lower case: its topic, its action, synonyms that users say."
    )
    when_to_use: Line = Field(
        default="",
        description="The situation that calls for the tool, under 20 words; empty if the document does not say.",
    )
    limitations: Line = Field(
        default="",
        description="Limits that the document itself states, such as coverage or a maximum; empty if it states none.",
    )
    example_queries: Lines = Field(
        default=[],
        description="5 to 8 different requests of users whom the tool serves, formal and informal, in different word "
        "orders, in the language of the description, none naming the tool.",
    )
    grounded: Unless = Field(default=True, description="false if the document does not say what the tool does.")

    def tidy(self) -> Draft:
        """The same with single spaces, tags in lower case, no duplicates, and no more items than allowed."""
        return self.model_copy(
            update={
                "function_description": _line(self.function_description),
                "tags": _distinct((tag.strip().lstrip("#").lower()[:_TAG_LENGTH] for tag in self.tags), TAGS[1]),
                "when_to_use": _line(self.when_to_use),
                "limitations": _line(self.limitations),
                "example_queries": _distinct(self.example_queries, QUERIES[1]),
            }
        )

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the fields that hold something."""
        return tuple(name for name in PROFILE_FIELDS if getattr(self, name))

    def only(self, fields: Iterable[str]) -> Draft:
        """The draft with nothing but these fields."""
        return EMPTY.model_copy(update={name: getattr(self, name) for name in fields})

    def without_queries(self) -> Draft:
        """The draft without example queries."""
        return self.model_copy(update={"example_queries": []})

    def without_items(self, items: Mapping[str, Sequence[str]]) -> Draft:
        """The draft without some tags or queries."""
        gone = {name: {each.casefold().strip() for each in found} for name, found in items.items()}
        changed = {
            name: [each for each in getattr(self, name) if each.casefold().strip() not in gone[name]]
            for name in ("tags", "example_queries")
            if gone.get(name)
        }
        return self.model_copy(update=changed)


EMPTY = Draft()


def broken_rules(draft: Draft, *, description: str, queries: bool = True) -> dict[str, str]:
    """The fields that break the contract → why.

    Args:
        draft: A tidy draft.
        description: The author's description, for the language.
        queries: Whether example queries are wanted.
    """
    broken: dict[str, str] = {}
    for name, most in (
        ("function_description", MOST_WORDS),
        ("when_to_use", MOST_WORDS),
        ("limitations", _MOST_WORDS_LIMITATIONS),
    ):
        if (count := count_words(getattr(draft, name))) > most:
            broken[name] = f"{count} words, at most {most} are allowed"
    if not draft.function_description:
        broken["function_description"] = "empty"
    if len(draft.tags) < TAGS[0]:
        broken["tags"] = f"{len(draft.tags)} distinct tags, {TAGS[0]} to {TAGS[1]} are needed"
    if not queries:
        return broken
    if len(draft.example_queries) < QUERIES[0]:
        broken["example_queries"] = (
            f"{len(draft.example_queries)} distinct queries, {QUERIES[0]} to {QUERIES[1]} are needed"
        )
    elif any(count_words(each) > _MOST_WORDS_QUERY for each in draft.example_queries):
        broken["example_queries"] = f"a query of over {_MOST_WORDS_QUERY} words"
    elif other_language(description, " ".join(draft.example_queries)):
        broken["example_queries"] = "not in the language of the description"
    return broken


def count_words(text: str) -> int:
    """Words of a text; two characters count as one in scripts without spaces."""
    return len(_SPACELESS.sub(" ", text).split()) + len(_SPACELESS.findall(text)) // 2


def _line(text: str) -> str:
    line = " ".join(text.split())
    return "" if _NOTHING.fullmatch(line) else line


def _distinct(items: Iterable[str], most: int) -> list[str]:
    """The first of those that differ in more than case and punctuation."""
    found: dict[str, str] = {}
    for item in items:
        line = " ".join(item.split())
        if key := _PUNCTUATION.sub(" ", line.casefold()).strip():
            found.setdefault(key, line)
    return list(found.values())[:most]
