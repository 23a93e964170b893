"""semantic-router: one route a tool, whose single utterance is the tool's document.

``dense`` is the indexed router as its guide sets it up; ``hybrid`` gives it the package's own `BM25Encoder` as sparse encoder,
with the package's alpha (0.7 dense). That encoder's tokenizer, bert-base-uncased, would be downloaded from a hub: it is read
here from the tokenizer.json of the shared encoder, which has the same vocabulary. ``top_k`` counts utterances, so it is the
number of tools that is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from given import MOST, Given, Search
from semantic_router import IndexedRouter, Route
from semantic_router.encoders import BM25Encoder, DenseEncoder
from semantic_router.tokenizers import BaseTokenizer
from tokenizers import Tokenizer


def build(given: Given, variant: str) -> Search:
    routes = [Route(name=tool.id, utterances=[tool.document]) for tool in given.tools]
    sparse = BM25Encoder(tokenizer=WordPieces(given)) if variant == "hybrid" else None
    router = IndexedRouter(encoder=Shared(vectors=given.vectors), routes=routes, sparse_encoder=sparse, top_k=MOST)

    def search(query: str) -> list[str]:
        return [choice.name for choice in router(query, limit=MOST)]

    return search


class Shared(DenseEncoder):
    """The encoder of all rows."""

    name: str = "shared"
    vectors: Any

    def __call__(self, docs: list[str]) -> list[list[float]]:
        return self.vectors(docs)


class WordPieces(BaseTokenizer):
    """What the package's `PretrainedTokenizer` does, from a local file."""

    def __init__(self, given: Given) -> None:
        self.tokenizer = Tokenizer.from_file(str(given.tokenizer))
        self.tokenizer.no_truncation()
        self.tokenizer.enable_padding(direction="right", pad_id=0)

    @property
    def vocab_size(self) -> int:
        return self.tokenizer.get_vocab_size()

    def tokenize(self, texts: str | list[str], pad: bool = True) -> np.ndarray:
        texts = [texts] if isinstance(texts, str) else texts
        return np.array([each.ids for each in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)])
