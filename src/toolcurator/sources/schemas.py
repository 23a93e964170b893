"""Tools as the model providers and MCP write them, in and out.

What came in goes out unchanged, unless another format or another name is asked for (pitfall D1).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from toolcurator.errors import CatalogError
from toolcurator.sources.fault import explain
from toolcurator.sources.gemini import gemini_schema
from toolcurator.sources.json_values import as_array, as_object, in_words
from toolcurator.sources.parameters import is_schema, parameters_of
from toolcurator.sources.plain import plain_object
from toolcurator.tool import Declaration, Format, JsonSchema, Tool

_SCHEMA_KEYS: dict[Format, tuple[str, ...]] = {
    "openai": ("parameters",),
    "openai_responses": ("parameters",),
    "anthropic": ("input_schema",),
    "gemini": ("parameters", "parametersJsonSchema", "parameters_json_schema"),
    "mcp": ("inputSchema",),
}
_WRAPPERS = ("functionDeclarations", "function_declarations")
_KNOWN = frozenset(
    {"type", "function", "name", "description", "parameters", "strict", "input_schema", "cache_control", "inputSchema"}
    | {"outputSchema", "annotations", "_meta", "icons", "execution", "required", "parametersJsonSchema", "behavior"}
    | {"parameters_json_schema", "response", "responseJsonSchema"}
)
OWN_FIELDS = frozenset(Tool.model_fields) - {"name", "description", "parameters"}
"""Fields of ours that may stand beside a provider's; they never go out with its declaration."""


def detect(body: Mapping[str, Any]) -> Format | None:
    """The format a declaration is written in, None if it is in none of them."""
    if isinstance(body.get("function"), dict):
        return "openai"
    if "input_schema" in body or re.search(r"_\d{8}$", str(body.get("type", ""))):
        return "anthropic"
    if "inputSchema" in body:
        return "mcp"
    if any(key in body for key in (*_WRAPPERS, *_SCHEMA_KEYS["gemini"][1:])):
        return "gemini"
    parameters = as_object(body.get("parameters"))
    if parameters is not None and isinstance(kind := parameters.get("type"), str) and kind.isupper():
        return "gemini"
    if body.get("type") == "function":
        return "openai_responses"
    if isinstance(body.get("name"), str) and (not parameters or is_schema(parameters)):
        return "openai_responses"
    return None


def tool_from_schema(body: Mapping[str, Any], *, server: str = "", format: Format | None = None) -> Tool:
    """Read one declaration.

    Args:
        body: The declaration: OpenAI (nested or flat), Anthropic, Gemini or MCP. Fields of ours beside it
            (``roles``, ``examples``, ``tags``, ...) are read too. It is copied.
        server: Server or provider that offers the tool, unless the body names one.
        format: The format, if it is known; otherwise it is detected.

    Returns:
        The tool, with its declaration.

    Raises:
        CatalogError: The body is in none of the formats, holds more than one tool, or a field has the wrong type.
    """
    tools = tools_from_schema(copy.deepcopy(dict(body)), server=server, format=format)
    if len(tools) != 1:
        raise CatalogError(f"expected one declaration, found {len(tools)}: read them with tools_from_schema")
    return tools[0]


def tools_from_schema(body: JsonSchema, *, server: str = "", format: Format | None = None) -> tuple[Tool, ...]:
    """Read a body that may wrap several declarations, as Gemini's ``functionDeclarations`` does.

    Args:
        body: As for ``tool_from_schema``, but it is kept, not copied: do not change it afterwards.
        server: Server or provider, unless the body names one.
        format: The format, if it is known.

    Returns:
        One tool, or those of the wrapper in order.

    Raises:
        CatalogError: As for ``tool_from_schema``.
    """
    found = format or detect(body)
    if found is None:
        raise CatalogError("not a tool: expected a declaration of OpenAI, Anthropic, Gemini or MCP with a name")
    wrapped = next((body[key] for key in _WRAPPERS if key in body), None)
    if wrapped is None:
        return (_read(body, found, server),)
    declarations = as_array(wrapped)
    if declarations is None:
        raise CatalogError(f"functionDeclarations must be a list, not {in_words(wrapped)}")
    return tuple(_read(as_object(each) or {}, "gemini", server) for each in declarations)


def to_openai(tool: Tool, name: str) -> JsonSchema:
    """The tool for OpenAI's chat completions (nested). ``name`` is the wire name."""
    return _out(tool, name, "openai", lambda: {"type": "function", "function": _flat(tool, name)})


