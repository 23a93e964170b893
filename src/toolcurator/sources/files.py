"""Catalogue files and folders → tools and faults. One bad entry never stops the rest (pitfall D8)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcurator.errors import CatalogError
from toolcurator.sources.documents import MOST_BYTES, SUFFIXES, Document, read_document
from toolcurator.sources.entries import row_of, tools_of
from toolcurator.sources.fault import Fault
from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.mcp import is_mcp_config
from toolcurator.sources.schemas import detect
from toolcurator.tool import Tool

SYNONYMS_FILE = "domain_synonyms.json"
_IGNORED = frozenset({"META.json", "queries.jsonl", "profiles.jsonl", SYNONYMS_FILE})


@dataclass(frozen=True)
class Reading:
    """What one file gave.

    Attributes:
        tools: Its tools, in its order; ids may repeat.
        faults: What could not be read.
        name: Name of the catalogue, if the file says it.
        language: Language of the catalogue, if the file says it.
        sources: What the file says under ``sources``: where `toolcurator.sync` reads its tools again.
        synonyms: What the file says under ``synonyms``: a mapping, or a path relative to the file.
        line: Line on which the tool of that position begins; worked out when first asked for.
        parts: Further files that it was read from, because it refers to them.
        configures: The file holds no tools, but configures MCP servers that have some.
        own_server: Server of its tools if that is made of a title, which another file may have too; else empty.
    """

    tools: tuple[Tool, ...] = ()
    faults: tuple[Fault, ...] = ()
    name: str = ""
    language: str = ""
    sources: tuple[Any, ...] = ()
    synonyms: Any = None
    line: Callable[[int], int] = field(default=lambda _: 0, compare=False)
    parts: frozenset[str] = frozenset()
    own_server: str = ""
    configures: bool = False


def files_of(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The catalogue files of a path.

    Args:
        path: A file, which is returned as it is, or a folder.

    Returns:
        For a folder all files below it that end in ``.json``, ``.jsonl``, ``.yaml``, ``.yml`` or ``.csv``, sorted; not
        hidden ones, ``META.json``, ``queries.jsonl``, ``profiles.jsonl``, ``README.*`` and ``domain_synonyms.json``.

    Raises:
        CatalogError: There is no such path.
    """
    start = Path(path)
    if start.is_dir():
        return tuple(sorted(found for found in start.rglob("*") if _is_catalog(found, start)))
    if not start.exists():
        raise CatalogError(f"no such file or folder: {start}")
    return (start,)


def read_file(path: str | os.PathLike[str], *, server: str = "", most_bytes: int = MOST_BYTES) -> Reading:
    """Read the tools of one file: our own catalogue form, a list, lines, a table, or a listing of a provider or of MCP.

    Args:
        path: The file, in UTF-8.
        server: Server of the tools that name none. Without it, a listing of MCP takes its own name, else the file's.
        most_bytes: A larger file is refused before it is read.

    Returns:
        Tools and faults; never raises for what stands in the file.
    """
    file = Path(path)
    return reading_of(read_document(file, most_bytes), file, server=server)


def reading_of(document: Document, file: Path | None = None, *, server: str = "", url: str = "") -> Reading:
    """Read the tools of a document.

    Args:
        document: The document.
        file: The file it came from; None if it came from code.
        server: As for ``read_file``.
        url: The address it came from, if it did.

    Returns:
        Tools and faults.
    """
    path = str(file) if file else ""
    if document.faults and not document.entries:
        return Reading(faults=document.faults)
    if document.bare and ("openapi" in document.header or "swagger" in document.header):
        return _openapi(document, file, server, url)
    if document.bare and is_mcp_config(document.entries[0]):
        message = "it configures MCP servers, which are not started for a folder; name the file itself"
        return Reading(faults=(Fault(path=path, message=message),), configures=True)
    if (refusal := _not_tools(document, file)) is not None:
        return Reading(faults=(Fault(path=path, message=refusal),))
    header = document.header if not document.bare else {}
    listing = _is_listing(document, file)
    server = server or _text(header.get("server")) or (_listing_server(header, file) if listing else "")
    described = _text(header.get("server_description")) or (_text(header.get("description")) if listing else "")
    metadata = {"server_description": described} if described else None
    is_table = file is not None and file.suffix.lower() == ".csv"
    tools: list[Tool] = []
    origins: list[int] = []
    faults = list(document.faults)
    for index, entry in enumerate(document.entries):
        try:
            found = tools_of(row_of(entry) if is_table else entry, server=server, metadata=metadata)
        except CatalogError as error:
            name = _entry_name(entry) or f"#{index + 1}"
            faults.append(Fault(path=path, line=document.line(index), entry=name, message=str(error)))
            continue
        tools.extend(found)
        origins.extend([index] * len(found))
    return Reading(
        tools=tuple(tools),
        faults=tuple(sorted(faults, key=lambda fault: fault.line)),
        name=_text(header.get("name")),
        language=_text(header.get("language")),
        sources=tuple(as_array(header.get("sources")) or ()),
        synonyms=header.get("synonyms"),
        line=lambda position: document.line(origins[position]),
    )


def _openapi(document: Document, file: Path | None, server: str, url: str) -> Reading:
    from toolcurator.sources.openapi import read_document

    found = read_document(document.entries[0], file=file, url=url, server=server)
    return Reading(
        tools=found.tools,
        faults=(*found.faults, *found.skipped),
        name=found.title,
        line=found.line,
        parts=found.files,
        own_server="" if server or not found.tools else found.tools[0].server,
    )


def _is_catalog(path: Path, start: Path) -> bool:
    parts = path.relative_to(start).parts
    return (
        path.suffix.lower() in SUFFIXES
        and path.name not in _IGNORED
        and not path.name.upper().startswith("README")
        and not any(part.startswith(".") for part in parts)
        and path.is_file()
    )


def _not_tools(document: Document, file: Path | None) -> str | None:
    """Why a file that can be read is no catalogue; None if it may be one."""
    if not document.bare or file is None:  # a mapping from code is meant to be a tool; a file may be anything
        return None
    body = document.header
    is_tool = "name" in body and any(isinstance(body.get(key), list) for key in ("slots", "entities"))
    if is_tool or detect(body) not in (None, "openai_responses") or ("name" in body and "parameters" in body):
        return None
    return "no tools in it: expected a list of tools, or an object that has one under 'tools'"


def _is_listing(document: Document, file: Path | None) -> bool:
    """Whether the file lists the tools of one MCP server, so that they belong to it."""
    if {"jsonrpc", "result", "nextCursor", "installations", "display_name"} & document.header.keys():
        return True
    if file is not None and file.name.lower().endswith(".tools.json"):
        return True
    bodies = [body for entry in document.entries if (body := as_object(entry)) is not None]
    return any("inputSchema" in body for body in bodies) and not any("id" in body for body in bodies)


def _listing_server(header: dict[str, Any], file: Path | None) -> str:
    return _text(header.get("name")) or (file.stem.removesuffix(".tools") if file else "")


def _entry_name(entry: object) -> str:
    body = as_object(entry) or {}
    inner = as_object(body.get("function")) or body
    return next((value for key in ("name", "id") if isinstance(value := inner.get(key), str) and value.strip()), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
