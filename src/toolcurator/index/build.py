"""Tools → a generation of the local index."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.errors import CatalogError
from toolcurator.index import documents
from toolcurator.index.documents import texts_of
from toolcurator.index.generations import FORMAT, Generation, Generations, Manifest, Origin
from toolcurator.index.heads import discriminate
from toolcurator.lexical import Bm25, Tokenizer
from toolcurator.settings import Settings
from toolcurator.tool import Tool
from toolcurator.version import __version__

NAME, EXAMPLES = "name", "examples"
"""The only field of the index of names, and of that of examples."""

MIDDLE = 128
"""The code of a component that is 0. Products of codes without a sign are made a fifth faster than of those with one.

The sum of (a - M)(b - M) over d components is Σab - MΣa - M(Σb - Md).
"""

Column = list[tuple[str, ...]]
"""The tokens of one field, tool by tool."""

_CHUNK = 2048  # rows that are held, and texts that are encoded, before they go to disk


def index_key(tools: Iterable[Tool], *, encoder: Encoder | None, tokenizer: Tokenizer, settings: Settings) -> str:
    """Hash of every input that changes what is stored: tools, model, tokenizer, parts, BM25 constants, format (pitfall A13).

    Args:
        tools: Tools in any order; the order does not count.
        encoder: The encoder, None without vectors.
        tokenizer: The tokenizer.
        settings: Settings.
    """
    return _key(map(_line, tools), recipe(encoder, settings, tokenizer.id))


def _key(lines: Iterable[bytes], recipe: str) -> str:
    digest = hashlib.sha256(recipe.encode())
    for line in sorted(map(_digest, lines)):
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
    lines = list(map(_line, served))
    how = recipe(encoder, settings, tokenizer.id)
    key = _key(lines, how)
    generations = Generations(folder)
    origin = origin or Origin()
    with generations.building():
        old = generations.current()
        if old is not None and old.manifest.key == key:
            if old.origin != origin:
                generations.point(old.folder, origin)
            return Generation(old.folder, old.manifest, origin)
        new = generations.new()
        roles = _write_tools(new, served, lines, catalog.wire_names)
        kept = _kept(new, lines, old if old is not None and old.manifest.recipe == how else None)
        del lines
        texts = _Texts.read([tool for tool, at in zip(served, kept, strict=True) if at < 0], tokenizer, settings)
        _write_words(new, texts, kept, settings, old)
        points, dimensions, scale = 0, 0, 0.0
        if encoder is not None:
            points, dimensions, scale = _write_vectors(new, texts, kept, encoder, settings, old, progress)
        manifest = Manifest(
            key=key,
            recipe=how,
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


def recipe(encoder: Encoder | None, settings: Settings, tokenizer: str = "") -> str:
    """Everything but the tools that changes what is stored; without a tokenizer's id, but for their language."""
    return json.dumps(
        [
            __version__,
            FORMAT,
            documents.VERSION,
            tokenizer,
            encoder.id if encoder else "",
            settings.dense_parts,
            sorted(settings.field_weights.items()),
            settings.bm25_k1,
            settings.bm25_b,
            settings.exact_points,
        ]
    )


def _write_tools(
    folder: Path, tools: Sequence[Tool], lines: Sequence[bytes], wire_names: Mapping[str, str]
) -> tuple[str, ...]:
    """Write the tools, one JSON line each, where each line starts, their names, and who may see them; returns the roles."""
    with (folder / "tools.jsonl").open("wb") as file:
        file.writelines(lines)
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


def _kept(folder: Path, lines: Sequence[bytes], old: Generation | None) -> NDArray[np.int64]:
    """int64[n]: where each tool stands in an old generation of the same recipe, -1 if it is new or changed.

    Beside it go the digests of the lines, for the next build.
    """
    digests = list(map(_digest, lines))
    np.save(folder / "tools.npy", _rows(digests))
    known = _numbered(old.folder / "tools.npy") if old is not None else {}
    return np.array([known.get(digest, -1) for digest in digests], np.int64)


