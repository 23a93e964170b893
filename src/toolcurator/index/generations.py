"""Whole index or none: generations in a folder, swapped atomically.

A folder holds ``CURRENT`` (JSON: which generation, from which source) and a folder for each generation. A builder writes a new
generation beside the old one, flushes it to disk, and then replaces ``CURRENT``; readers hold no lock and see either the
old or the new one. A builder killed at any byte leaves a folder that nobody reads and the next builder removes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from pydantic import BaseModel, ConfigDict, ValidationError

FORMAT = 3
"""Version of the files of a generation; another one is built again."""

log = logging.getLogger("toolcurator")

_CURRENT = "CURRENT"
_MANIFEST = "manifest.json"
_LOCK = "build.lock"
_TRIES = 8
_WHOLE = 1 << 20  # up to this many bytes a file is checked whole
_SAMPLES, _SAMPLE = 16, 1 << 14  # above, this many blocks of this many bytes


class Manifest(BaseModel):
    """What a generation is made of.

    Attributes:
        format: Version of the files.
        key: Hash of every input that changes an answer (`toolcurator.index.index_key`).
        recipe: What makes up the key but for the tools, so that unchanged tools can be carried over.
        encoder: Id of the encoder; empty without vectors.
        tokenizer: Id of the tokenizer.
        language: ISO 639 code of the catalogue.
        tools: Number of tools.
        points: Number of points.
        dimensions: Length of a vector; 0 without vectors.
        scale: The code of a component is the component times this, and 128; 0 if there are no codes.
        dense_parts: Parts of a tool that made up its dense text.
        roles: Names of the rows of the role table after the first, which is for everybody.
        files: Size and checksum of each file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    key: str
    recipe: str = ""
    encoder: str
    tokenizer: str
    language: str
    tools: int
    points: int
    dimensions: int
    scale: float
    dense_parts: tuple[str, ...]
    roles: tuple[str, ...]
    files: dict[str, tuple[int, int]] = {}


class Origin(BaseModel):
    """Where a generation's tools came from: what may change while the tools stay the same.

    Attributes:
        digest: Hash of the source's files and of how they are read; empty if the source is no file.
        files: Files that were read.
        faults: What was wrong with them, the first hundred, in words.
    """

    model_config = ConfigDict(frozen=True)

    digest: str = ""
    files: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class _Current(BaseModel):
    """The content of ``CURRENT``: a generation, the checksum of its manifest, and its origin."""

    generation: str
    manifest: tuple[int, int]
    origin: Origin


@dataclass(frozen=True)
class Generation:
    """A whole generation: its folder, its manifest, and where its tools came from."""

    folder: Path
    manifest: Manifest
    origin: Origin


class Generations:
    """The generations of one index folder.

    Args:
        folder: The folder; it is made when the first generation is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self, *, warn: bool = True) -> Generation | None:
        """The generation in use; None if there is none, or (with a warning) none that is whole and of this format."""
        fault = f"{_CURRENT} names a generation that is not there"
        for _ in range(_TRIES):  # a builder may swap between the reading of CURRENT and the opening of what it names
            try:
                about = _Current.model_validate_json((self.folder / _CURRENT).read_bytes())
                folder = self.folder / Path(about.generation).name
                if _checksum(folder / _MANIFEST) != about.manifest:
                    fault = f"{_MANIFEST} is damaged"
                    break
                manifest = Manifest.model_validate_json((folder / _MANIFEST).read_bytes())
                if not (fault := _fault(folder, manifest)):
                    return Generation(folder, manifest, about.origin)
                if _Current.model_validate_json((self.folder / _CURRENT).read_bytes()).generation == about.generation:
                    break  # not swapped meanwhile, so it is damaged
            except (FileNotFoundError, NotADirectoryError):
                if not (self.folder / _CURRENT).exists():
                    return None
            except (OSError, ValidationError) as error:
                fault = f"{_CURRENT} or {_MANIFEST} cannot be read, {type(error).__name__}"
                break
        if warn:
            log.warning("%s: the index is not usable (%s); it is built again", self.folder, fault)
        return None

    @contextlib.contextmanager
    def building(self) -> Generator[None]:
        """Hold the folder's only right to build; a second builder waits. The system frees it if the builder dies."""
        from filelock import FileLock

        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / _LOCK):
            self._sweep()
            yield

    def new(self) -> Path:
        """An empty folder for the next generation. Only within ``building``."""
        folder = self.folder / f"g-{secrets.token_hex(8)}"
        folder.mkdir()
        return folder

    def publish(self, folder: Path, manifest: Manifest, origin: Origin) -> Generation:
        """Make a written generation the current one, and remove the others. Only within ``building``."""
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        whole = manifest.model_copy(update={"files": {name: _checksum(folder / name) for name in names}})
        (folder / _MANIFEST).write_text(whole.model_dump_json(), "utf-8")
        for path in (*folder.rglob("*"), folder):
            _flush(path)
        self.point(folder, origin)
        self._sweep()
        return Generation(folder, whole, origin)

    def point(self, folder: Path, origin: Origin) -> None:
        """Let ``CURRENT`` name a generation and its origin. Only within ``building``."""
        draft = self.folder / f"{_CURRENT}.{secrets.token_hex(4)}"
        current = _Current(generation=folder.name, manifest=_checksum(folder / _MANIFEST), origin=origin)
        draft.write_text(current.model_dump_json(), "utf-8")
        _flush(draft)
        os.replace(draft, self.folder / _CURRENT)
        _flush(self.folder)

    def _sweep(self) -> None:
        """Remove generations that are not current, and drafts of ``CURRENT``."""
        try:
            kept = _Current.model_validate_json((self.folder / _CURRENT).read_bytes()).generation
        except (OSError, ValidationError):
            kept = None
        for path in self.folder.glob("g-*"):
            if path.name != kept:
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f"{_CURRENT}.*"):
            path.unlink(missing_ok=True)


def _fault(folder: Path, manifest: Manifest) -> str:
    if manifest.format != FORMAT:
        return f"format {manifest.format}, this version writes {FORMAT}"
    for name, expected in manifest.files.items():
        try:
            found = _checksum(folder / name)
        except FileNotFoundError:
            if not folder.exists():
                raise  # swapped meanwhile
            return f"{name} is missing"
        if found != expected:
            return f"{name} is damaged"
    return ""


def _checksum(path: Path) -> tuple[int, int]:
    """Size and CRC-32: of the whole file if it is small, else of evenly spread blocks, so that opening stays fast."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= _WHOLE:
            return size, crc32(file.read())
        check = 0
        for block in range(_SAMPLES):
            file.seek((size - _SAMPLE) * block // (_SAMPLES - 1))
            check = crc32(file.read(_SAMPLE), check)
        return size, check


def _flush(path: Path) -> None:
    """Have the system write a file or folder to the disk itself."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
