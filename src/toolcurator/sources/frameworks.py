"""Objects of agent frameworks → tools: LangChain, LlamaIndex, pydantic-ai, OpenAI's Agents SDK, and pydantic models.

No framework is imported here: an object that comes from one brings it along.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from toolcurator.errors import CatalogError
from toolcurator.sources.parameters import parameters_of
from toolcurator.tool import Tool


class _Said(NamedTuple):
    """What a framework tells a model of a tool."""

    name: str
    description: str
    schema: Any


def tools_from_framework(source: object, *, server: str = "") -> tuple[Tool, ...] | None:
    """Read an object of a framework.

    Args:
        source: A tool of LangChain, LlamaIndex, pydantic-ai or the Agents SDK, a toolset of pydantic-ai, or a pydantic model's
            class, whose fields are the arguments.
        server: Server of the tools.

    Returns:
        The tools, with the description and schema that the framework would send; None if the object is none of these.

    Raises:
        CatalogError: A toolset cannot list its tools.
    """
    if isinstance(source, type):
        if not issubclass(source, BaseModel):
            return None
        own = source.__dict__.get("__doc__") or ""
        said = (_Said(source.__name__, cleandoc(own), source.model_json_schema()),)
    else:
        makers = {base.__module__.partition(".")[0] for base in type(source).__mro__}
        read = next((read for maker, read in _READERS.items() if maker in makers), None)
        found = read(source) if read is not None else None
        if found is None:
            return None
        said = found
    return tuple(_tool(each, server) for each in said)


def _langchain(source: Any) -> tuple[_Said, ...] | None:
    schema = getattr(source, "tool_call_schema", None)  # without what the framework itself fills in
    if schema is None:
        return None
    return (_Said(source.name, source.description, schema if isinstance(schema, dict) else schema.model_json_schema()),)


def _llama_index(source: Any) -> tuple[_Said, ...] | None:
    about: Any = getattr(source, "metadata", None)
    if not hasattr(about, "get_parameters_dict"):
        return None
    return (_Said(about.get_name(), about.description, about.get_parameters_dict()),)


def _agents(source: Any) -> tuple[_Said, ...] | None:
    if not hasattr(source, "params_json_schema"):
        return None
    return (_Said(source.name, source.description, source.params_json_schema),)


def _pydantic_ai(source: Any) -> tuple[_Said, ...] | None:
    if hasattr(source, "tool_def"):
        return (_defined(source.tool_def),)
    if hasattr(source, "parameters_json_schema"):
        return (_defined(source),)
    if not hasattr(source, "get_tools"):
        return None
    import asyncio  # this and the next take a tenth of a second to load, which a search does not have
    from concurrent.futures import ThreadPoolExecutor

    from pydantic_ai import RunContext  # pyright: ignore
    from pydantic_ai.models.test import TestModel  # pyright: ignore
    from pydantic_ai.usage import RunUsage  # pyright: ignore

    async def listed() -> dict[str, Any]:
        context = RunContext(deps=None, model=TestModel(), usage=RunUsage())  # pyright: ignore
        async with source:  # a toolset may have to connect first
            return cast("dict[str, Any]", await source.get_tools(context))

    try:  # in a thread of its own, since the caller may be in a loop
        with ThreadPoolExecutor(1) as alone:
            found = alone.submit(lambda: asyncio.run(listed())).result()
    except Exception as error:  # whatever a toolset raises
        raise CatalogError(f"{type(source).__name__} cannot list its tools: {error}") from error
    return tuple(_defined(tool.tool_def) for tool in found.values())


def _defined(about: Any) -> _Said:
    return _Said(about.name, about.description or "", about.parameters_json_schema)


_READERS: dict[str, Callable[[Any], tuple[_Said, ...] | None]] = {
    "langchain_core": _langchain,
    "llama_index": _llama_index,
    "pydantic_ai": _pydantic_ai,
    "agents": _agents,
}


def _tool(said: _Said, server: str) -> Tool:
    schema = {key: value for key, value in said.schema.items() if key not in ("title", "description")}
    return Tool(name=said.name, description=said.description, parameters=parameters_of(schema), server=server)