def to_openai_responses(tool: Tool, name: str) -> JsonSchema:
    """The tool for OpenAI's responses API (flat). ``name`` is the wire name."""
    body = _out(tool, name, "openai_responses", lambda: {"type": "function", **_flat(tool, name)})
    return body if "type" in body else {"type": "function", **body}  # it came in bare: the API wants the type


def to_anthropic(tool: Tool, name: str) -> JsonSchema:
    """The tool for Anthropic's messages API. ``name`` is the wire name."""
    return _out(
        tool,
        name,
        "anthropic",
        lambda: {"name": name, **_description(tool), "input_schema": plain_object(tool.parameters)},
    )


def to_gemini(tool: Tool, name: str) -> JsonSchema:
    """One function declaration for Gemini (to be put into ``functionDeclarations``). ``name`` is the wire name."""

    def convert() -> JsonSchema:
        body: JsonSchema = {"name": name, "description": tool.description or tool.name}
        parameters = gemini_schema(plain_object(tool.parameters))
        return {**body, "parameters": parameters} if parameters.get("properties") else body

    return _out(tool, name, "gemini", convert)


def to_mcp(tool: Tool, name: str) -> JsonSchema:
    """The tool as an entry of MCP's ``tools/list``. ``name`` is the wire name."""

    def convert() -> JsonSchema:
        body: JsonSchema = {"name": name}
        if isinstance(title := tool.metadata.get("title"), str):
            body["title"] = title
        body |= {**_description(tool), "inputSchema": plain_object(tool.parameters)}
        if tool.side_effect is not None:
            body["annotations"] = {"readOnlyHint": not tool.side_effect}
        return body

    return _out(tool, name, "mcp", convert)


def _read(body: JsonSchema, format: Format, server: str) -> Tool:
    inner = as_object(body.get("function")) if format == "openai" else body
    if inner is None:
        raise CatalogError(f"function must be an object, not {in_words(body.get('function'))}")
    declared = next((inner[key] for key in _SCHEMA_KEYS[format] if key in inner), None)
    required = as_array(inner.get("required"))
    given = as_object(declared)
    own = {key: value for key, value in body.items() if key in OWN_FIELDS and value is not None}
    clean = {key: value for key, value in body.items() if key not in OWN_FIELDS} if own else body
    fields: JsonSchema = {
        "name": inner.get("name"),
        "description": inner.get("description") or "",
        "parameters": parameters_of(declared, required=required),
        "server": server,
        "metadata": {key: value for key, value in inner.items() if key not in _KNOWN and key not in OWN_FIELDS},
    }
    if (effect := _side_effect(as_object(inner.get("annotations")))) is not None:
        fields["side_effect"] = effect
    if not given or is_schema(given):  # a repaired schema is not worth sending again: no API takes it
        fields["declaration"] = Declaration(format=format, body=clean)
    if "metadata" in own:
        own["metadata"] = {**fields["metadata"], **(as_object(own["metadata"]) or {})}
    if fields["name"] is None:
        raise CatalogError("name is missing")
    try:
        return Tool.model_validate(fields | own)
    except ValidationError as error:
        raise CatalogError(explain(error)) from None


def _side_effect(annotations: JsonSchema | None) -> bool | None:
    """MCP's hints → whether a call changes something; None if they do not say."""
    if annotations is None:
        return None
    if isinstance(read_only := annotations.get("readOnlyHint"), bool):
        return not read_only
    return True if annotations.get("destructiveHint") is True else None


def _out(tool: Tool, name: str, format: Format, convert: Callable[[], JsonSchema]) -> JsonSchema:
    """The declaration as it came, with nothing but the name replaced; converted if it came in another format."""
    declaration = tool.declaration
    if declaration is None or declaration.format != format or not _still_true(declaration, tool):
        return convert()
    body = copy.deepcopy(declaration.body)
    holder = body["function"] if format == "openai" else body
    holder["name"] = name
    return body


def _still_true(declaration: Declaration, tool: Tool) -> bool:
    """Whether the tool still says what its declaration says; a copy of it may have been edited."""
    try:
        read = _read(declaration.body, declaration.format, tool.server)
    except CatalogError:
        return False
    return read.description == tool.description and read.parameters == tool.parameters


def _description(tool: Tool) -> JsonSchema:
    return {"description": tool.description} if tool.description else {}


def _flat(tool: Tool, name: str) -> JsonSchema:
    body: JsonSchema = {"name": name, **_description(tool), "parameters": plain_object(tool.parameters)}
    if tool.declaration is not None and tool.declaration.format in ("openai", "openai_responses"):
        source = as_object(tool.declaration.body.get("function")) or tool.declaration.body
        if "strict" in source:
            body["strict"] = source["strict"]
    return body
