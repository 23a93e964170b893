"""Haystack: the search tool of its `SearchableToolset`, called as an agent would call it, with 20 results asked for.

It indexes "name description" by BM25 in its in-memory store. Its tool asks the model for keywords ("NOT the user's question"):
without a model in between the query goes in as it is, which is not how it is meant, and costs it.
"""

from __future__ import annotations

from given import MOST, Given, Search
from haystack.tools import SearchableToolset, Tool


def build(given: Given, variant: str) -> Search:
    ids = {tool.unique: tool.id for tool in given.tools}
    catalog = [
        Tool(name=tool.unique, description=tool.description, parameters=tool.parameters, function=_never)
        for tool in given.tools
    ]
    toolset = SearchableToolset(catalog, top_k=MOST)
    toolset.warm_up()

    def search(query: str) -> list[str]:
        run = toolset.spawn()  # one agent run: what it found is kept there, in order
        bootstrap = next(iter(run))
        bootstrap.invoke(tool_keywords=query, k=MOST)
        return [ids[tool.name] for tool in run if tool.name != bootstrap.name]

    return search


def _never() -> None:
    """No tool is called."""
