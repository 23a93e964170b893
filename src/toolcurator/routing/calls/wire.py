"""One HTTP request over the wire: to a checked address, with limits on time and size, redirects included."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from toolcurator.errors import MissingExtra
from toolcurator.routing.calls.address import AddressRefused, NoAddress, addresses_of
from toolcurator.routing.calls.allowed import Place, Private
from toolcurator.routing.calls.auth import Credentials
from toolcurator.routing.calls.effect import SAFE
from toolcurator.routing.calls.policy import DEFAULT_PORTS, CallPolicy
from toolcurator.routing.calls.request import Request
from toolcurator.routing.calls.result import FailedKind
from toolcurator.version import __version__

if TYPE_CHECKING:
    import httpx

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AS_THEY_ARE = frozenset({307, 308})  # RFC 9110: the request was not carried out, and is to be made there as it is
_OF_BODY = frozenset({"content-type", "content-length"})


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        status: HTTP status.
        content_type: As declared; empty if it is not.
        body: At most so many bytes as the policy allows.
        cut: There was more.
        retry_after: Seconds that the service asks to wait; 0 if it does not say.
    """

    status: int
    content_type: str
    body: bytes
    cut: bool
    retry_after: float = 0.0


@dataclass
class Trail:
    """How far a call has come.

    Attributes:
        sent: The current request has begun to go out.
        acted: An earlier one has been carried out (it answered with a redirect that says so).
    """

    sent: bool = False
    acted: bool = False


class WireFault(Exception):
    """Why there is no answer.

    Attributes:
        kind: ``refused``, ``unreachable``, ``timeout`` or ``answer``.
        repeatable: Another try may do better.
    """

    def __init__(self, why: str, kind: FailedKind, *, repeatable: bool = False) -> None:
        super().__init__(why)
        self.kind: FailedKind = kind
        self.repeatable = repeatable


