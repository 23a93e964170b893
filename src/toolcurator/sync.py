"""A catalogue file that is brought back into step with the sources it names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.catalog import Catalog, CatalogDiff
from toolcurator.enrichment.source import stale_fields
from toolcurator.errors import CatalogError
from toolcurator.sources.documents import read_value
from toolcurator.sources.fault import Fault, explain
from toolcurator.sources.gather import gather
from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.openapi import read_openapi
from toolcurator.sources.web import is_url, shown_url
from toolcurator.tool import Tool

_DEFAULTS: dict[str, Any] = {
    name: Tool.model_fields[name].default for name in ("examples", "tags", "roles", "extra_context", "profile", "state")
}
"""What people and models add in a catalogue; a source that says nothing about it does not take it away."""


class Source(BaseModel):
    """Where some of a catalogue's tools come from, as the catalogue file says it under ``sources``.

    Attributes:
        source: A file or folder, relative to the catalogue file, or an address.
        server: Server of the tools that name none.
        tags: Of an OpenAPI document only the operations with one of these tags.
        paths: Only those whose path matches one of these patterns (``/pets/*``).
        methods: Only these methods.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    server: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class SyncReport:
    """What a catalogue is now, and what has happened.

    Attributes:
        catalog: The catalogue in step with its sources; it is not saved yet.
        diff: What happened since the file was written.
        failed: Source or server → why it could not be read. Its tools stay as they were.
        stale: Ids of tools whose profile was written from another text than they have now.
        faults: Everything else that is wrong with what was read.
    """

    catalog: Catalog
    diff: CatalogDiff
    failed: dict[str, str]
    stale: tuple[str, ...]
    faults: tuple[Fault, ...]

    def save(self, path: Path) -> None:
        """Write the catalogue with its sources, whole or not at all.

        Raises:
            CatalogError: The path does not end in ``.json``, ``.yaml`` or ``.yml``, which can hold the sources.
        """
        self.catalog.save(path)


def sync(path: Path, sources: Sequence[Source] = ()) -> SyncReport:
    """Read a catalogue's sources again.

    A tool stays under its id with what was added to it in the catalogue (examples, tags, roles, extra context, profile, state)
    unless its source says something else about that; so does one that was renamed. Tools of no source stay as they are, and
    those of a source that cannot be read too.

    Args:
        path: The catalogue file; it need not exist if sources are given.
        sources: Sources that are added to those that it names.

    Raises:
        CatalogError: The file or an added source cannot be read, it names no source, or no tool is left.
    """
    if path.suffix.lower() not in (".json", ".yaml", ".yml"):
        raise CatalogError(f"{path} cannot name its sources: expected .json or .yaml")
    named, filled = _header(path)
    old = Catalog.load(path) if filled else None
    wanted = tuple({each.source: each for each in (*named, *sources)}.values())
    if not wanted:
        raise CatalogError(f'{path} names no sources: add them with --source, or as "sources": ["api.yaml", ...]')
    kept = [tool for tool in old or () if "source" not in tool.metadata]
    read: list[Tool] = []
    failed: dict[str, str] = {}
    faults: list[Fault] = []
    for each in wanted:
        mine = [tool for tool in old or () if tool.metadata.get("source") == each.source]
        tools, doubts, silent = _read(each, path.parent, failed)
        faults += doubts
        if silent is None and each in sources:
            raise CatalogError(f"source {each.source}: {next(iter(failed.values()))}")
        read += tools
        read += [tool for tool in mine if silent is None or tool.server in silent]
    read = _with_added(old, read)
    said = [each.model_dump(mode="json", exclude_defaults=True) for each in wanted]
    catalog = Catalog(
        [*kept, *read],
        name=old.name if old else path.stem,
        language=old.language if old else "",
        files=[str(path)],
        sources=[each if len(each) > 1 else each["source"] for each in said],
    )
    stale = [tool.id for tool in catalog if tool.profile is not None and stale_fields(tool, tool.profile)]
    diff = old.diff(catalog) if old is not None else CatalogDiff(added=tuple(tool.id for tool in catalog))
    return SyncReport(catalog, diff, failed, tuple(stale), (*faults, *catalog.faults))


def _read(
    source: Source, folder: Path, failed: dict[str, str]
) -> tuple[list[Tool], list[Fault], frozenset[str] | None]:
    """The tools of a source, its faults, and the servers that did not answer; None for these if it gave nothing at all."""
    shown = shown_url(source.source) if is_url(source.source) else source.source
    place: Any = source.source if is_url(source.source) else folder / source.source
    try:
        if source.tags or source.paths or source.methods:
            found = read_openapi(
                place, server=source.server, tags=source.tags, paths=source.paths, methods=source.methods
            )
            tools, doubts, silent = found.tools, [*found.faults, *found.skipped], frozenset[str]()
        else:
            gathered = gather(place, server=source.server)
            tools, doubts, silent = gathered.tools, gathered.faults, frozenset(gathered.silent)
            for words_path, words in gathered.synonyms:
                doubts += words.check(tools, words_path)
                tools = words.applied(tools)
    except CatalogError as error:
        failed[shown] = str(error)
        return [], [], None
    if not tools and not silent:
        failed[shown] = "; ".join(map(str, doubts[:3])) or "no tool in it"
        return [], [], None
    failed |= dict.fromkeys(silent, f"MCP server of {shown} did not answer")
    marked = {"source": source.source}
    return [tool.model_copy(update={"metadata": {**tool.metadata, **marked}}) for tool in tools], doubts, silent


def _with_added(old: Catalog | None, read: list[Tool]) -> list[Tool]:
    """The tools, each with what the old catalogue added to it."""
    if old is None or not read:
        return read
    before = {tool.id: tool for tool in old}
    there = {tool.id for tool in read}
    gone = [_bare(tool) for tool in old if tool.id not in there]
    come = [_bare(tool) for tool in read if tool.id not in before]
    renamed = {new: was for was, new in Catalog(gone).diff(Catalog(come)).renamed.items()} if gone and come else {}
    return [_joined(tool, before.get(tool.id) or before.get(renamed.get(tool.id, ""))) for tool in read]


def _joined(tool: Tool, was: Tool | None) -> Tool:
    """The tool with what was added to an earlier form of it."""
    if was is None:
        return tool
    added = {
        name: value
        for name, default in _DEFAULTS.items()
        if (value := getattr(was, name)) != default and getattr(tool, name) == default
    }
    return tool.model_copy(update=added) if added else tool


def _bare(tool: Tool) -> Tool:
    return tool.model_copy(update=_DEFAULTS)


def _header(path: Path) -> tuple[list[Source], bool]:
    """The sources that a catalogue file names, and whether it holds tools or anything else that has to be read."""
    if not path.exists():
        return [], False
    value, fault = read_value(path)
    if fault is not None:
        raise CatalogError(str(fault))
    header = as_object(value) or {}
    filled = header.keys() - {"sources", "name", "language"} or value != header
    if (listed := as_array(header.get("sources", []))) is None:
        raise CatalogError(f"{path}: sources must be a list")
    try:
        named = [Source.model_validate({"source": each} if isinstance(each, str) else each) for each in listed]
    except ValidationError as error:
        raise CatalogError(f"{path}: sources: {explain(error)}") from None
    return named, bool(filled)


def relative(source: str, catalog: Path) -> str:
    """A source as it was typed, seen from the folder of the catalogue."""
    if is_url(source):
        return source
    return Path(os.path.relpath(source, catalog.resolve().parent)).as_posix()
