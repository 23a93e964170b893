"""Reads what a model's folder says about itself: files, pooling, prompts, length.

Understood are our own ``encoder.json`` and the layout of sentence-transformers (``modules.json``,
``1_Pooling/config.json``, ``config_sentence_transformers.json``, ``sentence_bert_config.json``); what neither says
comes from the table of families.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from toolcurator.encoders.families import Family, Pooling, family_of
from toolcurator.errors import EncoderError

ONNX_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_fp16.onnx",
    "onnx/model_uint8.onnx",
)
"""Names under which an ONNX model is looked for, best first; after these any other ``*.onnx`` in the two folders."""

_POOLING: dict[str, Pooling] = {
    "mean": "mean",
    "mean_tokens": "mean",
    "cls": "cls",
    "cls_token": "cls",
    "lasttoken": "last",
}
_BLOB = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ModelFolder:
    """A model on disk and how its makers use it.

    Attributes:
        path: The folder.
        name: The model's name; decides its family.
        family: Its line in the table.
        pooling: How token vectors become one.
        query_prompt: Put before each query.
        document_prompt: Put before each document.
        max_tokens: Longest text it reads.
        dimensions: Length of a vector, 0 if only the model itself can tell.
        precision: Precision of the weights, as ``encoder.json`` names it.
        head: Modules of sentence-transformers after the pooling that an ONNX file of the transformer alone lacks.
        declared: Hashes by file name, as ``encoder.json`` gives them.
    """

    path: Path
    name: str
    family: Family
    pooling: Pooling
    query_prompt: str
    document_prompt: str
    max_tokens: int
    dimensions: int
    precision: str
    head: tuple[str, ...]
    declared: dict[str, str]

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file.

        Raises:
            EncoderError: It is missing.
        """
        path = self.path / "tokenizer.json"
        if not path.is_file():
            raise EncoderError(f"{self.path} has no tokenizer.json; the model's fast tokenizer is needed there")
        return path

    @property
    def onnx(self) -> Path | None:
        """The ONNX file, None if there is none."""
        return find_onnx(self.path)

    def digest(self, file: Path) -> str:
        """SHA-256 of a file, in hexadecimal; declared hashes and names of hub blobs are believed, the rest is read."""
        if declared := self.declared.get(file.name):
            return declared
        real = file.resolve()
        if real.parent.name == "blobs" and _BLOB.fullmatch(real.name):
            return real.name
        return sha256(file)


def read_folder(path: Path, *, name: str = "", max_tokens: int | None = None) -> ModelFolder:
    """Read a model's folder; its weights are not touched.

    Args:
        path: The folder.
        name: The model's name, if the caller knows it; else the folder's own word for it, else the folder's name.
        max_tokens: A shorter length than the model's own.

    Raises:
        EncoderError: A file in it is broken, or it asks for a pooling that is not known here.
    """
    about = _read(path / "encoder.json")
    config = _read(path / "config.json")
    sentence = _read(path / "config_sentence_transformers.json")
    name = name or str(about.get("name") or config.get("_name_or_path") or path.resolve().name)
    family = family_of(name, str(about.get("family") or ""))
    modules = _modules(path)
    prompts = {key: text for key, text in _mapping(sentence.get("prompts")).items() if isinstance(text, str)}
    longest = _max_tokens(path, about, config)
    return ModelFolder(
        path=path,
        name=name,
        family=family,
        pooling=_pooling(path, about, modules) or family.pooling,
        query_prompt=_first(prompts, "query", "retrieval.query", "search_query") or family.query_prompt,
        document_prompt=_first(prompts, "document", "passage", "retrieval.passage", "search_document")
        or family.document_prompt,
        max_tokens=min(longest, max_tokens) if max_tokens else longest,
        dimensions=_number(about.get("dimensions")),
        precision=str(about.get("precision") or ""),
        head=tuple(kind for kind, _ in modules if kind not in ("Transformer", "Pooling", "Normalize")),
        declared={
            f"{stem}.{suffix}": str(about[f"{stem}_sha256"])
            for stem, suffix in (("model", "onnx"), ("tokenizer", "json"))
            if about.get(f"{stem}_sha256")
        },
    )


def find_onnx(path: Path) -> Path | None:
    """The best ONNX file of a folder, None if there is none."""
    for candidate in ONNX_FILES:
        if (path / candidate).is_file():
            return path / candidate
    return next((file for pattern in ("*.onnx", "onnx/*.onnx") for file in sorted(path.glob(pattern))), None)


def sha256(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        return _mapping(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EncoderError(f"{path} cannot be read as JSON ({error}); restore it or remove it") from error


def _mapping(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _modules(path: Path) -> list[tuple[str, str]]:
    """Kind and folder of each sentence-transformers module, in order."""
    file = path / "modules.json"
    if not file.is_file():
        return []
    try:
        entries: Any = json.loads(file.read_text(encoding="utf-8"))
        return [(str(entry["type"]).rsplit(".", 1)[-1], str(entry.get("path", ""))) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise EncoderError(f"{file} is not a list of modules ({error!r}); restore it or remove it") from error


def _pooling(path: Path, about: dict[str, Any], modules: list[tuple[str, str]]) -> Pooling | None:
    folder = next((folder for kind, folder in modules if kind == "Pooling"), "1_Pooling")
    config = _read(path / folder / "config.json")
    mode = about.get("pooling") or config.get("pooling_mode")
    modes: list[Any] = list(cast(list[Any], mode)) if isinstance(mode, list) else [mode] if mode else []
    modes += [key.removeprefix("pooling_mode_") for key, on in config.items() if key.startswith("pooling_mode_") and on]
    if not modes:
        return None
    if len(modes) > 1 or (modes[0] not in _POOLING and modes[0] != "last"):
        raise EncoderError(f"{path} pools by {modes}; known are mean, cls and lasttoken, one at a time")
    return _POOLING[modes[0]]


def _max_tokens(path: Path, about: dict[str, Any], config: dict[str, Any]) -> int:
    stated = (
        _number(about.get("max_tokens")),
        _number(_read(path / "sentence_bert_config.json").get("max_seq_length")),
        _number(_read(path / "tokenizer_config.json").get("model_max_length")),
        _number(config.get("max_position_embeddings")),
    )
    # A tokenizer without a limit states a number beyond all bounds.
    return next((length for length in stated if 0 < length < 1_000_000), 512)


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _first(prompts: dict[str, str], *keys: str) -> str:
    return next((prompts[key] for key in keys if prompts.get(key)), "")
