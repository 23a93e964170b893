"""Which file and line each tool came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

from toolcurator.lint.finding import Locate, Place
from toolcurator.sources.files import files_of, read_file


def places(paths: Iterable[str | PathLike[str]]) -> Locate:
    """The places of the tools of some files and folders.

    Args:
        paths: Files and folders of a catalogue; what is neither, such as an address, is left out.

    Returns:
        What gives the file and line of a tool; ``("", 0)`` for one that came from elsewhere.
    """
    known: dict[str, tuple[str, Callable[[], int]]] = {}
    for path in map(Path, paths):
        for file in files_of(path) if path.exists() else ():
            reading = read_file(file)
            for position, tool in enumerate(reading.tools):
                known.setdefault(tool.id, (str(file), lambda line=reading.line, at=position: line(at)))

    def locate(tool: str) -> Place:
        path, line = known.get(tool, ("", lambda: 0))
        return path, line()

    return locate
