"""The rows of the table of peers: each is one way of one package to rank tools."""

from __future__ import annotations

from dataclasses import dataclass

from peer_environments import OURS


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        label: What it is called.
        adapter: The file that drives it.
        variant: Which way of the package.
        package: The package's name at PyPI.
        text: ``shared`` if it indexes the document that all such rows share, ``own`` if it writes its text itself.
        slots: Whether it gets the arguments of the tools.
        note: What to know beside its figures.
    """

    label: str
    adapter: str
    variant: str
    package: str
    text: str
    slots: bool = False
    note: str = ""


KEYWORDS = "its tool asks for keywords, not for the question, which it gets here"
BEAM = "a beam search over a tree of tools, at its preset for recall; what the beam leaves out is not found"
WIRE = "a call holds the MCP round trip and the declarations found"
ROWS = (
    Row("toolcurator", OURS, "default", OURS, "own"),
    Row("BM25 alone", OURS, "bm25", OURS, "own"),
    Row("dense alone", OURS, "dense", OURS, "shared"),
    Row("classic", OURS, "classic", OURS, "shared", note="the first seed's pipeline"),
    Row("semantic-router, dense", "semantic_router", "dense", "semantic-router", "shared"),
    Row("semantic-router, hybrid", "semantic_router", "hybrid", "semantic-router", "shared"),
    Row("langgraph-bigtool", "langgraph_bigtool", "store", "langgraph-bigtool", "shared"),
    Row("LlamaIndex ObjectIndex", "llama_index", "index", "llama-index-core", "own"),
    Row("callbus, BM25", "callbus", "bm25", "callbus", "shared"),
    Row("callbus, embeddings", "callbus", "dense", "callbus", "shared"),
    Row("callbus, hybrid", "callbus", "hybrid", "callbus", "shared"),
    Row("contextweaver, router", "contextweaver", "router", "contextweaver", "own", note=BEAM),
    Row("contextweaver, router + embeddings", "contextweaver", "embeddings", "contextweaver", "own", note=BEAM),
    Row("contextweaver, VectorIndex", "contextweaver", "index", "contextweaver", "own"),
    Row("Haystack SearchableToolset", "haystack", "search", "haystack-ai", "own", note=KEYWORDS),
    Row("FastMCP BM25 search", "fastmcp", "search", "fastmcp", "own", note=WIRE),
    Row("toolcurator, slots too", OURS, "default", OURS, "own", slots=True),
    Row("LlamaIndex ObjectIndex, slots too", "llama_index", "index", "llama-index-core", "own", slots=True),
    Row("callbus, embeddings, slots too", "callbus", "dense", "callbus", "own", slots=True),
    Row("callbus, hybrid, slots too", "callbus", "hybrid", "callbus", "own", slots=True),
    Row("contextweaver, VectorIndex, slots too", "contextweaver", "index", "contextweaver", "own", slots=True),
    Row("FastMCP BM25 search, slots too", "fastmcp", "search", "fastmcp", "own", slots=True, note=WIRE),
)
