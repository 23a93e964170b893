"""Whether a call may change something, and whether it may be made again."""

from __future__ import annotations

from toolcurator.tool import Tool

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})  # RFC 9110, 9.2.1, without TRACE
IDEMPOTENT = SAFE | {"PUT", "DELETE"}  # RFC 9110, 9.2.2


def may_change(tool: Tool) -> bool:
    """Whether a call may change something: what the tool declares; else an HTTP tool of a safe method does not."""
    if tool.side_effect is not None:
        return tool.side_effect
    endpoint = tool.endpoint
    return endpoint is None or endpoint.kind != "http" or endpoint.method.upper() not in SAFE


def may_repeat(tool: Tool) -> bool:
    """Whether a call that failed may be made again: it changes nothing, or doing it twice is doing it once.

    A GET that is declared to have an effect is made once.
    """
    method = tool.endpoint.method.upper() if tool.endpoint is not None and tool.endpoint.kind == "http" else ""
    return not may_change(tool) or method in IDEMPOTENT - SAFE
