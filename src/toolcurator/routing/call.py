"""Calls a tool, whatever kind it is, and says what became of it. It never raises for what a service does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from toolcurator.arguments import check_arguments
from toolcurator.catalog import may_see
from toolcurator.errors import ArgumentError
from toolcurator.routing.calls.effect import may_change
from toolcurator.routing.calls.http_call import HttpCalls
from toolcurator.routing.calls.mcp_call import call_mcp
from toolcurator.routing.calls.policy import CallPolicy
from toolcurator.routing.calls.python_call import call_function
from toolcurator.routing.calls.result import Button, Called, CallOutcome, Failed
from toolcurator.routing.calls.secret import Secrets
from toolcurator.sources.functions import tool_from_function
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.live_catalog import LiveCatalog
    from toolcurator.sources.mcp import McpServers

__all__ = ["Button", "CallOutcome", "CallPolicy", "Called", "Caller", "Failed", "Secrets", "needs_confirmation"]


def needs_confirmation(tool: Tool) -> bool:
    """Whether the user should say yes before a call: it may change something, or ``metadata["confirm"]`` is true.

    A tool that does not say what it does counts as one that may; an HTTP tool with GET, HEAD or OPTIONS as one that does not.
    """
    return may_change(tool) or tool.metadata.get("confirm") is True


class Caller:
    """Calls the tools of one catalogue.

    Args:
        policy: What may be reached; `CallPolicy.for_tools(catalog)` allows the hosts of the catalogue's endpoints.
        secrets: Name → value, a function, or None for the environment; see `Secrets`.
        live: Where MCP tools are called.
        functions: Python functions that are tools, or id → function.

    Raises:
        SettingsError: The policy names a host that cannot be read.
    """

    def __init__(
        self,
        policy: CallPolicy,
        secrets: Secrets | Mapping[str, str] | Callable[[str], str | None] | None = None,
        *,
        live: LiveCatalog | McpServers | None = None,
        functions: Iterable[Callable[..., Any]] | Mapping[str, Callable[..., Any]] = (),
    ) -> None:
        self.policy = policy
        self._http = HttpCalls(policy, secrets if isinstance(secrets, Secrets) else Secrets(secrets))
        self._live = live
        if isinstance(functions, Mapping):
            self._functions = dict(cast("Mapping[str, Callable[..., Any]]", functions))
        else:
            self._functions = {tool_from_function(each).id: each for each in functions}

    def needs_confirmation(self, tool: Tool) -> bool:
        """Whether the user should say yes before this call, by the policy."""
        return self.policy.confirm != "never" and needs_confirmation(tool)

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        role: str | None = None,
        conversation: str = "",
        author: str = "",
        confirmed: bool = False,
        lenient: bool = False,
        timeout: float | None = None,
    ) -> CallOutcome:
        """Call a tool.

        Args:
            tool: The tool. One that is not active, or not for this role, is not called (pitfalls A27, C18).
            arguments: Name → value, checked against its schema before anything goes out (pitfall C9).
            role: The persona.
            conversation: Id of the conversation, for services that want it.
            author: Id of the user, for services that want it.
            confirmed: The user has said yes to exactly this call, as a signed action shows (`toolcurator.routing.actions`).
            lenient: What is missing is sent as an empty text and the service checks (the third seed's behavior, pitfall C8).
            timeout: Seconds for all of it, instead of the policy's.

        Returns:
            `Called`, or `Failed` before or after the effect.

        Raises:
            MissingExtra: The library for this kind of endpoint is not installed.
        """
        start = time.perf_counter()
        outcome = self._refusal(tool, arguments, role=role, confirmed=confirmed, lenient=lenient)
        if outcome is None:
            given = {**dict.fromkeys(_missing(tool, arguments), ""), **arguments} if lenient else arguments
            limit = self.policy.timeout_s if timeout is None else timeout
            outcome = await self._dispatched(tool, given, conversation, author, limit)
        return replace(outcome, ms=round((time.perf_counter() - start) * 1000, 2))

    def _refusal(
        self, tool: Tool, arguments: Mapping[str, Any], *, role: str | None, confirmed: bool, lenient: bool
    ) -> Failed | None:
        """Why a call is not even tried."""
        if not may_see(tool, role):
            return Failed(tool.id, f"there is no tool '{tool.id}'", True, "refused")
        try:
            if not lenient:
                check_arguments(tool, arguments)
        except ArgumentError as error:
            return Failed(tool.id, str(error), True, "arguments", missing=error.missing)
        if self.needs_confirmation(tool) and not confirmed:
            return Failed(tool.id, f"'{tool.id}' may change something and has not been confirmed", True, "unconfirmed")
        return None

    async def _dispatched(
        self, tool: Tool, arguments: Mapping[str, Any], conversation: str, author: str, timeout: float
    ) -> CallOutcome:
        kind = tool.endpoint.kind if tool.endpoint is not None else ""
        most = self.policy.most_bytes
        if tool.id in self._functions:
            return await call_function(tool, self._functions[tool.id], arguments, timeout=timeout, most=most)
        if kind == "http":
            return await self._http.call(tool, arguments, conversation=conversation, author=author, timeout=timeout)
        if kind == "mcp" and self._live is not None:
            return await call_mcp(tool, self._live, arguments, timeout=timeout, most=most)
        what = {"mcp": "no MCP server is connected", "python": "its function was not given"}.get(kind, "no endpoint")
        return Failed(tool.id, f"it cannot be called from here: {what}", True, "refused")


def _missing(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    return [slot.name for slot in tool.slots if slot.required and slot.name not in arguments]
