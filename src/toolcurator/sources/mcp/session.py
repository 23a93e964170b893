"""One connection to one server, from its start to its end. Once it has ended it is never used again."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio

from toolcurator.errors import CallError
from toolcurator.sources.mcp.config import McpServerConfig, Transport
from toolcurator.sources.mcp.transport import Seen, transport_of
from toolcurator.sources.mcp.why import why
from toolcurator.version import __version__

if TYPE_CHECKING:
    from mcp import Client

_ACKNOWLEDGED = 2.0  # seconds a server has to acknowledge a subscription before it is listed all the same
_NOT_HERE = frozenset({400, 404, 405, 406, 415})  # what a server that has only SSE answers to streamable HTTP


class Session:
    """A task that holds the SDK's client open; the client is used by other tasks of the same loop.

    Args:
        config: The server.
        timeout: Seconds until it must have answered the handshake, and of any request that sets no other time.
        changed: Called when its tools may have changed: it said so, or it was lost.

    Attributes:
        ready: The client, or ``CallError`` that says why there is none.
        ended: It is over; a new one is needed.
        announces: It says when its tools change.
    """

    def __init__(self, config: McpServerConfig, timeout: float, changed: Callable[[], None]) -> None:
        self.config = config
        self.ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(lambda done: done.cancelled() or done.exception())  # read even if nobody waits
        self.ended = False
        self.announces = False
        self.seen = Seen(lost=self._lose)
        self._timeout = timeout
        self._changed = changed
        self._over = anyio.Event()
        self._scope = anyio.CancelScope()
        self._task = asyncio.create_task(self._run(), name=f"mcp {config.name}")

    async def end(self, within: float = math.inf) -> None:
        """End it: the server's process is closed, then killed.

        Args:
            within: Seconds that this may take.
        """
        self._over.set()
        if not self.ready.done():
            self._scope.cancel()
        await asyncio.wait({self._task}, timeout=None if within == math.inf else within)

    def _lose(self) -> None:
        if not self._over.is_set():
            self._over.set()
            if self.ready.done():
                self.ended = True
                self._changed()

    async def _run(self) -> None:
        failure = "it ended"
        try:
            with self._scope:
                self._scope.deadline = anyio.current_time() + self._timeout
                await self._tried()
            if self._scope.cancelled_caught:
                failure = why(TimeoutError(), self.config, self.seen, self._timeout)
        except (Exception, BaseExceptionGroup) as error:
            failure = why(error, self.config, self.seen, self._timeout)
        finally:
            lost = self.ready.done() and not self._over.is_set()
            self.ended = True
            if not self.ready.done():
                self.ready.set_exception(CallError(f"MCP server '{self.config.name}' {failure}"))
            elif lost:
                self._changed()

    async def _tried(self) -> None:
        """Connect; where the first way fails as an older server makes it fail, go the older way."""
        first: BaseException | None = None
        for kind, mode in _ways(self.config):
            self.seen.status, self._over = 0, anyio.Event()
            self.seen.words.clear()
            try:
                return await self._hold(kind, mode)
            except (Exception, BaseExceptionGroup) as error:
                if self.ready.done() or not self._older(error):
                    raise first or error from None
                first = first or error
        if first is not None:
            raise first

    async def _hold(self, kind: Transport, mode: str) -> None:
        from mcp import Client
        from mcp.types import Implementation

        client = Client(
            transport_of(self.config, kind, self._timeout, self.seen),
            mode=mode,
            read_timeout_seconds=self._timeout,
            message_handler=self._hear,
            client_info=Implementation(name="toolcurator", version=__version__),
            cache=None,
        )
        async with client, anyio.create_task_group() as tasks:
            tools = client.server_capabilities.tools
            self.announces = bool(tools and tools.list_changed)
            heard = anyio.Event()
            tasks.start_soon(self._listen, client, heard)
            with anyio.move_on_after(_ACKNOWLEDGED):
                await heard.wait()
            self._scope.deadline = math.inf
            self.seen.status = 0  # older servers refuse the first question of the handshake
            self.ready.set_result(client)
            await self._over.wait()
            tasks.cancel_scope.cancel()

    async def _hear(self, message: Any) -> None:
        from mcp.types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._changed()

    async def _listen(self, client: Client, heard: anyio.Event) -> None:
        """Subscribe to changes, as the protocol of 2026 has it; older servers send them unasked."""
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        try:
            async with client.listen(tools_list_changed=True) as events:
                self.announces = bool(events.honored.tools_list_changed)
                heard.set()
                async for _ in events:
                    self._changed()
            if self.announces:
                self._lose()  # it stopped telling: connect again with the next use
        except SubscriptionLost:
            self._lose() if heard.is_set() else None
        except ListenNotSupportedError:
            pass
        except (MCPError, TimeoutError):
            self.announces = False
        finally:
            heard.set()

    def _older(self, error: BaseException) -> bool:
        """Whether a failed start looks like that of a server from before the protocol of 2026, or of streamable HTTP."""
        if self.config.transport == "stdio":  # some end at once when anything comes before "initialize"
            return not isinstance(error, OSError) and self._over.is_set()
        return self.seen.status in _NOT_HERE


def _ways(config: McpServerConfig) -> tuple[tuple[Transport, str], ...]:
    if config.transport == "stdio":
        return ("stdio", "auto"), ("stdio", "legacy")
    return (("http", "auto"), ("sse", "legacy")) if config.transport == "http" else (("sse", "legacy"),)
