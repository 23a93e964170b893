"""What an adapter is given: the tools of a set, its queries, and the vectors of any text. Standard library alone.

An adapter is a module with one function, ``build(given, variant)``, which drives a package through its public interface and
returns a `Search`. It runs in the package's own virtual environment, so this file must not need anything.
"""

from __future__ import annotations

import json
import time
import urllib.request
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST = 20
"""Tools that a search is asked for."""

Search = Callable[[str], list[str]]
"""A query → ids of at most `MOST` tools, best first."""

NO_SLOTS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class GivenTool:
    """A tool.

    Attributes:
        id: Its id.
        name: Its name; others may have the same.
        unique: Its name for packages that tell tools apart by name: the second of a name has ``_2`` added, and so on.
        description: Its description.
        parameters: JSON Schema of its arguments; without any unless the row is one with slots.
        document: Name in words and description: for packages that take a text, the same text for all of them.
    """

    id: str
    name: str
    unique: str
    description: str
    parameters: dict[str, Any]
    document: str


class Vectors:
    """Texts → unit vectors by the one encoder that all rows share; it counts the seconds that it takes.

    Documents and queries were encoded beforehand; any other text is asked of a local OpenAI-compatible endpoint.

    Args:
        folder: The set's folder.
        endpoint: What stands before ``/embeddings``.
    """

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.endpoint = endpoint
        self.seconds = 0.0
        texts: list[str] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
        self._at = {text: at for at, text in enumerate(texts)}
        self._values = array("f")
        with (folder / "vectors.f32").open("rb") as file:
            self._values.frombytes(file.read())
        self.dimensions = len(self._values) // len(texts)

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of some texts."""
        start = time.perf_counter()
        missing = [text for text in dict.fromkeys(texts) if text not in self._at]
        asked = dict(zip(missing, self._ask(missing), strict=True))
        found = [asked[text] if text in asked else self._known(text) for text in texts]
        self.seconds += time.perf_counter() - start
        return found

    def _known(self, text: str) -> list[float]:
        start = self._at[text] * self.dimensions
        return self._values[start : start + self.dimensions].tolist()

    def _ask(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = []
        for start in range(0, len(texts), 64):
            body = json.dumps({"model": "packaged", "input": texts[start : start + 64]}).encode()
            request = urllib.request.Request(f"{self.endpoint}/embeddings", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=600) as answer:
                found += [each["embedding"] for each in json.load(answer)["data"]]
        return found


@dataclass(frozen=True)
class Given:
    """A set.

    Attributes:
        tools: Its tools.
        queries: The queries that are asked, in order.
        vectors: The encoder.
        folder: An empty folder, for what a package keeps on disk.
        tokenizer: The encoder's ``tokenizer.json``.
        slots: Whether the tools have their arguments.
    """

    tools: tuple[GivenTool, ...]
    queries: tuple[str, ...]
    vectors: Vectors
    folder: Path
    tokenizer: Path
    slots: bool

    @classmethod
    def read(cls, folder: Path, scratch: Path, endpoint: str, slots: bool) -> Given:
        """Read the folder that the parent wrote."""
        tools: list[dict[str, Any]] = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
        bare: dict[str, Any] = {} if slots else {"parameters": NO_SLOTS}
        return cls(
            tools=tuple(GivenTool(**(tool | bare)) for tool in tools),
            queries=tuple(json.loads((folder / "queries.json").read_text(encoding="utf-8"))),
            vectors=Vectors(folder, endpoint),
            folder=scratch,
            tokenizer=folder / "tokenizer.json",
            slots=slots,
        )
