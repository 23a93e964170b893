"""Several live MCP servers as one source of tools: listed, called, and noticed when they change."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from toolcurator.errors import CallError, MissingExtra
from toolcurator.sources.fault import Fault
from toolcurator.sources.mcp.config import McpServerConfig, read_mcp_config
from toolcurator.sources.mcp.listing import Listing
from toolcurator.sources.mcp.loop import LoopThread
from toolcurator.sources.mcp.result import CallResult
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.sources.mcp.connection import Connection

TIMEOUT = 30.0
_QUIET = {"mcp.client": logging.CRITICAL, "httpx2": logging.WARNING, "httpcore2": logging.WARNING}


class McpServers:
    """Live servers. They are connected in one background thread, so that both plain and async code can use them.

    A server that fails stops none of the others: why it failed is in ``failures``, and the tools it listed before are
    kept. One that was lost is connected again when it is next used. Every wait has a time-out.

    Args:
        configs: The servers; disabled ones are left alone.
        timeout: Seconds a server has to start, to list its tools, and to answer a call.
        on_change: Called with a server's name, in the background thread, when its tools may have changed.
    """

    def __init__(
        self,
        configs: Iterable[McpServerConfig],
        *,
        timeout: float = TIMEOUT,
        on_change: Callable[[str], None] | None = None,
    ) -> None:
        self.configs = tuple(config for config in configs if not config.disabled)
        self.timeout = timeout
        self._on_change = on_change
        self._lock = threading.Lock()
        self._thread: LoopThread | None = None
        self._connections: dict[str, Connection] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._listings: dict[str, Listing] = {}
        self._failures = {config.name: config.problem for config in self.configs if config.problem}
        self._changed: set[str] = set()

    @classmethod
    def of(cls, source: str | os.PathLike[str] | Mapping[str, Any], *, timeout: float = TIMEOUT) -> McpServers:
        """The servers of an ``mcpServers`` file or mapping.

        Raises:
            CatalogError: The file cannot be read, or configures no server.
        """
        return cls(read_mcp_config(source), timeout=timeout)

    @property
    def names(self) -> tuple[str, ...]:
        """The servers that can be used, in the order of the configuration."""
        return tuple(config.name for config in self.configs if not config.problem)

    @property
    def failures(self) -> Mapping[str, str]:
        """Server → why it could not be reached or listed the last time; it leaves the mapping once it answers."""
        with self._lock:
            names = (config.name for config in self.configs)
            return MappingProxyType({name: self._failures[name] for name in names if name in self._failures})

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The failures, and every listed tool that cannot be read, as a catalogue reports them."""
        failures = self.failures
        with self._lock:
            failed = [Fault(message=f"MCP server '{name}': {text}") for name, text in failures.items()]
            return (*failed, *(fault for name in self._listings for fault in self._listings[name].faults))

    @property
    def changed(self) -> frozenset[str]:
        """The servers whose tools may differ from what was listed: they said so, or were lost."""
        with self._lock:
            return frozenset(self._changed)

    def announces(self, server: str) -> bool:
        """Whether a server says by itself when its tools change."""
        connection = self._connections.get(server)
        return connection is not None and connection.announces

    def start(self) -> McpServers:
        """Connect all servers and list their tools, at the same time.

        Raises:
            MissingExtra: The MCP SDK is not installed.
        """
        self.refresh()
        return self

    def tools(self) -> tuple[Tool, ...]:
        """The tools that were listed last, server by server; they are listed now if they never were."""
        if not self._listings and not self._connections:
            self.refresh()
        with self._lock:
            return tuple(tool for name in self.names if name in self._listings for tool in self._listings[name].tools)

    def refresh(self, servers: Iterable[str] | None = None, *, timeout: float | None = None) -> tuple[Tool, ...]:
        """List the tools again.

        Args:
            servers: Those to ask; None asks all.
            timeout: Seconds to wait for them; by default those of the class. A server that is still starting goes on.

        Returns:
            All tools, also of servers that were not asked or did not answer.
        """
        self._run(self._refreshed(servers, timeout))
        return self.tools()

    async def arefresh(self, servers: Iterable[str] | None = None, *, timeout: float | None = None) -> tuple[Tool, ...]:
        """As ``refresh``, for callers in an event loop."""
        await self._started().arun(self._refreshed(servers, timeout))
        return self.tools()

    def call(
        self,
        server: str,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        repeatable: bool = False,
    ) -> CallResult:
        """Call a tool.

        Args:
            server: The server's name.
            name: The tool's own name there.
            arguments: Its arguments; they are not checked here.
            timeout: Seconds, by default those of the class.
            repeatable: The tool changes nothing, so the call is made again if the server is lost half-way. Without
                it a call is made a second time only if the first one cannot have arrived.

        Raises:
            CallError: There is no such server, it cannot be reached, or it does not answer in time.
        """
        return self._run(self._called(server, name, arguments, timeout, repeatable))

    async def acall(
        self,
        server: str,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        repeatable: bool = False,
    ) -> CallResult:
        """As ``call``, for callers in an event loop."""
        return await self._started().arun(self._called(server, name, arguments, timeout, repeatable))

    def close(self) -> None:
        """End all connections; processes are asked to go, then made to. The object can be used again afterwards."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.run(self._parted())
            thread.close()

    def __enter__(self) -> McpServers:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"McpServers({', '.join(config.name for config in self.configs)})"

    def _run(self, work: Any) -> Any:
        return self._started_or_closed(work).run(work)

    def _started_or_closed(self, work: Any) -> LoopThread:
        try:
            return self._started()
        except MissingExtra:
            work.close()
            raise

    def _started(self) -> LoopThread:
        with self._lock:
            if self._thread is None:
                _check_sdk()
                self._thread = LoopThread("toolcurator-mcp")
            return self._thread

    def _connection(self, server: str) -> Connection:
        """The connection of a server; made in the loop's thread."""
        from toolcurator.sources.mcp.connection import Connection

        if server not in self._connections:
            config = next((each for each in self.configs if each.name == server), None)
            if config is None:
                raise CallError(f"no MCP server '{server}'; there are: {', '.join(self.names) or 'none'}")
            if config.problem:
                raise CallError(f"MCP server '{server}' cannot be used: {config.problem}")
            self._connections[server] = Connection(config, self.timeout, lambda: self._note(server))
            self._turns[server] = asyncio.Lock()
        return self._connections[server]

    def _note(self, server: str) -> None:
        with self._lock:
            self._changed.add(server)
        if self._on_change is not None:
            self._on_change(server)

    async def _refreshed(self, servers: Iterable[str] | None, timeout: float | None) -> None:
        wanted = self.names if servers is None else [name for name in self.names if name in {*servers}]
        await asyncio.gather(*(self._listed(name, timeout or self.timeout) for name in wanted))

    async def _listed(self, server: str, timeout: float) -> None:
        connection = self._connection(server)
        try:
            async with asyncio.timeout(timeout + 1), self._turns[server]:  # a slower, older answer must not come last
                with self._lock:
                    self._changed.discard(server)  # before asking: a change from now on counts again
                listing = await connection.listed(timeout)
        except (CallError, TimeoutError) as error:
            with self._lock:
                said = str(error).removeprefix(f"MCP server '{server}' ")
                self._failures[server] = said or "is still busy with an earlier listing"
                self._changed.add(server)
            return
        with self._lock:
            self._listings[server] = listing
            self._failures.pop(server, None)

    async def _called(
        self, server: str, name: str, arguments: Mapping[str, Any] | None, timeout: float | None, repeatable: bool
    ) -> CallResult:
        connection = self._connection(server)
        return await connection.call(name, dict(arguments or {}), timeout or self.timeout, repeatable=repeatable)

    async def _parted(self) -> None:
        await asyncio.gather(*(each.close() for each in self._connections.values()))
        self._connections.clear()
        self._turns.clear()


def _check_sdk() -> None:
    """Import the SDK, and keep its client from logging what we report: its tracebacks hold whole URLs, keys and all.

    A level that the application has set for one of these loggers stays.
    """
    try:
        from mcp import Client  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise MissingExtra("a live MCP server", "mcp") from error
    for name, level in _QUIET.items():
        if (logger := logging.getLogger(name)).level == logging.NOTSET:
            logger.setLevel(level)
