"""callbus: its `Retriever` over an ingested folder, with its BM25, its embeddings endpoint, or both fused (``--hybrid``).

Its text formats, RRF settings and lack of stemming are those of its base install; ``k`` is named, so nothing is cut. No
instruction goes before a query: it is written for the model that callbus recommends, not for the shared encoder. The endpoint
is the local one, as callbus calls it, batch by batch; the time that it takes is left out as for all others.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
from callbus.adapters.bm25 import BM25Scorer
from callbus.adapters.dense import DenseScorer
from callbus.adapters.embeddings_api import OpenAIEmbeddings
from callbus.adapters.hybrid import HybridScorer
from callbus.ingest.text import tool_text
from callbus.retriever import Retriever
from given import MOST, Given, GivenTool, Search


def build(given: Given, variant: str) -> Search:
    lines = (json.dumps(_line(tool, given.slots)) for tool in given.tools)
    (given.folder / "tools.jsonl").write_text("\n".join(lines), encoding="utf-8")
    endpoint = Counted("packaged", given.vectors.endpoint)
    endpoint.vectors = given.vectors

    def scorer() -> Any:
        if variant == "bm25":
            return BM25Scorer("documentation", "plain")
        dense = DenseScorer(endpoint, "documentation", "plain")
        return HybridScorer(dense, BM25Scorer("documentation", "plain")) if variant == "hybrid" else dense

    retriever = Retriever(given.folder, scorer)

    def search(query: str) -> list[str]:
        return [hit.id for hit in retriever.search(query, k=MOST).hits]

    return search


def _line(tool: GivenTool, slots: bool) -> dict[str, Any]:
    text = tool_text("", tool.name, tool.description, tool.parameters) if slots else tool.document
    doc = {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters}
    return {"id": tool.id, "doc": doc, "documentation": text}


class Counted(OpenAIEmbeddings):
    """Its client for an embeddings endpoint, whose time is counted as the encoder's."""

    vectors: Any

    def encode(self, texts: Any, *, kind: str = "document") -> np.ndarray:
        start = time.perf_counter()
        made = super().encode(texts, kind=kind)
        self.vectors.seconds += time.perf_counter() - start
        return made
