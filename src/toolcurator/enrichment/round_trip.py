"""Does an example query find its own tool? What finds another one first teaches the wrong thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.retrieval import Curator

Progress = Callable[[int, int], None]


def without_queries(tools: Iterable[Tool]) -> list[Tool]:
    """The tools, their profiles without example queries: what a round trip is asked of, or each would find itself."""
    return [
        tool.model_copy(update={"profile": tool.profile.model_copy(update={"example_queries": ()})})
        if tool.profile is not None
        else tool
        for tool in tools
    ]


def astray(
    curator: Curator, tools: Iterable[Tool], *, progress: Progress | None = None
) -> Mapping[str, Mapping[str, str]]:
    """The example queries of profiles that find another tool first.

    Args:
        curator: Opened over `without_queries` of the tools.
        tools: The tools with their profiles; those whose state is not active are passed over.
        progress: Called with queries asked and queries to ask.

    Returns:
        Id of the tool → query → id of the tool that it finds instead; only what goes astray.
    """
    asked = [
        (tool.id, query)
        for tool in tools
        if tool.profile is not None and tool.state == "active"
        for query in tool.profile.example_queries
    ]
    found: dict[str, dict[str, str]] = {}
    for done, (tool, query) in enumerate(asked, 1):
        selection = curator.select(query, k=1, no_fit="keep")
        if len(selection) and selection[0].id != tool:
            found.setdefault(tool, {})[query] = selection[0].id
        if progress is not None:
            progress(done, len(asked))
    return found
