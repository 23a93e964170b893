"""The address of a call: the tool's template with its arguments filled in, each as one part of the path (pitfall C14)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from toolcurator.routing.calls.written import as_part, as_text
from toolcurator.tool import Tool

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_NOT_NAME = "+*#./;?&"  # RFC 6570 operators, as OpenAPI documents write them now and then
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ROUNDS = 3  # a value that is still encoded after so many decodings is no honest one


class RequestRefused(Exception):
    """A request that is not made; the message says why, without a secret."""


def template_of(tool: Tool, base_url: str) -> str:
    """The whole template of a tool's address.

    Args:
        tool: The tool; its endpoint may have a whole address, a path, or nothing.
        base_url: For the latter two, see `CallPolicy`.

    Raises:
        RequestRefused: There is no host to call.
    """
    url = tool.endpoint.url.strip() if tool.endpoint is not None else ""
    if urlsplit(url).scheme.lower() in ("http", "https"):
        return url
    if urlsplit(url).scheme or url.startswith("//"):
        raise RequestRefused("its address is neither http nor https")
    if not base_url:
        raise RequestRefused("its endpoint names no host; set 'base_url' of the call policy")
    base = base_url
    for name, value in (("id", tool.id), ("name", tool.name)):
        if f"{{{name}}}" in base:
            base = base.replace(f"{{{name}}}", _one_part(value, name))
    if url:
        return f"{base.rstrip('/')}/{url.lstrip('/')}"
    return base if base != base_url else f"{base.rstrip('/')}/{_one_part(tool.id, 'id')}"


def placeholders(template: str) -> tuple[str, ...]:
    """Names of the arguments that a template takes."""
    return tuple(dict.fromkeys(each.strip(_NOT_NAME) for each in _PLACEHOLDER.findall(template)))


def filled(template: str, values: Mapping[str, Any], places: Mapping[str, Mapping[str, Any]]) -> str:
    """A template with its arguments.

    Args:
        template: The template; only path and query may hold placeholders.
        values: Name on the wire → value.
        places: Name on the wire → how a list is written.

    Raises:
        RequestRefused: A value is missing or empty, would lead out of its part of the path, or would choose the host.
    """
    parts = urlsplit(template)
    if _PLACEHOLDER.search(parts.scheme + parts.netloc):
        raise RequestRefused("its arguments would choose the host")
    if "\\" in template or _CONTROL.search(template):
        raise RequestRefused("its address holds characters that no address may hold")

    def part(found: re.Match[str]) -> str:
        name = found[1].strip(_NOT_NAME)
        if name not in values or values[name] is None:
            raise RequestRefused(f"'{name}' is part of its address and is missing")
        return ",".join(_one_part(text, name) for text in as_part(values[name], places.get(name, {})))

    def term(found: re.Match[str]) -> str:
        return quote(as_text(values.get(found[1].strip(_NOT_NAME))), safe="")

    path = _each(parts.path, part)
    if any(segment in (".", "..") for segment in unquote(path).split("/")):
        raise RequestRefused("its path leads upwards")
    query = f"?{_each(parts.query, term)}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc}{path}{query}"


def _each(text: str, value: Callable[[re.Match[str]], str]) -> str:
    return _PLACEHOLDER.sub(value, text)


def _one_part(value: str, name: str) -> str:
    """A value as one part of a path: what would end the part is escaped, what would leave it is refused.

    Servers and proxies decode a path before they route, some of them twice, so that escaping alone does not hold ``..``.
    """
    plain = value
    for _ in range(_ROUNDS):
        plain = unquote(plain)
    if not value.strip():
        raise RequestRefused(f"'{name}' is part of its address and is empty")
    if _CONTROL.search(plain) or any(piece.strip() in (".", "..") for piece in re.split(r"[/\\;]", plain)):
        raise RequestRefused(f"'{name}' would lead out of its part of the path")
    return quote(value, safe="")
