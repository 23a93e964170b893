"""Reads an OpenAPI document, wherever it lies, into tools and a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolcurator.errors import CatalogError
from toolcurator.sources.documents import read_value
from toolcurator.sources.fault import Fault, explain
from toolcurator.sources.json_values import as_object, in_words
from toolcurator.sources.openapi import calling
from toolcurator.sources.openapi.document import NotAnOperation, Operation, operations, refusal
from toolcurator.sources.openapi.limit import SchemaLimit
from toolcurator.sources.openapi.lines import Lines, operation_lines
from toolcurator.sources.openapi.operation_tool import ToolMaker
from toolcurator.sources.openapi.references import References
from toolcurator.sources.openapi.schema import Schemas
from toolcurator.sources.openapi.text import server_name, short, text
from toolcurator.sources.openapi.wanted import Wanted
from toolcurator.sources.web import fetch_value, is_url, shown_url
from toolcurator.tool import JsonSchema, Tool

_LONGEST_SAID = 300


@dataclass(frozen=True)
class OpenApiReading:
    """What an OpenAPI document gave.

    Attributes:
        tools: Its tools in the document's order; no two have one id.
        skipped: Every operation that is not a tool: method and path as the entry, and why.
        faults: What is doubtful in the rest: parts left out of tools that are there, a missing server, webhooks.
        title: Title of the document.
        files: Further files that its references led to.
        line: Line on which the operation of the tool at a position begins; 0 if the document is no file. Worked out when
            first asked for.
    """

    tools: tuple[Tool, ...] = ()
    skipped: tuple[Fault, ...] = ()
    faults: tuple[Fault, ...] = ()
    title: str = ""
    files: frozenset[str] = frozenset()
    line: Callable[[int], int] = field(default=lambda _: 0, compare=False)


def read_openapi(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    server: str = "",
    tags: str | Sequence[str] = (),
    paths: str | Sequence[str] = (),
    methods: str | Sequence[str] = (),
) -> OpenApiReading:
    """Read an OpenAPI document of version 2.0, 3.0 or 3.1.

    Args:
        source: A file (``.json``, ``.yaml``, ``.yml``), an ``http`` or ``https`` address, or the document itself. A mapping is
            not copied: do not change it afterwards.
        server: Server of the tools; by default the document's title, made short.
        tags: Only operations with one of these tags, case aside.
        paths: Only operations whose path fits one of these globs (``/pets*``).
        methods: Only operations with one of these methods, case aside.

    Returns:
        Tools and report; it never raises for what stands in a document, nor for one that cannot be read or fetched.

    Raises:
        CatalogError: The source is none of these.
        MissingExtra: An address was given, and ``httpx`` is not installed.
    """
    wanted = Wanted.of(tags, paths, methods)
    if is_url(source):
        url, value, fault = fetch_value(str(source))
        return _failed(fault) if fault else read_document(value, url=url, server=server, wanted=wanted)
    if isinstance(source, str | os.PathLike):
        file = Path(source)
        value, fault = read_value(file)
        return _failed(fault) if fault else read_document(value, file=file, server=server, wanted=wanted)
    if isinstance(source, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        return read_document(dict(source), server=server, wanted=wanted)
    raise CatalogError(f"an OpenAPI document is a file, an address or a mapping, not {in_words(source)}")


def is_openapi(value: Any) -> bool:
    """Whether a JSON value says that it is an OpenAPI document."""
    body = as_object(value)
    return body is not None and any(isinstance(body.get(key), str | int | float) for key in ("openapi", "swagger"))


def read_document(
    value: Any, *, file: Path | None = None, url: str = "", server: str = "", wanted: Wanted | None = None
) -> OpenApiReading:
    """Read a document that is parsed already.

    Args:
        value: The document. It is kept, not copied.
        file: The file it came from, beside which further files may lie.
        url: The address it came from, at which relative servers start.
        server: As for ``read_openapi``.
        wanted: Which operations are asked for.
    """
    path = str(file) if file else shown_url(url)
    document = as_object(value)
    if document is None:
        return _failed(Fault(path=path, message=f"an OpenAPI document must be an object, not {in_words(value)}"))
    if reason := refusal(document):
        return _failed(Fault(path=path, message=reason))
    return _Reader(document, file, url, path, server, wanted or Wanted()).read()


@dataclass
class _Reader:
    """One reading of one document."""

    document: JsonSchema
    file: Path | None
    url: str
    path: str
    server: str
    wanted: Wanted
    _places: list[Operation] = field(default_factory=list[Operation])
    _skipped: list[Fault] = field(default_factory=list[Fault])
    _doubts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _now: str = ""
    _lines: Lines | None = None

    def read(self) -> OpenApiReading:
        info = as_object(self.document.get("info")) or {}
        title = text(info.get("title"))
        references = References(self.document, file=self.file, url=self.url)
        schemas = Schemas(references, self._doubt)
        maker = ToolMaker(
            self.document,
            references,
            schemas,
            SchemaLimit(schemas),
            calling.schemes_of(self.document, references),
            self.server or server_name(title) or (server_name(self.file.stem) if self.file else ""),
            short(info.get("description"), _LONGEST_SAID),
            self.url,
        )
        tools: list[Tool] = []
        taken: set[str] = set()
        for each in operations(self.document, references):
            if (tool := self._tool(each, maker, taken)) is not None:
                tools.append(tool)
                taken.add(tool.id)
        return OpenApiReading(
            tools=tuple(tools),
            skipped=tuple(self._skipped),
            faults=tuple(self._faults(tools)),
            title=title,
            files=frozenset(references.files),
            line=lambda position: self._line(self._places[position].path, self._places[position].method),
        )

    def _tool(self, each: Operation | NotAnOperation, maker: ToolMaker, taken: set[str]) -> Tool | None:
        if isinstance(each, NotAnOperation):
            self._skip(each.path, each.method, each.reason)
            return None
        if reason := self.wanted.refusal(each):
            self._skip(each.path, each.method, reason)
            return None
        self._now = each.place
        try:
            tool, doubts = maker.make(each, taken)
        except (CatalogError, RecursionError) as error:
            self._skip(each.path, each.method, "nested too deeply" if isinstance(error, RecursionError) else str(error))
            return None
        except ValidationError as error:
            self._skip(each.path, each.method, explain(error))
            return None
        for doubt in doubts:
            self._doubt(doubt)
        self._places.append(each)
        return tool

    def _skip(self, path: str, method: str, reason: str) -> None:
        asked = reason.startswith("not asked for")
        line = 0 if asked else self._line(path, method)
        self._skipped.append(Fault(path=self.path, line=line, entry=f"{method} {path}".strip(), message=reason))

    def _doubt(self, message: str) -> None:
        entries = self._doubts.setdefault(message, [])
        if self._now not in entries[-1:]:
            entries.append(self._now)

    def _faults(self, tools: list[Tool]) -> list[Fault]:
        """Doubts, one for each kind however many operations it concerns."""
        faults: list[Fault] = []
        for message, entries in self._doubts.items():
            method, _, path = entries[0].partition(" ")
            more = f" (and {len(entries) - 1} more operations)" if len(entries) > 1 else ""
            faults.append(
                Fault(path=self.path, line=self._line(path, method), entry=entries[0], message=f"{message}{more}")
            )
        relative = [tool for tool in tools if tool.endpoint and tool.endpoint.url.startswith("/")]
        if relative:
            message = (
                f"no server with an address is named, so {len(relative)} of {len(tools)} tools know only their path"
            )
            faults.append(Fault(path=self.path, message=message))
        if webhooks := as_object(self.document.get("webhooks")):
            message = f"no tools under 'webhooks' ({len(webhooks)}): the service makes these calls"
            faults.append(Fault(path=self.path, message=message))
        return faults

    def _line(self, path: str, method: str) -> int:
        if self.file is None:
            return 0
        if self._lines is None:
            try:
                content = self.file.read_text("utf-8-sig")
                self._lines = operation_lines(content, yaml=self.file.suffix.lower() != ".json")
            except (OSError, ValueError):  # it has changed since it was read
                self._lines = {}
        return self._lines.get((path, method), 0) or self._lines.get((path, ""), 0)


def _failed(fault: Fault) -> OpenApiReading:
    return OpenApiReading(faults=(fault,))
