"""toolcurator itself, with the default settings, or one arm alone (never split, as in benchmarks/quality.py), or ``classic``.

The index is built from tools in memory into an empty folder on disk; the encoder is the one that all rows share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from given import MOST, Given, Search

from toolcurator import Catalog, Tool
from toolcurator.encoders import load_encoder
from toolcurator.index import open_index
from toolcurator.retrieval import Curator
from toolcurator.retrieval.classic import classic_settings
from toolcurator.settings import Settings

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "bm25": {"fusion": "sparse", "split": False},
    "dense": {"fusion": "dense", "split": False},
    "classic": {"preset": "classic"},
}


def build(given: Given, variant: str) -> Search:
    settings = Settings.of(index_dir=given.folder / "index", **VARIANTS[variant])
    if settings.preset == "classic":
        settings = classic_settings(settings)
    tools = [
        Tool(id=tool.id, name=tool.name, description=tool.description, parameters=tool.parameters)
        for tool in given.tools
    ]
    encoder = Shared(given)
    index = open_index(Catalog(tools), settings=settings, encoder=encoder)
    curator = Curator(index, encoder=encoder, settings=settings)

    def search(query: str) -> list[str]:
        return [hit.id for hit in curator.select(query, k=MOST)]

    return search


class Shared:
    """The encoder of all rows, under the name of the packaged one, which it is."""

    def __init__(self, given: Given) -> None:
        packaged = load_encoder("packaged")
        assert packaged is not None
        self.id, self.dimensions, self.languages = packaged.id, packaged.dimensions, packaged.languages
        self.max_tokens = packaged.max_tokens
        self.count_tokens = packaged.count_tokens
        self._vectors = given.vectors

    def encode_documents(self, texts: Any, *, progress: Any = None) -> Any:
        return np.array(self._vectors(texts), np.float32).reshape(len(texts), self.dimensions)

    encode_queries = encode_documents
