"""Tools → a generation of the local index."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.errors import CatalogError
from toolcurator.index.documents import dense_text, points_of, sparse_fields
from toolcurator.index.generations import FORMAT, Generation, Generations, Manifest, Origin
from toolcurator.lexical import Bm25, Tokenizer
from toolcurator.lexical.english import STOP_WORDS
from toolcurator.settings import Settings
from toolcurator.tool import Tool
from toolcurator.version import __version__

NAME = "name"
"""The only field of the index of names."""

_CHUNK = 2048  # texts encoded before their vectors go to disk


def index_key(tools: Iterable[Tool], *, encoder: Encoder | None, tokenizer: Tokenizer, settings: Settings) -> str:
    """Hash of every input that changes what is stored: tools, model, tokenizer, parts, BM25 constants, format (pitfall A13).

    Args:
        tools: Tools in any order; the order does not count.
        encoder: The encoder, None without vectors.
        tokenizer: The tokenizer.
        settings: Settings.
    """
    digest = hashlib.sha256(f"{recipe(encoder, settings)} {tokenizer.id}".encode())
    for line in sorted(hashlib.sha256(_json(tool)).digest() for tool in tools):
        digest.update(line)
    return digest.hexdigest()


def build_index(
    catalog: Catalog,
    folder: Path,
    *,
    encoder: Encoder | None,
    tokenizer: Tokenizer,
    settings: Settings,
    origin: Origin | None = None,
    progress: Progress | None = None,
) -> Generation:
    """Make sure that a folder holds the index of these tools, building what is missing.

    Args:
        catalog: Its active tools are indexed.
        folder: The index folder.
        encoder: Makes the vectors; None builds an index of words alone.
        tokenizer: Makes the tokens.
        settings: Settings.
        origin: Where the tools came from.
        progress: Called with texts done and texts to encode.

    Returns:
        The generation that is current now: the old one if nothing changed, else a new one. Texts that the old one holds
        under the same encoder keep their vectors (pitfall A14).

    Raises:
        CatalogError: No tool is active.
    """
    served = sorted(catalog.visible(None), key=lambda tool: tool.id)
    if not served:
        raise CatalogError(f"none of the {len(catalog)} tools is active; nothing can be found")
    key = index_key(served, encoder=encoder, tokenizer=tokenizer, settings=settings)
    generations = Generations(folder)
    origin = origin or Origin()
    with generations.building():
        old = generations.current()
        if old is not None and old.manifest.key == key:
            if old.origin != origin:
                generations.point(old.folder, origin)
            return Generation(old.folder, old.manifest, origin)
        new = generations.new()
        roles = _write_tools(new, served, catalog.wire_names)
        points, dimensions, scale = 0, 0, 0.0
        if encoder is not None:
            points, dimensions, scale = _write_vectors(new, served, encoder, settings, old, progress)
        _write_words(new, served, tokenizer, settings, old)
        manifest = Manifest(
            key=key,
            encoder=encoder.id if encoder else "",
            tokenizer=tokenizer.id,
            language=tokenizer.language,
            tools=len(served),
            points=points,
            dimensions=dimensions,
            scale=scale,
            dense_parts=settings.dense_parts,
            roles=roles,
        )
        return generations.publish(new, manifest, origin)


def recipe(encoder: Encoder | None, settings: Settings) -> str:
    """Everything but the tools and their language that changes what is stored."""
    return json.dumps(
        [
            __version__,
            FORMAT,
            encoder.id if encoder else "",
            settings.dense_parts,
            sorted(settings.field_weights.items()),
            settings.bm25_k1,
            settings.bm25_b,
            settings.exact_points,
        ]
    )


def _write_tools(folder: Path, tools: Sequence[Tool], wire_names: Mapping[str, str]) -> tuple[str, ...]:
    """Write the tools, one JSON line each, where each line starts, their names, and who may see them; returns the roles."""
    lines = [_json(tool) + b"\n" for tool in tools]
    (folder / "tools.jsonl").write_bytes(b"".join(lines))
    np.save(folder / "lines.npy", np.cumsum([0, *map(len, lines)]).astype(np.int64))
    (folder / "ids.json").write_text(json.dumps([tool.id for tool in tools]), "utf-8")
    (folder / "names.json").write_text(json.dumps([tool.name for tool in tools]), "utf-8")
    (folder / "wire_names.json").write_text(json.dumps([wire_names[tool.id] for tool in tools]), "utf-8")
    roles = tuple(sorted({role for tool in tools for role in tool.roles}))
    table = np.zeros((1 + len(roles), len(tools)), np.bool_)
    table[:, [i for i, tool in enumerate(tools) if not tool.roles]] = True
    row = {role: number for number, role in enumerate(roles, 1)}
    for i, tool in enumerate(tools):
        table[[row[role] for role in tool.roles], i] = True
    np.save(folder / "roles.npy", table)
    return roles


def _write_vectors(
    folder: Path,
    tools: Sequence[Tool],
    encoder: Encoder,
    settings: Settings,
    old: Generation | None,
    progress: Progress | None,
) -> tuple[int, int, float]:
    """Write the vectors: documents first, then the examples of each tool.

    Beside them go digests of the texts, where each tool's examples start, and for large catalogues int8 codes.

    Returns:
        Number of points, dimensions, and the scale of the codes (0 without codes).
    """
    texts = [dense_text(tool, settings.dense_parts) for tool in tools]
    starts = [len(tools)]
    for tool in tools:
        texts += (point.text for point in points_of(tool, settings.dense_parts)[1:])
        starts.append(len(texts))
    np.save(folder / "examples.npy", np.array(starts, np.int64))
    digests = list(map(_digest, texts))
    np.save(folder / "digests.npy", _rows(digests))

    vectors = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (len(texts), encoder.dimensions))
    known: dict[bytes, int] = {}
    if old is not None and old.manifest.encoder == encoder.id:
        known = {row.tobytes(): number for number, row in enumerate(np.load(old.folder / "digests.npy"))}
        before = np.load(old.folder / "vectors.npy", mmap_mode="r")
        for row, digest in enumerate(digests):
            if digest in known:
                vectors[row] = before[known[digest]]
    rows: dict[str, list[int]] = {}  # equal texts are encoded once
    for row, (digest, text) in enumerate(zip(digests, texts, strict=True)):
        if digest not in known:
            rows.setdefault(text, []).append(row)
    fresh = list(rows)
    for start in range(0, len(fresh), _CHUNK):
        part = fresh[start : start + _CHUNK]
        made = encoder.encode_documents(part, progress=_shifted(progress, start, len(fresh)))
        for text, vector in zip(part, made, strict=True):
            vectors[rows[text]] = vector
    scale = 0.0
    if len(texts) > settings.exact_points:
        largest = max(float(np.abs(vectors[at : at + _CHUNK]).max()) for at in range(0, len(texts), _CHUNK))
        scale = 127.0 / max(largest, 1e-9)
        codes = np.lib.format.open_memmap(folder / "codes.npy", "w+", np.int8, vectors.shape)
        for start in range(0, len(texts), _CHUNK):
            codes[start : start + _CHUNK] = np.rint(vectors[start : start + _CHUNK] * scale)
    return len(texts), encoder.dimensions, scale


def _write_words(
    folder: Path, tools: Sequence[Tool], tokenizer: Tokenizer, settings: Settings, old: Generation | None
) -> None:
    """Write the words of the tools and of their names. Tools whose texts the old generation holds are not read again."""
    texts = [sparse_fields(tool) | {"text": dense_text(tool, settings.dense_parts)} for tool in tools]
    digests = [_digest(json.dumps([each[name] for name in settings.field_weights])) for each in texts]
    np.save(folder / "word_digests.npy", _rows(digests))

    before = Bm25.open(old.folder / "words") if old is not None and old.manifest.tokenizer == tokenizer.id else None
    if before is not None and before.made_with(settings.field_weights, settings.bm25_k1, settings.bm25_b):
        assert old is not None
        known = {row.tobytes(): number for number, row in enumerate(np.load(old.folder / "word_digests.npy"))}
        kept = np.array([known.pop(digest, -1) for digest in digests], np.int64)  # each old one at most once
    else:
        before, kept = None, np.full(len(tools), -1)
    fresh = [each for each, number in zip(texts, kept, strict=True) if number < 0]
    fields = {
        name: [tokenizer(each[name], stop_words=name == "examples") for each in fresh]
        for name in settings.field_weights
    }
    if before is not None:
        words = before.updated(kept, fields)
    else:
        words = Bm25.build(fields, k1=settings.bm25_k1, b=settings.bm25_b, weights=settings.field_weights)
    words.save(folder / "words")

    names = [name_words(tool.leaf, tokenizer) for tool in tools]
    # with k1 next to 0 a score is the plain sum of the IDF of the words found: what the name match is made of
    index = Bm25.build({NAME: names}, k1=1e-9)
    index.save(folder / "names")
    np.save(folder / "name_mass.npy", np.array([sum(map(index.idf, words)) or 1.0 for words in names], np.float32))


def _json(tool: Tool) -> bytes:
    """The tool as JSON in UTF-8; half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    try:
        return tool.model_dump_json(exclude_defaults=True).encode()
    except ValueError:
        fields = tool.model_dump(exclude_defaults=True)
        return json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _rows(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(digests), np.uint8).reshape(len(digests), 16)


def name_words(text: str, tokenizer: Tokenizer) -> list[str]:
    """Distinct stemmed words of a name or a query, in order; without stop words, unless there are no others."""
    words = tokenizer.words(text)
    telling = [word for word in words if word not in STOP_WORDS] if tokenizer.english else words
    return list(dict.fromkeys(map(tokenizer.stem, telling or words)))


def _shifted(progress: Progress | None, start: int, total: int) -> Progress | None:
    if progress is None:
        return None

    def report(done: int, _: int) -> None:
        progress(start + done, total)

    return report


def codes_of(vector: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """int8[d] codes of one vector, and the scale by which its components were multiplied."""
    scale = 127.0 / max(float(np.abs(vector).max(initial=0)), 1e-9)
    return np.rint(vector * scale).astype(np.int8), scale
