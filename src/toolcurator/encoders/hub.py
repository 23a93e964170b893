"""A model of the Hugging Face hub: from the local cache, or downloaded after a yes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from toolcurator.encoders.model_folder import ONNX_FILES, find_onnx
from toolcurator.encoders.sentence_transformer import has_torch
from toolcurator.encoders.static_encoder import find_static, is_static
from toolcurator.errors import EncoderError, MissingExtra

_SETTINGS = ["*.json", "*.txt", "*.model"]
_TORCH = ["*.safetensors"]
_SECONDS = 10.0


def fetch(name: str, confirm: Callable[[str], bool] | None = None) -> Path:
    """The local folder of a hub model.

    The cache is read without any library and without the network. Only if the model is not there, ``confirm`` is asked,
    and after a yes the ONNX file (or, failing that, the safetensors), the tokenizer and the settings are fetched.

    Args:
        name: ``org/name``.
        confirm: Asked with a question in words before anything is downloaded; None means no.

    Returns:
        The snapshot's folder.

    Raises:
        EncoderError: It is not in the cache, and no one said yes, or the hub is switched off or out of reach.
        MissingExtra: ``huggingface_hub`` is needed and not installed.
    """
    folder = cached(name)
    if folder is not None:
        return folder
    way_out = f"fetch it on a machine with network (hf download {name}) or use the packaged encoder"
    if offline():
        raise EncoderError(f"{name} is not in the local hub cache and HF_HUB_OFFLINE is set; unset it, or {way_out}")
    if confirm is None:
        raise EncoderError(f"{name} is not in the local hub cache and nothing is downloaded without a yes; {way_out}")
    if not confirm(f"{name} is not in the local hub cache. Download it from the Hugging Face hub?"):
        raise EncoderError(f"{name} was not downloaded; {way_out}")
    return _download(name, way_out)


def cached(name: str) -> Path | None:
    """The newest snapshot of a model in the local cache that can be used as it is, None if there is none."""
    repository = cache_root() / f"models--{name.replace('/', '--')}"
    try:
        revision = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    folder = repository / "snapshots" / revision
    return folder if revision and _usable(folder) else None


def cache_root() -> Path:
    """The hub's cache, found as ``huggingface_hub`` finds it."""
    if place := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(place).expanduser()
    home = os.environ.get("HF_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(home).expanduser() / "hub"


def offline() -> bool:
    """Whether the environment forbids the hub."""
    return any(
        os.environ.get(name, "").strip().upper() in {"1", "ON", "YES", "TRUE"}
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def _usable(folder: Path) -> bool:
    if find_onnx(folder) or find_static(folder):
        return (folder / "tokenizer.json").is_file()
    return has_torch() and (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))


def _download(name: str, way_out: str) -> Path:
    try:
        from huggingface_hub import HfApi, snapshot_download  # pyright: ignore[reportUnknownVariableType]
    except ImportError as error:
        raise MissingExtra(f"downloading {name}", "hub") from error
    try:
        # The one call that neither retries nor waits long: if the hub is out of reach, this says so.
        files = {entry.rfilename for entry in HfApi().model_info(name, timeout=_SECONDS).siblings or []}
        folder = Path(snapshot_download(name, allow_patterns=_SETTINGS))
        onnx = next((file for file in ONNX_FILES if file in files), None)
        if onnx is not None and not is_static(folder):
            weights = [onnx, f"{onnx}_data*", f"{onnx}.data*"]
        elif is_static(folder) or has_torch():
            weights = _TORCH
        else:
            raise MissingExtra(f"{name} has no ONNX file; running it", "torch")
        return Path(snapshot_download(name, allow_patterns=[*_SETTINGS, *weights]))
    except MissingExtra:
        raise
    except Exception as error:  # the hub's client raises its own classes, those of its HTTP library, and OSError
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:160]
        raise EncoderError(
            f"{name} cannot be fetched from the hub: {reason}; check name and network, or {way_out}"
        ) from error
