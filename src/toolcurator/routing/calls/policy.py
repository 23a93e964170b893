"""What a call may reach and how long it may take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from toolcurator.tool import Tool

DEFAULT_PORTS = {"http": 80, "https": 443}


class CallPolicy(BaseModel):
    """The rules of all calls of a catalogue.

    Attributes:
        hosts: Where HTTP calls and their redirects may go: ``host:port``, ``host`` (ports 80 and 443), ``*.host`` (below it);
            each may end in a path under which the call must lie (``host/services``). Nothing else is reached.
        private: What may have a private, loopback or link-local address: names as in ``hosts``, or networks (``10.0.0.0/8``).
        base_url: For endpoints without a host of their own. ``{id}`` and ``{name}`` in it are the tool's; without either, a
            tool that has no path at all is called under its id.
        timeout_s: Seconds for a whole call: all tries, redirects and the last byte of the answer.
        connect_s: Seconds for a connection.
        tries: Most tries of a call that may be repeated.
        pause_s: Seconds before the second try, doubled for each further one.
        most_bytes: What of an answer is read.
        redirects: Most redirects that are followed.
        breaker_failures: After so many failures in a row a host is left alone,
        breaker_pause_s: for so many seconds; then one call tries it.
        confirm: Whether tools that may change something need a yes first: ``effects``, or ``never``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    base_url: str = ""
    timeout_s: float = Field(default=10.0, gt=0)
    connect_s: float = Field(default=3.0, gt=0)
    tries: int = Field(default=3, ge=1, le=10)
    pause_s: float = Field(default=0.2, ge=0)
    most_bytes: int = Field(default=2**20, ge=1)
    redirects: int = Field(default=3, ge=0, le=10)
    breaker_failures: int = Field(default=5, ge=1)
    breaker_pause_s: float = Field(default=30.0, gt=0)
    confirm: Literal["effects", "never"] = "effects"

    @classmethod
    def for_tools(cls, tools: Iterable[Tool], **given: Any) -> Self:
        """The policy of a catalogue: calls go to the hosts of its endpoints, and nowhere else.

        Args:
            tools: A catalogue, or any tools.
            **given: Further fields; ``hosts`` is added to those of the tools.
        """
        urls = [tool.endpoint.url for tool in tools if tool.endpoint is not None and tool.endpoint.kind == "http"]
        found = [origin for url in [*urls, str(given.get("base_url") or "")] if (origin := _origin(url))]
        fields: dict[str, Any] = {**given, "hosts": tuple(dict.fromkeys([*given.get("hosts", ()), *found]))}
        return cls(**fields)


def _origin(url: str) -> str:
    """``host:port`` of an address; empty if it has none, or one that arguments would fill in (pitfall C14)."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme.lower())
    except ValueError:
        return ""
    if not host or port is None or "{" in parts.netloc:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
