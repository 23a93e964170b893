"""Calling an HTTP tool: tries within one time limit, and what each failure says about the effect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from toolcurator.routing.calls.address_of import RequestRefused
from toolcurator.routing.calls.answer import outcome_of
from toolcurator.routing.calls.auth import Credentials, credentials_of
from toolcurator.routing.calls.breaker import Breaker
from toolcurator.routing.calls.effect import may_change, may_repeat
from toolcurator.routing.calls.policy import CallPolicy
from toolcurator.routing.calls.request import Request, request_of
from toolcurator.routing.calls.result import CallOutcome, Failed
from toolcurator.routing.calls.secret import Secrets
from toolcurator.routing.calls.wire import Answer, Trail, Wire, WireFault
from toolcurator.tool import Tool

_BUSY = frozenset({429, 502, 503, 504})  # a later try may find it well again


class HttpCalls:
    """Calls HTTP tools.

    Args:
        policy: The rules.
        secrets: The secrets that endpoints name.
    """

    def __init__(self, policy: CallPolicy, secrets: Secrets) -> None:
        self._policy = policy
        self._secrets = secrets
        self._wire = Wire(policy)
        self._breaker = Breaker(policy.breaker_failures, policy.breaker_pause_s)

    async def call(
        self, tool: Tool, arguments: Mapping[str, Any], *, conversation: str, author: str, timeout: float
    ) -> CallOutcome:
        """Call a tool, its arguments checked before.

        Args:
            tool: The tool.
            arguments: Its arguments.
            conversation: Id of the conversation, for services that want it.
            author: Id of the user, for services that want it.
            timeout: Seconds for all of it.
        """
        changes = may_change(tool)
        try:
            request = request_of(
                tool, arguments, base_url=self._policy.base_url, conversation=conversation, author=author
            )
            credentials = credentials_of(tool, self._secrets)
        except RequestRefused as error:
            return Failed(tool.id, str(error), True, "refused")
        host = request.url.split("/", 3)[2].rpartition("@")[2].lower()
        trail = Trail()
        if refusal := self._breaker.refusal(host):
            return Failed(tool.id, refusal, True, "unreachable")
        try:
            async with asyncio.timeout(timeout):
                outcome = await self._tried(tool, request, credentials, trail, host, timeout)
        except TimeoutError:
            self._breaker.failed(host)
            before = not changes or not (trail.sent or trail.acted)
            return Failed(tool.id, f"{host} did not answer within {timeout:g} s", before, "timeout")
        finally:
            self._breaker.left(host)  # also when the caller gave up; no more than an end to a probe
        return outcome

    async def _tried(
        self, tool: Tool, request: Request, credentials: Credentials, trail: Trail, host: str, timeout: float
    ) -> CallOutcome:
        changes = may_change(tool)
        tries = self._policy.tries if may_repeat(tool) else 1
        end = time.monotonic() + timeout
        unsure = False  # an earlier try may have been carried out
        for attempt in range(1, tries + 1):
            pause = self._policy.pause_s * 2 ** (attempt - 1)
            try:
                answer = await self._wire.send(request, credentials, trail)
            except WireFault as fault:
                if fault.kind != "refused":
                    self._breaker.failed(host)
                unsure |= changes and (trail.sent or trail.acted)
                outcome: CallOutcome = Failed(tool.id, str(fault), not unsure, fault.kind)
                again = fault.repeatable
            else:
                self._count(answer, host)
                outcome = outcome_of(tool, answer, changes=changes, values=credentials.values)
                if isinstance(outcome, Failed) and (unsure or (changes and trail.acted)):
                    outcome = Failed(tool.id, outcome.why, False, outcome.kind, outcome.status)
                again = answer.status in _BUSY
                unsure |= isinstance(outcome, Failed) and not outcome.before_effect
                pause = max(pause, answer.retry_after)
            if not again or attempt == tries or time.monotonic() + pause >= end or self._breaker.is_open(host):
                return outcome
            await asyncio.sleep(pause)
        raise AssertionError("a loop of at least one try")

    def _count(self, answer: Answer, host: str) -> None:
        if answer.status >= 500:
            self._breaker.failed(host)
        else:
            self._breaker.worked(host)
