"""Calling a tool that is a Python function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from toolcurator.routing.calls.effect import may_change
from toolcurator.routing.calls.result import Called, CallOutcome, Failed
from toolcurator.sources.mcp.result import CallResult
from toolcurator.tool import Tool


async def call_function(
    tool: Tool, function: Callable[..., Any], arguments: Mapping[str, Any], *, timeout: float, most: int
) -> CallOutcome:
    """Call a function; a plain one runs in a thread.

    Args:
        tool: Its tool.
        function: The function.
        arguments: Its arguments, checked before.
        timeout: Seconds. A plain function that takes longer goes on in its thread, since no thread can be stopped.
        most: Characters of its answer that are kept.
    """
    before = not may_change(tool)
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        return Failed(tool.id, f"the function does not take these arguments: {error}", True, "arguments")
    except ValueError:  # a built-in without a signature
        pass
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", 0)):  # noqa: B004
                value = await function(**arguments)
            else:
                value = await asyncio.to_thread(function, **arguments)
                if inspect.isawaitable(value):
                    value = await value
    except Exception as error:
        if isinstance(error, TimeoutError) and limit.expired():
            return Failed(tool.id, f"it did not end within {timeout:g} s", before, "timeout")
        return Failed(tool.id, f"it raised {type(error).__name__}: {error}"[:500], before, "tool")
    try:
        result = CallResult.of_value(value)
    except Exception as error:
        return Failed(tool.id, f"it returned what JSON cannot hold ({type(error).__name__})", before, "answer")
    cut = len(result.text) > most
    return Called(tool.id, result.text[:most], None if cut else result.structured, cut=cut)
