"""A static model (model2vec): a vector per token, averaged. No network to run, so thousands of texts a second."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders.encoder import Vectors
from toolcurator.encoders.local_encoder import LocalEncoder
from toolcurator.encoders.model_folder import ModelFolder
from toolcurator.encoders.pooling import unit
from toolcurator.errors import EncoderError, MissingExtra

_CHUNK = 1024
_FOLDERS = (".", "0_StaticEmbedding")  # where model2vec keeps its files, and where sentence-transformers does
_TABLES = ("embeddings", "embedding.weight")  # as the one names the matrix, and as the other


@dataclass(frozen=True)
class StaticModel:
    """A loaded model.

    Attributes:
        tokenizer: It truncates, and does not pad.
        table: ``float[rows, d]``.
        weights: ``float[tokens]``, what a token counts in the mean; None if all count alike.
        mapping: ``int[tokens]``, the row of a token; None if it is the token's id.
        unknown: Id of the unknown token, -1 if there is none.
    """

    tokenizer: Any
    table: NDArray[Any]
    weights: NDArray[Any] | None
    mapping: NDArray[Any] | None
    unknown: int


class StaticEncoder(LocalEncoder[StaticModel]):
    """An ``Encoder`` over a model2vec folder: ``model.safetensors``, ``tokenizer.json``, ``config.json``.

    A text is the weighted mean of its tokens' vectors, unknown tokens left out; without known tokens it gives zeros.

    Args:
        folder: The model, as ``read_folder`` gives it.
        query_prompt: Put before each query.
        document_prompt: Put before each document.

    Raises:
        EncoderError: The folder lacks a file.
    """

    kind = "static"

    def __init__(
        self, folder: ModelFolder, *, query_prompt: str | None = None, document_prompt: str | None = None
    ) -> None:
        super().__init__(folder, query_prompt=query_prompt, document_prompt=document_prompt)
        file = find_static(folder.path)
        if file is None:
            raise EncoderError(f"{folder.path} is not a static model with model.safetensors and tokenizer.json")
        self._file = file
        self._tokenizer = file.parent / "tokenizer.json"

    def files(self) -> list[Path]:
        """The vectors and the tokenizer."""
        return [self._file, self._tokenizer]

    def open(self) -> StaticModel:
        """See ``LocalEncoder.open``."""
        try:
            safetensors = importlib.import_module("safetensors.numpy")
        except ImportError as error:
            raise MissingExtra("a static (model2vec) encoder", "static") from error
        from tokenizers import Tokenizer

        try:
            tensors: dict[str, NDArray[Any]] = safetensors.load_file(self._file)
            tokenizer: Any = Tokenizer.from_file(str(self._tokenizer))
            tokenizer.no_padding()
            tokenizer.enable_truncation(self.max_tokens)
        except Exception as error:  # both libraries raise classes of their own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded: {error}; fetch the model again") from error
        table = next((tensors[name] for name in _TABLES if name in tensors), None)
        if table is None or table.ndim != 2:
            raise EncoderError(f"{self._file} holds no matrix called {' or '.join(_TABLES)}; it is not a static model")
        mapping, size = tensors.get("mapping"), tokenizer.get_vocab_size()
        if len(table if mapping is None else mapping) < size:
            raise EncoderError(f"{self._file} does not have a vector for each of its {size} tokens; fetch it again")
        return StaticModel(tokenizer, table, tensors.get("weights"), mapping, _unknown(tokenizer))

    def width(self, model: StaticModel) -> int:
        """See ``LocalEncoder.width``."""
        return int(model.table.shape[1])

    def embed(self, model: StaticModel, texts: list[str], done: Callable[[int], None]) -> Vectors:
        """See ``LocalEncoder.embed``."""
        sums = np.zeros((len(texts), self.width(model)), np.float32)
        for start in range(0, len(texts), _CHUNK):
            chunk: list[Any] = model.tokenizer.encode_batch(texts[start : start + _CHUNK], add_special_tokens=False)
            for row, encoding in enumerate(chunk, start):
                ids = np.array([token for token in encoding.ids if token != model.unknown], np.int64)
                vectors = model.table[ids if model.mapping is None else model.mapping[ids]].astype(np.float32)
                # The sum will do for the mean: it is made unit length anyway.
                sums[row] = vectors.sum(axis=0) if model.weights is None else model.weights[ids] @ vectors
            done(min(start + _CHUNK, len(texts)))
        return unit(sums)

    def count(self, model: StaticModel, text: str) -> int:
        """See ``LocalEncoder.count``."""
        encoding: Any = model.tokenizer.encode(text, add_special_tokens=False)
        return len(encoding.ids) + sum(len(part.ids) for part in encoding.overflowing)


def is_static(path: Path) -> bool:
    """Whether a folder's settings call it a static model; its weights need not be there."""
    settings = [path / "config.json", path / "modules.json"]
    text = "".join(file.read_text(encoding="utf-8", errors="replace") for file in settings if file.is_file())
    return "StaticEmbedding" in text or '"model2vec"' in text


def find_static(path: Path) -> Path | None:
    """The weights of a static model, None if the folder holds another kind of model or not all of it."""
    if not is_static(path):
        return None
    places = [path / folder for folder in _FOLDERS]
    files = ("model.safetensors", "tokenizer.json")
    return next((place / files[0] for place in places if all((place / name).is_file() for name in files)), None)


def _unknown(tokenizer: Any) -> int:
    """Id of the unknown token: WordPiece and BPE name the token, Unigram its place."""
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    place = model.get("unk_id")
    if place is None and model.get("unk_token"):
        place = tokenizer.token_to_id(model["unk_token"])
    return -1 if place is None else int(place)
