"""Where an encoder's cosines lie, so that what was learned with one encoder can be read off another.

Encoders crowd their vectors into cones of different width (Ethayarajh 2019): two messages that have nothing in common have a
cosine of 0.11 by the packaged encoder, and of 0.77 by multilingual E5. Probabilities that were fitted to the cosines of the one
would hold every tool of the other to fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolcurator.index import LocalIndex
from toolcurator.retrieval.background import spoken

LEVEL, NEAR, SPREAD = 0.273, 0.26, 0.069
"""Of the packaged encoder, in the mean over catalogues in English."""
_ASKED, _POINTS = 40, 2000

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CosineScale:
    """How the cosines of one encoder on one catalogue become such as the packaged encoder might have given.

    Attributes:
        factor: What a difference of cosines is multiplied by.
        level: Highest cosine that a general message has with any tool, in the mean.
        near: Highest cosine that a text of the catalogue has with any general message, in the mean.
    """

    factor: float
    level: float
    near: float

    def of_tool(self, cosine: float) -> float:
        """A cosine of a query and a tool."""
        return LEVEL + self.factor * (cosine - self.level)

    def of_message(self, cosine: float) -> float:
        """A cosine of a query and the general message that is nearest to it."""
        return NEAR + self.factor * (cosine - self.near)


def cosine_scale(index: LocalIndex, background: Floats) -> CosineScale:
    """Measure the scale of an index.

    Args:
        index: The index.
        background: float32[b, d], vectors of `toolcurator.retrieval.background.general_queries`.
    """
    asked = spoken({index.manifest.language})
    asked = asked[:: max(1, len(asked) // _ASKED)]
    level = float(np.mean([index.highest(background[at]) for at in asked]))
    points = index.vectors(np.linspace(0, index.starts[-1] - 1, min(_POINTS, int(index.starts[-1])), dtype=np.intp))
    nearest = (points @ background.T).max(axis=1)
    return CosineScale(SPREAD / max(float(nearest.std()), 0.01), level, float(nearest.mean()))
