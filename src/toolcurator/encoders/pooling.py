"""From token vectors to one vector of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders.encoder import Vectors
from toolcurator.encoders.families import Pooling


def pool(tokens: NDArray[Any], mask: NDArray[np.int64], pooling: Pooling) -> NDArray[Any]:
    """One vector a text.

    Args:
        tokens: ``float[n, s, d]``.
        mask: ``int64[n, s]``, 1 at real tokens, which come first, 0 at padding.
        pooling: Mean of the real tokens, the first, or the last.

    Returns:
        ``float[n, d]``.
    """
    if pooling == "cls":
        return tokens[:, 0]
    if pooling == "last":
        return tokens[np.arange(len(tokens)), mask.sum(axis=1) - 1]
    weight = mask[:, :, None].astype(np.float32)
    return (tokens * weight).sum(axis=1) / weight.sum(axis=1)


def unit(vectors: NDArray[Any]) -> Vectors:
    """Rows ``float[n, d]`` made ``float32`` of unit length; a row of zeros stays."""
    rows: Vectors = vectors.astype(np.float32)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    length[length == 0] = 1
    rows /= length
    return rows
