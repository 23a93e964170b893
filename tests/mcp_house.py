"""Real MCP servers for the tests: an older one over stdio, and ones of the SDK over HTTP, that change, die and come back."""

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import METHOD_NOT_FOUND

OLDER = Path(__file__).parent / "data" / "mcp_servers" / "older.py"
DAY = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}


def until(true: Callable[[], Any], seconds: float = 5.0) -> None:
    """Wait for something that another thread or process does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def listed(name: str, description: str = "", schema: dict | None = None, **more: Any) -> dict[str, Any]:
    """An entry of ``tools/list``."""
    return {"name": name, "description": description, "inputSchema": schema or {"type": "object"}, **more}


class Older:
    """A stdio server from before 2026, whose tools a test may change at any time."""

    def __init__(self, folder: Path, *tools: dict[str, Any], announce: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.offer(*tools)
        flags = ["--announce"] if announce else []
        self.config: dict[str, Any] = {"command": sys.executable, "args": [str(OLDER), str(folder), *flags]}

    def offer(self, *tools: dict[str, Any]) -> None:
        draft = self.folder / "draft"
        draft.write_text(json.dumps(tools))
        draft.replace(self.folder / "tools.json")

    @property
    def starts(self) -> list[int]:
        """Process ids of all starts."""
        file = self.folder / "starts"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def kill(self) -> None:
        os.kill(self.starts[-1], signal.SIGKILL)


async def _as_before(context: Any, go_on: Any) -> Any:
    """Refuse the first question of the protocol of 2026, as older servers do."""
    if context.method == "server/discover":
        raise MCPError(METHOD_NOT_FOUND, "Method not found")
    return await go_on(context)


class Shop:
    """A server of the SDK over HTTP on loopback. ``kind`` is ``http`` or ``sse``; ``older`` makes it speak as before 2026."""

    def __init__(self, kind: str = "http", *, older: bool = False) -> None:
        self.kind, self.older, self.port = kind, older, 0
        self.seen_headers: list[dict[str, str]] = []

    def start(self, *tools: tuple[str, str]) -> "Shop":
        """Serve tools: name and description. They echo their argument."""
        self.server = MCPServer(
            "shop", instructions="A shop.", log_level="CRITICAL", middleware=[_as_before] if self.older else []
        )

        async def restock(add: str, drop: str, context: Context) -> str:
            """Change the shelves and tell everybody."""
            self.change(add=[(add, f"the {add} tool")] if add else [], drop=[drop] if drop else [])
            if self.older:
                await context.session.send_tool_list_changed()
            else:
                await context.notify_tools_changed()
            return "done"

        self.server.add_tool(restock)
        self.change(add=tools)
        app = self.server.sse_app() if self.kind == "sse" else self.server.streamable_http_app()

        async def noting(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                self.seen_headers.append({key.decode(): value.decode() for key, value in scope["headers"]})
            await app(scope, receive, send)

        self.socket = socket.create_server(("127.0.0.1", self.port))
        self.port = self.socket.getsockname()[1]
        config = uvicorn.Config(noting, log_level="critical", timeout_graceful_shutdown=0)
        self.http = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.http.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        until(lambda: self.http.started)
        return self

    def change(self, add: Any = (), drop: Any = ()) -> None:
        """Add and drop tools without a word to anybody."""
        for name, description in add:

            def echo(text: str = "") -> str:
                return text

            self.server.add_tool(echo, name=name, description=description)
        for name in drop:
            self.server.remove_tool(name)

    def stop(self) -> None:
        self.http.should_exit = self.http.force_exit = True
        self.thread.join(10)
        self.socket.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{'sse' if self.kind == 'sse' else 'mcp'}"
