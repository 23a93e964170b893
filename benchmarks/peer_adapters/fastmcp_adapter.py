"""FastMCP: the ``search_tools`` of its BM25 search transform, called by a real client over the in-memory transport.

It indexes name, description, and names and descriptions of arguments. ``max_results`` is 20 here, 5 by default. What a call
takes holds the protocol and the declarations of the tools that come back, since that is what the tool returns.
"""

from __future__ import annotations

import asyncio

from fastmcp import Client, FastMCP
from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.tools import Tool
from given import MOST, Given, Search


def build(given: Given, variant: str) -> Search:
    ids = {tool.unique: tool.id for tool in given.tools}
    server = FastMCP("peers")
    for tool in given.tools:
        server.add_tool(Tool(name=tool.unique, description=tool.description, parameters=tool.parameters))
    server.add_transform(BM25SearchTransform(max_results=MOST))
    runner = asyncio.Runner()
    client = Client(server)
    runner.run(client.__aenter__())  # stays open until the process ends

    def search(query: str) -> list[str]:
        found = runner.run(client.call_tool("search_tools", {"query": query}))
        return [ids[tool["name"]] for tool in found.structured_content["result"]]

    return search
