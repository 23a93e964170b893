"""contextweaver: its router (beam search over a tree of tools) with TF-IDF or with embeddings, and its flat `VectorIndex`.

The router runs at the package's ``accurate`` preset (beam 4, 20 results), its setting for recall. With embeddings it mixes
0.7 of the cosine with 0.3 of TF-IDF, its default. Cosines are computed as by the backends that come with it, in plain Python.
The texts are its own: name, description and tags for the router, labelled sections (arguments among them) for the index.
"""

from __future__ import annotations

from contextweaver.extras.embeddings import HashingEmbeddingBackend
from contextweaver.profiles import ProfileConfig
from contextweaver.routing.router import Router
from contextweaver.routing.tree import TreeBuilder
from contextweaver.routing.vector_index import VectorIndex
from contextweaver.types import SelectableItem
from given import MOST, Given, Search


def build(given: Given, variant: str) -> Search:
    items = [
        SelectableItem(
            id=tool.id, kind="tool", name=tool.name, description=tool.description, args_schema=tool.parameters
        )
        for tool in given.tools
    ]
    if variant == "index":
        index = VectorIndex(Shared(given))
        index.build(items)
        return lambda query: [id for id, _, _ in index.query(query, MOST)]
    config = ProfileConfig.from_preset("accurate").routing
    graph = TreeBuilder(routing_config=config).build(items)
    backend = Shared(given) if variant == "embeddings" else None
    router = Router(graph, items, routing_config=config, embedding_backend=backend)
    return lambda query: router.route(query).candidate_ids


class Shared(HashingEmbeddingBackend):
    """The encoder of all rows, with the similarity that comes with the package."""

    def __init__(self, given: Given) -> None:
        super().__init__()
        self._vectors = given.vectors

    def embed(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(texts)
