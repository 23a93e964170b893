"""What went wrong with a server, in a few words that hold none of its secrets."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from pydantic import ValidationError

from toolcurator.sources.fault import explain
from toolcurator.sources.mcp.config import McpServerConfig
from toolcurator.sources.mcp.transport import Seen

_LONGEST = 600
_EMPTY = frozenset({"Server returned an error response", "Not Found"})  # what the SDK says for want of anything better


def why(error: BaseException, config: McpServerConfig, seen: Seen | None, timeout: float) -> str:
    """An exception as the end of a sentence that begins with the server's name.

    Args:
        error: What the SDK, httpx or the operating system raised; of a group the first that says something.
        config: The server, whose secrets are taken out.
        seen: What was seen of it: HTTP status, last words; None if it is well otherwise.
        timeout: The seconds it had.
    """
    text = _words(_first(error), config, seen.status if seen else 0, timeout)
    if config.transport == "stdio" and seen and (last := seen.last_words()):
        text = f"{text}; its last words: {last}"
    return config.redact(text)[:_LONGEST]


def _words(error: BaseException, config: McpServerConfig, status: int, timeout: float) -> str:
    import httpx2
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT

    code = error.code if isinstance(error, MCPError) else 0
    if isinstance(error, TimeoutError) or code == REQUEST_TIMEOUT:
        return f"did not answer within {timeout:g} s"
    if isinstance(error, FileNotFoundError | NotADirectoryError) and config.cwd and error.filename == config.cwd:
        return f"cannot be started: there is no folder {config.cwd}"
    if isinstance(error, FileNotFoundError):
        return f"cannot be started: the command '{config.command}' is not found"
    if isinstance(error, httpx2.TransportError):
        return f"cannot be reached at {config.address} ({str(error) or type(error).__name__})"
    if isinstance(error, httpx2.HTTPStatusError):
        return _http(error.response.status_code, "")
    if status and isinstance(error, MCPError):
        return _http(status, error.message)
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror or error}"
    if code == CONNECTION_CLOSED:
        return "ended before it answered" if config.transport == "stdio" else "closed the connection"
    if isinstance(error, MCPError):
        return f"refused: {error.message}"
    if isinstance(error, ValidationError):
        return f"gave an answer that is not valid MCP: {explain(error)}"
    return f"failed ({type(error).__name__}: {error})"


def _http(status: int, said: str) -> str:
    name = HTTPStatus(status).phrase if status in {each.value for each in HTTPStatus} else ""
    hint = "; check its headers" if status in (401, 403) else ""
    more = f" ({said})" if said and said not in _EMPTY and not hint else ""
    return f"answered HTTP {status} {name}".rstrip() + hint + more


def _first(error: BaseException) -> BaseException:
    """The exception of a group that says most: of the network or the system before those of the protocol."""
    leaves = _leaves(error)
    telling = [each for each in leaves if isinstance(each, OSError) or type(each).__module__.startswith("httpx")]
    return (telling or leaves)[0]


def _leaves(error: BaseException) -> list[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    members = cast("BaseExceptionGroup[BaseException]", error).exceptions
    return [leaf for each in members for leaf in _leaves(each)]
