"""The one table of prompts, pooling and languages."""

import pytest

from toolcurator.encoders.families import FAMILIES, SEED_BGE_PROMPT, UNKNOWN, family_of

SEARCH = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "family", "pooling", "query", "document", "languages"),
    [
        ("BAAI/bge-small-en-v1.5", "bge", "cls", SEARCH, "", ("en",)),
        ("BAAI/bge-large-zh-v1.5", "bge-zh", "cls", "为这个句子生成表示以用于检索相关文章：", "", ("zh",)),
        ("BAAI/bge-m3", "bge-m3", "cls", "", "", ("*",)),
        ("intfloat/e5-base-v2", "e5", "mean", "query: ", "passage: ", ("en",)),
        ("intfloat/multilingual-e5-small", "multilingual-e5", "mean", "query: ", "passage: ", ("*",)),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct", "mean", INSTRUCT + " ", "", ("*",)),
        ("thenlper/gte-small", "gte", "mean", "", "", ("en",)),
        ("Alibaba-NLP/gte-base-en-v1.5", "gte-v1.5", "cls", "", "", ("en",)),
        ("Alibaba-NLP/gte-multilingual-base", "gte-multilingual", "cls", "", "", ("*",)),
        ("sentence-transformers/all-MiniLM-L6-v2", "minilm", "mean", "", "", ("en",)),
        ("sentence-transformers/all-mpnet-base-v2", "mpnet", "mean", "", "", ("en",)),
        (
            "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
            "paraphrase-multilingual",
            "mean",
            "",
            "",
            ("*",),
        ),
        ("Qwen/Qwen3-Embedding-0.6B", "qwen3", "last", INSTRUCT, "", ("*",)),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic", "mean", "search_query: ", "search_document: ", ("en",)),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", "arctic", "cls", SEARCH, "", ("en",)),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "arctic-v2", "cls", "query: ", "", ("*",)),
        ("jinaai/jina-embeddings-v2-base-en", "jina", "mean", "", "", ("en",)),
        ("minishlab/potion-base-8M", "model2vec", "mean", "", "", ("en",)),
        ("minishlab/potion-multilingual-128M", "model2vec-multilingual", "mean", "", "", ("*",)),
    ],
)
def test_a_model_finds_its_line(
    model: str, family: str, pooling: str, query: str, document: str, languages: tuple[str, ...]
) -> None:
    found = family_of(model)
    assert found.name == family
    assert (found.pooling, found.query_prompt, found.document_prompt) == (pooling, query, document)
    assert found.languages == languages


def test_an_unknown_model_gets_no_prompt_and_no_language() -> None:
    assert family_of("acme/our-own-model") is UNKNOWN
    assert family_of("some1-e50-thing") is UNKNOWN


def test_names_are_unique() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def test_the_seed_s_prefix_is_not_the_published_one() -> None:
    assert SEED_BGE_PROMPT == "Represent this sentence: "
    assert family_of("bge-small-en-v1.5").query_prompt != SEED_BGE_PROMPT
