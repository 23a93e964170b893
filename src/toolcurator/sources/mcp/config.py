"""The ``mcpServers`` JSON that MCP clients use → one configuration a server, variables expanded, secrets kept apart."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast
from urllib.parse import parse_qsl, urlsplit

from toolcurator.errors import CatalogError
from toolcurator.sources.documents import read_value
from toolcurator.sources.json_values import as_array, as_object, in_words

Transport = Literal["stdio", "http", "sse"]

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{([^}]*)\}")
_TRANSPORTS: dict[str, Transport] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "sse": "sse",
}
_LEAST_SECRET = 4  # a shorter value would blot out half of every message
_HIDDEN = "***"
_NEITHER = "it has neither 'command' nor 'url'"


@dataclass(frozen=True)
class McpServerConfig:
    """How one MCP server is reached. Arguments, environment, headers and the whole URL never show in its ``repr``.

    Attributes:
        name: Its key in the file: the ``server`` of its tools.
        transport: ``stdio`` starts ``command``; ``http`` (streamable) and ``sse`` reach ``url``.
        command: Program that is started.
        args: Its arguments.
        env: Variables it gets beside the few that every program needs (``PATH``, ``HOME``, ...).
        cwd: Folder it is started in; empty for the current one.
        url: Address of a server that runs already.
        headers: Headers of every request to it.
        disabled: It is left alone.
        problem: Why it cannot be used (an unset variable, neither command nor URL, ...); empty if it can.
        secrets: Values that no message may hold.
    """

    name: str
    transport: Transport = "stdio"
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str = ""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    disabled: bool = False
    problem: str = ""
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def address(self) -> str:
        """Where it is, fit for a message: the program, or the URL without user, password, query and fragment."""
        if self.transport == "stdio":
            return self.command
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def redact(self, text: str) -> str:
        """A text without the server's secrets: the values of env, headers and variables, and what its URL hides."""
        if self.url:
            text = text.replace(self.url, self.address)
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, _HIDDEN)
        return text


def is_mcp_config(value: object) -> bool:
    """Whether a JSON value configures MCP servers (``mcpServers``, VS Code's ``servers``, or either under ``mcp``)."""
    return bool(_servers(as_object(value) or {}))


def read_mcp_config(
    source: str | os.PathLike[str] | Mapping[str, Any], *, environment: Mapping[str, str] | None = None
) -> tuple[McpServerConfig, ...]:
    """Read the configuration of MCP servers, as Claude Desktop, Cursor, VS Code and other clients keep it.

    ``${VAR}``, ``${VAR:-default}`` and ``${env:VAR}`` are expanded in every value. A server that cannot be used (an unset
    variable, no command) keeps its place, with its ``problem``; keys that are not known are passed over.

    Args:
        source: The file, or its content.
        environment: Where variables come from; by default the environment of this process.

    Returns:
        One configuration a server, in the order of the file, disabled ones too.

    Raises:
        CatalogError: The file cannot be read, or configures no MCP server.
    """
    place, value = "the mapping", cast("object", source)
    if isinstance(source, str | os.PathLike):
        place = str(source)
        if not Path(source).is_file():
            raise CatalogError(f"no such file: {place}")
        value, fault = read_value(Path(source))
        if fault is not None:
            raise CatalogError(str(fault))
    servers = _servers(dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {})
    if servers is None:
        raise CatalogError(f"no MCP server in {place}: expected an object with 'mcpServers' (or VS Code's 'servers')")
    variables = os.environ if environment is None else environment
    return tuple(_config(name, body, variables) for name, body in servers.items())


def _servers(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The configured servers, by name; None if the value configures none."""
    if (named := as_object(body.get("mcpServers"))) is not None:
        return named
    if (nested := as_object(body.get("mcp"))) is not None:
        return _servers(nested)
    found = as_object(body.get("servers"))  # OpenAPI has a list under this key
    if found and all(as_object(each) is not None and {"command", "url"} & each.keys() for each in found.values()):
        return found
    return None


def _config(name: str, value: object, variables: Mapping[str, str]) -> McpServerConfig:
    body = as_object(value)
    if body is None:
        return McpServerConfig(name, problem=f"it must be an object with 'command' or 'url', not {in_words(value)}")
    secrets: set[str] = set()
    try:
        return _usable(name, body, lambda text: _expanded(text, variables, secrets), secrets)
    except ValueError as error:
        return McpServerConfig(name, disabled=_disabled(body), problem=str(error))


def _usable(name: str, body: Mapping[str, Any], expand: Callable[[str], str], secrets: set[str]) -> McpServerConfig:
    def text(key: str) -> str:
        found = body.get(key)
        if found is not None and not isinstance(found, str):
            raise ValueError(f"'{key}' must be a string, not {in_words(found)}")
        return expand(found or "")

    def texts(key: str) -> Mapping[str, str]:
        found = as_object(body.get(key) or {})
        if found is None or not all(isinstance(each, str | int | float) for each in found.values()):
            raise ValueError(f"'{key}' must be an object whose values are strings")
        return MappingProxyType({each: expand(str(found[each])) for each in found})

    if _disabled(body):
        return McpServerConfig(name, disabled=True)
    listed = as_array(body.get("args") or [])
    if listed is None:
        raise ValueError(f"'args' must be a list, not {in_words(body.get('args'))}")
    kind = str(body.get("type") or body.get("transport") or "").lower()
    if kind and kind not in _TRANSPORTS:
        raise ValueError(f"transport '{kind}' is not known: expected stdio, http or sse")
    command, url = text("command"), text("url") or text("serverUrl")
    transport = _TRANSPORTS[kind] if kind else "stdio" if command else "http"
    if transport == "stdio" and not command:
        raise ValueError("'command' is missing" if kind else _NEITHER)
    if transport != "stdio" and not url.startswith(("http://", "https://")):
        raise ValueError("'url' must begin with http:// or https://" if url or kind else _NEITHER)
    config = McpServerConfig(
        name,
        transport=transport,
        command=command,
        args=tuple(expand(str(each)) for each in listed),
        env=texts("env"),
        cwd=text("cwd"),
        url=url,
        headers=texts("headers"),
    )
    hidden = {*secrets, *config.env.values(), *config.headers.values(), *_hidden_in(url)}
    hidden |= {value.split()[-1] for value in config.headers.values() if value.split()}  # the token of "Bearer token"
    return replace(config, secrets=frozenset(each for each in hidden if len(each) >= _LEAST_SECRET))


def _disabled(body: Mapping[str, Any]) -> bool:
    return body.get("disabled") is True or body.get("enabled") is False


def _hidden_in(url: str) -> set[str]:
    parts = urlsplit(url)
    found = {value for _, value in parse_qsl(parts.query)} | {parts.query, parts.fragment}
    return {*found, parts.username or "", parts.password or ""}


def _expanded(text: str, variables: Mapping[str, str], secrets: set[str]) -> str:
    """A text with its variables filled in; what came from the environment is added to ``secrets``."""

    def value(found: re.Match[str]) -> str:
        name, default, other = found[1], found[2], found[3]
        if name is None:
            raise ValueError(f"${{{other}}} can only be filled in by the editor that wrote it; put ${{VARIABLE}} there")
        if (known := variables.get(name)) or (known is not None and default is None):
            secrets.add(known)
            return known
        if default is None:
            raise ValueError(f"the environment variable {name} is not set; set it, or write ${{{name}:-default}}")
        return default

    return _VARIABLE.sub(value, text)
