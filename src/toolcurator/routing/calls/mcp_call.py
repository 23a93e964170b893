"""Calling a tool of a live MCP server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolcurator.errors import ArgumentError, CallError, ToolCuratorError
from toolcurator.routing.calls.effect import may_change
from toolcurator.routing.calls.result import Called, CallOutcome, Failed
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.live_catalog import LiveCatalog
    from toolcurator.sources.mcp import McpServers

_ASKED = "(asked to"  # `Connection` says so of a call that went out, and of none that did not


async def call_mcp(
    tool: Tool, live: LiveCatalog | McpServers, arguments: Mapping[str, Any], *, timeout: float, most: int
) -> CallOutcome:
    """Call a tool of a server.

    Args:
        tool: The tool.
        live: The servers.
        arguments: Its arguments, checked before.
        timeout: Seconds.
        most: Characters of its answer that are kept.
    """
    from toolcurator.live_catalog import LiveCatalog

    changes = may_change(tool)
    try:
        if isinstance(live, LiveCatalog):
            result = await live.acall(tool.id, arguments, timeout=timeout)
        else:
            result = await live.acall(tool.server, tool.name, arguments, timeout=timeout, repeatable=not changes)
    except ArgumentError as error:
        return Failed(tool.id, str(error), True, "arguments", missing=error.missing)
    except CallError as error:
        sent = _ASKED in str(error)
        kind = "timeout" if "did not answer within" in str(error) else "tool" if sent else "unreachable"
        return Failed(tool.id, str(error), not (changes and sent), kind)
    except ToolCuratorError as error:  # it is no longer offered, as was found before or after a call that failed
        return Failed(tool.id, str(error), not changes, "refused")
    if result.is_error:
        return Failed(tool.id, result.text[:most] or "the tool reports an error", not changes, "tool")
    cut = len(result.text) > most
    return Called(tool.id, result.text[:most], None if cut else result.structured, cut=cut)
