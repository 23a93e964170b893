"""Live MCP servers: their configuration, the connections to them, and the tools they list and call.

The SDK (extra ``mcp``) takes about a second to import, so it is imported when the first server is connected.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toolcurator.sources.mcp.config import McpServerConfig, is_mcp_config, read_mcp_config

if TYPE_CHECKING:
    from toolcurator.sources.mcp.result import CallResult
    from toolcurator.sources.mcp.servers import McpServers

_HOMES = {"CallResult": "toolcurator.sources.mcp.result", "McpServers": "toolcurator.sources.mcp.servers"}

__all__ = ["CallResult", "McpServerConfig", "McpServers", "is_mcp_config", "read_mcp_config"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:  # it needs asyncio, which a search of files does not
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'toolcurator.sources.mcp' has no attribute {name!r}")
