"""Any provider that LiteLLM knows (``anthropic/...``, ``gemini/...``, ``bedrock/...``, ``ollama/...``)."""

from __future__ import annotations

import importlib
import os
from typing import Any

from toolcurator.enrichment.http_model import MOST_TOKENS
from toolcurator.enrichment.model import TIMEOUT, Ask, Busy, EnrichmentError, Refused, Reply, Unusable
from toolcurator.errors import MissingExtra

_BUSY = (
    "RateLimitError",
    "Timeout",
    "APIConnectionError",
    "ServiceUnavailableError",
    "InternalServerError",
    "APIError",
)
_UNUSABLE = ("AuthenticationError", "PermissionDeniedError", "NotFoundError", "BudgetExceededError")
_SHOWN = 300


class LiteLLMModel:
    """A `Model` through LiteLLM; keys come from the environment, under the provider's own names.

    Args:
        name: LiteLLM name, ``provider/model``.
        timeout: Seconds to wait for an answer.

    Raises:
        MissingExtra: LiteLLM is not installed.
    """

    def __init__(self, name: str, *, timeout: float = TIMEOUT) -> None:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else its import fetches prices from the net
        try:
            self._litellm: Any = importlib.import_module("litellm")
        except ImportError as error:
            raise MissingExtra("enrichment by a model", "llm") from error
        self._litellm.telemetry = False
        self._litellm.suppress_debug_info = True
        self._litellm.drop_params = True  # what a provider does not know is left out
        self._name = name
        self._timeout = timeout
        self._structured = bool(self._litellm.supports_response_schema(model=name))

    @property
    def name(self) -> str:
        """See ``Model.name``."""
        return self._name

    async def ask(self, ask: Ask) -> Reply:
        """See ``Model.ask``."""
        options: dict[str, Any] = {}
        if self._structured:
            form = {"name": ask.stage, "strict": True, "schema": ask.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        try:
            response = await self._litellm.acompletion(
                model=self._name,
                messages=[{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}],
                temperature=0,
                max_tokens=MOST_TOKENS,
                timeout=self._timeout,
                num_retries=0,
                **options,
            )
        except Exception as error:
            raise self._failure(error) from None
        usage = response.usage
        return Reply(
            text=response.choices[0].message.content or "",
            tokens_in=getattr(usage, "prompt_tokens", None),
            tokens_out=getattr(usage, "completion_tokens", None),
        )

    async def close(self) -> None:
        """See ``Model.close``."""
        close = getattr(self._litellm, "close_litellm_async_clients", None)
        if close is not None:
            await close()

    def _failure(self, error: Exception) -> EnrichmentError:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        said = f"{self._name}: {type(error).__name__}: {' '.join(_without_keys(str(error)).split())[:_SHOWN]}"
        if kinds.intersection(_UNUSABLE) or "insufficient_quota" in said:
            return Unusable(said)
        if "BadRequestError" in kinds:
            return Refused(said)
        if kinds.intersection(_BUSY) or isinstance(error, TimeoutError | OSError):
            headers: Any = getattr(getattr(error, "response", None), "headers", None)
            wait = str(headers.get("retry-after", "")) if headers else ""
            return Busy(said, float(wait) if wait.replace(".", "", 1).isdigit() else None)
        return Unusable(said)


def _without_keys(text: str) -> str:
    """A message without the values of variables that hold keys, which some providers repeat."""
    for name, value in os.environ.items():
        if len(value) >= 8 and any(word in name for word in ("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, "***")
    return text
