"""How long a failing endpoint is waited for: back-off shared by all calls, and the point at which a run stops (pitfall B5)."""

from __future__ import annotations

import asyncio
import random
import time

from toolcurator.enrichment.model import Busy, EnrichmentError, Refused

_REFUSALS = 8  # in a row, with no answer ever: it is not the tools


class Stopped(EnrichmentError):
    """The endpoint does not answer any more; what was answered is kept, and the run can go on later."""


class Patience:
    """Waits between attempts. One is shared by all calls to an endpoint: if it asks one caller to wait, all do.

    Args:
        seconds: How long the endpoint may fail without one answer before the run stops.
        first: Seconds before the second attempt, doubled each time.
        longest: Most seconds between two attempts, unless the endpoint asks for more (``Retry-After``).
        attempts: Attempts of one call while others are answered.

    Attributes:
        waits: How often the endpoint was waited for.
    """

    def __init__(self, seconds: float = 600.0, *, first: float = 0.5, longest: float = 60.0, attempts: int = 5) -> None:
        self._seconds = seconds
        self._first = first
        self._longest = longest
        self._attempts = attempts
        self._answered = time.monotonic()
        self._failing_since: float | None = None
        self._until = 0.0
        self._step = 0
        self._refusals = 0
        self._ever = False
        self.waits = 0

    async def ready(self) -> None:
        """Return when the endpoint may be asked again."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left + random.random() * min(0.1, left / 4))  # noqa: S311  not all at once

    def answered(self) -> None:
        """The endpoint answered a call."""
        self._answered = time.monotonic()
        self._failing_since = None
        self._step = self._refusals = 0
        self._ever = True

    def failed(self, busy: Busy, *, since: float, failures: int) -> bool:
        """A call got no answer.

        Args:
            busy: Why.
            since: When the call was made first (``time.monotonic``).
            failures: Its attempts so far.

        Returns:
            Whether to give up this call: others were answered all the while.

        Raises:
            Stopped: Nothing was answered for too long, or would be.
        """
        now = time.monotonic()
        if failures >= self._attempts and self._answered > since:
            return True
        self._failing_since = now if self._failing_since is None else self._failing_since
        if now >= self._until:  # the first to come back after a wait; the others waited for the same
            wait = busy.wait if busy.wait is not None else min(self._longest, self._first * 2**self._step)
            self._step += 1
            self.waits += 1
            self._until = now + wait
        elif busy.wait is not None:
            self._until = max(self._until, now + busy.wait)
        if self._until - self._failing_since > self._seconds:
            raise Stopped(f"no answer for {now - self._failing_since:.0f} s, and none is expected soon: {busy}")
        return False

    def refused(self, refused: Refused) -> None:
        """The endpoint refused a call.

        Raises:
            Stopped: It has refused all so far.
        """
        self._refusals += 1
        if self._refusals >= _REFUSALS and not self._ever:
            raise Stopped(f"the first {self._refusals} questions were all refused: {refused}")
