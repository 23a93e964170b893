"""A host that keeps failing is left alone for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _State:
    failures: int = 0
    until: float = 0.0
    probing: bool = False


class Breaker:
    """Counts failures in a row, host by host.

    Args:
        failures: So many open the circuit.
        pause_s: It stays open so long; then one call is let through, and its outcome decides.
        clock: Seconds that only grow.
    """

    def __init__(self, failures: int, pause_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._failures = failures
        self._pause = pause_s
        self._clock = clock
        self._states: dict[str, _State] = {}

    def refusal(self, host: str) -> str:
        """Why a host is not called now; empty if it is. Whoever may call says `worked`, `failed` or `left` afterwards."""
        state = self._states.get(host)
        if state is None or not self.is_open(host):
            return ""
        wait = state.until - self._clock()
        if wait <= 0 and not state.probing:
            state.probing = True
            return ""
        when = f"in {wait:.0f} s" if wait > 0 else "once another call has tried it"
        return f"{host} failed {state.failures} times in a row; it is called again {when}"

    def is_open(self, host: str) -> bool:
        """Whether a host has failed too often."""
        state = self._states.get(host)
        return state is not None and state.failures >= self._failures

    def worked(self, host: str) -> None:
        """A call came through."""
        self._states.pop(host, None)

    def failed(self, host: str) -> None:
        """A call did not."""
        state = self._states.setdefault(host, _State())
        state.failures += 1
        state.probing = False
        state.until = self._clock() + self._pause

    def left(self, host: str) -> None:
        """A call ended without saying anything about the host."""
        if (state := self._states.get(host)) is not None:
            state.probing = False
