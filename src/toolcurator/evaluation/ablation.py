"""What each evidence and each field of the profiles is worth: the same run with one left out at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from toolcurator.catalog import Catalog
from toolcurator.evaluation.labels import Dataset
from toolcurator.retrieval import Curator
from toolcurator.retrieval.weights import FEATURES, TEXT
from toolcurator.tool import Profile, Tool

Ablation = Literal["evidence", "fields"]
PROFILE_FIELDS = ("function_description", "tags", "when_to_use", "limitations", "example_queries")


def parts_to_leave_out(kind: Ablation, datasets: Sequence[Dataset]) -> tuple[str, ...]:
    """What is left out in turn: all that some tool of the sets has."""
    tools = [tool for dataset in datasets for tool in Catalog.of(dataset.tools)]
    profiles = [tool.profile for tool in tools if tool.profile is not None]
    if kind == "fields":
        return tuple(field for field in PROFILE_FIELDS if any(getattr(profile, field) for profile in profiles))
    taught = any(tool.examples for tool in tools) or any(profile.example_queries for profile in profiles)
    return FEATURES if taught else TEXT


def without_field(dataset: Dataset, field: str) -> Dataset:
    """The set, its tools' profiles with one field emptied."""
    return replace(dataset, tools=tuple(_without(tool, field) for tool in Catalog.of(dataset.tools)))


def leave_out(curator: Curator, evidence: str) -> None:
    """Score without one evidence from now on."""
    curator.use(curator.weights.without(evidence))


def _without(tool: Tool, field: str) -> Tool:
    if tool.profile is None:
        return tool
    empty = Profile.model_fields[field].default
    return tool.model_copy(update={"profile": tool.profile.model_copy(update={field: empty})})
