"""Any server with OpenAI's ``/embeddings`` endpoint: OpenAI, vLLM, Ollama, LiteLLM, text-embeddings-inference."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from toolcurator.encoders.encoder import Progress, Vectors
from toolcurator.encoders.families import family_of
from toolcurator.encoders.pooling import unit
from toolcurator.encoders.text import clean
from toolcurator.errors import EncoderError, MissingExtra

BASE_URL = "https://api.openai.com/v1"
MAX_TOKENS = 8191
"""What OpenAI's models read; other servers' may read less, and most cut the rest off themselves."""

_AGAIN = {408, 429, 500, 502, 503, 504}  # worth another try
_REFUSED = {400, 413, 422}  # what servers answer to a text that is too long, among other things
_CONNECT_SECONDS = 5.0
_LONGEST_WAIT = 60.0


class OpenAIEncoder:
    """An ``Encoder`` over HTTP.

    The key is read from the environment at each call; it is in no attribute, no id and no message. Safe to share
    between threads.

    Args:
        model: The model's name at the server.
        base_url: What stands before ``/embeddings``; a query after ``?`` is kept.
        api_key_env: Environment variable that holds the key; unset means no key is sent.
        dimensions: Shorter vectors to ask the server for; by default the model's own length, learned at first use.
        query_prompt: Put before each query; by default the model family's.
        document_prompt: Put before each document; by default the model family's.
        max_tokens: Longest text the model reads.
        batch_size: Texts in one request.
        timeout: Seconds to wait for an answer.
        retries: Further tries after a busy or failing server.
        backoff: Seconds before the first further try, doubled each time, unless the server says ``Retry-After``.
    """

    def __init__(
        self,
        model: str,
        base_url: str = BASE_URL,
        *,
        api_key_env: str = "OPENAI_API_KEY",
        dimensions: int | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        max_tokens: int = MAX_TOKENS,
        batch_size: int = 64,
        timeout: float = 30.0,
        retries: int = 4,
        backoff: float = 0.5,
    ) -> None:
        family = family_of(model)
        self._model = model
        self._base = urlsplit(base_url)
        self._key_env = api_key_env
        self._asked = dimensions
        self._known: int | None = dimensions
        self._query_prompt = family.query_prompt if query_prompt is None else query_prompt
        self._document_prompt = family.document_prompt if document_prompt is None else document_prompt
        self._max_tokens = max_tokens
        self._batch_size = batch_size
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff
        self._languages = family.languages
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def id(self) -> str:
        """See ``Encoder.id``. A server that changes its model under the same name is not noticed."""
        parts = [self._asked, self._query_prompt, self._document_prompt, self._max_tokens]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"openai:{self._model}@{self._place}:{digest[:16]}"

    @property
    def dimensions(self) -> int:
        """See ``Encoder.dimensions``; asks the server once if they were not given."""
        if self._known is None:
            self._known = int(self._ask([" "]).shape[1])
        return self._known

    @property
    def max_tokens(self) -> int:
        """See ``Encoder.max_tokens``."""
        return self._max_tokens

    @property
    def languages(self) -> tuple[str, ...]:
        """See ``Encoder.languages``."""
        return self._languages

    def encode_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """See ``Encoder.encode_documents``."""
        return self._encode(texts, self._document_prompt, progress)

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._encode(texts, self._query_prompt, progress)

    def count_tokens(self, text: str) -> int:
        """An estimate, since the tokenizer is the server's: four UTF-8 bytes a token."""
        return -(-len((self._document_prompt + text).encode("utf-8", "replace")) // 4)

    def _encode(self, texts: Sequence[str], prompt: str, progress: Progress | None) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        parts: list[Vectors] = []
        for start in range(0, len(texts), self._batch_size):
            chunk = texts[start : start + self._batch_size]
            # Real text has more than two bytes a token.
            size = 2 * self._max_tokens
            parts.append(self._ask([_cut(prompt + clean(text, size), size) for text in chunk]))
            if progress:
                progress(min(start + self._batch_size, len(texts)), len(texts))
        vectors = np.concatenate(parts)
        self._known = int(vectors.shape[1])
        return vectors

    def _ask(self, texts: list[str]) -> Vectors:
        body = {"model": self._model, "input": texts, **({"dimensions": self._asked} if self._asked else {})}
        response = self._post(body)
        if response.status_code in _REFUSED and any(len(text.encode()) > self._max_tokens for text in texts):
            # No token is shorter than a byte: cut like this a text fits whatever it is made of.
            response = self._post({**body, "input": [_cut(text, self._max_tokens) for text in texts]})
        if response.status_code != 200:
            raise EncoderError(
                f"{self._place} answered {response.status_code} for {self._model}: {self._said(response)}"
            )
        return self._vectors(response, len(texts))

    def _post(self, body: dict[str, Any]) -> Any:
        """The server's last answer, after further tries if it was busy or failed."""
        httpx, client = self._http()
        url = self._base._replace(path=f"{self._base.path.rstrip('/')}/embeddings").geturl()
        for attempt in range(self._retries + 1):
            wait = self._backoff * 2**attempt
            try:
                response = client.post(url, json=body, headers=self._headers())
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                raise EncoderError(f"{self._place} cannot be reached: {error}; check address and network") from None
            except httpx.HTTPError as error:
                if attempt == self._retries:
                    raise EncoderError(f"{self._place} gave no answer ({type(error).__name__}); try later") from None
            else:
                wait = _retry_after(response.headers.get("retry-after"), wait)
                if response.status_code not in _AGAIN or attempt == self._retries or wait > _LONGEST_WAIT:
                    return response
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _http(self) -> tuple[Any, Any]:
        """The library httpx and one client for all calls, which keeps connections open."""
        try:
            httpx = importlib.import_module("httpx")
        except ImportError as error:
            raise MissingExtra("an encoder behind an HTTP endpoint", "http") from error
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(timeout=httpx.Timeout(self._timeout, connect=_CONNECT_SECONDS))
        return httpx, self._client

    def _key(self) -> str:
        return os.environ.get(self._key_env, "").strip()

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if (key := self._key()) else {}

    @property
    def _place(self) -> str:
        """The server's address without user, password and query, which may be secrets."""
        base = self._base
        return f"{base.scheme}://{base.netloc.rpartition('@')[2]}{base.path.rstrip('/')}"

    def _said(self, response: Any) -> str:
        """The beginning of an answer, without the key, which some servers repeat."""
        text = response.text.replace(key, "***") if (key := self._key()) else response.text
        hint = f" (the key is read from {self._key_env})" if response.status_code in (401, 403) else ""
        return " ".join(text.split())[:300] + hint

    def _vectors(self, response: Any, count: int) -> Vectors:
        try:
            data = sorted(response.json()["data"], key=lambda entry: entry["index"])
            vectors = np.array([entry["embedding"] for entry in data], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise EncoderError(f"{self._place} sent no embeddings: {self._said(response)}") from error
        if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
            raise EncoderError(
                f"{self._place} sent vectors of shape {vectors.shape} for {count} texts, or not finite ones"
            )
        if self._known not in (None, vectors.shape[1]):
            raise EncoderError(f"{self._place} sent {vectors.shape[1]} dimensions where {self._known} are expected")
        return unit(vectors)


def _cut(text: str, size: int) -> str:
    """At most ``size`` bytes of UTF-8, never empty: OpenAI refuses an empty text."""
    return text.encode()[:size].decode("utf-8", "ignore") or " "


def _retry_after(header: str | None, otherwise: float) -> float:
    """Seconds that a ``Retry-After`` header asks for, as a number or a date (RFC 9110, 10.2.3)."""
    if not header:
        return otherwise
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(header)
    except ValueError:
        return otherwise
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
