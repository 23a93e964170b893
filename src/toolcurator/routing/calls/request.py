"""A tool and its arguments → an HTTP request, without secrets."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

from toolcurator.routing.calls.address_of import RequestRefused, filled, placeholders, template_of
from toolcurator.routing.calls.written import as_pairs, as_part, as_text
from toolcurator.tool import Tool, as_object

_OURS = frozenset(  # what an argument may not say
    "host content-length transfer-encoding connection upgrade te trailer keep-alive proxy-authorization proxy-connection "
    "authorization cookie content-type accept-encoding forwarded x-forwarded-for x-forwarded-host".split()
)
_BODILESS = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        method: As the tool declares it.
        url: The whole address.
        headers: Name and value.
        content: The body.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes = field(default=b"", repr=False)

    def plus(self, *, headers: Pairs | None = None, query: Pairs | None = None) -> Request:
        """The same with further headers and query arguments."""
        url = self.url
        if query:
            url = f"{url}{'&' if '?' in url else '?'}{urlencode(query, quote_via=quote)}"
        joined = [*self.headers, *(headers or ())]
        cookies = [value for name, value in joined if name.lower() == "cookie"]
        if len(cookies) > 1:  # RFC 6265: one header holds them all
            joined = [pair for pair in joined if pair[0].lower() != "cookie"] + [("Cookie", "; ".join(cookies))]
        return replace(self, url=url, headers=tuple(joined))


@dataclass
class _Parts:
    path: dict[str, Any] = field(default_factory=dict[str, Any])
    query: Pairs = field(default_factory=list[tuple[str, str]])
    header: Pairs = field(default_factory=list[tuple[str, str]])
    cookie: Pairs = field(default_factory=list[tuple[str, str]])
    form: Pairs = field(default_factory=list[tuple[str, str]])
    body: dict[str, Any] = field(default_factory=dict[str, Any])
    whole: list[Any] = field(default_factory=list[Any])
    manners: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


def request_of(
    tool: Tool, arguments: Mapping[str, Any], *, base_url: str = "", conversation: str = "", author: str = ""
) -> Request:
    """Make the request of a call.

    Where arguments go says ``metadata["openapi"]`` if the tool came from OpenAPI. Otherwise those that the address names go
    there, and the others where ``metadata["call"]["arguments"]`` says: ``query``, ``body`` (JSON), ``form``, or ``input``, the
    third seed's ordered list beside ``chatId`` and ``authorId``; by default ``query`` for GET, HEAD and DELETE, else ``body``.

    Args:
        tool: A tool with an HTTP endpoint. Its declared method is used (pitfall C21).
        arguments: Its arguments, checked.
        base_url: As in `CallPolicy`.
        conversation: Sent as ``chatId`` with ``input``.
        author: Sent as ``authorId`` with ``input``.

    Raises:
        RequestRefused: It cannot be made; nothing was sent.
    """
    method = tool.endpoint.method.upper() if tool.endpoint is not None else ""
    if not method.isascii() or not method.isalpha():
        raise RequestRefused("its endpoint names no method")
    template = template_of(tool, base_url)
    declared = as_object(tool.metadata.get("openapi"))
    parts = _Parts()
    if declared:
        _place_declared(parts, arguments, as_object(declared.get("arguments")))
        kind = as_text(declared.get("content_type"))
    else:
        kind = _place_plainly(parts, tool, arguments, template, method, conversation, author)
    for name, value in parts.header:
        if name.lower() in _OURS or any(each in value for each in "\r\n\0"):
            raise RequestRefused(f"'{name}' is a header that no argument may set so")
    headers = [("Accept", "application/json, text/*;q=0.9, */*;q=0.5"), *parts.header]
    if parts.cookie:
        headers.append(("Cookie", "; ".join(f"{quote(name)}={quote(value, safe='')}" for name, value in parts.cookie)))
    content, kind = _body(parts, kind)
    if kind:
        headers.append(("Content-Type", kind))
    url = filled(template, parts.path, parts.manners)
    return Request(method, url, tuple(headers), content).plus(query=parts.query)


def _place_declared(parts: _Parts, arguments: Mapping[str, Any], places: Mapping[str, Any]) -> None:
    """By the OpenAPI document; what it does not know is not sent."""
    for key, value in arguments.items():
        place = as_object(places.get(key))
        if value is None or not place:
            continue
        name, where = as_text(place.get("name")) or key, place.get("in")
        if where == "path":
            parts.path[name], parts.manners[name] = value, place
        elif where == "query":
            parts.query += as_pairs(name, value, place)
        elif where == "header":
            parts.header.append((name, ",".join(as_part(value, place))))
        elif where == "cookie":
            parts.cookie += as_pairs(name, value, place)
        elif place.get("whole"):
            parts.whole.append(value)
        elif where == "form":
            parts.form += as_pairs(name, value, place)
        else:
            parts.body[name] = value


def _place_plainly(
    parts: _Parts,
    tool: Tool,
    arguments: Mapping[str, Any],
    template: str,
    method: str,
    conversation: str,
    author: str,
) -> str:
    """Without a document; returns the content type."""
    in_address = placeholders(template)
    parts.path = {name: arguments[name] for name in in_address if name in arguments}
    rest = {name: value for name, value in arguments.items() if name not in in_address}
    where = as_object(tool.metadata.get("call")).get("arguments") or ("query" if method in _BODILESS else "body")
    if where == "query":
        parts.query = [pair for name, value in rest.items() if value is not None for pair in as_pairs(name, value, {})]
        return ""
    if where == "form":
        parts.form = [pair for name, value in rest.items() if value is not None for pair in as_pairs(name, value, {})]
        return "application/x-www-form-urlencoded"
    if where == "input":
        ordered = [rest.get(slot.name, "") for slot in tool.slots if slot.name not in in_address]
        parts.whole = [{"chatId": conversation, "authorId": author, "input": ordered}]
    elif where == "body":
        parts.whole = [rest]
    else:
        raise RequestRefused("metadata 'call.arguments' must be query, body, form or input")
    return "application/json"


def _body(parts: _Parts, kind: str) -> tuple[bytes, str]:
    """The body and its content type; nothing if no argument goes there."""
    plain = kind.partition(";")[0].strip().lower()
    if not (parts.whole or parts.form or parts.body):
        return b"", ""
    if plain == "multipart/form-data":
        return _multipart([*parts.form, *((name, as_text(value)) for name, value in parts.body.items())])
    if plain == "application/x-www-form-urlencoded":
        whole = as_object(parts.whole[0]) if parts.whole else {}
        return urlencode([*parts.form, *((name, as_text(each)) for name, each in whole.items())]).encode(), plain
    value = parts.whole[0] if parts.whole else parts.body or dict(parts.form)
    if isinstance(value, str) and not plain.endswith("json"):
        return value.encode(), kind or "text/plain; charset=utf-8"
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), kind if plain.endswith(
        "json"
    ) else "application/json"


def _multipart(fields: Pairs) -> tuple[bytes, str]:
    boundary = secrets.token_hex(16)
    lines: list[str] = []
    for name, value in fields:
        shown = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{shown}"', "", value]
    return "\r\n".join([*lines, f"--{boundary}--", ""]).encode(), f"multipart/form-data; boundary={boundary}"
