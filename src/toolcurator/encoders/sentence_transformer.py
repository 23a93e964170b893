"""A model without an ONNX file, run by the library sentence-transformers (extra ``torch``)."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from toolcurator.encoders.encoder import Vectors
from toolcurator.encoders.local_encoder import LocalEncoder
from toolcurator.encoders.pooling import unit
from toolcurator.errors import EncoderError, MissingExtra

_CHUNK = 256
_DECIDING = (".safetensors", ".bin", ".json", ".txt", ".model")  # weights, tokenizers, settings; not prose and pictures


class SentenceTransformerEncoder(LocalEncoder[Any]):
    """An ``Encoder`` over a folder that sentence-transformers can read."""

    kind = "torch"

    def files(self) -> list[Path]:
        """Weights, tokenizer and settings of every module."""
        return sorted(file for file in self.folder.path.rglob("*") if file.suffix in _DECIDING and file.is_file())

    def open(self) -> Any:
        """See ``LocalEncoder.open``."""
        try:
            library = importlib.import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtra(f"{self.folder.name}, which has no ONNX file,", "torch") from error
        try:
            model: Any = library.SentenceTransformer(str(self.folder.path), local_files_only=True)
        except Exception as error:  # transformers raises classes of its own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded by sentence-transformers: {error}") from error
        model.max_seq_length = self.max_tokens
        model.default_prompt_name = None  # the prompt is in the text already
        return model

    def width(self, model: Any) -> int:
        """See ``LocalEncoder.width``."""
        return int(model.encode([""], show_progress_bar=False).shape[1])

    def embed(self, model: Any, texts: list[str], done: Callable[[int], None]) -> Vectors:
        """See ``LocalEncoder.embed``."""
        parts: list[Vectors] = []
        for start in range(0, len(texts), _CHUNK):
            parts.append(unit(model.encode(texts[start : start + _CHUNK], show_progress_bar=False)))
            done(min(start + _CHUNK, len(texts)))
        return np.concatenate(parts)

    def count(self, model: Any, text: str) -> int:
        """See ``LocalEncoder.count``."""
        return len(model.tokenizer(text, truncation=False, verbose=False)["input_ids"])


def has_torch() -> bool:
    """Whether sentence-transformers is installed; it is not imported."""
    return importlib.util.find_spec("sentence_transformers") is not None