@dataclass(frozen=True)
class _Texts:
    """What is read of the tools that are new or changed, m of them.

    Attributes:
        documents: m texts for the encoder.
        examples: The example queries of each, for the encoder.
        tokens: Per BM25 field one token list for each.
        queries: The tokens of the examples of each.
        names: The telling words of each name.
    """

    documents: list[str]
    examples: list[tuple[str, ...]]
    tokens: dict[str, Column]
    queries: Column
    names: Column

    @classmethod
    def read(cls, tools: Iterable[Tool], tokenizer: Tokenizer, settings: Settings) -> _Texts:
        texts = cls([], [], {name: [] for name in settings.field_weights}, [], [])
        for tool in tools:
            document, examples, fields, queries = texts_of(tool, settings.dense_parts)
            texts.documents.append(document)
            texts.examples.append(tuple(examples))  # a tuple is smaller than a list, and all empty ones are one
            for name, column in texts.tokens.items():
                column.append(tuple(tokenizer(fields[name])))
            texts.queries.append(tuple(tokenizer(queries, stop_words=True)))
            texts.names.append(tuple(tokenizer.telling(tool.leaf)))
        return texts


def _write_words(
    folder: Path, texts: _Texts, kept: NDArray[np.int64], settings: Settings, old: Generation | None
) -> None:
    """Write BM25 over tools, examples and names; what was counted of the kept ones is not counted again."""
    k1, b = settings.bm25_k1, settings.bm25_b
    before = old.folder if old is not None and (kept >= 0).any() else None

    def written(name: str, fields: dict[str, Column], **how: Any) -> Bm25:
        made = Bm25.build(fields, **how) if before is None else Bm25.open(before / name).updated(kept, fields)
        fields.clear()  # the largest part of a build's memory, and not needed again
        made.save(folder / name)
        return made

    written("words", texts.tokens, k1=k1, b=b, weights=settings.field_weights)
    written("queries", {EXAMPLES: texts.queries}, k1=k1, b=b)
    # with k1 next to 0 a score is the plain sum of the IDF of the words found: what the name match is made of
    names = written("names", {NAME: texts.names}, k1=1e-9)
    mass = names.highest()
    np.save(folder / "name_mass.npy", np.where(mass > 0, mass, 1).astype(np.float32))


