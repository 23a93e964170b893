"""Models without an ONNX file, run by sentence-transformers if it is installed."""

from pathlib import Path

import numpy as np
import pytest
from tiny_models import WORDS, write_tokenizer

from toolcurator.encoders import load_encoder

pytest.importorskip("sentence_transformers")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of random weights, saved as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    raw = tmp_path_factory.mktemp("raw")
    write_tokenizer(raw / "tokenizer.json")
    tokens = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_file(str(raw / "tokenizer.json")), **tokens)
    tokenizer.save_pretrained(raw)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=64, **size)).save_pretrained(raw)
    out = tmp_path_factory.mktemp("models") / "multilingual-e5-tiny"
    word = modules.Transformer(str(raw), max_seq_length=32)
    SentenceTransformer(modules=[word, modules.Pooling(16, "mean")], device="cpu").save(str(out))
    return out


def test_vectors_prompts_and_length_are_those_of_the_library(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    encoder, seen = load_encoder(str(folder)), list[tuple[int, int]]()
    assert encoder is not None
    assert encoder.id.startswith("torch:")
    assert (encoder.dimensions, encoder.max_tokens, encoder.languages) == (16, 32, ("*",))
    found = encoder.encode_queries(["pay bill", ""], progress=lambda *at: seen.append(at))
    library = SentenceTransformer(str(folder), device="cpu")
    expected = library.encode(["query: pay bill", "query: "], normalize_embeddings=True)
    assert found == pytest.approx(expected, abs=1e-5)
    assert found.dtype == np.float32
    assert seen == [(2, 2)]
    assert encoder.encode_documents([]).shape == (0, 16)
    assert encoder.count_tokens("pay bill") == 6


def test_a13_id_changes_with_the_weights(folder: Path) -> None:
    before = load_encoder(str(folder))
    assert before is not None
    old = before.id
    weights = folder / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    after = load_encoder(str(folder))
    assert after is not None
    assert after.id != old


def test_a28_any_text_is_answered(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    assert encoder is not None
    vectors = encoder.encode_queries(["\0\ud800", "pay " * 250_000])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
