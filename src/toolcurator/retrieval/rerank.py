"""The first hits ordered again by a model that reads the query and a document together.

Optional, and slow beside the search itself: a model of 20 to 600 million weights runs once for each of the first hits. Three
kinds stand behind one method: a cross-encoder in an ONNX file, one that sentence-transformers runs, and a causal language
model that is asked for a yes or a no (third stage of the second seed, Tool-DE).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders.hub import fetch
from toolcurator.encoders.model_folder import ModelFolder, read_folder
from toolcurator.encoders.sentence_transformer import has_torch
from toolcurator.encoders.text import CHARACTERS_PER_TOKEN, clean
from toolcurator.errors import EncoderError, MissingExtra
from toolcurator.index.index import Floats

MAX_TOKENS = 1024
"""Query and document together are cut here, or earlier if the model reads less: a tool that needs more is rare."""

INSTRUCTION = "Given a request, decide whether the tool described in the Document can serve it"
"""What a causal model is told to judge by."""

_SYSTEM = (
    "Judge whether the Document meets the requirements based on the Query and the Instruct provided. "
    'Note that the answer can only be "{}" or "{}".'
)
_HUB = re.compile(r"(?:hub:)?([\w-][\w.-]*/[\w-][\w.-]*)")
_CONTROL = re.compile(r"<\|.*?\|>|</?think>")  # a document must not end its own turn and answer for the model
_DECIDING = (".safetensors", ".json", ".txt", ".model")
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_BATCH = 16


class Reranker(Protocol):
    """Judges how well documents serve a query."""

    @property
    def id(self) -> str:
        """Changes whenever any score could."""
        ...

    def score(self, query: str, documents: Sequence[str]) -> Floats:
        """Judge each document by itself.

        Args:
            query: What is wanted; any text.
            documents: Texts of tools; any text, cut to what the model reads.

        Returns:
            float32[n], higher is better. The rerankers here give the model's logit, which for most is above 0 where the
            document is more likely to serve than not.

        Raises:
            EncoderError: The model cannot be loaded, or is no reranker.
        """
        ...


def rerank(
    query: str, ranked: Sequence[tuple[int, float]], texts: Callable[[int], str], reranker: Reranker, depth: int
) -> list[tuple[int, float]]:
    """Order the first hits again.

    Args:
        query: The query.
        ranked: Tools with their scores, best first.
        texts: Gives the document of a tool.
        reranker: The model.
        depth: How many of the first are ordered again; the others stay as they are.

    Returns:
        The same tools; the first ``depth`` by the model's score, ties in the old order. Scores never increase: the model's
        are lifted, all by the same amount, where they would fall below the first score that stays.

    Raises:
        EncoderError: The model fails, or does not give a finite score for each document.
    """
    head, tail = list(ranked[:depth]), list(ranked[depth:])
    if len(head) < 2:
        return head + tail
    scores = reranker.score(query, [texts(tool) for tool, _ in head])
    if scores.shape != (len(head),) or not np.isfinite(scores).all():
        raise EncoderError(f"{reranker.id} gave no finite score for each of {len(head)} documents")
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    floor = tail[0][1] if tail else float(scores.min())
    lift = max(0.0, floor - float(scores.min()))
    return [(head[at][0], max(floor, float(scores[at]) + lift)) for at in order] + tail


def load_reranker(
    name: str | None, *, confirm: Callable[[str], bool] | None = None, max_tokens: int | None = None
) -> Reranker | None:
    """Find a reranker by its name. No model is loaded yet; that happens with the first query.

    Args:
        name: One of

            - a folder with a cross-encoder (ONNX, or safetensors with extra ``torch``) or a causal reranker (extra
              ``torch``);
            - ``org/name`` or ``hub:org/name``: the same from the Hugging Face hub, from the local cache, else downloaded
              (extra ``hub``) if ``confirm`` agrees; a folder of that name goes first;
            - ``none`` (or None) for no reranking.
        confirm: Asked, in words, before anything is downloaded; None means no.
        max_tokens: Longest query and document together, at most what the model reads; by default `MAX_TOKENS`.

    Returns:
        The reranker, None for ``none``.

    Raises:
        EncoderError: The name is none of these, or the model is missing, broken, no reranker, or out of reach.
        MissingExtra: The optional library that it needs is not installed.
    """
    if name is None or name == "none":
        return None
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        return _of_folder(read_folder(folder), max_tokens)
    if hub := _HUB.fullmatch(name):
        return _of_folder(read_folder(fetch(hub[1], confirm), name=hub[1]), max_tokens)
    raise EncoderError(f"no folder is called {name!r}; a reranker is a folder, org/name or hub:org/name, or none")


class LocalReranker(ABC):
    """A ``Reranker`` over a model's folder. Nothing is loaded before the first query. Safe to share between threads.

    Args:
        folder: The model, as ``read_folder`` gives it.
        max_tokens: Longest query and document together; by default `MAX_TOKENS`.
    """

    kind: str
    """First word of the id."""

    def __init__(self, folder: ModelFolder, *, max_tokens: int | None = None) -> None:
        self.folder = folder
        self.max_tokens = min(folder.max_tokens, max_tokens or MAX_TOKENS)
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def id(self) -> str:
        """See ``Reranker.id``. Asking for it reads the weights of a model that is not from the hub."""
        return self._id

    def score(self, query: str, documents: Sequence[str]) -> Floats:
        """See ``Reranker.score``."""
        scores = np.zeros(len(documents), np.float32)
        if not documents:
            return scores
        if self._model is None:
            with self._lock:
                self._model = self._model or self.open()
        most = self.max_tokens * CHARACTERS_PER_TOKEN
        query, texts = clean(query, most), [clean(document, most) for document in documents]
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # so that little of a batch is padding
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            scores[batch] = _logits(self.run(self._model, query, [texts[at] for at in batch]), self.folder.path)
        return scores

    @abstractmethod
    def open(self) -> Any:
        """Load the model; called once.

        Raises:
            EncoderError: It is broken, or no reranker.
            MissingExtra: The library that runs it is not installed.
        """

    @abstractmethod
    def run(self, model: Any, query: str, documents: list[str]) -> NDArray[Any]:
        """What the model gives: float[n], or float[n, labels] with one label, or with no and yes."""

    def files(self) -> list[Path]:
        """Every file whose content decides the scores."""
        return sorted(file for file in self.folder.path.rglob("*") if file.suffix in _DECIDING and file.is_file())

    def told(self) -> list[str]:
        """Words of ours that decide the scores."""
        return []

    @cached_property
    def _id(self) -> str:
        files = [[str(file.relative_to(self.folder.path)), self.folder.digest(file)] for file in self.files()]
        digest = hashlib.sha256(json.dumps([files, self.told(), self.max_tokens]).encode()).hexdigest()
        return f"{self.kind}:{self.folder.name}:{digest[:16]}"


class OnnxReranker(LocalReranker):
    """A cross-encoder in an ONNX file, run on the CPU by onnxruntime."""

    kind = "onnx"

    def files(self) -> list[Path]:
        """The ONNX file, the tensors beside it, and the tokenizer."""
        file = self._file()
        data = sorted(each for each in file.parent.glob(f"{file.name}[._]data*") if each.is_file())
        return [file, *data, self.folder.tokenizer]

    def open(self) -> Any:
        """See ``LocalReranker.open``."""
        from tokenizers import Tokenizer

        onnxruntime: Any = import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(4, os.cpu_count() or 1)
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = onnxruntime.InferenceSession(str(self._file()), options, providers=["CPUExecutionProvider"])
            tokenizer: Any = Tokenizer.from_file(str(self.folder.tokenizer))
        except EncoderError:
            raise
        except Exception as error:  # both libraries raise classes of their own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded: {error}; fetch the model again") from error
        wanted = {str(entry.name) for entry in session.get_inputs()}
        if "input_ids" not in wanted or wanted - _INPUTS:
            raise EncoderError(f"{self._file()} wants the inputs {sorted(wanted)}; known are {sorted(_INPUTS)}")
        given = [str(each.name) for each in session.get_outputs() if "float" in each.type and len(each.shape) < 3]
        if not given:
            raise EncoderError(f"{self._file()} gives token vectors, no scores: an encoder, not a reranker")
        pad = next((token for token in ("[PAD]", "<pad>") if tokenizer.token_to_id(token) is not None), "[PAD]")
        tokenizer.enable_truncation(self.max_tokens, strategy="longest_first")
        tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad) or 0, pad_token=pad)
        return session, tokenizer, wanted, given[0]

    def run(self, model: Any, query: str, documents: list[str]) -> NDArray[Any]:
        """See ``LocalReranker.run``."""
        session, tokenizer, wanted, output = model
        pairs: list[Any] = tokenizer.encode_batch([(query, document) for document in documents])
        feed = {
            "input_ids": np.array([pair.ids for pair in pairs], np.int64),
            "attention_mask": np.array([pair.attention_mask for pair in pairs], np.int64),
            "token_type_ids": np.array([pair.type_ids for pair in pairs], np.int64),
        }
        return session.run([output], {name: feed[name] for name in wanted})[0]

    def _file(self) -> Path:
        if self.folder.onnx is None:
            raise EncoderError(f"{self.folder.path} has no ONNX file (model.onnx or onnx/model.onnx)")
        return self.folder.onnx


class CrossEncoderReranker(LocalReranker):
    """A cross-encoder without an ONNX file, run by sentence-transformers (extra ``torch``)."""

    kind = "torch"

    def open(self) -> Any:
        """See ``LocalReranker.open``."""
        library = _library("sentence_transformers", self.folder.name)
        try:
            path = str(self.folder.path)
            model = library.CrossEncoder(path, local_files_only=True, max_length=self.max_tokens)
        except Exception as error:  # transformers raises classes of its own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded by sentence-transformers: {error}") from error
        return model, import_module("torch").nn.Identity()

    def run(self, model: Any, query: str, documents: list[str]) -> NDArray[Any]:
        """See ``LocalReranker.run``."""
        encoder, as_it_is = model
        pairs = [(query, document) for document in documents]
        return encoder.predict(pairs, batch_size=_BATCH, show_progress_bar=False, activation_fn=as_it_is)


class CausalReranker(LocalReranker):
    """A causal language model that is asked whether a document serves a query (extra ``torch``).

    The score is the logit of one answer minus that of the other, so its sigmoid is the probability that Qwen3-Reranker and
    Tool-DE's Tool-Rank were trained on. The prompt is theirs.

    Args:
        folder: The model, as ``read_folder`` gives it.
        max_tokens: Longest prompt, query and document together; by default `MAX_TOKENS`.
        instruction: What to judge by.
        answers: The tokens for yes and no.
    """

    kind = "causal"

    def __init__(
        self,
        folder: ModelFolder,
        *,
        max_tokens: int | None = None,
        instruction: str = INSTRUCTION,
        answers: tuple[str, str] = ("yes", "no"),
    ) -> None:
        super().__init__(folder, max_tokens=max_tokens)
        self.instruction = instruction
        self.answers = answers

    def told(self) -> list[str]:
        """The prompt and the answers."""
        return [_SYSTEM, self.instruction, *self.answers]

    def open(self) -> Any:
        """See ``LocalReranker.open``."""
        from tokenizers import Tokenizer

        library = _library("transformers", self.folder.name)
        torch: Any = import_module("torch")
        try:
            tokenizer: Any = Tokenizer.from_file(str(self.folder.tokenizer))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            model = library.AutoModelForCausalLM.from_pretrained(str(self.folder.path), local_files_only=True)
        except EncoderError:
            raise
        except Exception as error:  # transformers raises classes of its own, plain Exception among them
            raise EncoderError(f"{self.folder.path} cannot be loaded by transformers: {error}") from error
        answers = [tokenizer.token_to_id(answer) for answer in self.answers]
        if None in answers:
            raise EncoderError(f"{self.folder.path} does not know the answers {self.answers} as one token each")
        place = "cuda" if torch.cuda.is_available() else "cpu"
        return torch, model.eval().to(place), tokenizer, answers

    def run(self, model: Any, query: str, documents: list[str]) -> NDArray[Any]:
        """See ``LocalReranker.run``."""
        torch, network, tokenizer, answers = model

        def tokens(text: str) -> list[int]:
            return tokenizer.encode(text, add_special_tokens=False).ids

        system = _SYSTEM.format(*self.answers)
        before = tokens(f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n")
        after = tokens("<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n")
        room = max(16, self.max_tokens - len(before) - len(after))
        asked = f"<Instruct>: {self.instruction}\n<Query>: {_cut(tokenizer, _plain(query), room // 2)}\n<Document>: "
        rows = [before + tokens(asked + _plain(document))[:room] + after for document in documents]
        longest = max(map(len, rows))
        ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
        place = next(network.parameters()).device
        with torch.inference_mode():
            # only the last position's logits: those of all positions would take gigabytes
            out = network(input_ids=ids.to(place), attention_mask=mask.to(place), logits_to_keep=1)
        last = out.logits[:, -1].float()
        return (last[:, answers[0]] - last[:, answers[1]]).cpu().numpy()


def _of_folder(folder: ModelFolder, max_tokens: int | None) -> Reranker:
    kinds = _architectures(folder.path)
    causal = any(kind.endswith("ForCausalLM") for kind in kinds)
    if folder.onnx is not None and not causal:
        return OnnxReranker(folder, max_tokens=max_tokens)
    if not any(folder.path.glob("*.safetensors")):
        raise EncoderError(f"{folder.path} holds no reranker: no model.onnx of a cross-encoder, no safetensors")
    if not causal and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise EncoderError(f"{folder.path} is no reranker: config.json calls it {', '.join(kinds) or 'nothing'}")
    if not has_torch():
        raise MissingExtra(f"{folder.name} has no ONNX file; running it", "torch")
    return (CausalReranker if causal else CrossEncoderReranker)(folder, max_tokens=max_tokens)


def _architectures(path: Path) -> list[str]:
    """What config.json calls the model; its content was read once already, so it is JSON."""
    file = path / "config.json"
    config: Any = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    kinds: Any = config.get("architectures") if isinstance(config, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return [str(kind) for kind in cast("list[Any]", kinds)] if isinstance(kinds, list) else []


def _library(name: str, model: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(f"{model}, which has no ONNX file,", "torch") from error


def _logits(given: NDArray[Any], path: Path) -> Floats:
    """Scores float[n], or labels float[n, 1] or float[n, 2] (no, yes) → float32[n]."""
    values = np.asarray(given, np.float32)
    if values.ndim == 2 and values.shape[1] == 2:
        return values[:, 1] - values[:, 0]
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values.reshape(-1)
    raise EncoderError(f"{path} gives {values.shape[-1]} labels for a pair, no reranker: one is due, or no and yes")


def _plain(text: str) -> str:
    return _CONTROL.sub(" ", text)


def _cut(tokenizer: Any, text: str, most: int) -> str:
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return text if len(encoding.ids) <= most else text[: encoding.offsets[most - 1][1]]
