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
from toolcurator.sources.frameworks import tools_from_framework
from toolcurator.sources.functions import tool_from_function
from toolcurator.sources.mcp import McpServerConfig, is_mcp_config, read_mcp_config
from toolcurator.sources.synonyms import Synonyms, read_synonyms, synonyms_of
from toolcurator.sources.web import fetch_value, is_url, shown_url
from toolcurator.tool import Tool

AnyPath = str | os.PathLike[str]
_WHOLE = frozenset(
    {"tools", "openapi", "swagger", "mcpServers"}
)  # in a list of mappings: not a declaration, but a whole listing
Place = tuple[str, Callable[[], int]]
"""A file or an address ("" for code), and what works out the line in it."""


@dataclass
class Gathered:
    """Tools of several sources.

    Attributes:
        tools: The tools in the order they came; ids may repeat.
        places: Where each came from.
        faults: What could not be read.
        synonyms: Path and content of every list of synonyms that belongs to the sources.
        sources: What catalogue files name as the sources of their tools.
        silent: MCP servers that could not be reached.
        names: The names that the sources give themselves.
        languages: The languages that they give.
        parts: Further files that some of them were read from.
        live: Some came from running MCP servers, which may say something else the next time.
        titles: Server that a document of an API made of its own title → where that document lies.
    """

    tools: list[Tool] = field(default_factory=list[Tool])
    places: list[Place] = field(default_factory=list[Place])
    faults: list[Fault] = field(default_factory=list[Fault])
    synonyms: list[tuple[str, Synonyms]] = field(default_factory=list[tuple[str, Synonyms]])
    sources: list[Any] = field(default_factory=list[Any])
    silent: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    languages: set[str] = field(default_factory=set[str])
    parts: set[str] = field(default_factory=set[str])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    live: bool = False

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
        """The files that tools and synonyms came from; not the addresses."""
        return {path for path, _ in (*self.places, *self.synonyms) if not is_url(path)} - {""} | self.parts

    def unique(self) -> tuple[tuple[Tool, ...], list[Fault]]:
        """The first tool of every id, and a fault for each further one."""
        return unique(self.tools, self.places)


def gather(source: object, *, server: str = "") -> Gathered:
    """Read a source.

    Args:
        source: A path, an ``http`` or ``https`` address, a Python function, a ``Tool``, a mapping (a declaration, our own
            form, a whole listing, or an OpenAPI document), or an iterable that mixes them.
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
    elif is_url(source):
        _add_url(found, str(source), server)
    elif isinstance(source, str | os.PathLike):
        _add_path(found, Path(cast("AnyPath", source)), server)
    elif (made := tools_from_framework(source, server=server)) is not None:
        _take(found, made, [("", lambda: 0)] * len(made))
    elif isinstance(source, BaseModel):  # an MCP SDK's tool or listing, a provider's declaration
        _add(found, source.model_dump(mode="json", by_alias=True, exclude_none=True), server)
    elif isinstance(source, Mapping) and is_mcp_config(dict(cast("Mapping[str, Any]", source))):
        _add_servers(found, read_mcp_config(cast("Mapping[str, Any]", source)), "")
    elif isinstance(source, Mapping):
        document = document_of(copy.deepcopy(dict(cast("Mapping[str, Any]", source))))
        _add_reading(found, reading_of(document, server=server), None)
    elif callable(source):
        _take(found, [tool_from_function(source, server=server)], [("", lambda: 0)])
    elif isinstance(source, Iterable):
        members = list(cast("Iterable[object]", source))
        if members and all(isinstance(each, dict) and not _WHOLE & each.keys() for each in members):
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
    readings = [(file, read_file(file, server=server)) for file in files]
    parts = {part for _, reading in readings for part in reading.parts}
    for file, reading in readings:
        if reading.configures and not path.is_dir():
            _add_servers(found, read_mcp_config(file), str(file))
        elif reading.tools or str(file.resolve()) not in parts:  # a part of another file says nothing by itself
            _add_reading(found, reading, file)
    if path.is_dir() and (path / SYNONYMS_FILE).is_file():
        _add_synonyms(found, path / SYNONYMS_FILE)


def _add_servers(found: Gathered, configs: tuple[McpServerConfig, ...], path: str) -> None:
    """Connect to MCP servers, list their tools, and leave them again."""
    from toolcurator.sources.mcp import McpServers

    with McpServers(configs) as servers:
        tools = servers.tools()
    _take(found, tools, [(path, lambda: 0)] * len(tools))
    found.faults += [fault.model_copy(update={"path": path}) for fault in servers.faults]
    found.parts |= {path} - {""}
    found.silent |= servers.failures.keys()
    found.live = True


def _add_url(found: Gathered, url: str, server: str) -> None:
    where, value, fault = fetch_value(url)
    path = shown_url(where)
    if fault is not None:
        found.faults.append(fault)
        return
    try:
        reading = reading_of(document_of(value), server=server, url=where)
    except CatalogError as error:
        found.faults.append(Fault(path=path, message=str(error)))
        return
    _add_reading(found, reading, None, path)


def _add_reading(found: Gathered, reading: Reading, file: Path | None, path: str = "") -> None:
    path = str(file) if file else path
    tools = _apart(found, reading, path)
    _take(found, tools, [(path, lambda i=i: reading.line(i)) for i in range(len(tools))])
    found.faults += [fault if fault.path else fault.model_copy(update={"path": path}) for fault in reading.faults]
    found.parts |= reading.parts
    found.sources += reading.sources
    found.names |= {reading.name} - {""}
    found.languages |= {reading.language} - {""}
    if isinstance(reading.synonyms, str):
        _add_synonyms(found, (file.parent if file else Path()) / reading.synonyms)
    elif reading.synonyms is not None:
        words, faults = synonyms_of({"synonyms": reading.synonyms}, path=path)
        found.synonyms.append((path, words))
        found.faults += faults


def _apart(found: Gathered, reading: Reading, path: str) -> tuple[Tool, ...]:
    """The tools of a reading. Of two documents with one title (``OpenAPI definition``) the second's are set apart."""
    own = reading.own_server
    if not own:
        return reading.tools
    place = str(Path(path).with_suffix("")) if path else f"#{len(found.titles) + 1}"  # x.json and x.yaml are one
    if found.titles.setdefault(own, place) == place:
        return reading.tools
    server = f"{own}_{Path(place).name.lstrip('#')}"
    found.titles[server] = place
    return tuple(
        tool.model_copy(update={"server": server, "id": server + tool.id.removeprefix(own)}) for tool in reading.tools
    )


def _add_synonyms(found: Gathered, path: Path) -> None:
    words, faults = read_synonyms(path)
    found.synonyms.append((str(path), words))
    found.faults += faults


def _take(found: Gathered, tools: Iterable[Tool], places: list[Place]) -> None:
    found.tools += tools
    found.places += places
