"""The addresses of a host, looked up once and checked: what is checked is what is connected to (pitfall C24)."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from toolcurator.routing.calls.allowed import Address, Private

_TRANSLATED = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))  # NAT64
_COMPATIBLE = ipaddress.IPv6Network("::/96")  # IPv4-compatible, out of use since 2006


class AddressRefused(Exception):
    """The host has no address that may be called."""


class NoAddress(Exception):
    """The host has no address at all."""


def is_public(address: Address) -> bool:
    """Whether an address belongs to the open internet; an IPv4 address inside an IPv6 one counts as itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _COMPATIBLE:
            return False
        if any(address in network for network in _TRANSLATED):
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is not None:
            return is_public(inner)
        if address.scope_id is not None or address.is_site_local:
            return False
    elsewhere = address.is_private or address.is_loopback or address.is_link_local or address.is_unspecified
    return address.is_global and not (elsewhere or address.is_multicast or address.is_reserved)


async def addresses_of(host: str, port: int, private: Private) -> list[str]:
    """Look a host up.

    Odd notations (``2130706433``, ``0x7f.1``, ``0177.1``) are read by the system's resolver as a connection would read
    them, so that the result is what counts.

    Args:
        host: Name or address, without brackets.
        port: The port.
        private: The private addresses that are allowed.

    Returns:
        The addresses that may be called, in the system's order.

    Raises:
        NoAddress: It has none.
        AddressRefused: It has only addresses that may not be called.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NoAddress(f"the host {host} is not known") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    allowed: list[str] = []
    for text in addresses:
        address = ipaddress.ip_address(text)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        if is_public(address) or private.holds(host, port, mapped or address):
            allowed.append(text)
    if not addresses:
        raise NoAddress(f"the host {host} is not known")
    if not allowed:
        raise AddressRefused(f"{host} has a private address, which is not allowed; add {host}:{port} to 'private'")
    return allowed
