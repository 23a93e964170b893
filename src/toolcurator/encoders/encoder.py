"""What an encoder is: text in, unit vectors out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
"""``float32[n, d]``, every row of unit length (a text without a single known token may give a row of zeros)."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called after each batch with the number of texts done and their total."""


class Encoder(Protocol):
    """Turns texts into vectors whose inner product is their cosine.

    Any text is welcome: empty, with control characters or lone surrogates, or a million characters long. What exceeds
    ``max_tokens`` is cut off, most of it before the tokenizer sees it, so the time is bounded.
    """

    @property
    def id(self) -> str:
        """Changes whenever any answer could: weights, tokenizer, prompts, pooling, dimensions, length or precision."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest text, in tokens, special ones and prompt included, that is read whole."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639 codes of the languages it is good for; ``("*",)`` if it is multilingual."""
        ...

    def encode_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """Vectors of what is searched.

        Args:
            texts: Documents, without the model's prompt.
            progress: Called with (done, total) after each batch.

        Returns:
            ``float32[n, d]`` in the order of ``texts``; ``float32[0, d]`` for none.

        Raises:
            EncoderError: The model cannot be loaded or reached.
        """
        ...

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """Vectors of what is asked; otherwise as ``encode_documents``."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a document, special ones and prompt included, as if nothing were cut off.

        More than ``max_tokens`` means that the end is not read. Past 100,000 characters the count is an estimate.
        """
        ...
