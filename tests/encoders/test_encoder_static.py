"""Static (model2vec) models in a folder."""

from pathlib import Path

import numpy as np
import pytest
from tiny_models import WIDTH, WORDS, table, write_json, write_tokenizer

from toolcurator.encoders.load import load_encoder
from toolcurator.encoders.static_encoder import StaticEncoder
from toolcurator.errors import EncoderError

save_file = pytest.importorskip("safetensors.numpy").save_file


def make(folder: Path, **tensors: np.ndarray) -> Path:
    folder.mkdir(exist_ok=True)
    save_file(tensors or {"embeddings": table()}, folder / "model.safetensors")
    write_tokenizer(folder / "tokenizer.json")
    write_json(folder / "config.json", {"model_type": "model2vec", "normalize": True})
    return folder


def open_folder(folder: Path) -> StaticEncoder:
    encoder = load_encoder(str(folder))
    assert isinstance(encoder, StaticEncoder)
    return encoder


def mean(*words: str, rows: np.ndarray | None = None, weights: dict[str, float] | None = None) -> np.ndarray:
    source = table() if rows is None else rows
    total = sum(source[WORDS.index(word)] * (weights or {}).get(word, 1.0) for word in words)
    return total / np.linalg.norm(total)


def test_a_text_is_the_mean_of_its_known_tokens(tmp_path: Path) -> None:
    encoder = open_folder(make(tmp_path / "potion"))
    vectors = encoder.encode_documents(["pay bill", "pay unheard bill", "open", "unheard", ""])
    assert vectors.dtype == np.float32
    assert vectors[0] == pytest.approx(mean("pay", "bill"), abs=1e-6)
    assert vectors[1] == pytest.approx(vectors[0])
    assert vectors[2] == pytest.approx(mean("open"), abs=1e-6)
    assert (vectors[3:] == 0).all()
    assert encoder.dimensions == WIDTH
    assert encoder.encode_queries([]).shape == (0, WIDTH)
    assert encoder.count_tokens("pay the bill") == 3


def test_weights_and_shared_rows(tmp_path: Path) -> None:
    weights = np.ones(len(WORDS), np.float32)
    weights[WORDS.index("bill")] = 0.25
    mapping = np.arange(len(WORDS))
    mapping[WORDS.index("open")] = WORDS.index("pay")
    encoder = open_folder(make(tmp_path / "m", embeddings=table().astype(np.float16), weights=weights, mapping=mapping))
    vectors = encoder.encode_queries(["pay bill", "open"])
    assert vectors[0] == pytest.approx(mean("pay", "bill", weights={"bill": 0.25}), abs=1e-3)
    assert vectors[1] == pytest.approx(mean("pay"), abs=1e-3)


def test_the_layout_of_sentence_transformers(tmp_path: Path) -> None:
    make(tmp_path / "0_StaticEmbedding", **{"embedding.weight": table()})
    module = {"path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"}
    write_json(tmp_path / "modules.json", [module])
    assert open_folder(tmp_path).encode_queries(["pay"])[0] == pytest.approx(mean("pay"), abs=1e-6)


def test_progress_and_order_over_many_texts(tmp_path: Path) -> None:
    encoder, seen = open_folder(make(tmp_path / "m")), list[tuple[int, int]]()
    vectors = encoder.encode_documents(["pay", "bill", "open"] * 700, progress=lambda *at: seen.append(at))
    assert seen == [(1024, 2100), (2048, 2100), (2100, 2100)]
    assert vectors[2099] == pytest.approx(mean("open"), abs=1e-6)


def test_a28_odd_texts(tmp_path: Path) -> None:
    encoder = open_folder(make(tmp_path / "m"))
    texts = ["\0pay\ud800", "pay " * 250_000, "🎉" * 1_000_000]
    assert encoder.encode_queries(texts)[1] == pytest.approx(mean("pay"), abs=1e-5)
    assert encoder.count_tokens(texts[1]) == pytest.approx(250_000, rel=0.01)


def test_a13_id_changes_with_vectors_and_tokenizer(tmp_path: Path) -> None:
    first = open_folder(make(tmp_path / "m")).id
    second = open_folder(make(tmp_path / "m", embeddings=table(1))).id
    write_tokenizer(tmp_path / "m" / "tokenizer.json", special=False)
    third = open_folder(tmp_path / "m").id
    assert first.startswith("static:m:")
    assert len({first, second, third}) == 3


@pytest.mark.parametrize(
    ("tensors", "message"),
    [({"other": table()}, "no matrix called"), ({"embeddings": table()[:3]}, "a vector for each of its 10 tokens")],
)
def test_a_file_without_the_right_matrix_is_named(tmp_path: Path, tensors: dict[str, np.ndarray], message: str) -> None:
    encoder = open_folder(make(tmp_path / "m", **tensors))
    with pytest.raises(EncoderError, match=message):
        encoder.encode_queries(["pay"])


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(EncoderError, match="m cannot be loaded"):
        open_folder(folder).encode_queries(["pay"])
