from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_models import write_onnx, write_tokenizer


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder with an ONNX model; keyword arguments go to ``write_onnx``."""

    def make(name: str = "tiny", *, file: str = "model.onnx", **options: object) -> Path:
        folder = tmp_path / name
        write_onnx(folder / file, **options)  # type: ignore[arg-type]
        write_tokenizer(folder / "tokenizer.json")
        return folder

    return make
