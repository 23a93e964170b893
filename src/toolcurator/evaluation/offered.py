"""Whether any of the tools fits that were offered with a query: BFCL calls a query irrelevant to these, not to the pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolcurator.index import Evidence
from toolcurator.retrieval import Curator


def fits_among(curator: Curator, query: str, candidates: Sequence[str], role: str | None = None) -> float:
    """Probability that any of some tools fits, from the same evidence and by the same rule as over the whole catalogue.

    Args:
        curator: Opened over all tools.
        query: What is asked.
        candidates: Ids of the tools that were offered; ids that the catalogue does not hold count for nothing.
        role: Persona.

    Returns:
        The probability; 0 if none of them is among the candidates of either arm.
    """
    places = [at for id in candidates if (at := curator.index.position(id)) is not None]
    evidence = among(curator.evidence([query], role=role)[0], places)
    if not len(evidence.tools):
        return 0.0
    if curator.settings.preset == "classic":
        return float(np.clip(evidence.best.max(), 0.0, 1.0))
    return curator.fits(evidence)


def among(evidence: Evidence, places: Sequence[int]) -> Evidence:
    """The evidence of some tools only.

    Args:
        evidence: The evidence.
        places: Positions of the tools in the index.
    """
    return evidence.of(np.isin(evidence.tools, np.array(places, np.intp)))
