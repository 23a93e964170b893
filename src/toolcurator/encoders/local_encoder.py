"""What all encoders over a model's folder share: lazy loading, prompts, identity; each kind adds how it runs."""

from __future__ import annotations

import hashlib
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from toolcurator.encoders.encoder import Progress, Vectors
from toolcurator.encoders.model_folder import ModelFolder
from toolcurator.encoders.text import CHARACTERS_PER_TOKEN, COUNTED, clean

Model = TypeVar("Model")


class LocalEncoder(ABC, Generic[Model]):
    """An ``Encoder`` over a folder. Nothing is loaded before the first text, and ``id`` never needs it.

    Safe to share between threads.

    Args:
        folder: The model, as ``read_folder`` gives it.
        query_prompt: Put before each query instead of the model's own prompt.
        document_prompt: Put before each document instead of the model's own prompt.
    """

    kind: str
    """First word of the id."""

    def __init__(
        self, folder: ModelFolder, *, query_prompt: str | None = None, document_prompt: str | None = None
    ) -> None:
        self.folder = folder
        self.query_prompt = folder.query_prompt if query_prompt is None else query_prompt
        self.document_prompt = folder.document_prompt if document_prompt is None else document_prompt
        self._lock = threading.Lock()
        self._model: Model | None = None

    @abstractmethod
    def files(self) -> list[Path]:
        """Every file whose content decides the vectors."""

    @abstractmethod
    def open(self) -> Model:
        """Load the model; called once.

        Raises:
            EncoderError: It is broken.
            MissingExtra: The library that runs it is not installed.
        """

    @abstractmethod
    def width(self, model: Model) -> int:
        """Length of a vector."""

    @abstractmethod
    def embed(self, model: Model, texts: list[str], done: Callable[[int], None]) -> Vectors:
        """Unit vectors ``float32[n, d]`` of one text or more, cut, with prompt; ``done`` takes the number finished."""

    @abstractmethod
    def count(self, model: Model, text: str) -> int:
        """Tokens of a text, special ones included, however long it is."""

    @cached_property
    def _id(self) -> str:
        parts = {
            "files": [[str(file.relative_to(self.folder.path)), self.folder.digest(file)] for file in self.files()],
            "prompts": [self.query_prompt, self.document_prompt],
            "pooling": self.folder.pooling,
            "max_tokens": self.folder.max_tokens,
            "precision": self.folder.precision,
        }
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"{self.kind}:{self.folder.name}:{digest[:16]}"

    @property
    def id(self) -> str:
        """See ``Encoder.id``."""
        return self._id

    @property
    def dimensions(self) -> int:
        """See ``Encoder.dimensions``; loads the model if its folder does not say."""
        return self.folder.dimensions or self.width(self._ready())

    @property
    def max_tokens(self) -> int:
        """See ``Encoder.max_tokens``."""
        return self.folder.max_tokens

    @property
    def languages(self) -> tuple[str, ...]:
        """See ``Encoder.languages``."""
        return self.folder.family.languages

    def encode_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """See ``Encoder.encode_documents``."""
        return self._encode(texts, self.document_prompt, progress)

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._encode(texts, self.query_prompt, progress)

    def count_tokens(self, text: str) -> int:
        """See ``Encoder.count_tokens``."""
        count = self.count(self._ready(), self.document_prompt + clean(text, COUNTED))
        return round(count * len(text) / COUNTED) if len(text) > COUNTED else count

    def _encode(self, texts: Sequence[str], prompt: str, progress: Progress | None) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)

        def done(count: int) -> None:
            if progress:
                progress(count, len(texts))

        ready = [prompt + clean(text, self.max_tokens * CHARACTERS_PER_TOKEN) for text in texts]
        return self.embed(self._ready(), ready, done)

    def _ready(self) -> Model:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self.open()
        return self._model
