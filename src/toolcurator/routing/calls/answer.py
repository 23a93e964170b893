"""The answer of an HTTP service → a typed result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

from toolcurator.routing.calls.result import Button, Called, CallOutcome, Failed
from toolcurator.routing.calls.secret import masked
from toolcurator.routing.calls.wire import Answer
from toolcurator.sources.json_values import as_array, as_object
from toolcurator.tool import Tool

_TURNED_DOWN = frozenset({501, 505})  # of the 5xx, those that say that nothing was tried
_TEXTS = ("application/xml", "application/yaml", "application/x-ndjson", "application/javascript")
_REASONS = ("detail", "title", "message", "error_description", "error")  # RFC 9457, OAuth 2, and what most others write
_LONGEST_REASON = 200


class _NotJson(Exception):
    pass


def outcome_of(tool: Tool, answer: Answer, *, changes: bool, values: tuple[str, ...]) -> CallOutcome:
    """Read an answer.

    Args:
        tool: The tool.
        answer: What came back.
        changes: The call may have changed something.
        values: Secrets that are taken out of it.

    Returns:
        The result. An error status is a failure; of those the 4xx say that the service turned the call down, so that
        nothing has changed, while after a 5xx nobody knows (pitfall C13). So is an answer that is not what it says it is. One
        that was cut off is given as text.
    """
    status = answer.status
    if not 200 <= status < 300:
        before = not changes or 400 <= status < 500 or status in _TURNED_DOWN
        reason = _reason(answer, values)
        said = f"the service answered {status} {_phrase(status)}".rstrip() + (f": {reason}" if reason else "")
        return Failed(tool.id, said, before, "status", status)
    kind = answer.content_type.partition(";")[0].strip().lower()
    if not answer.body:
        return Called(tool.id, "", content_type=answer.content_type, status=status, cut=answer.cut)
    try:
        text, structured = _read(answer, kind, values)
    except _NotJson:
        why = f"the service answered {status} with {kind} that is no JSON"
        return Failed(tool.id, why, not changes, "answer", status)
    content, buttons = _content(structured)
    if content is None and (as_object(tool.metadata.get("call")) or {}).get("arguments") == "input":
        return Failed(tool.id, "the service answered without 'response' and 'content'", not changes, "answer", status)
    shown = text if content is None else content
    return Called(tool.id, shown, structured, buttons, answer.content_type, status, answer.cut)


def _read(answer: Answer, kind: str, values: tuple[str, ...]) -> tuple[str, Any]:
    """Its text and its JSON value; a note in brackets stands for what is no text.

    Raises:
        _NotJson: It calls itself JSON and is whole, but is none.
    """
    is_json = kind.endswith(("/json", "+json"))
    if not (is_json or not kind or kind.startswith("text/") or kind.endswith("+xml") or kind in _TEXTS):
        return _note(kind, answer), None
    try:
        text = answer.body.decode(_charset(answer.content_type), "ignore" if answer.cut else "strict")
    except (UnicodeDecodeError, LookupError):
        if is_json:
            raise _NotJson from None
        if not kind:
            return _note("bytes", answer), None
        text = answer.body.decode("utf-8", "replace")
    text = masked(text.removeprefix("\ufeff"), values)
    if answer.cut or not (is_json or not kind):
        return text, None
    try:
        return text, json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        if is_json:
            raise _NotJson from None
        return text, None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _content(value: Any) -> tuple[str | None, tuple[Button, ...]]:
    """Text and buttons of the third seed's form ``{"response": [{"content": ..., "buttons": [...]}]}``, or of one such part."""
    body = as_object(value) or {}
    parts = as_array(body.get("response")) if "response" in body else [body]
    found = [part for each in parts or () if isinstance((part := as_object(each) or {}).get("content"), str)]
    if not found:
        return None, ()
    buttons = [button for part in found for each in as_array(part.get("buttons")) or () if (button := _button(each))]
    return "\n".join(part["content"] for part in found), tuple(buttons)


def _button(value: Any) -> Button | None:
    """A button; its payload is kept as text, and is never run (pitfall C15)."""
    body = as_object(value) or {}
    title = body.get("title")
    if not isinstance(title, str) or not title.strip():
        return None
    tool, payload = body.get("tool"), body.get("text", body.get("payload"))
    arguments = as_object(body.get("arguments")) or {}
    return Button(
        title, tool if isinstance(tool, str) else "", arguments, payload if isinstance(payload, str) else title
    )


def _note(kind: str, answer: Answer) -> str:
    return f"[{kind}, {'more than ' if answer.cut else ''}{len(answer.body):,} bytes]"


def _charset(content_type: str) -> str:
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"') or "utf-8"
    return "utf-8"


def _reason(answer: Answer, values: tuple[str, ...]) -> str:
    """What the service says about an error, in a few words; only of JSON, since a web page says nothing."""
    try:
        body: Any = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    found: Any = body
    for _ in range(2):
        if isinstance(found, Mapping):
            inner = cast("Mapping[str, Any]", found)
            found = next((inner[key] for key in _REASONS if inner.get(key) and isinstance(inner[key], str | dict)), "")
    if not isinstance(found, str):
        return ""
    text = " ".join(masked(found, values).split())
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in {each.value for each in HTTPStatus} else ""
