"""Small models made on the spot: nine words, four dimensions."""

import json
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "pay", "bill", "query", "passage", ":", "open"]
WIDTH = 4


def table(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(WORDS), WIDTH)).astype(np.float32)


def write_tokenizer(path: Path, *, special: bool = True) -> None:
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    if special:
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    tokenizer.save(str(path))


def write_onnx(
    path: Path,
    *,
    seed: int = 0,
    output: str = "last_hidden_state",
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    element: int = TensorProto.FLOAT,
    quantized: bool = False,
) -> None:
    """Looks each token up and adds its position, so that padding and order show; or gives the first token alone.

    Quantized, all token vectors of a batch go through 8 bits with one scale.
    """
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["found"]),
        helper.make_node("Shape", ["input_ids"], ["length"], start=1, end=2),
        helper.make_node("Squeeze", ["length"], ["count"]),
        helper.make_node("Range", ["zero", "count", "one"], ["places"]),
        helper.make_node("Cast", ["places"], ["offsets"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["offsets", "axes"], ["column"]),
        helper.make_node("Add", ["found", "column"], ["sums" if quantized else "tokens"]),
    ]
    if quantized:
        nodes.append(helper.make_node("DynamicQuantizeLinear", ["sums"], ["small", "scale", "origin"]))
        nodes.append(helper.make_node("DequantizeLinear", ["small", "scale", "origin"], ["tokens"]))
    pooled = output == "sentence_embedding"
    if pooled:
        nodes.append(helper.make_node("Gather", ["tokens", "zero"], ["flat"], axis=1))
    nodes.append(helper.make_node("Cast", ["flat" if pooled else "tokens"], [output], to=element))
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "s"]) for name in inputs],
        [helper.make_tensor_value_info(output, element, ["n", WIDTH] if pooled else ["n", "s", WIDTH])],
        [
            numpy_helper.from_array(table(seed), "table"),
            numpy_helper.from_array(np.array(0), "zero"),
            numpy_helper.from_array(np.array(1), "one"),
            numpy_helper.from_array(np.array([1]), "axes"),
        ],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
