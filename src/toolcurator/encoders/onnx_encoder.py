"""A sentence encoder in an ONNX file, run on the CPU by onnxruntime."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders.encoder import Vectors
from toolcurator.encoders.local_encoder import LocalEncoder
from toolcurator.encoders.model_folder import ModelFolder, sha256
from toolcurator.encoders.pooling import pool, unit
from toolcurator.errors import EncoderError

_CHUNK = 256  # texts tokenized at a time: enough to sort by length, few enough to keep their tokens in little memory
_BATCH_TOKENS = 2048  # tokens run at a time, padding included: more is no faster on a CPU and needs more memory
_QUANTIZED = re.compile(r"quant|int8")  # files whose activations are quantized, as exporters name them
_POOLED = ("sentence_embedding", "embedding", "embeddings", "dense_vecs")  # outputs that need no pooling
_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}


@dataclass(frozen=True)
class OnnxModel:
    """A loaded model.

    Attributes:
        session: onnxruntime's session.
        tokenizer: It truncates, and does not pad.
        inputs: Names of the graph's inputs.
        output: Name of the output used.
        pooled: Whether that output is one vector a text already.
        dimensions: Length of a vector.
        pad: Token id for padding.
    """

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    output: str
    pooled: bool
    dimensions: int
    pad: int


class OnnxEncoder(LocalEncoder[OnnxModel]):
    """An ``Encoder`` over a folder with an ONNX file and a ``tokenizer.json``.

    Args:
        folder: The model, as ``read_folder`` gives it.
        query_prompt: Put before each query instead of the model's own prompt.
        document_prompt: Put before each document instead of the model's own prompt.
        threads: Threads of one call; by default as many as this process has processors, four at most.
        remedy: What to do if the model is broken, added to the error's message.

    Raises:
        EncoderError: The folder has no ONNX file or no tokenizer.
    """

    kind = "onnx"

    def __init__(
        self,
        folder: ModelFolder,
        *,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        threads: int | None = None,
        remedy: str = "",
    ) -> None:
        super().__init__(folder, query_prompt=query_prompt, document_prompt=document_prompt)
        if folder.onnx is None:
            raise EncoderError(f"{folder.path} has no ONNX file (model.onnx or onnx/model.onnx)")
        self._file = folder.onnx
        self._tokenizer = folder.tokenizer
        # Quantized activations share one scale a batch: only alone does a text get the same vector whatever its neighbors.
        alone = folder.precision == "int8" or (not folder.precision and _QUANTIZED.search(folder.onnx.name))
        self._batch_tokens = 1 if alone else _BATCH_TOKENS
        self._threads = threads or min(4, _processors())
        self._remedy = f". {remedy}" if remedy else ""

    def files(self) -> list[Path]:
        """The ONNX file, the tensors beside it (``model.onnx_data``, ``model.onnx.data``), the tokenizer."""
        data = sorted(file for file in self._file.parent.glob(f"{self._file.name}[._]data*") if file.is_file())
        return [self._file, *data, self._tokenizer]

    def open(self) -> OnnxModel:
        """See ``LocalEncoder.open``."""
        import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
        from tokenizers import Tokenizer

        declared = self.folder.declared.get(self._file.name)
        if declared and sha256(self._file) != declared:
            raise EncoderError(f"{self._file} is not the file that encoder.json describes{self._remedy}")
        try:
            tokenizer: Any = Tokenizer.from_file(str(self._tokenizer))
            tokenizer.no_padding()
            tokenizer.enable_truncation(self.max_tokens)
            session: Any = onnxruntime.InferenceSession(
                str(self._file), _options(onnxruntime, self._threads), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise classes of their own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded: {error}{self._remedy}") from error
        inputs = frozenset(str(entry.name) for entry in session.get_inputs())
        if "input_ids" not in inputs or inputs - _INPUTS:
            raise EncoderError(f"{self._file} wants the inputs {sorted(inputs)}; known are {sorted(_INPUTS)}")
        output, pooled = _output(self._file, session)
        if self.folder.head and not pooled:
            missing = ", ".join(self.folder.head)
            raise EncoderError(f"{self._file} ends before the model's own last layers ({missing}); export all of it")
        width = output.shape[-1]
        if not isinstance(width, int):
            probe = session.run([output.name], {name: np.ones((1, 2), np.int64) for name in inputs})[0]
            width = int(probe.shape[-1])
        pad = tokenizer.token_to_id("[PAD]") or 0
        return OnnxModel(session, tokenizer, inputs, str(output.name), pooled, width, pad)

    def width(self, model: OnnxModel) -> int:
        """See ``LocalEncoder.width``."""
        return model.dimensions

    def embed(self, model: OnnxModel, texts: list[str], done: Callable[[int], None]) -> Vectors:
        """See ``LocalEncoder.embed``."""
        vectors = np.empty((len(texts), model.dimensions), np.float32)
        finished = 0
        # Texts of like length share a batch, so that little of it is padding; each row goes to its text's place.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), _CHUNK):
            chunk = order[start : start + _CHUNK]
            encodings: list[Any] = model.tokenizer.encode_batch([texts[index] for index in chunk])
            tokens: list[list[int]] = [encoding.ids or [model.pad] for encoding in encodings]
            for batch in _batches([len(ids) for ids in tokens], self._batch_tokens):
                vectors[[chunk[index] for index in batch]] = self._run(model, [tokens[index] for index in batch])
                finished += len(batch)
                done(finished)
        return vectors

    def count(self, model: OnnxModel, text: str) -> int:
        """See ``LocalEncoder.count``."""
        encoding: Any = model.tokenizer.encode(text)
        return len(encoding.ids) + sum(len(part.ids) - sum(part.special_tokens_mask) for part in encoding.overflowing)

    def _run(self, model: OnnxModel, tokens: list[list[int]]) -> Vectors:
        longest = max(len(ids) for ids in tokens)
        ids = np.full((len(tokens), longest), model.pad, np.int64)
        mask = np.zeros((len(tokens), longest), np.int64)
        for row, content in enumerate(tokens):
            ids[row, : len(content)] = content
            mask[row, : len(content)] = 1
        feed: dict[str, NDArray[np.int64]] = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in model.inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        if "position_ids" in model.inputs:
            feed["position_ids"] = np.tile(np.arange(longest), (len(tokens), 1))
        output = model.session.run([model.output], {name: feed[name] for name in model.inputs})[0]
        return unit(output if model.pooled else pool(output, mask, self.folder.pooling))


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Indices grouped by like length, each group at most ``most`` tokens with its padding (or a single text)."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batch and lengths[index] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(index)
    yield batch


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _output(file: Path, session: Any) -> tuple[Any, bool]:
    """The output to use, and whether it is pooled already. BERT's ``pooler_output`` is something else, never used."""
    outputs = [entry for entry in session.get_outputs() if "float" in entry.type]
    flat = [entry for entry in outputs if len(entry.shape) == 2 and entry.name != "pooler_output"]
    for entry in flat:
        if entry.name in _POOLED:
            return entry, True
    for entry in outputs:
        if len(entry.shape) == 3:
            return entry, False
    if flat:
        return flat[0], True
    raise EncoderError(f"{file} gives neither sentence nor token vectors, only {[entry.name for entry in outputs]}")


def _options(onnxruntime: Any, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A search takes milliseconds and then nothing comes for long: idle threads must not burn processors.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
