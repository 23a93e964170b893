"""What turns are served with: made once for a catalogue, and again when a live one has changed."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any, Literal

from toolcurator.retrieval import Curator
from toolcurator.routing.calibration import CalibrationError
from toolcurator.routing.call import Caller, CallPolicy
from toolcurator.routing.decider import Decider
from toolcurator.routing.turn import Serving
from toolcurator.routing.understanding import Decide, Understand

if TYPE_CHECKING:
    from toolcurator.live import LiveCurator

_log = logging.getLogger(__name__)


class Servings:
    """Gives each turn what it is served with.

    Args:
        source: The curator, or one that stays in step with live servers.
        caller: Calls tools; None makes one for each catalogue: HTTP endpoints of its own hosts, and what a live one calls.
        decide: Decides; None takes a `Decider` of the curator.
        calibration: Of that decider. One that was made for the catalogue before it changed is given up for the packaged one.
        **understanding: ``intent``, ``synonyms``, ``lenient`` and ``now`` of `Understand`.

    Raises:
        CalibrationError: The calibration beside the index was made for another encoder or an older catalogue.
    """

    def __init__(
        self,
        source: Curator | LiveCurator,
        caller: Caller | None,
        *,
        decide: Decide | None,
        calibration: Literal["own", "packaged", "classic"],
        **understanding: Any,
    ) -> None:
        self._live = None if isinstance(source, Curator) else source
        self._given = caller
        self._decide = decide
        self._calibration: Literal["own", "packaged", "classic"] = calibration
        self._understanding = understanding
        self._lock = threading.Lock()
        curator = source if isinstance(source, Curator) else source.curator
        self.latest = self._made(curator, self._decider(curator, calibration), None)

    async def now(self) -> Serving:
        """What a turn that begins now is served with.

        Raises:
            CatalogError: A live catalogue has no tool left.
        """
        if self._live is None:
            return self.latest
        # in a thread: servers may have to be listed, and an index to be built
        return await asyncio.to_thread(self._followed, self._live)

    def _followed(self, live: LiveCurator) -> Serving:
        with self._lock:
            curator = live.current()
            if curator is not self.latest.curator:
                try:
                    decide = self._decider(curator, self._calibration)
                except CalibrationError as error:
                    _log.warning("the tools have changed, the packaged calibration is used: %s", error)
                    decide = self._decider(curator, "packaged")
                self.latest = self._made(curator, decide, self.latest.caller)
            return self.latest

    def _decider(self, curator: Curator, calibration: Literal["own", "packaged", "classic"]) -> Decide:
        return self._decide or Decider(curator, calibration).decide

    def _made(self, curator: Curator, decide: Decide, before: Caller | None) -> Serving:
        catalog = curator.index.catalog
        caller = self._given
        if caller is None:
            policy = CallPolicy.for_tools(catalog)
            if before is not None and before.policy == policy:
                caller = before  # it knows which hosts are down
            elif self._live is not None:
                caller = Caller(policy, live=self._live.live, functions=self._live.live.functions)
            else:
                caller = Caller(policy)
        return Serving(curator, Understand(catalog, decide, **self._understanding), caller)
