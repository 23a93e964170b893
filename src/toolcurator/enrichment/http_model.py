"""Any server with OpenAI's ``/chat/completions``: OpenAI, vLLM, llama.cpp, Ollama, LiteLLM's proxy, OpenRouter.

aiohttp rather than a client library: at 320 calls a second on one core DSPy's own client takes several times as long
a call as there is (``benchmarks/enrich.py`` measures it).
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import urlsplit

from toolcurator.enrichment.model import TIMEOUT, Ask, Busy, EnrichmentError, Refused, Reply, Unusable
from toolcurator.errors import MissingExtra

OPENAI = "https://api.openai.com/v1"
MOST_TOKENS = 1_500
"""Of one answer: an expansion takes about 300, reasoning more."""

_JSON = json.JSONEncoder(ensure_ascii=False)
_BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_NO_CREDIT = ("insufficient_quota", "billing_not_active", "exceeded your current quota")
_CONNECT_SECONDS = 10.0


class HttpModel:
    """A `Model` behind an OpenAI-compatible endpoint.

    What a server refuses of structured output, temperature or the limit of tokens is left out from then on. The key is read from
    the environment at each call, and is in no attribute and no message.

    Args:
        name: LiteLLM name; what stands behind ``openai/`` is sent.
        api_base: What stands before ``/chat/completions``.
        key_env: Environment variable with the key; unset means that no key is sent.
        timeout: Seconds to wait for an answer.

    Raises:
        EnrichmentError: ``api_base`` is no http address.
        MissingExtra: aiohttp is not installed.
    """

    def __init__(self, name: str, api_base: str, *, key_env: str = "OPENAI_API_KEY", timeout: float = TIMEOUT) -> None:
        self._base = urlsplit(api_base)
        if self._base.scheme not in ("http", "https") or not self._base.hostname:
            raise EnrichmentError(f"{self._place} is no address: expected https://host/v1")
        try:
            self._aiohttp: Any = importlib.import_module("aiohttp")
        except ImportError as error:
            raise MissingExtra("enrichment by a model", "llm") from error
        self._name = name
        self._key_env = key_env
        self._timeout = timeout
        self._session: Any = None
        self._formats = ["json_schema", "json_object", ""]  # the first one the server takes is used
        self._limit = "max_tokens"
        self._cold = True
        self._heads: dict[tuple[object, ...], str] = {}

    @property
    def name(self) -> str:
        """See ``Model.name``."""
        return self._name

    async def ask(self, ask: Ask) -> Reply:
        """See ``Model.ask``."""
        while True:
            options = self._options(ask)
            status, headers, text = await self._post(ask, options)
            if status == 200:
                return self._reply(text)
            if status not in (400, 422) or not self._without(text, options):
                raise self._failure(status, headers, text)

    async def close(self) -> None:
        """See ``Model.close``."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _options(self, ask: Ask) -> dict[str, Any]:
        """What is asked for beside the messages."""
        body: dict[str, Any] = {"model": self._name.removeprefix("openai/")}
        if self._cold:
            body["temperature"] = 0
        if self._limit:
            body[self._limit] = MOST_TOKENS
        if (form := self._formats[0]) == "json_schema":
            body["response_format"] = {
                "type": form,
                "json_schema": {"name": ask.stage, "strict": True, "schema": ask.schema},
            }
        elif form:
            body["response_format"] = {"type": form}
        return body

    def _without(self, complaint: str, body: Mapping[str, Any]) -> bool:
        """Leave out what the server complains of; whether there is anything to leave out."""
        said = complaint.lower()
        if "max_tokens" in body and "max_tokens" in said:
            self._limit = "max_completion_tokens"
        elif "max_completion_tokens" in body and "max_completion_tokens" in said:
            self._limit = ""
        elif "temperature" in body and "temperature" in said:
            self._cold = False
        elif "response_format" in body and any(
            word in said for word in ("response_format", "schema", "json", "grammar")
        ):
            if self._formats[0] == body["response_format"]["type"]:  # else another call has left it out meanwhile
                self._formats.pop(0)
        else:
            return False
        return True

    async def _post(self, ask: Ask, options: dict[str, Any]) -> tuple[int, Any, str]:
        aiohttp = self._aiohttp
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self._timeout, connect=_CONNECT_SECONDS),
            )
        url = self._base._replace(path=f"{self._base.path.rstrip('/')}/chat/completions").geturl()
        headers = {"Content-Type": "application/json"}
        if key := self._key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            data = f"{self._head(ask, options)}{_JSON.encode(ask.user)}}}]}}".encode("utf-8", "replace")
            async with self._session.post(url, data=data, headers=headers, allow_redirects=False) as response:
                return response.status, response.headers, (await response.read()).decode("utf-8", "replace")
        except TimeoutError:
            raise Busy(f"{self._place} gave no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise Busy(f"{self._place} cannot be reached ({error.os_error.strerror or 'no connection'})") from None
        except (aiohttp.ClientError, OSError) as error:
            raise Busy(f"{self._place} broke off ({type(error).__name__})") from None

    def _head(self, ask: Ask, options: dict[str, Any]) -> str:
        """The JSON of a request up to the user message: the same for all tools of a stage, and most of it."""
        key = (ask.stage, ask.system, self._formats[0], self._cold, self._limit)
        if key not in self._heads:
            messages = _JSON.encode([{"role": "system", "content": ask.system}])[:-1]
            self._heads[key] = f'{_JSON.encode(options)[:-1]}, "messages": {messages}, {{"role": "user", "content": '
        return self._heads[key]

    def _failure(self, status: int, headers: Any, text: str) -> EnrichmentError:
        said = f"{self._place} answered {status} for {self._name}: {self._shown(text)}"
        if any(word in text for word in _NO_CREDIT):
            return Unusable(f"{said} (no credit left)")
        if status in _BUSY:
            return Busy(said, _retry_after(headers.get("Retry-After"), headers.get("retry-after-ms")))
        if status in (401, 403):
            return Unusable(f"{said} (the key is read from {self._key_env})")
        if status == 404:
            return Unusable(f"{said} (is the address right, and the name of the model?)")
        return Refused(said)

    def _reply(self, text: str) -> Reply:
        try:
            body = json.loads(text)
            content = body["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise Busy(f"{self._place} sent no completion: {self._shown(text)}") from None
        usage = cast("dict[str, Any]", found) if isinstance(found := body.get("usage"), dict) else {}
        cost = usage.get("cost")
        return Reply(
            text=_joined(content),
            tokens_in=_count(usage.get("prompt_tokens")),
            tokens_out=_count(usage.get("completion_tokens")),
            cost=float(cost) if isinstance(cost, int | float) else None,
        )

    @property
    def _key(self) -> str:
        return os.environ.get(self._key_env, "").strip()

    @property
    def _place(self) -> str:
        """The address without user, password and query, which may be secrets."""
        return f"{self._base.scheme}://{self._base.netloc.rpartition('@')[2]}{self._base.path.rstrip('/')}"

    def _shown(self, text: str) -> str:
        return " ".join((text.replace(key, "***") if (key := self._key) else text).split())[:300]


def _joined(content: Any) -> str:
    """The text of an answer, which some servers send in parts."""
    if isinstance(content, list):
        parts = [cast("dict[str, Any]", part) for part in cast("list[Any]", content) if isinstance(part, dict)]
        return "".join(str(part.get("text", "")) for part in parts)
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _retry_after(header: str | None, milliseconds: str | None) -> float | None:
    """Seconds a server asks to wait: a number or a date (RFC 9110, 10.2.3), or milliseconds."""
    try:
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        if not header:
            return None
        try:
            return max(0.0, float(header))
        except ValueError:
            when = parsedate_to_datetime(header)
            return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except ValueError:
        return None
