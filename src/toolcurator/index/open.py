"""A source of tools → its index: from the cache if nothing changed, else built."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.index.build import build_index, recipe
from toolcurator.index.documents import dense_text
from toolcurator.index.generations import Generation, Generations
from toolcurator.index.local import LocalIndex
from toolcurator.lexical import Tokenizer, detect_language
from toolcurator.settings import Settings
from toolcurator.sources.files import SYNONYMS_FILE, files_of

log = logging.getLogger("toolcurator")


def open_index(
    source: object,
    *,
    settings: Settings,
    encoder: Encoder | None,
    progress: Progress | None = None,
    **how: Any,
) -> LocalIndex:
    """Open the index of a source.

    Args:
        source: Whatever `Catalog.of` takes. Files are compared by content before they are even parsed.
        settings: Settings; ``index_dir`` says where, otherwise it is a folder in the user's cache.
        encoder: The encoder, None for words alone.
        progress: Called with texts encoded and texts to encode, if any are.
        **how: ``synonyms``, ``extra_context`` and ``server`` of `Catalog.of`.

    Returns:
        The index, whole and up to date.

    Raises:
        CatalogError: The source has no usable tool.
        EncoderError: The encoder cannot be loaded or reached.
    """
    paths = _paths(source)
    catalog = None if paths else Catalog.of(source, language=settings.language or None, **how)
    names = [str(path.resolve()) for path in paths] or sorted(tool.id for tool in catalog or ())
    folder = settings.index_dir or _cache_folder(names, encoder, settings)
    generations = Generations(folder)
    asked = json.dumps([recipe(encoder, settings), settings.language, sorted(how.items())], default=str)
    current = generations.current() if paths else None
    if current is not None and current.source == _digest(paths, current.manifest.files_read, asked):
        return LocalIndex(current, settings.field_weights)
    if catalog is None:
        catalog = Catalog.of(source, language=settings.language or None, **how)
    texts = [dense_text(tool, settings.dense_parts) for tool in catalog]
    tokenizer = Tokenizer(settings.language or catalog.language or detect_language(texts))
    digest = _digest(paths, catalog.files, asked) if paths else ""

    def build(where: Path) -> Generation:
        return build_index(
            catalog,
            where,
            encoder=encoder,
            tokenizer=tokenizer,
            settings=settings,
            source=digest,
            progress=progress,
        )

    try:
        generation = build(folder)
    except PermissionError as error:
        if settings.index_dir:
            raise
        temporary = Path(tempfile.mkdtemp(prefix="toolcurator-"))
        log.warning("%s cannot be written (%s); the index is in %s this time", folder, error.strerror, temporary)
        generation = build(temporary)
    return LocalIndex(generation, settings.field_weights)


def _paths(source: object) -> list[Path]:
    """The files and folders of a source that is nothing else."""
    if isinstance(source, str | os.PathLike):
        return [Path(cast(str, source))]
    members = cast(list[Any], source) if isinstance(source, list | tuple) else []
    return list(map(Path, members)) if all(isinstance(each, str | os.PathLike) for each in members) else []


def _cache_folder(names: Sequence[str], encoder: Encoder | None, settings: Settings) -> Path:
    """A folder in the user's cache for a source and what it is indexed with: two presets must not undo each other's work."""
    from platformdirs import user_cache_path

    mark = hashlib.sha256(json.dumps([names, recipe(encoder, settings)]).encode("utf-8", "replace")).hexdigest()[:16]
    return user_cache_path("toolcurator", appauthor=False) / "indexes" / mark


def _digest(paths: Iterable[Path], read: Iterable[str | Path], asked: str) -> str:
    """Hash of the bytes of all files that a source consists of, and of how they are to be read."""
    found = {file for path in paths for file in files_of(path)}
    found |= {path / SYNONYMS_FILE for path in paths if path.is_dir()}
    digest = hashlib.sha256(asked.encode("utf-8", "replace"))
    for file in sorted({path.resolve() for path in (*found, *map(Path, read))}):
        digest.update(str(file).encode("utf-8", "replace"))
        try:
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        except OSError:
            digest.update(b"-")  # not there, or not readable: reading it says why
    return digest.hexdigest()
