"""One table of what each model family wants: prompts, pooling, languages.

Normalization is the same for all and so not a column: every vector leaves an encoder with unit length, and an inner
product is a cosine. Models trained for the plain inner product (``…-dot-…``) are thus ranked by cosine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls", "last"]


@dataclass(frozen=True)
class Family:
    """How models of one family are used.

    Attributes:
        name: Name of the family.
        pattern: Regular expression searched for in the model's lower-case name.
        pooling: How token vectors become one: their mean, the first (``cls``), or the last.
        query_prompt: Put before each query.
        document_prompt: Put before each document.
        languages: ISO 639 codes, ``("*",)`` for many.
    """

    name: str
    pattern: str
    pooling: Pooling = "mean"
    query_prompt: str = ""
    document_prompt: str = ""
    languages: tuple[str, ...] = ("en",)


SEED_BGE_PROMPT = "Represent this sentence: "
"""The short prefix that the first seed puts before a query of a BGE model; the model's published one is longer."""

_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_MANY = ("*",)

# Each line follows the model card of its family. The first match wins, so the special stands before the general.
FAMILIES: tuple[Family, ...] = (
    Family("bge-m3", r"bge-m3", "cls", languages=_MANY),
    Family("bge-zh", r"bge-\w+-zh", "cls", "为这个句子生成表示以用于检索相关文章：", languages=("zh",)),
    Family("bge", r"bge-", "cls", _SEARCH),
    Family("e5-instruct", r"multilingual-e5-.*instruct", "mean", _INSTRUCT, languages=_MANY),
    Family("e5-mistral", r"e5-mistral", "last", _INSTRUCT),
    Family("multilingual-e5", r"multilingual-e5", "mean", "query: ", "passage: ", _MANY),
    Family("e5", r"(^|[/_-])e5-", "mean", "query: ", "passage: "),
    Family("gte-qwen", r"gte-qwen", "last", _INSTRUCT, languages=_MANY),
    Family("gte-multilingual", r"gte-multilingual", "cls", languages=_MANY),
    Family("gte-v1.5", r"gte-(modernbert|\w+-en-v1\.5)", "cls"),
    Family("gte", r"gte-"),
    Family("qwen3", r"qwen3-embedding", "last", _INSTRUCT.rstrip(), languages=_MANY),
    Family("nomic-v2", r"nomic-embed-text-v2", "mean", "search_query: ", "search_document: ", _MANY),
    Family("nomic", r"nomic-embed", "mean", "search_query: ", "search_document: "),
    Family("arctic-v2", r"arctic-embed-\w+-v2", "cls", "query: ", languages=_MANY),
    Family("arctic", r"arctic-embed", "cls", _SEARCH),
    Family("mxbai", r"mxbai-embed", "cls", _SEARCH),
    Family("gemma", r"embeddinggemma", "mean", "task: search result | query: ", "title: none | text: ", _MANY),
    Family("granite-multilingual", r"granite-embedding-.*multilingual", "cls", languages=_MANY),
    Family("granite", r"granite-embedding", "cls"),
    Family(
        "jina-v3",
        r"jina-embeddings-v3",
        "mean",
        "Represent the query for retrieving evidence documents: ",
        "Represent the document for retrieval: ",
        _MANY,
    ),
    Family("jina-zh", r"jina-embeddings-v2-\w+-zh", languages=("zh", "en")),
    Family("jina-de", r"jina-embeddings-v2-\w+-de", languages=("de", "en")),
    Family("jina-es", r"jina-embeddings-v2-\w+-es", languages=("es", "en")),
    Family("jina", r"jina-embeddings-v2"),
    Family("model2vec-multilingual", r"(potion|m2v).*multilingual", languages=_MANY),
    Family("model2vec", r"potion|m2v|model2vec"),
    Family("paraphrase-multilingual", r"paraphrase-multilingual|distiluse-base-multilingual", languages=_MANY),
    Family("multi-qa-dot", r"multi-qa-mpnet-base-dot", "cls"),
    Family("mpnet", r"mpnet"),
    Family("minilm", r"minilm"),
)

UNKNOWN = Family("unknown", "", languages=_MANY)
"""For a model that is in no line: mean pooling, no prompt, no claim about its languages."""


def family_of(model: str, stated: str = "") -> Family:
    """The family of a model.

    Args:
        model: Its name, such as ``BAAI/bge-small-en-v1.5``, or a folder's name.
        stated: Name of the family, if the model's maker says it.

    Returns:
        The family stated, else the first line of the table that matches the name, else ``UNKNOWN``.
    """
    name = model.lower()
    by_word = (family for family in FAMILIES if family.name == stated)
    by_name = (family for family in FAMILIES if re.search(family.pattern, name))
    return next(by_word, None) or next(by_name, UNKNOWN)
