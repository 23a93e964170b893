"""What the stages ask, and of whom: one question, one reply, and the ways in which it can fail."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from toolcurator.errors import ToolCuratorError

TIMEOUT = 120.0
"""Seconds to wait for an answer."""


class EnrichmentError(ToolCuratorError):
    """Enrichment cannot go on, or a folder or file of it cannot be read or written."""


class Busy(EnrichmentError):
    """No answer this time: try again later.

    Args:
        message: Why.
        wait: Seconds the server asks to wait, None if it does not say.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Refused(EnrichmentError):
    """This question will never be answered (too long, blocked by a filter); others may be."""


class Unusable(EnrichmentError):
    """No question will be answered: a wrong key, an unknown model, no credit left."""


@dataclass(frozen=True)
class Ask:
    """One question.

    Attributes:
        stage: ``expand``, ``judge`` or ``refine``.
        tool: Id of the tool it is about.
        system: The task, the same for every tool.
        user: The input.
        schema: JSON Schema of the answer.
    """

    stage: str
    tool: str
    system: str
    user: str
    schema: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """Hash of what is asked: the same question has the same answer in the run folder."""
        text = "\0".join((self.stage, self.tool, self.system, self.user))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: The answer as it came.
        tokens_in: Tokens of the question, None if the provider does not say.
        tokens_out: Tokens of the answer.
        cost: In US dollars, if the provider says so itself.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


class Model(Protocol):
    """Whoever answers: an HTTP endpoint, LiteLLM, or a recorded run."""

    @property
    def name(self) -> str:
        """Under which its answers are recorded."""
        ...

    async def ask(self, ask: Ask) -> Reply:
        """Answer one question, in one attempt.

        Raises:
            Busy: Not now.
            Refused: Not this question.
            Unusable: Nothing at all.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def open_model(name: str, api_base: str = "", *, key_env: str = "OPENAI_API_KEY", timeout: float = TIMEOUT) -> Model:
    """The model of a LiteLLM name.

    Args:
        name: ``provider/model``. ``openai/...``, and any name with ``api_base``, is asked by plain HTTP; others by LiteLLM.
        api_base: What stands before ``/chat/completions``; by default ``OPENAI_BASE_URL``, else OpenAI's own.
        key_env: Environment variable with the key of the HTTP endpoint; providers behind LiteLLM have their own.
        timeout: Seconds to wait for an answer.

    Raises:
        EnrichmentError: The name is empty or the address is none.
        MissingExtra: The extra ``llm`` is not installed.
    """
    if not name.strip("/ "):
        raise EnrichmentError("which model? expected a LiteLLM name such as openai/gpt-4o-mini")
    if not api_base and not name.startswith("openai/") and "/" in name:
        from toolcurator.enrichment.litellm_model import LiteLLMModel

        return LiteLLMModel(name, timeout=timeout)
    from toolcurator.enrichment.http_model import OPENAI, HttpModel

    base = api_base or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or OPENAI
    return HttpModel(name, base, key_env=key_env, timeout=timeout)
