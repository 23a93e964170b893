"""One MCP server that is connected when it is first used, and again when it was lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from toolcurator.errors import CallError
from toolcurator.sources.mcp.config import McpServerConfig
from toolcurator.sources.mcp.listing import Listing, listing_of
from toolcurator.sources.mcp.result import CallResult
from toolcurator.sources.mcp.session import Session
from toolcurator.sources.mcp.why import why
from toolcurator.tool import JsonSchema

if TYPE_CHECKING:
    from mcp import Client

T = TypeVar("T")

_TRIES = 2
_MOST_PAGES = 1000
_GOODBYE = 8.0  # seconds; the SDK asks, terminates and kills a process within about 6


class Connection:
    """A server and the session with it. All methods run on one event loop, each within its time-out.

    Args:
        config: The server.
        timeout: Seconds for the handshake.
        changed: Called when its tools may have changed.
    """

    def __init__(self, config: McpServerConfig, timeout: float, changed: Callable[[], None]) -> None:
        self.config = config
        self._timeout = timeout
        self._changed = changed
        self._session: Session | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def announces(self) -> bool:
        """Whether it says when its tools change; one that is not connected does not."""
        return self._session is not None and not self._session.ended and self._session.announces

    async def listed(self, timeout: float) -> Listing:
        """All tools it offers, page by page.

        Raises:
            CallError: It cannot be reached, or does not answer in time.
        """

        async def ask(client: Client) -> Listing:
            bodies: list[JsonSchema] = []
            cursor, seen = None, set[str]()
            while True:
                page = await client.list_tools(cursor=cursor)
                bodies += [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in page.tools]
                cursor = page.next_cursor
                if cursor is None or cursor in seen or len(seen) == _MOST_PAGES:
                    break
                seen.add(cursor)
            info = client.server_info
            about = client.instructions or (getattr(info, "description", None) if info else None) or ""
            return listing_of(self.config.name, bodies, about)

        return await self._asked(ask, "list its tools", timeout, repeatable=True)

    async def call(self, name: str, arguments: dict[str, Any], timeout: float, *, repeatable: bool) -> CallResult:
        """Call a tool.

        Args:
            name: The tool's own name.
            arguments: Its arguments.
            timeout: Seconds for all of it.
            repeatable: The call changes nothing, so it may be made again when the server was lost half-way.

        Raises:
            CallError: It cannot be reached, does not answer in time, or refuses the call.
        """

        async def ask(client: Client) -> CallResult:
            result = await client.call_tool(name, arguments, read_timeout_seconds=timeout)
            blocks = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in result.content]
            return CallResult.of_blocks(blocks, result.structured_content, result.is_error)

        return await self._asked(ask, f"call '{name}'", timeout, repeatable=repeatable)

    async def close(self) -> None:
        """End the session; a process is asked to go, then made to."""
        if self._session is not None:
            self._part(self._session)
            self._session = None
        if self._ending:
            await asyncio.wait(self._ending, timeout=_GOODBYE)

    async def _asked(self, ask: Callable[[Client], Awaitable[T]], what: str, timeout: float, *, repeatable: bool) -> T:
        until = time.monotonic() + timeout
        for attempt in range(1, _TRIES + 1):
            session = self._current()
            client = await self._client(session, until, timeout)
            try:
                return await asyncio.wait_for(ask(client), max(until - time.monotonic(), 0.001))
            except Exception as error:
                gone = await self._gone(session, error)
                if gone and attempt < _TRIES and (repeatable or session.seen.unsent):
                    continue
                doubt = "" if repeatable or not gone else "; whether the call was carried out is not known"
                reason = why(error, self.config, session.seen if gone else None, timeout)
                raise CallError(f"MCP server '{self.config.name}' {reason} (asked to {what}{doubt})") from None
        raise AssertionError("a loop of at least one try")

    def _current(self) -> Session:
        if self._session is None or self._session.ended:
            if self._session is not None:
                self._part(self._session)
            self._session = Session(self.config, self._timeout, self._changed)
        return self._session

    async def _client(self, session: Session, until: float, timeout: float) -> Client:
        """The client of a session; a handshake that takes longer than this caller waits goes on without it."""
        done, _ = await asyncio.wait({session.ready}, timeout=max(until - time.monotonic(), 0.001))
        if not done:
            reason = why(TimeoutError(), self.config, session.seen, timeout)
            raise CallError(f"MCP server '{self.config.name}' {reason}")
        return session.ready.result()

    async def _gone(self, session: Session, error: Exception) -> bool:
        """Whether a request failed because the session is over, which is ended then."""
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST

        code = error.code if isinstance(error, MCPError) else 0
        unknown = code == INVALID_REQUEST and session.seen.status == 404  # the server was started again
        if not (session.ended or unknown or code == CONNECTION_CLOSED):
            return False
        await session.end(within=1.0)  # its task learns a moment later than its users why it ended
        if self._session is session:
            self._part(session)
            self._session = None
        return True

    def _part(self, session: Session) -> None:
        task = asyncio.create_task(session.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
