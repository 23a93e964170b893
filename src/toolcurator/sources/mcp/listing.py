"""What a live MCP server lists → our tools, and what had to be left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolcurator.errors import CatalogError
from toolcurator.sources.entries import tools_of
from toolcurator.sources.fault import Fault
from toolcurator.sources.json_values import as_object
from toolcurator.tool import Endpoint, JsonSchema, Tool

_SAID = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "execution", "_meta"}
)
_LONGEST = 4000  # characters of a server's instructions that are kept with each of its tools


@dataclass(frozen=True)
class Listing:
    """The tools of one server at one moment.

    Attributes:
        tools: Its tools, in its order; their ``server`` is its key in the configuration.
        faults: Tools that cannot be read.
    """

    tools: tuple[Tool, ...] = ()
    faults: tuple[Fault, ...] = ()


def listing_of(server: str, bodies: Iterable[JsonSchema], about: str) -> Listing:
    """Read the entries of ``tools/list``.

    Only the fields that MCP knows are read: a server must not choose the id, the roles or the server of its tools.

    Args:
        server: The server's key in the configuration.
        bodies: The entries, as JSON.
        about: What the server says about itself (its instructions); empty if nothing.

    Returns:
        The tools, each with ``endpoint`` of kind ``mcp`` whose ``url`` is the server's key.
    """
    endpoint = Endpoint(kind="mcp", method="", url=server)
    shared: JsonSchema = {"server_description": about[:_LONGEST]} if about else {}
    tools: list[Tool] = []
    faults: list[Fault] = []
    for number, body in enumerate(bodies, 1):
        said = {key: value for key, value in body.items() if key in _SAID}
        title = (as_object(body.get("annotations")) or {}).get("title")
        metadata = {**shared, "title": title} if isinstance(title, str) and title else shared
        try:
            found = tools_of(said, server=server, metadata=metadata)
        except CatalogError as error:
            name = f"{server}/{body.get('name') or f'#{number}'}"
            faults.append(Fault(entry=name, message=str(error)))
            continue
        tools += [tool.model_copy(update={"endpoint": endpoint}) for tool in found]
    return Listing(tuple(tools), tuple(faults))