def _write_vectors(
    folder: Path,
    texts: _Texts,
    kept: NDArray[np.int64],
    encoder: Encoder,
    settings: Settings,
    old: Generation | None,
    progress: Progress | None,
) -> tuple[int, int, float]:
    """Write the vectors: documents first, then the examples of each tool, then the heads of those that have examples.

    Beside them go digests of the texts, where each tool's examples start, and for large catalogues 8-bit codes. A text that the
    old generation holds under the same encoder is not encoded again, whichever tool it belonged to.

    Returns:
        Number of points, dimensions, and the scale of the codes (0 without codes).
    """
    n = len(kept)
    old = old if old is not None and old.manifest.encoder == encoder.id else None
    before: NDArray[np.int64] = np.load(old.folder / "examples.npy") if old is not None else np.zeros(1, np.int64)
    counts = np.zeros(n, np.int64)
    counts[kept < 0] = [len(each) for each in texts.examples]
    counts[kept >= 0] = (before[1:] - before[:-1])[kept[kept >= 0]]
    starts = n + np.concatenate(([0], np.cumsum(counts)))
    np.save(folder / "examples.npy", starts)

    total = int(starts[-1])
    source = np.full(total, -1, np.int64)  # row of each point in the old generation
    fresh: dict[str, list[int]] = {}  # text → rows; equal texts are encoded once
    digests = np.zeros((total, 16), np.uint8)
    known = _numbered(old.folder / "digests.npy") if old is not None and len(texts.documents) else {}
    changed = iter(zip(texts.documents, texts.examples, strict=True))
    for tool, (at, start, end) in enumerate(zip(kept.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        if at >= 0:
            source[tool] = at
            source[start:end] = np.arange(int(before[at]), int(before[at + 1]))
            continue
        document, examples = next(changed)
        for row, text in zip((tool, *range(start, end)), (document, *examples), strict=True):
            digest = _digest(text.encode("utf-8", "replace"))
            digests[row] = np.frombuffer(digest, np.uint8)
            source[row] = known.get(digest, -1)
            if source[row] < 0:
                fresh.setdefault(text, []).append(row)
    if old is not None:
        digests[source >= 0] = np.load(old.folder / "digests.npy", mmap_mode="r")[source[source >= 0]]
    np.save(folder / "digests.npy", digests)

    heads = np.flatnonzero(counts)
    vectors = _Rows(folder / "vectors.npy", np.dtype(np.float32), (total + len(heads), encoder.dimensions))
    if old is not None:
        held = np.flatnonzero(source >= 0)
        for rows in np.split(held, range(_CHUNK, len(held), _CHUNK)):
            vectors[rows] = np.load(old.folder / "vectors.npy", mmap_mode="r")[source[rows]]
    todo = list(fresh)
    for start in range(0, len(todo), _CHUNK):
        part = todo[start : start + _CHUNK]
        made = encoder.encode_documents(part, progress=_shifted(progress, start, len(todo)))
        rows = [(row, number) for number, text in enumerate(part) for row in fresh[text]]
        vectors[[row for row, _ in rows]] = made[[number for _, number in rows]]
    scales = np.zeros((0, 2), np.float32)
    if len(heads):
        directions, scales = discriminate(vectors, starts)
        vectors[slice(total, None)] = directions
    np.save(folder / "heads.npy", scales)
    scale = _write_codes(folder, vectors) if total > settings.exact_points else 0.0
    return total, encoder.dimensions, scale


class _Rows:
    """A matrix on disk, written by the row; it is mapped anew for each access, so that what was written leaves the memory."""

    def __init__(self, path: Path, dtype: np.dtype[Any], shape: tuple[int, int]) -> None:
        self._path = path
        self.shape = shape
        np.lib.format.open_memmap(path, "w+", dtype, shape)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        return np.array(np.load(self._path, mmap_mode="r")[rows])

    def __setitem__(self, rows: slice | NDArray[np.integer[Any]] | list[int], values: NDArray[Any]) -> None:
        np.load(self._path, mmap_mode="r+")[rows] = values


def _write_codes(folder: Path, vectors: _Rows) -> float:
    """Write the vectors as codes; returns by how much their components were multiplied.

    Beside them goes what the product with the codes of a query has too much for each row, see `MIDDLE`.
    """
    chunks = [slice(start, start + _CHUNK) for start in range(0, vectors.shape[0], _CHUNK)]
    scale = 127.0 / max(*(float(np.abs(vectors[chunk]).max()) for chunk in chunks), 1e-9)
    codes = _Rows(folder / "codes.npy", np.dtype(np.uint8), vectors.shape)
    shifts = np.zeros(vectors.shape[0])
    for chunk in chunks:
        codes[chunk] = code = _coded(vectors[chunk], scale)
        shifts[chunk] = MIDDLE * code.sum(axis=1, dtype=np.int64)
    np.save(folder / "shifts.npy", shifts)
    return scale


def _line(tool: Tool) -> bytes:
    """The tool as a line of JSON in UTF-8; half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    try:
        return tool.model_dump_json(exclude_defaults=True).encode() + b"\n"
    except ValueError:
        fields = tool.model_dump(exclude_defaults=True)
        return json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _rows(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(digests), np.uint8).reshape(len(digests), 16)


def _numbered(path: Path) -> dict[bytes, int]:
    """Number of each digest in a file of them."""
    return {row.tobytes(): number for number, row in enumerate(np.load(path))}


def _shifted(progress: Progress | None, start: int, total: int) -> Progress | None:
    if progress is None:
        return None

    def report(done: int, _: int) -> None:
        progress(start + done, total)

    return report


def codes_of(vector: NDArray[np.float32]) -> tuple[NDArray[np.uint8], float]:
    """uint8[d] codes of one vector, and the scale by which its components were multiplied."""
    scale = 127.0 / max(float(np.abs(vector).max(initial=0)), 1e-9)
    return _coded(vector, scale), scale


def _coded(vectors: NDArray[np.float32], scale: float) -> NDArray[np.uint8]:
    """Scaled components as whole numbers from -127 to 127, plus `MIDDLE`."""
    return (np.rint(vectors * scale) + MIDDLE).astype(np.uint8)
