"""langgraph-bigtool: the retrieval tool that its agents are given, over LangGraph's in-memory store.

The store is filled one ``put`` a tool, as its guide does, with the shared document under ``description``. NumPy is installed
beside it, as the store recommends. No agent and no language model are involved.
"""

from __future__ import annotations

import numpy as np  # noqa: F401 (the store imports it at the first search)
from given import MOST, Given, Search
from langchain_core.embeddings import Embeddings
from langgraph.store.memory import InMemoryStore
from langgraph_bigtool.tools import get_default_retrieval_tool


def build(given: Given, variant: str) -> Search:
    index = {"embed": Shared(given), "dims": given.vectors.dimensions, "fields": ["description"]}
    store = InMemoryStore(index=index)
    for tool in given.tools:
        store.put(("tools",), tool.id, {"description": tool.document})
    retrieve, _ = get_default_retrieval_tool(("tools",), limit=MOST)

    def search(query: str) -> list[str]:
        return retrieve(query, store=store)

    return search


class Shared(Embeddings):
    """The encoder of all rows."""

    def __init__(self, given: Given) -> None:
        self._vectors = given.vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._vectors([text])[0]
