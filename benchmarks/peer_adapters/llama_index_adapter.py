"""LlamaIndex: an `ObjectIndex` over function tools, in its default in-memory vector store.

It writes a tool's text itself ("Tool name: …", "Tool description: …"), with the tool's JSON schema where there is one.
"""

from __future__ import annotations

from typing import Any

from given import MOST, Given, GivenTool, Search
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.objects import ObjectIndex
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel


def build(given: Given, variant: str) -> Search:
    ids = {tool.unique: tool.id for tool in given.tools}
    tools = [FunctionTool(fn=_never, metadata=_metadata(tool)) for tool in given.tools]
    index = ObjectIndex.from_objects(
        tools, index_cls=VectorStoreIndex, embed_model=Shared(vectors=given.vectors, embed_batch_size=64)
    )
    retriever = index.as_retriever(similarity_top_k=MOST)

    def search(query: str) -> list[str]:
        return [ids[tool.metadata.name] for tool in retriever.retrieve(query)]

    return search


def _metadata(tool: GivenTool) -> ToolMetadata:
    schema = _schema(tool) if tool.parameters.get("properties") else None
    return ToolMetadata(name=tool.unique, description=tool.description, fn_schema=schema)


def _schema(tool: GivenTool) -> type[BaseModel]:
    class Arguments(BaseModel):
        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return tool.parameters

    return Arguments


def _never() -> None:
    """No tool is called."""


class Shared(BaseEmbedding):
    """The encoder of all rows."""

    vectors: Any

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.vectors([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.vectors([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self.vectors(texts)
