"""A JSON or YAML document at an address, fetched with a limit on time and size. Credentials never reach a message."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolcurator.errors import MissingExtra
from toolcurator.sources.documents import read_value
from toolcurator.sources.fault import Fault

MOST_BYTES = 64 * 2**20
"""Far above the largest published API description; a file on disk may be larger, since nobody else can make it grow."""

_SILENCE = 15.0  # seconds without an answer
_WHOLE = 120.0  # seconds for all of it
_ACCEPT = "application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5"


class _FetchError(Exception):
    """Why nothing came; the message holds no address."""


def is_url(source: object) -> bool:
    """Whether a source is an ``http`` or ``https`` address."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def shown_url(url: str) -> str:
    """An address fit for messages: no user, no password, and ``?…`` instead of a query, which may hold a key."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "the address"
    return f"{parts.scheme}://{host}{parts.path}{'?…' if parts.query else ''}"


def fetch_value(url: str, *, most_bytes: int = MOST_BYTES, seconds: float = _WHOLE) -> tuple[str, Any, Fault | None]:
    """Fetch a document and parse it, with the guards that files have.

    Args:
        url: The address; user and password in it are used, and never shown.
        most_bytes: A larger answer is given up.
        seconds: For the whole of it.

    Returns:
        The address that answered in the end, the value, and None; or the address, None, and what went wrong.

    Raises:
        MissingExtra: ``httpx`` is not installed.
    """
    try:
        where, content, suffix = _fetch(url, most_bytes, seconds)
    except _FetchError as error:
        return url, None, Fault(path=shown_url(url), message=f"cannot be fetched: {error}")
    with tempfile.TemporaryDirectory(prefix="toolcurator-") as folder:
        (path := Path(folder) / f"document{suffix}").write_bytes(content)
        value, fault = read_value(path)
    if fault is not None:
        fault = fault.model_copy(update={"path": shown_url(where)})
    return where, value, fault


def _fetch(url: str, most_bytes: int, seconds: float) -> tuple[str, bytes, str]:
    """The address that answered, what it sent, and ``.json`` or ``.yaml``."""
    try:
        import httpx
    except ImportError:
        raise MissingExtra(f"fetching {shown_url(url)}", "http") from None

    from http.client import responses

    end = time.monotonic() + seconds
    received = bytearray()
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=min(_SILENCE, seconds), max_redirects=5) as client,
            client.stream("GET", url, headers={"Accept": _ACCEPT, "User-Agent": "toolcurator"}) as response,
        ):
            if response.status_code != 200:
                status = response.status_code
                raise _FetchError(f"the server answered {status} {responses.get(status, '')}".strip())
            for chunk in response.iter_bytes():
                received += chunk
                if len(received) > most_bytes:
                    raise _FetchError(f"more than the limit of {most_bytes / 2**20:,.0f} MiB")
                if time.monotonic() > end:
                    raise _FetchError(f"it takes longer than {seconds:g} seconds")
            where = str(response.url)
            kind = response.headers.get("content-type", "").lower()
    except httpx.TimeoutException:
        raise _FetchError(f"no answer within {min(_SILENCE, seconds):g} seconds") from None
    except httpx.TooManyRedirects:
        raise _FetchError("more than five redirects") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        raise _FetchError("it is no address") from None
    except httpx.HTTPError as error:
        raise _FetchError(f"{type(error).__name__}{_cause(error)}") from None
    text = bytes(received).lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] == b"<" or "html" in kind:
        raise _FetchError("the answer is a web page, neither JSON nor YAML; give the address of the document itself")
    return where, bytes(received), ".json" if text[:1] in (b"{", b"[") else ".yaml"


def _cause(error: BaseException) -> str:
    """What the system says about a failed connection; never the library's own text, which may hold the address."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    number = error.errno if isinstance(error, OSError) else None
    return f" ({os.strerror(number)})" if number is not None and number > 0 else ""
