"""What a set adds to its tools: example queries drawn from the train split, and recorded profiles."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toolcurator.catalog import Catalog
from toolcurator.evaluation.labels import Dataset
from toolcurator.evaluation.leakage import normalized


@dataclass(frozen=True, slots=True)
class Drawn:
    """Examples of each tool.

    Attributes:
        examples: Tool id → its example queries.
        refused: Train queries that were passed over, since their text is asked too.
    """

    examples: Mapping[str, tuple[str, ...]]
    refused: int


def draw_examples(dataset: Dataset, most: int, seed: int) -> Drawn:
    """Draw example queries of each tool from the train split.

    A query with one need is an example of every tool that meets it; one with several says too little about each. A text
    that is asked is never drawn.

    Args:
        dataset: The set.
        most: Examples a tool.
        seed: Seed of the draw.
    """
    asked = {normalized(query.query) for query in dataset.asked()}
    fresh = [query for query in dataset.train if normalized(query.query) not in asked]
    found: dict[str, list[str]] = {}
    for query in random.Random(seed).sample(fresh, len(fresh)):  # noqa: S311
        if len(query.needs) == 1:
            for id in sorted(query.needs[0]):
                if len(examples := found.setdefault(id, [])) < most:
                    examples.append(query.query)
    return Drawn({id: tuple(texts) for id, texts in found.items()}, len(dataset.train) - len(fresh))


def with_examples(dataset: Dataset, drawn: Drawn) -> Dataset:
    """The set, its tools with more examples; those that the catalogue has of its own stay."""
    tools = tuple(
        tool.model_copy(update={"examples": (*tool.examples, *drawn.examples.get(tool.id, ()))})
        for tool in Catalog.of(dataset.tools)
    )
    return replace(dataset, tools=tools)


def with_profiles(dataset: Dataset, path: Path) -> Dataset:
    """The set, its tools with the recorded profiles of a file; what could not be attached is among the catalogue's faults.

    Args:
        dataset: The set. Of several sets in the file, its own is taken.
        path: As for `toolcurator.sources.profiles.read_profiles`.

    Raises:
        CatalogError: The profiles cannot be read.
    """
    found = Catalog.of(dataset.tools)
    tools = Catalog(
        found.tools,
        name=dataset.name,
        language=found.language,
        profiles=path,
        faults=found.faults,
    )
    return replace(dataset, tools=tools)
