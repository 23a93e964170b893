"""A catalogue that stays in step with live MCP servers, and calls its tools."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from toolcurator.arguments import check_arguments
from toolcurator.catalog import Catalog, CatalogDiff
from toolcurator.errors import CallError, CatalogError, UnknownTool
from toolcurator.sources.documents import read_value
from toolcurator.sources.files import files_of
from toolcurator.sources.functions import tool_from_function
from toolcurator.sources.mcp import CallResult, McpServerConfig, McpServers, is_mcp_config, read_mcp_config
from toolcurator.sources.mcp.servers import TIMEOUT
from toolcurator.tool import Tool

_ONLY_ADDED = ("synonyms", "extra_context", "profiles")
_SHOWN = 5
_BACK_OFF = 10  # a server that took t seconds to fail is asked again after 10 t


class LiveCatalog:
    """Tools of live MCP servers and of anything else, in one catalogue that follows them.

    A server that cannot be reached keeps the tools it listed before; ``failures`` says why. Safe to use from several threads.

    Args:
        source: An ``mcpServers`` file or mapping, an `McpServers`, whatever `Catalog.of` takes, or a list that mixes them.
            Servers that were given as `McpServers` are left open by ``close``.
        refresh_seconds: Every server is listed again after so long, also one that says when it changes.
        patience: Seconds that a search waits for servers to be listed again; one that is slower is served as it was.
        timeout: Seconds a server has to start, and to answer a call.
        **how: ``language``, ``synonyms``, ``extra_context``, ``profiles`` and ``server`` of `Catalog.of`.

    Attributes:
        catalog: The catalogue as it is now; another object once something has changed.

    Raises:
        CatalogError: No tool could be read, and no server listed one.
        MissingExtra: The MCP SDK is not installed.
    """

    def __init__(
        self,
        source: object,
        *,
        refresh_seconds: float = 60.0,
        patience: float = 5.0,
        timeout: float = TIMEOUT,
        **how: Any,
    ) -> None:
        self.refresh_seconds = refresh_seconds
        self.patience = patience
        self._how = how
        self._lock = threading.RLock()
        self._groups, self._rest, own = _split(source, timeout)
        self._own = own
        functions = [cast("Callable[..., Any]", each) for each in self._rest if _is_function(each)]
        self._functions = {tool_from_function(each).id: each for each in functions}
        self._fixed: tuple[object, Catalog | None] = (None, None)
        self._after_call: set[str] = set()
        self._not_before: dict[str, float] = {}
        try:
            for group in self._groups:
                group.refresh()
            self._listed_at = time.monotonic()
            self.catalog = self._made()
        except BaseException:
            self.close()
            raise
        self._nothing: CatalogError | None = None

    @property
    def failures(self) -> Mapping[str, str]:
        """Server → why it could not be used the last time."""
        return {name: why for group in self._groups for name, why in group.failures.items()}

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """Id → the Python function that was given as that tool."""
        return self._functions

    @property
    def changed(self) -> frozenset[str]:
        """The servers that said that their tools changed, or were lost, since they were last listed."""
        return frozenset(name for group in self._groups for name in group.changed)

    def current(self) -> Catalog:
        """The catalogue, brought into step first if a server said that it changed, was called, or is due.

        Raises:
            CatalogError: No tool is left.
        """
        with self._lock:
            due = self._due()
            if due:
                self._list(due, self.patience)
                self._follow()
            if self._nothing is not None:
                raise self._nothing
            return self.catalog

    def refresh(self) -> CatalogDiff:
        """Read all sources again, whether due or not.

        Returns:
            What has changed.

        Raises:
            CatalogError: No tool is left.
        """
        with self._lock:
            self._list({name for group in self._groups for name in group.names}, None)
            diff = self._follow()
            if self._nothing is not None:
                raise self._nothing
            return diff

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        timeout: float | None = None,
    ) -> CallResult:
        """Call a tool: of the MCP server that offers it, or a Python function that was given.

        Args:
            name: Id, bare name or wire name.
            arguments: Its arguments; they are checked before anything is called (pitfall D7).
            role: The persona; a tool it may not see is unknown to it (pitfall A27).
            timeout: Seconds, by default those of the server.

        Raises:
            UnknownTool: There is no such tool, or its server offers it no longer; the message names the nearest
                (pitfalls D4, D6).
            ArgumentError: The arguments do not fit.
            CallError: The server cannot be reached, or the tool belongs to none.
        """
        tool = self.current().require(name, role)
        given: Mapping[str, Any] = {} if arguments is None else arguments
        check_arguments(tool, given)
        if tool.id in self._functions:
            return _called(self._functions[tool.id], given, tool)
        group = self._group(tool)
        try:
            repeatable = tool.side_effect is False
            result = group.call(tool.server, tool.name, given, timeout=timeout, repeatable=repeatable)
        except CallError:
            self._still_there(tool, given, role)
            raise
        if result.is_error:
            self._still_there(tool, given, role)
        elif tool.side_effect is not False or not group.announces(tool.server):  # what it changed may be its tools
            with self._lock:
                self._after_call.add(tool.server)
        return result

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        timeout: float | None = None,
    ) -> CallResult:
        """As ``call``, for callers in an event loop."""
        return await asyncio.to_thread(self.call, name, arguments, role=role, timeout=timeout)

    def close(self) -> None:
        """End the connections that were opened here."""
        for group in self._own:
            group.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _due(self) -> set[str]:
        now = time.monotonic()
        if now - self._listed_at >= self.refresh_seconds:
            self._listed_at = now
            return {name for group in self._groups for name in group.names} | {""}  # "": the files
        said = {name for group in self._groups for name in group.changed if now >= self._not_before.get(name, 0)}
        return said | self._after_call

    def _list(self, servers: Iterable[str], wait: float | None) -> None:
        asked = {*servers}
        self._after_call -= asked
        for group in self._groups:
            mine = asked & {*group.names}
            if not mine:
                continue
            start = time.monotonic()
            group.refresh(mine, timeout=wait)
            now = time.monotonic()
            pause = min(_BACK_OFF * (now - start), self.refresh_seconds)
            self._not_before |= dict.fromkeys(mine & group.failures.keys(), now + pause)

    def _follow(self) -> CatalogDiff:
        """Make the catalogue anew; it is replaced only if it differs."""
        self._nothing = None
        try:
            made = self._made()
        except CatalogError as error:
            self._nothing = error
            return CatalogDiff(removed=tuple(tool.id for tool in self.catalog))
        diff = self.catalog.diff(made)
        if diff:
            self.catalog = made
        return diff

    def _made(self) -> Catalog:
        fixed = self._read_fixed()
        live = [tool for group in self._groups for tool in group.tools()]
        faults = [fault for group in self._groups for fault in group.faults]
        if fixed is not None and not self._groups:
            return Catalog.of(fixed, **{key: self._how.get(key) for key in _ONLY_ADDED})
        return Catalog(
            [*(fixed or ()), *live],
            name=fixed.name if fixed else "",
            language=self._how.get("language") or (fixed.language if fixed else ""),
            faults=[*(fixed.faults if fixed else ()), *faults],
            files=fixed.files if fixed else (),
            **cast("Any", {key: self._how.get(key) for key in _ONLY_ADDED}),
        )

    def _read_fixed(self) -> Catalog | None:
        """What does not live, read again only if one of its files has changed."""
        if not self._rest:
            return None
        before, catalog = self._fixed
        if catalog is None or before != self._stamp(catalog):
            how = {key: self._how.get(key) for key in ("language", "server")}
            catalog = Catalog.of(self._rest, **how)
            self._fixed = self._stamp(catalog), catalog
        return catalog

    def _stamp(self, catalog: Catalog) -> list[tuple[str, int, int]]:
        files = {str(file) for file in catalog.files}
        for each in self._rest:
            if isinstance(each, str | os.PathLike) and Path(cast("str", each)).exists():
                files |= {str(file) for file in files_of(cast("str", each))}
        there = [(file, Path(file).stat()) for file in sorted(files) if Path(file).exists()]
        return [(file, stat.st_mtime_ns, stat.st_size) for file, stat in there]

    def _group(self, tool: Tool) -> McpServers:
        server = tool.endpoint.url if tool.endpoint is not None and tool.endpoint.kind == "mcp" else ""
        for group in self._groups:
            if server and server in group.names:
                return group
        kind = f"an endpoint of kind {tool.endpoint.kind}" if tool.endpoint is not None else "no endpoint"
        raise CallError(
            f"tool '{tool.id}' cannot be called from here: it has {kind}, and belongs to no live MCP server"
        )

    def _still_there(self, tool: Tool, arguments: Mapping[str, Any], role: str | None) -> None:
        """After a call that failed: say so if the tool is gone, or takes other arguments now (pitfall D4)."""
        with self._lock:
            self._list({tool.server}, self.patience)
            diff = self._follow()
            catalog = self.catalog
        if self._nothing is None and tool.id in catalog:
            if (now := catalog[tool.id]).parameters != tool.parameters:
                check_arguments(now, arguments)
            return
        renamed = diff.renamed.get(tool.id, "")
        if renamed and catalog.find(renamed, role):
            hint = f"; it may be {renamed} now"
        elif near := catalog.nearest(tool.name, role):
            hint = f"; the nearest: {', '.join(near)}"
        else:
            left = [each.name for each in catalog.visible(role) if each.server == tool.server]
            hint = f"; it offers {', '.join(left[:_SHOWN])}{', …' if len(left) > _SHOWN else ''}" if left else ""
        raise UnknownTool(f"tool '{tool.id}' is no longer offered by MCP server '{tool.server}'{hint}") from None


def _split(source: object, timeout: float) -> tuple[list[McpServers], list[object], list[McpServers]]:
    """Live servers, everything else, and those of the servers that are ours to close."""
    members = [*cast("list[object]", source)] if isinstance(source, list | tuple) else [source]
    given: list[McpServers] = []
    configs: list[McpServerConfig] = []
    rest: list[object] = []
    for each in members:
        if isinstance(each, McpServers):
            given.append(each)
        elif isinstance(each, McpServerConfig):
            configs.append(each)
        elif is_live(each):
            configs += read_mcp_config(cast("Any", each))
        else:
            rest.append(each)
    names = [config.name for config in configs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CatalogError(f"two MCP servers are called {', '.join(twice)}; give one another name")
    own = [McpServers(configs, timeout=timeout)] if configs else []
    return [*given, *own], rest, own


def is_live(source: object) -> bool:
    """Whether a source of tools configures MCP servers: a mapping, or the path of a JSON file that does."""
    if isinstance(source, Mapping):
        return is_mcp_config(dict(cast("Mapping[str, Any]", source)))
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(cast("str", source))
    return path.suffix.lower() == ".json" and path.is_file() and is_mcp_config(read_value(path)[0])


def _is_function(source: object) -> bool:
    return callable(source) and not isinstance(source, type)


def _called(function: Callable[..., Any], arguments: Mapping[str, Any], tool: Tool) -> CallResult:
    """Call a Python function; what it raises is its answer, as it is with a tool of a server."""
    try:
        value = function(**arguments)
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
    except Exception as error:
        return CallResult(f"{tool.name} failed: {type(error).__name__}: {error}", is_error=True)
    return CallResult.of_value(value)
