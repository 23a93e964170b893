"""How a server is reached: a process with its last words kept, or HTTP with its failures noticed."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from toolcurator.sources.mcp.config import McpServerConfig, Transport

if TYPE_CHECKING:
    import httpx2
    from mcp.client import Transport as McpTransport
    from mcp.shared._httpx_utils import McpHttpClientFactory

_TAIL = 4096  # bytes of a server's stderr that are kept
_LINES = 3


@dataclass
class Seen:
    """What was seen of a server below the protocol.

    Attributes:
        lost: Called once the way to it is gone: its process ended, its push stream broke, its session is unknown.
        status: The last HTTP status if it was an error, else 0.
        refused: A connection could not even be made, so that nothing was sent.
        words: The end of what it wrote to stderr.
    """

    lost: Callable[[], None]
    status: int = 0
    refused: bool = False
    words: bytearray = field(default_factory=bytearray)

    @property
    def unsent(self) -> bool:
        """Whether the last request cannot have been carried out: it never arrived, or its session was unknown."""
        return self.refused or self.status == 404

    def last_words(self) -> str:
        """The last lines of its stderr in one line; empty if it wrote nothing."""
        text = bytes(self.words).decode("utf-8", "replace")
        return " | ".join([line.strip() for line in text.splitlines() if line.strip()][-_LINES:])[-400:]


@asynccontextmanager
async def opened(config: McpServerConfig, kind: Transport, timeout: float, seen: Seen) -> AsyncGenerator[Any]:
    """Open the streams to a server; the reading one tells ``seen`` when it ends.

    Args:
        config: The server.
        kind: The transport; ``sse`` may be tried where the configuration says ``http``.
        timeout: Seconds for a connection, and for writing to it.
        seen: Is told what happens.
    """
    from mcp.client.sse import sse_client
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    async with AsyncExitStack() as stack:
        if kind == "stdio":
            parameters = StdioServerParameters(
                command=config.command,
                args=list(config.args),
                env=dict(config.env),
                cwd=config.cwd or None,
                encoding_error_handler="replace",
            )
            with _stderr(seen) as errors:
                streams = await stack.enter_async_context(stdio_client(parameters, errlog=errors))
        elif kind == "http":
            client = await stack.enter_async_context(_http_client(config, timeout, seen))
            streams = await stack.enter_async_context(streamable_http_client(config.url, http_client=client))
        else:
            make = cast("McpHttpClientFactory", lambda **_: _http_client(config, timeout, seen))  # pyright: ignore[reportUnknownLambdaType]
            streams = await stack.enter_async_context(sse_client(config.url, httpx_client_factory=make))
        yield _Watched(streams[0], seen.lost), streams[1]


def transport_of(config: McpServerConfig, kind: Transport, timeout: float, seen: Seen) -> McpTransport:
    """As ``opened``, typed as what the SDK's client takes."""
    return cast("McpTransport", opened(config, kind, timeout, seen))


class _Watched:
    """A reading stream that tells when it ends."""

    def __init__(self, inner: Any, lost: Callable[[], None]) -> None:
        self._inner = inner
        self._lost = lost

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return await self._inner.receive()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except StopAsyncIteration:
            self._lost()
            raise

    async def __aenter__(self) -> _Watched:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.aclose()


def _stderr(seen: Seen) -> Any:
    """A file for a process's stderr; a thread keeps the end of it, so that it neither fills up nor reaches the terminal."""
    reading, writing = os.pipe()

    def drain() -> None:
        with open(reading, "rb", buffering=0) as source:
            while chunk := source.read(_TAIL):
                seen.words += chunk
                del seen.words[:-_TAIL]

    threading.Thread(target=drain, name="toolcurator-mcp-stderr", daemon=True).start()
    return open(writing, "w")  # the process has its own copy once it is started


def _http_client(config: McpServerConfig, timeout: float, seen: Seen) -> httpx2.AsyncClient:
    """A client that notes errors of HTTP. Reading has no time-out of its own: every request of MCP has one."""
    import httpx2

    class Stream(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in self._inner:
                    yield chunk
            except httpx2.TransportError:
                seen.lost()
                raise

        async def aclose(self) -> None:
            await self._inner.aclose()

    class Client(httpx2.AsyncClient):
        pushed = False

        async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
            try:
                response = await super().send(request, **how)
            except httpx2.TransportError as error:
                seen.refused = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
                if request.method == "GET":
                    seen.lost()
                raise
            seen.status = response.status_code if response.status_code >= 400 else 0
            if request.method == "GET" and response.status_code == 200:
                self.pushed = True
                response.stream = Stream(response.stream)
            elif request.method == "GET" and response.status_code == 404 and self.pushed:
                seen.lost()  # the session of a server that was started again
            return response

    return Client(headers=dict(config.headers), timeout=httpx2.Timeout(timeout, read=None))
