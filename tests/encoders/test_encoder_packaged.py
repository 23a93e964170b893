"""The encoder that comes with the package: what it answers, what it bears, how it fails."""

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from toolcurator.encoders import Encoder, load
from toolcurator.encoders.load import PACKAGED, load_encoder
from toolcurator.encoders.model_folder import sha256
from toolcurator.errors import EncoderError

ODD = {
    "empty": "",
    "blank": " \n\t ",
    "nul": "pay\0bill",
    "control": "\x01\x02\x1b[31m",
    "emoji": "👩‍🚀🎉",
    "lone surrogate": "pay \ud800 bill",
    "surrogate pair": "\ud83d\ude00",
    "one": "a",
    "ten thousand": "pay the bill " * 800,
    "million of one word": "ab" * 500_000,
    "million of words": "pay " * 250_000,
    "million of emoji": "🎉" * 1_000_000,
    "million of spaces": " " * 1_000_000,
}


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    found = load_encoder()
    assert found is not None
    return found


def test_says_what_it_is(encoder: Encoder) -> None:
    assert (encoder.dimensions, encoder.max_tokens, encoder.languages) == (384, 256, ("en",))
    assert encoder.id.startswith("onnx:sentence-transformers/all-MiniLM-L6-v2:")


def test_vectors_are_unit_rows_of_float32(encoder: Encoder) -> None:
    vectors = encoder.encode_documents(["raise a grievance", "show attendance"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_nothing_in_nothing_out(encoder: Encoder) -> None:
    assert encoder.encode_documents([]).shape == encoder.encode_queries([]).shape == (0, 384)


def test_cosines_are_those_of_the_original_model(encoder: Encoder) -> None:
    texts = [
        "How do I file a complaint?",
        "raise grievance: submit a formal complaint",
        "get weather: forecast for a city",
    ]
    vectors = encoder.encode_queries(texts)
    found = (vectors @ vectors.T)[np.triu_indices(3, 1)]
    assert found == pytest.approx([0.5987, 0.0207, -0.0167], abs=0.03)  # sentence-transformers 6.2, float32


def test_a14_a_vector_does_not_depend_on_its_neighbours(encoder: Encoder) -> None:
    texts = [f"tool number {n} " + "that does one more thing " * (n % 5) for n in range(20)]
    together = encoder.encode_documents(texts)
    alone = np.concatenate([encoder.encode_documents([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5


def test_progress_reaches_the_total(encoder: Encoder) -> None:
    seen: list[tuple[int, int]] = []
    encoder.encode_documents(["pay the bill " * (n % 18) for n in range(70)], progress=lambda *at: seen.append(at))
    done = [count for count, _ in seen]
    assert len(seen) > 1
    assert done == sorted(done)
    assert seen[-1] == (70, 70)
    assert {total for _, total in seen} == {70}


def test_threads_share_one_encoder() -> None:
    encoder = load_encoder()
    assert encoder is not None
    texts = [f"open account {n}" for n in range(6)]
    expected = encoder.encode_queries(texts)
    fresh, found = load_encoder(), dict[int, np.ndarray]()
    assert fresh is not None
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: fresh.encode_queries([texts[n]])[0]})) for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.abs(np.stack([found[n] for n in range(6)]) - expected).max() < 1e-5


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_a28_any_text_is_answered_in_bounded_time(encoder: Encoder, text: str) -> None:
    encoder.encode_queries(["warm"])
    start = time.perf_counter()
    vectors = encoder.encode_queries([text])
    assert encoder.count_tokens(text) >= 2
    assert time.perf_counter() - start < 10  # on a busy machine; minutes are what must not happen
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1], abs=1e-5)


def test_a28_surrogate_pair_is_the_character_it_means(encoder: Encoder) -> None:
    assert (encoder.encode_queries(["ok \ud83d\ude00"]) == encoder.encode_queries(["ok 😀"])).all()


def test_a29_a_long_description_is_read_up_to_the_limit(encoder: Encoder) -> None:
    start, tail = "list the invoices of a customer " * 60, "and water the garden " * 2_500
    assert encoder.count_tokens(start + tail) > encoder.max_tokens
    whole, cut = encoder.encode_documents([start + tail, start])
    assert float(whole @ cut) > 0.9999


def test_a29_tokens_are_counted_past_the_limit(encoder: Encoder) -> None:
    assert encoder.count_tokens("pay the bill") == 5  # with the two special tokens
    assert encoder.count_tokens("pay " * 10_000) == 10_002
    assert encoder.count_tokens("pay " * 100_000) == pytest.approx(100_002, rel=0.01)


def test_a29_max_tokens_shortens(encoder: Encoder) -> None:
    short = load_encoder(max_tokens=8)
    assert short is not None
    assert short.max_tokens == 8
    long_text = "pay the bill of the customer and close the account"
    same = short.encode_documents([long_text]) @ short.encode_documents(["pay the bill of the customer"]).T
    assert float(same[0, 0]) == pytest.approx(1, abs=1e-5)
    with pytest.raises(EncoderError, match="max_tokens is 3"):
        load_encoder(max_tokens=3)


def test_the_files_are_those_described_and_small() -> None:
    about = json.loads((PACKAGED / "encoder.json").read_text())
    assert sha256(PACKAGED / "model.onnx") == about["model_sha256"]
    assert sha256(PACKAGED / "tokenizer.json") == about["tokenizer_sha256"]
    assert sum(file.stat().st_size for file in PACKAGED.iterdir()) < 25e6


def test_d9_import_and_id_load_nothing_heavy() -> None:
    code = (
        "import sys; from toolcurator.encoders import load_encoder; load_encoder().id; load_encoder().dimensions;"
        "print([m for m in ('onnxruntime', 'tokenizers', 'httpx', 'torch', 'huggingface_hub') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_d9_starts_without_network() -> None:
    code = (
        "import socket\n"
        "def refuse(*_, **__): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from toolcurator.encoders import load_encoder\n"
        "print(load_encoder().encode_queries(['hello']).shape)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "(1, 384)\n"
    )


def test_d9_no_encoder_means_words_alone() -> None:
    assert load_encoder("none") is None
    assert load_encoder(None) is None


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "encoder.json"])
def test_d9_a_missing_file_names_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    folder = Path(shutil.copytree(PACKAGED, tmp_path / "packaged"))
    (folder / missing).unlink()
    monkeypatch.setattr(load, "PACKAGED", folder)
    with pytest.raises(EncoderError, match=r"export_encoder\.py .* --encoder none"):
        load_encoder()


@pytest.mark.parametrize("damage", [b"", b"version https://git-lfs.github.com/spec/v1\n", None])
def test_d9_a_broken_file_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    folder = Path(shutil.copytree(PACKAGED, tmp_path / "packaged"))
    content = (folder / "model.onnx").read_bytes()
    flipped = content[:1_000_000] + bytes([content[1_000_000] ^ 1]) + content[1_000_001:]
    (folder / "model.onnx").write_bytes(flipped if damage is None else damage)
    monkeypatch.setattr(load, "PACKAGED", folder)
    encoder = load_encoder()
    assert encoder is not None
    with pytest.raises(EncoderError, match=r"export_encoder\.py .* --encoder none"):
        encoder.encode_queries(["hello"])
