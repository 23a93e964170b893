"""Whatever describes tools (paths, functions, schemas, tools, a mixture) → tools, each with the place it came from."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from toolcurator.errors import CatalogError
from toolcurator.sources.documents import document_of
from toolcurator.sources.fault import Fault
from toolcurator.sources.files import SYNONYMS_FILE, Reading, files_of, read_file, reading_of
from toolcurator.sources.functions import tool_from_function
from toolcurator.sources.synonyms import Synonyms, read_synonyms, synonyms_of
from toolcurator.tool import Tool

AnyPath = str | os.PathLike[str]
Place = tuple[str, Callable[[], int]]
"""A file ("" for code), and what works out the line in it."""


@dataclass
class Gathered:
    """Tools of several sources.

    Attributes:
        tools: The tools in the order they came; ids may repeat.
        places: Where each came from.
        faults: What could not be read.
        synonyms: Path and content of every list of synonyms that belongs to the sources.
        names: The names that the sources give themselves.
        languages: The languages that they give.
    """

    tools: list[Tool] = field(default_factory=list[Tool])
    places: list[Place] = field(default_factory=list[Place])
    faults: list[Fault] = field(default_factory=list[Fault])
    synonyms: list[tuple[str, Synonyms]] = field(default_factory=list[tuple[str, Synonyms]])
    names: set[str] = field(default_factory=set[str])
    languages: set[str] = field(default_factory=set[str])

    @property
    def name(self) -> str:
        """The name of them all; empty if they give none, or several."""
        return next(iter(self.names)) if len(self.names) == 1 else ""

    @property
    def language(self) -> str:
        """The language of them all; empty if they give none, or several."""
        return next(iter(self.languages)) if len(self.languages) == 1 else ""

    @property
    def files(self) -> set[str]:
        """The files that tools and synonyms came from."""
        return {path for path, _ in (*self.places, *self.synonyms)} - {""}

    def unique(self) -> tuple[tuple[Tool, ...], list[Fault]]:
        """The first tool of every id, and a fault for each further one."""
        return unique(self.tools, self.places)


def gather(source: object, *, server: str = "") -> Gathered:
    """Read a source.

    Args:
        source: A path, a Python function, a ``Tool``, a mapping (a declaration, our own form, or a whole listing), or
            an iterable that mixes them.
        server: Server of the tools that name none.

    Returns:
        What was found.

    Raises:
        CatalogError: A path does not exist, a folder holds no catalogue file, or a source is none of these.
    """
    found = Gathered()
    _add(found, source, server)
    return found


def unique(tools: Iterable[Tool], places: list[Place] | None = None) -> tuple[tuple[Tool, ...], list[Fault]]:
    """The first tool of every id, and for each further one a fault that names both places (pitfall D8)."""
    first: dict[str, int] = {}
    kept: list[Tool] = []
    faults: list[Fault] = []
    for index, tool in enumerate(tools):
        if tool.id not in first:
            first[tool.id] = index
            kept.append(tool)
            continue
        here, there = (_place(places, each) for each in (index, first[tool.id]))
        taken = f"{there[0]}:{there[1]}" if there[0] else f"tool {first[tool.id] + 1}"
        message = f"the id is taken already by {taken}; this one is left out"
        if not here[0]:
            message = f"{message} (tool {index + 1})"
        faults.append(Fault(path=here[0], line=here[1], entry=tool.id, message=message))
    return tuple(kept), faults


def _place(places: list[Place] | None, index: int) -> tuple[str, int]:
    path, line = places[index] if places else ("", lambda: 0)
    return path, line()


def _add(found: Gathered, source: object, server: str) -> None:
    if isinstance(source, Tool):
        _take(found, [source], [("", lambda: 0)])
    elif isinstance(source, str | os.PathLike):
        _add_path(found, Path(cast("AnyPath", source)), server)
    elif isinstance(source, BaseModel):  # an MCP SDK's tool or listing, a provider's declaration
        _add(found, source.model_dump(mode="json", by_alias=True, exclude_none=True), server)
    elif isinstance(source, Mapping):
        document = document_of(copy.deepcopy(dict(cast("Mapping[str, Any]", source))))
        _add_reading(found, reading_of(document, server=server), None)
    elif callable(source):
        _take(found, [tool_from_function(source, server=server)], [("", lambda: 0)])
    elif isinstance(source, Iterable):
        members = list(cast("Iterable[object]", source))
        if members and all(isinstance(each, dict) and "tools" not in each for each in members):
            _add_reading(found, reading_of(document_of(copy.deepcopy(members)), server=server), None)
        else:
            for each in members:
                _add(found, each, server)
    else:
        raise CatalogError(f"no tools in a {type(source).__name__}: give paths, functions, tools or schemas")


def _add_path(found: Gathered, path: Path, server: str) -> None:
    files = files_of(path)
    if not files:
        raise CatalogError(f"no catalogue file in {path}: expected .json, .jsonl, .yaml, .yml or .csv")
    for file in files:
        _add_reading(found, read_file(file, server=server), file)
    if path.is_dir() and (path / SYNONYMS_FILE).is_file():
        _add_synonyms(found, path / SYNONYMS_FILE)


def _add_reading(found: Gathered, reading: Reading, file: Path | None) -> None:
    path = str(file) if file else ""
    _take(found, reading.tools, [(path, lambda i=i: reading.line(i)) for i in range(len(reading.tools))])
    found.faults += reading.faults
    found.names |= {reading.name} - {""}
    found.languages |= {reading.language} - {""}
    if isinstance(reading.synonyms, str):
        _add_synonyms(found, (file.parent if file else Path()) / reading.synonyms)
    elif reading.synonyms is not None:
        words, faults = synonyms_of({"synonyms": reading.synonyms}, path=path)
        found.synonyms.append((path, words))
        found.faults += faults


def _add_synonyms(found: Gathered, path: Path) -> None:
    words, faults = read_synonyms(path)
    found.synonyms.append((str(path), words))
    found.faults += faults


def _take(found: Gathered, tools: Iterable[Tool], places: list[Place]) -> None:
    found.tools += tools
    found.places += places
