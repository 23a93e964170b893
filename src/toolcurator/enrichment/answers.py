"""An answer as it came → a JSON object: code fences, prose around, a list, half an object (pitfall B3)."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any, cast

from toolcurator.enrichment.model import EnrichmentError
from toolcurator.sources.json_values import as_object

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```(?:json|JSON)?\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


class Malformed(EnrichmentError):
    """An answer holds nothing that can be used; the message says what it is instead."""


def json_object(text: str) -> dict[str, Any]:
    """The JSON object of an answer.

    Args:
        text: As the model sent it.

    Returns:
        The object itself; the first one in prose, in a code fence or in a list; or what there is of one that breaks off.

    Raises:
        Malformed: There is none.
    """
    try:
        found = _in(_DECODER.decode(text))
        if found is not None:
            return found
    except (ValueError, RecursionError):
        pass
    plain = _THOUGHT.sub("", text).strip()
    if not plain:
        raise Malformed("the answer is empty")
    for candidate in (*_FENCE.findall(plain), plain):
        start = candidate.find("{")
        while start >= 0:
            try:
                value, _ = _DECODER.raw_decode(candidate, start)
            except (ValueError, RecursionError):
                break
            if (found := _in(value)) is not None:
                return found
            start = candidate.find("{", start + 1)
        if start >= 0 and (found := _repaired(candidate[start:])):
            return found
    raise Malformed(f"no JSON object in the answer: {' '.join(plain.split())[:120]!r}")


def _in(value: Any) -> dict[str, Any] | None:
    """The object, or the first one of a list."""
    if isinstance(value, list):
        value = next((found for each in cast("list[Any]", value) if (found := as_object(each))), None)
    return as_object(value) or None


def _repaired(text: str) -> dict[str, Any] | None:
    """What json-repair, which DSPy brings, makes of broken JSON: single quotes, trailing commas, a missing end."""
    try:
        repair: Any = importlib.import_module("json_repair")
    except ImportError:
        return None
    try:
        return _in(repair.loads(text))
    except (ValueError, RecursionError):
        return None