class Wire:
    """Sends requests, each over a connection of its own.

    One that is kept open may be closed by the other side at any moment, and then nobody knows whether a POST was carried out.
    Proxies of the environment are not used, since they would connect to addresses that nobody has checked.

    Args:
        policy: The rules.

    Raises:
        SettingsError: An entry of ``hosts`` or ``private`` cannot be read.
    """

    def __init__(self, policy: CallPolicy) -> None:
        self._policy = policy
        self._places = tuple(map(Place.of, policy.hosts))
        self._private = Private.of(policy.private)

    async def send(self, request: Request, credentials: Credentials, trail: Trail) -> Answer:
        """Send a request, and follow its redirects as far as the policy allows (pitfall C24).

        Args:
            request: The request.
            credentials: Sent to its own host only.
            trail: Kept up to date, also when this is cancelled.

        Raises:
            WireFault: There is no answer.
            MissingExtra: ``httpx`` is not installed.
        """
        own = _parsed(request.url)
        current = request.plus(headers=list(credentials.headers), query=list(credentials.query))
        for _ in range(self._policy.redirects + 1):
            trail.sent = False
            answer, location = await self._once(current, trail)
            if answer.status not in _REDIRECTS or not location:
                return answer
            if answer.status in _AS_THEY_ARE:
                trail.sent = False
            else:
                trail.acted |= current.method not in SAFE
            target = _joined(current.url, location)
            self._check(target, "its redirect goes to ")
            if _parsed(current.url).scheme == "https" and target.scheme != "https":
                raise WireFault("it redirects from https to http", "refused")
            current = _redirected(request, current, str(target), answer.status)
            if (target.scheme, target.raw_host, _port(target)) == (own.scheme, own.raw_host, _port(own)):
                current = current.plus(headers=list(credentials.headers))
        raise WireFault(f"more than {self._policy.redirects} redirects", "refused")

    async def _once(self, request: Request, trail: Trail) -> tuple[Answer, str]:
        url = _parsed(request.url)
        self._check(url)
        host, port = url.raw_host.decode("ascii"), _port(url)
        try:
            addresses = await addresses_of(host, port, self._private)
        except AddressRefused as error:
            raise WireFault(str(error), "refused") from None
        except NoAddress as error:
            raise WireFault(str(error), "unreachable", repeatable=True) from None
        for address in addresses[:-1]:
            try:
                return await self._exchanged(request, url, host, address, trail)
            except WireFault as fault:
                if trail.sent or fault.kind != "unreachable":
                    raise
        return await self._exchanged(request, url, host, addresses[-1], trail)

    def _check(self, url: httpx.URL, said: str = "") -> None:
        """Refuse what is not on the list."""
        host = url.raw_host.decode("ascii")
        if url.scheme not in DEFAULT_PORTS or not host or url.userinfo:
            raise WireFault(f"{said or 'its address is '}no http or https address of a host alone", "refused")
        if not any(place.holds(host, _port(url), url.path) for place in self._places):
            raise WireFault(f"{said}{host}:{_port(url)}, which is not on the list of allowed hosts", "refused")

    async def _exchanged(
        self, request: Request, url: httpx.URL, host: str, address: str, trail: Trail
    ) -> tuple[Answer, str]:
        """One request to one address of its host. The name goes into ``Host`` and into the check of the certificate."""
        import httpx

        async def trace(event: str, _: Any) -> None:
            if event.endswith("send_request_headers.started"):
                trail.sent = True

        limit = httpx.Timeout(self._policy.timeout_s, connect=self._policy.connect_s)
        where = f"{host}:{_port(url)}"
        headers = [("Host", url.netloc.decode("ascii")), ("Accept-Encoding", "identity")]
        headers += [("User-Agent", f"toolcurator/{__version__}"), *request.headers]
        verify = self._context if url.scheme == "https" else False
        try:
            # the transport itself: a client would read redirects, cookies and the environment in its own way
            async with httpx.AsyncHTTPTransport(verify=verify, trust_env=False) as transport:
                sent = httpx.Request(
                    request.method,
                    url.copy_with(host=address),
                    headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in headers],
                    content=request.content or None,
                    extensions={"trace": trace, "sni_hostname": host, "timeout": limit.as_dict()},
                )
                response = await transport.handle_async_request(sent)
                try:
                    return await self._read(response)
                finally:
                    await response.aclose()
        except httpx.TimeoutException as error:
            what = "connected to" if isinstance(error, httpx.ConnectTimeout) else "answered"
            raise WireFault(f"{where} could not be {what} in time", "timeout", repeatable=True) from None
        except httpx.ConnectError as error:
            raise WireFault(f"{where} cannot be reached{_cause(error)}", "unreachable", repeatable=True) from None
        except httpx.RemoteProtocolError:
            raise WireFault(f"{where} broke off, or does not speak HTTP", "unreachable", repeatable=True) from None
        except httpx.TransportError as error:
            raise WireFault(f"the connection to {where} broke{_cause(error)}", "unreachable", repeatable=True) from None
        except (httpx.InvalidURL, UnicodeError, httpx.HTTPError) as error:
            raise WireFault(f"the request to {where} cannot be sent ({type(error).__name__})", "refused") from None

    async def _read(self, response: httpx.Response) -> tuple[Answer, str]:
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            # it was asked not to; a small answer may unpack into any size
            raise WireFault("it sent a compressed answer, which it was asked not to", "answer")
        body = bytearray()
        most = self._policy.most_bytes
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > most:
                break
        answer = Answer(
            response.status_code,
            response.headers.get("content-type", ""),
            bytes(body[:most]),
            len(body) > most,
            _seconds(response.headers.get("retry-after", "")),
        )
        return answer, response.headers.get("location", "")

    @cached_property
    def _context(self) -> ssl.SSLContext:
        import httpx

        return httpx.create_ssl_context()  # SSL_CERT_FILE and SSL_CERT_DIR name further authorities


def _parsed(url: str) -> httpx.URL:
    """An address, read by the library that will call it, so that check and call see the same host."""
    try:
        import httpx
    except ImportError:
        raise MissingExtra("calling an HTTP tool", "http") from None
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise WireFault("its address cannot be read", "refused") from None


def _joined(url: str, location: str) -> httpx.URL:
    try:
        return _parsed(urljoin(url, location))
    except ValueError:
        raise WireFault("its redirect goes to no address", "refused") from None


def _port(url: httpx.URL) -> int:
    return url.port or DEFAULT_PORTS.get(url.scheme, 0)


def _redirected(request: Request, current: Request, target: str, status: int) -> Request:
    """The next request of a redirect, without credentials: the same one, or a GET of what the first one made."""
    if status in _AS_THEY_ARE or current.method in SAFE:
        return replace(current, url=target, headers=request.headers)
    kept = tuple(pair for pair in request.headers if pair[0].lower() not in _OF_BODY)
    return Request("GET", target, kept)


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0


def _cause(error: BaseException) -> str:
    """What the system says; never the library's own text, which may hold the address."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
        if isinstance(error, ssl.SSLError):
            return f" ({error.reason or 'TLS'})"
    number = error.errno if isinstance(error, OSError) else None
    return f" ({os.strerror(number)})" if number else ""
