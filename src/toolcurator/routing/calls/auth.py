"""The secrets of a call: which ones a tool names, and where each of them goes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from toolcurator.routing.calls.address_of import RequestRefused
from toolcurator.routing.calls.secret import Secrets, variable
from toolcurator.tool import Tool, as_object


@dataclass(frozen=True)
class Credentials:
    """What is added to a request. It goes to the tool's own host, and with no redirect to another one.

    Attributes:
        headers: Name and value.
        query: Name and value.
        values: What must not stand in an answer or a message.
    """

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    values: tuple[str, ...] = field(default=(), repr=False)


def credentials_of(tool: Tool, secrets: Secrets) -> Credentials:
    """The credentials that a tool's endpoint names.

    How each is sent says the security scheme of its OpenAPI document, or ``metadata["auth"]``: ``{"type": "bearer"}`` (the
    default), ``{"type": "basic"}`` with ``user:password`` as the secret, ``{"type": "header", "name": "X-Key"}``,
    ``{"type": "query", "name": "key"}`` or ``{"type": "cookie", "name": "session"}``.

    Raises:
        RequestRefused: A secret is not there; the message says which variable would hold it.
    """
    named = tool.endpoint.auth if tool.endpoint is not None else ""
    schemes = as_object(as_object(tool.metadata.get("openapi")).get("schemes"))
    headers: list[tuple[str, str]] = []
    query: list[tuple[str, str]] = []
    cookies: list[str] = []
    values: list[str] = []
    for name in filter(None, named.split("+")):
        value = secrets.value(name)
        if value is None:
            raise RequestRefused(f"the secret '{name}' is not set; give it to the caller, or set {variable(name)}")
        if any(each in value for each in "\r\n\0"):
            raise RequestRefused(f"the secret '{name}' holds a line break")
        values += {value, quote(value, safe=""), json.dumps(value)[1:-1]}  # as a service may write it back
        kind, key = _manner(as_object(schemes.get(name)) or as_object(tool.metadata.get("auth")))
        if kind == "basic":
            encoded = base64.b64encode(value.encode()).decode()
            values.append(encoded)
            headers.append(("Authorization", f"Basic {encoded}"))
        elif kind == "header":
            headers.append((key, value))
        elif kind == "query":
            query.append((key, value))
        elif kind == "cookie":
            cookies.append(f"{key}={value}")
        else:
            headers.append(("Authorization", f"Bearer {value}"))
    if cookies:
        headers.append(("Cookie", "; ".join(cookies)))
    return Credentials(tuple(headers), tuple(query), tuple(values))


def _manner(scheme: Mapping[str, Any]) -> tuple[str, str]:
    """``bearer``, ``basic``, ``header``, ``query`` or ``cookie``, and the name of the latter three."""
    kind, name = str(scheme.get("type", "")).lower(), str(scheme.get("name") or "X-API-Key")
    if kind == "apikey":
        kind = str(scheme.get("in") or "header").lower()
    if kind == "http":
        kind = str(scheme.get("scheme", "bearer")).lower()
    return (kind if kind in ("basic", "header", "query", "cookie") else "bearer"), name
