"""ONNX models in a folder: pooling, prompts, identity, and files that do not fit together."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from tiny_models import WIDTH, WORDS, table, write_json, write_onnx, write_tokenizer

from toolcurator.encoders.load import load_encoder
from toolcurator.errors import EncoderError

Maker = Callable[..., Path]
TEXTS = ["pay bill open pay", "pay", ""]


def expected(text: str, pooling: str, seed: int = 0) -> np.ndarray:
    """What the tiny model answers, worked out by hand."""
    ids = [WORDS.index(word) for word in ("[CLS]", *text.replace(":", " :").split(), "[SEP]")]
    tokens = table(seed)[ids] + np.arange(len(ids))[:, None]
    vector = {"mean": tokens.mean(axis=0), "cls": tokens[0], "last": tokens[-1]}[pooling]
    return vector / np.linalg.norm(vector)


def pooling(folder: Path, **modes: bool) -> None:
    write_json(folder / "1_Pooling" / "config.json", {f"pooling_mode_{mode}": on for mode, on in modes.items()})


@pytest.mark.parametrize(
    ("mode", "modes"),
    [
        ("mean", {"mean_tokens": True, "cls_token": False}),
        ("cls", {"mean_tokens": False, "cls_token": True}),
        ("last", {"lasttoken": True}),
    ],
)
def test_token_vectors_are_pooled_without_the_padding(tiny: Maker, mode: str, modes: dict[str, bool]) -> None:
    folder = tiny()
    pooling(folder, **modes)
    encoder = load_encoder(str(folder))
    assert encoder is not None
    assert encoder.dimensions == WIDTH
    assert encoder.encode_documents(TEXTS) == pytest.approx(
        np.stack([expected(text, mode) for text in TEXTS]), abs=1e-6
    )


def test_without_settings_the_family_decides(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny("bge-tiny-en-v1.5")))
    assert encoder is not None
    assert encoder.languages == ("en",)
    assert encoder.encode_documents(["pay"])[0] == pytest.approx(expected("pay", "cls"), abs=1e-6)


def test_a_family_stated_in_the_folder_goes_before_the_name(tiny: Maker) -> None:
    folder = tiny("our-own-model")
    write_json(folder / "encoder.json", {"name": "acme/our-own-model", "family": "minilm"})
    encoder = load_encoder(str(folder))
    assert encoder is not None
    assert encoder.languages == ("en",)


def test_a_pooled_output_is_taken_as_it_is(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny(output="sentence_embedding")))
    assert encoder is not None
    assert encoder.encode_documents(TEXTS)[0] == pytest.approx(expected(TEXTS[0], "cls"), abs=1e-6)


def test_half_precision_outputs_become_float32(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny(element=TensorProto.FLOAT16)))
    assert encoder is not None
    vectors = encoder.encode_documents(["pay bill"])
    assert vectors.dtype == np.float32
    assert vectors[0] == pytest.approx(expected("pay bill", "mean"), abs=1e-3)


def test_inputs_of_other_exporters_are_fed(tiny: Maker) -> None:
    inputs = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    encoder = load_encoder(str(tiny(file="onnx/model_quantized.onnx", inputs=inputs)))
    assert encoder is not None
    assert encoder.encode_documents(["pay"])[0] == pytest.approx(expected("pay", "mean"), abs=1e-6)


def test_a14_quantized_activations_do_not_depend_on_neighbours(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny(file="onnx/model_quantized.onnx", quantized=True)))
    assert encoder is not None
    texts = ["pay bill", "open " * 60]
    together = encoder.encode_documents(texts)
    assert (together == np.concatenate([encoder.encode_documents([text]) for text in texts])).all()


def test_prompts_come_from_the_family_the_folder_or_the_caller(tiny: Maker) -> None:
    folder = tiny("multilingual-e5-tiny")
    bill = [expected(f"{prompt}bill", "mean") for prompt in ("query: ", "passage: ", "open ", "")]

    family = load_encoder(str(folder))
    assert family is not None
    assert family.encode_queries(["bill"])[0] == pytest.approx(bill[0], abs=1e-6)
    assert family.encode_documents(["bill"])[0] == pytest.approx(bill[1], abs=1e-6)

    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "open ", "document": ""}})
    local = load_encoder(str(folder))
    assert local is not None
    assert local.encode_queries(["bill"])[0] == pytest.approx(bill[2], abs=1e-6)
    assert local.encode_documents(["bill"])[0] == pytest.approx(bill[1], abs=1e-6)

    caller = load_encoder(str(folder), query_prompt="", document_prompt="open ")
    assert caller is not None
    assert caller.encode_queries(["bill"])[0] == pytest.approx(bill[3], abs=1e-6)
    assert caller.encode_documents(["bill"])[0] == pytest.approx(bill[2], abs=1e-6)


def test_a29_the_prompt_counts_towards_the_limit(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny("e5-tiny")))
    assert encoder is not None
    assert encoder.count_tokens("pay bill") == 6  # [CLS] passage : pay bill [SEP]


@pytest.mark.parametrize(
    ("file", "content", "length"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 16}, 16),
        ("tokenizer_config.json", {"model_max_length": 24}, 24),
        ("tokenizer_config.json", {"model_max_length": int(1e30)}, 512),
        ("config.json", {"max_position_embeddings": 40}, 40),
    ],
)
def test_a29_length_comes_from_the_folder(tiny: Maker, file: str, content: dict[str, int], length: int) -> None:
    folder = tiny()
    write_json(folder / file, content)
    encoder = load_encoder(str(folder))
    assert encoder is not None
    assert encoder.max_tokens == length


def identity(folder: Path, **options: object) -> str:
    encoder = load_encoder(str(folder), **options)  # type: ignore[arg-type]
    assert encoder is not None
    return encoder.id


def test_a13_same_model_same_id(tiny: Maker, tmp_path: Path) -> None:
    first = tiny("model")
    second = tmp_path / "elsewhere" / "model"
    write_onnx(second / "model.onnx")
    write_tokenizer(second / "tokenizer.json")
    assert identity(first) == identity(second) == identity(first)


def test_a13_id_changes_with_every_input(tiny: Maker) -> None:
    folder = tiny("model")
    seen = [identity(folder), identity(folder, query_prompt="open "), identity(folder, document_prompt="open ")]
    seen.append(identity(folder, max_tokens=8))
    pooling(folder, cls_token=True)
    seen.append(identity(folder))
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "query: "}})
    seen.append(identity(folder))
    write_onnx(folder / "model.onnx", seed=1)  # other weights, same size
    seen.append(identity(folder))
    write_tokenizer(folder / "tokenizer.json", special=False)
    seen.append(identity(folder))
    (folder / "model.onnx_data").write_bytes(b"weights kept apart")
    seen.append(identity(folder))
    write_json(folder / "encoder.json", {"name": "model", "precision": "fp16"})
    seen.append(identity(folder))
    assert len(set(seen)) == len(seen)


def test_a13_prompt_moved_to_the_other_side_changes_the_id(tiny: Maker) -> None:
    folder = tiny()
    assert identity(folder, query_prompt="open ", document_prompt="") != identity(folder, document_prompt="open ")


def test_a13_weights_swapped_under_a_description_are_refused(tiny: Maker) -> None:
    from toolcurator.encoders.model_folder import sha256

    folder = tiny()
    write_json(folder / "encoder.json", {"name": "tiny", "model_sha256": sha256(folder / "model.onnx")})
    write_onnx(folder / "model.onnx", seed=1)
    encoder = load_encoder(str(folder))
    assert encoder is not None
    with pytest.raises(EncoderError, match=r"encoder\.json"):
        encoder.encode_queries(["pay"])


def test_inputs_we_cannot_feed_are_named(tiny: Maker) -> None:
    encoder = load_encoder(str(tiny(inputs=("input_ids", "attention_mask", "task_id"))))
    assert encoder is not None
    with pytest.raises(EncoderError, match="task_id"):
        encoder.encode_queries(["pay"])


def test_a_graph_without_the_model_s_last_layer_is_refused(tiny: Maker) -> None:
    folder = tiny()
    kinds = ("Transformer", "Pooling", "Dense", "Normalize")
    write_json(
        folder / "modules.json", [{"path": "", "type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    )
    encoder = load_encoder(str(folder))
    assert encoder is not None
    with pytest.raises(EncoderError, match="Dense"):
        encoder.encode_queries(["pay"])


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("encoder.json", "{", r"encoder\.json cannot be read"),
        ("modules.json", '{"a": 1}', r"modules\.json is not a list"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "max_tokens"),
        (
            "1_Pooling/config.json",
            '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}',
            "one at a time",
        ),
    ],
)
def test_broken_settings_name_the_file(tiny: Maker, file: str, text: str, message: str) -> None:
    folder = tiny()
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(text)
    with pytest.raises(EncoderError, match=message):
        load_encoder(str(folder))


def test_a_missing_tokenizer_is_named(tiny: Maker) -> None:
    folder = tiny()
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match=r"tokenizer\.json"):
        load_encoder(str(folder))


def test_a_broken_onnx_file_is_named(tiny: Maker) -> None:
    folder = tiny()
    (folder / "model.onnx").write_bytes(b"not a graph")
    encoder = load_encoder(str(folder))
    assert encoder is not None
    with pytest.raises(EncoderError, match="tiny cannot be loaded"):
        encoder.encode_queries(["pay"])
