"""A source of tools → its index: from the cache if nothing changed, else built."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.errors import IndexFolderError
from toolcurator.index.build import build_index, index_key, recipe
from toolcurator.index.documents import dense_text
from toolcurator.index.generations import Generation, Generations, Origin
from toolcurator.index.local import LocalIndex
from toolcurator.lexical import Tokenizer, detect_language
from toolcurator.lexical.bm25 import LexicalIndexError
from toolcurator.lexical.language import TEXTS_READ
from toolcurator.settings import Settings
from toolcurator.sources.files import SYNONYMS_FILE, files_of
from toolcurator.sources.web import is_url

_FAULTS = 100  # faults of a catalogue that are kept with its index
_TRIES = 8

log = logging.getLogger("toolcurator")


def open_index(
    source: object,
    *,
    settings: Settings,
    encoder: Encoder | None,
    progress: Progress | None = None,
    catalog: Catalog | None = None,
    **how: Any,
) -> LocalIndex:
    """Open the index of a source.

    Args:
        source: Whatever `Catalog.of` takes. Files are compared by content before they are even parsed.
        settings: Settings; ``index_dir`` says where, otherwise it is a folder in the user's cache.
        encoder: The encoder, None for words alone.
        progress: Called with texts encoded and texts to encode, if any are.
        catalog: What the source's files hold, where that was just read or written; they are read otherwise.
        **how: ``synonyms``, ``extra_context``, ``profiles`` and ``server`` of `Catalog.of`.

    Returns:
        The index, whole and up to date.

    Raises:
        CatalogError: The source has no usable tool.
        EncoderError: The encoder cannot be loaded or reached.
        IndexFolderError: The folder that the settings name cannot be written, and holds no index of this source.
    """
    fault: Exception | None = None
    for _ in range(_TRIES):
        try:
            return LocalIndex(_generation(source, settings, encoder, progress, catalog, how), settings)
        except (FileNotFoundError, LexicalIndexError) as error:  # a builder has replaced it between two of our steps
            fault = error
    raise IndexFolderError(f"the index is replaced all the time, or its files vanish ({fault}); try again")


def _generation(
    source: object,
    settings: Settings,
    encoder: Encoder | None,
    progress: Progress | None,
    catalog: Catalog | None,
    how: Mapping[str, Any],
) -> Generation:
    paths = _paths(source)
    catalog = catalog if paths else Catalog.of(source, language=settings.language or None, **how)
    names = [str(path.resolve()) for path in paths] or sorted(tool.id for tool in catalog or ())
    folder = settings.index_dir or _cache_folder(names, encoder, settings)
    current = Generations(folder).current(warn=False)
    asked = json.dumps([recipe(encoder, settings), settings.language, sorted(how.items())], default=str)
    # taken before the files are parsed: a file that is edited meanwhile must be read again next time
    seen = _digests(paths, current.origin.files if current else ())
    if paths and current is not None and current.origin.digest == _joined(seen, asked):
        return current
    if catalog is None:
        catalog = Catalog.of(source, language=settings.language or None, **how)
    tokenizer = Tokenizer(settings.language or catalog.language or _language(catalog, settings))
    seen = {**_digests((), catalog.files), **seen} if paths else {}
    origin = Origin(
        digest=_joined(seen, asked) if paths and not catalog.live else "",
        files=catalog.files,
        faults=tuple(str(fault) for fault in catalog.faults[:_FAULTS]),
    )

    def build(where: Path) -> Generation:
        return build_index(
            catalog,
            where,
            encoder=encoder,
            tokenizer=tokenizer,
            settings=settings,
            origin=origin,
            progress=progress,
        )

    try:
        return build(folder)
    except OSError as error:
        key = index_key(catalog.visible(None), encoder=encoder, tokenizer=tokenizer, settings=settings)
        if current is not None and current.manifest.key == key:
            return current  # read-only, but right
        if settings.index_dir:
            fault = error.strerror or error
            raise IndexFolderError(
                f"the index folder {folder} cannot be written ({fault}); choose another one"
            ) from error
        temporary = Path(tempfile.mkdtemp(prefix="toolcurator-"))
        log.warning("%s cannot be written (%s); the index is in %s this time", folder, error.strerror, temporary)
        return build(temporary)


def _language(catalog: Catalog, settings: Settings) -> str:
    """The language of the documents, as far as `detect_language` reads them."""
    read = catalog.tools[:: 1 + len(catalog) // TEXTS_READ]
    return detect_language([dense_text(tool, settings.dense_parts) for tool in read])


def _paths(source: object) -> list[Path]:
    """The files and folders of a source that is nothing else; what lies at an address has to be fetched to be compared."""
    members = cast(list[Any], source if isinstance(source, list | tuple) else [source])
    if any(map(is_url, members)):
        return []
    return list(map(Path, members)) if all(isinstance(each, str | os.PathLike) for each in members) else []


def _cache_folder(names: Sequence[str], encoder: Encoder | None, settings: Settings) -> Path:
    """A folder in the user's cache for a source and what it is indexed with: two presets must not undo each other's work."""
    from platformdirs import user_cache_path

    mark = hashlib.sha256(json.dumps([names, recipe(encoder, settings)]).encode("utf-8", "replace")).hexdigest()[:16]
    return user_cache_path("toolcurator", appauthor=False) / "indexes" / mark


def _digests(paths: Iterable[Path], read: Iterable[str]) -> dict[str, str]:
    """Hash of each file that a source consists of, by path; empty for one that is not there or cannot be read."""
    found = {file for path in paths for file in files_of(path)}
    found |= {path / SYNONYMS_FILE for path in paths if path.is_dir()}
    digests: dict[str, str] = {}
    for file in sorted({path.resolve() for path in (*found, *map(Path, read))}):
        try:
            with file.open("rb") as opened:
                digests[str(file)] = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError:
            digests[str(file)] = ""
    return digests


def _joined(digests: Mapping[str, str], asked: str) -> str:
    return hashlib.sha256(json.dumps([sorted(digests.items()), asked]).encode("utf-8", "replace")).hexdigest()
