"""One entry of a file, or one mapping from code → the tools it describes, in our own form or a provider's."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from toolcurator.errors import CatalogError
from toolcurator.sources.fault import explain
from toolcurator.sources.json_values import as_array, as_object, in_words
from toolcurator.sources.parameters import parameters_of
from toolcurator.sources.schemas import detect, tools_from_schema
from toolcurator.tool import JsonSchema, Tool

_FIELDS = frozenset(Tool.model_fields)
_SLOTS = ("slots", "entities", "arguments")
_BARE = frozenset({"type", "name", "description", "parameters", "strict"})
_LISTED = ("examples", "tags", "roles")


def tools_of(entry: object, *, server: str = "", metadata: Mapping[str, Any] | None = None) -> tuple[Tool, ...]:
    """Read one entry.

    Args:
        entry: An object in our own form (the fields of ``Tool``; arguments also as ``slots``, ``entities`` or
            ``arguments``; anything else goes to ``metadata``), or a declaration of OpenAI, Anthropic, Gemini or MCP.
        server: Server of an entry that names none.
        metadata: What is known of every entry of the source; the entry's own goes first.

    Returns:
        Its tool; several only for Gemini's ``functionDeclarations``.

    Raises:
        CatalogError: The entry is not a tool; the message says which field and why.
    """
    body = as_object(entry)
    if body is None:
        raise CatalogError(f"a tool must be an object, not {in_words(entry)}")
    _check_roles(body)
    try:
        if _is_declaration(body):
            tools = tools_from_schema(body, server=server)
            if metadata:
                tools = tuple(tool.model_copy(update={"metadata": {**metadata, **tool.metadata}}) for tool in tools)
            return tools
        return (_own(body, server, metadata or {}),)
    except ValidationError as error:
        raise CatalogError(explain(error)) from None
    except RecursionError:
        raise CatalogError("nested too deeply") from None


def row_of(cells: Mapping[str, str]) -> dict[str, Any]:
    """A row of CSV → an entry: lists split at ``|``, ``parameters`` read as JSON, empty cells left out.

    Raises:
        CatalogError: A cell does not hold what its column needs.
    """
    entry: dict[str, Any] = {}
    for column, cell in cells.items():
        if not (cell := cell.strip()) or not column:
            continue
        if column in _LISTED:
            entry[column] = [part.strip() for part in cell.split("|") if part.strip()]
        elif column in ("parameters", *_SLOTS):
            try:
                entry[column] = json.loads(cell)
            except ValueError as error:
                raise CatalogError(f"{column} must be JSON: {error}") from None
        else:
            entry[column] = cell
    return entry


def _is_declaration(body: JsonSchema) -> bool:
    """Whether it is a provider's declaration rather than our own form, which a bare ``{name, description}`` is."""
    found = detect(body)
    if found == "openai_responses":
        return body.get("type") == "function" or (body.keys() <= _BARE and "parameters" in body)
    return found is not None


def _own(body: JsonSchema, server: str, shared: Mapping[str, Any]) -> Tool:
    fields = {key: value for key, value in body.items() if key in _FIELDS and value is not None}
    if "name" not in fields:
        raise CatalogError("name is missing")
    if isinstance(fields.get("id"), int):
        fields["id"] = str(fields["id"])
    fields["parameters"] = _arguments(body)
    extra = {key: value for key, value in body.items() if key not in _FIELDS and key not in _SLOTS}
    if "endpoint" not in fields and isinstance(method := body.get("method"), str):
        fields["endpoint"] = {"method": method, "url": str(extra.pop("url", None) or "")}
        del extra["method"]
    declared = fields.get("metadata", {})
    if as_object(declared) is None:
        raise CatalogError(f"metadata must be an object, not {in_words(declared)}")
    fields["metadata"] = {**shared, **extra, **declared}
    return Tool.model_validate({"server": server, **fields})


def _arguments(body: JsonSchema) -> JsonSchema:
    """The one field of an entry that declares its arguments."""
    if body.get("parameters") is not None:
        return parameters_of(body["parameters"], required=as_array(body.get("required")))
    key = next((key for key in _SLOTS if body.get(key) is not None), None)
    if key is None:
        return parameters_of(None)
    if not isinstance(body[key], list):
        raise CatalogError(f"{key} must be a list, not {in_words(body[key])}")
    return parameters_of(body[key], needed=key == "arguments")


def _check_roles(body: JsonSchema) -> None:
    """A misspelled ``roles`` would show a reserved tool to everyone, so it is not taken for metadata."""
    for key in body.keys() - _FIELDS:
        if key[:2].lower() == "ro" and difflib.SequenceMatcher(None, key.lower(), "roles").ratio() >= 0.8:
            raise CatalogError(f"'{key}' is not a field of a tool; write 'roles' (who may see it) as a list")
