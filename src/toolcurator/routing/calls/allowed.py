"""Whether an address is on a list of allowed places."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from toolcurator.errors import SettingsError
from toolcurator.routing.calls.policy import DEFAULT_PORTS

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Place:
    """One entry of such a list.

    Attributes:
        host: Name or address in lower case.
        below: It stands for the names below it.
        ports: The allowed ports.
        path: What the path must begin with, ``/`` for any.
    """

    host: str
    below: bool
    ports: frozenset[int]
    path: str = "/"

    @classmethod
    def of(cls, entry: str) -> Place:
        """Read ``host``, ``host:port``, ``*.host``, each with or without a path behind it.

        Raises:
            SettingsError: It is none of them.
        """
        try:
            parts = urlsplit(f"//{entry.strip().removeprefix('*.')}")
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if not host or parts.query or parts.username or "//" in entry:
            raise SettingsError(f"'{entry}' is no host: write example.org, example.org:8080 or *.example.org")
        ports = frozenset(DEFAULT_PORTS.values() if port is None else [port])
        return cls(plain_host(host), entry.strip().startswith("*."), ports, parts.path or "/")

    def holds(self, host: str, port: int, path: str) -> bool:
        """Whether a call goes there. The path must be without ``..``."""
        name = plain_host(host)
        there = name.endswith(f".{self.host}") if self.below else name == self.host
        inside = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        return there and port in self.ports and inside


@dataclass(frozen=True)
class Private:
    """Which private addresses may be called.

    Attributes:
        places: Hosts whose addresses may be private.
        networks: Networks that may be reached under any allowed name.
    """

    places: tuple[Place, ...]
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]

    @classmethod
    def of(cls, entries: Iterable[str]) -> Private:
        """Read hosts and networks.

        Raises:
            SettingsError: One is neither.
        """
        places: list[Place] = []
        networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            try:
                networks.append(ipaddress.ip_network(entry.strip(), strict=False))
            except ValueError:
                places.append(Place.of(entry))
        return cls(tuple(places), tuple(networks))

    def holds(self, host: str, port: int, address: Address) -> bool:
        """Whether this address of this host may be called although it is private."""
        return any(place.holds(host, port, "/") for place in self.places) or any(
            address.version == network.version and address in network for network in self.networks
        )


def plain_host(host: str) -> str:
    """A host in the form in which two of them are compared."""
    return host.lower().rstrip(".").strip("[]")
