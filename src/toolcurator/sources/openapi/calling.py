"""How an operation is called: the address of its server, and the names of its security schemes. No secret is in it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.openapi.document import Operation
from toolcurator.sources.openapi.references import BrokenReference, References
from toolcurator.sources.openapi.text import text
from toolcurator.tool import JsonSchema

_SCHEME = ("type", "in", "name", "scheme", "bearerFormat", "openIdConnectUrl")
_PREFERRED = ("https", "http", "wss", "ws")


def server_of(document: JsonSchema, operation: Operation, url: str) -> str:
    """The server of an operation, without a slash at its end; empty if nothing says where it is.

    Args:
        document: The document.
        operation: The operation; its own servers go before its path's, and those before the document's.
        url: The address the document came from, which a relative server starts at; empty if it is a file.
    """
    if "swagger" in document:
        server = _server_2(document, operation, url)
    else:
        holders = (operation.body, operation.item, document)
        first = next((servers[0] for each in holders if (servers := as_array(each.get("servers")))), None)
        server = _filled(as_object(first) or {})
        if server.startswith("//") and not url:
            server = f"https:{server}"
    try:
        server = urljoin(url, server or "/") if url else server
    except ValueError:  # no address at all
        return ""
    return without_secrets(server).rstrip("/")


def without_secrets(url: str) -> str:
    """An address without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return ""


def schemes_of(document: JsonSchema, references: References) -> dict[str, JsonSchema]:
    """The security schemes of a document by name: what kind each is and where it goes, never what is sent."""
    declared = (as_object(document.get("components")) or {}).get("securitySchemes", document.get("securityDefinitions"))
    schemes: dict[str, JsonSchema] = {}
    for name, each in (as_object(declared) or {}).items():
        try:
            body = as_object(references.follow(each, references.root)[0]) or {}
        except BrokenReference:
            body = {}
        schemes[str(name)] = {key: body[key] for key in _SCHEME if isinstance(body.get(key), str)}
    return schemes


def security_of(document: JsonSchema, operation: Operation) -> list[dict[str, list[str]]]:
    """What a call needs: alternatives, each of which maps the names of schemes to scopes. Empty if it needs nothing."""
    declared = as_array(operation.body.get("security", document.get("security"))) or []
    alternatives: list[dict[str, list[str]]] = []
    for each in declared:
        body = as_object(each)
        if body is not None:
            alternatives.append({str(name): [str(s) for s in as_array(scopes) or ()] for name, scopes in body.items()})
    return alternatives


def auth_name(alternatives: list[dict[str, list[str]]]) -> str:
    """The first alternative that names a scheme, several joined by ``+``; empty if a call needs none."""
    return next(("+".join(each) for each in alternatives if each), "")


def secret_places(
    alternatives: list[dict[str, list[str]]], schemes: dict[str, JsonSchema]
) -> frozenset[tuple[str, str]]:
    """Place and name of the keys that the security schemes of an operation send."""
    used = [schemes.get(name, {}) for each in alternatives for name in each]
    return frozenset(
        (scheme.get("in", ""), scheme.get("name", "")) for scheme in used if scheme.get("type") == "apiKey"
    )


def _server_2(document: JsonSchema, operation: Operation, url: str) -> str:
    schemes = as_array(operation.body.get("schemes")) or as_array(document.get("schemes")) or []
    host, base = text(document.get("host")), text(document.get("basePath"))
    base = f"/{base.strip('/')}" if base.strip("/") else ""
    if not host:
        return base
    scheme = next((each for each in _PREFERRED if each in schemes), "") or urlsplit(url).scheme or "https"
    return f"{scheme}://{host}{base}"


def _filled(server: JsonSchema) -> str:
    """A server's address with its variables at their defaults."""
    variables = as_object(server.get("variables")) or {}

    def value(found: re.Match[str]) -> str:
        variable = as_object(variables.get(found[1])) or {}
        values: list[Any] = [variable.get("default"), *(as_array(variable.get("enum")) or ())]
        return next((str(each) for each in values if each is not None), found[0])

    return re.sub(r"\{([^{}]+)\}", value, text(server.get("url")))
