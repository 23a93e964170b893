"""What a tool call gave, whoever carried it out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcurator.tool import JsonSchema


@dataclass(frozen=True)
class CallResult:
    """The answer to a tool call.

    Attributes:
        text: What it says, for a model or a person; content that is no text stands as a note in brackets.
        structured: The same as a JSON value, if the tool gives one.
        is_error: The tool itself reports a failure; ``text`` says which.
        content: The content blocks of MCP as they came (text, image, audio, resource, ...).
    """

    text: str
    structured: Any = None
    is_error: bool = False
    content: tuple[JsonSchema, ...] = field(default=(), repr=False)

    @classmethod
    def of_blocks(cls, blocks: Iterable[JsonSchema], structured: Any, is_error: bool) -> CallResult:
        """An MCP result: its content blocks as JSON, its structured content, and whether it is an error."""
        content = tuple(blocks)
        return cls("\n".join(map(_words, content)), structured, is_error, content)

    @classmethod
    def of_value(cls, value: Any) -> CallResult:
        """The return value of a Python function."""
        if isinstance(value, str):
            return cls(value)
        from pydantic_core import to_jsonable_python

        plain = to_jsonable_python(value, fallback=str)
        return cls(json.dumps(plain, ensure_ascii=False), plain)


def _words(block: Mapping[str, Any]) -> str:
    if isinstance(text := block.get("text"), str):
        return text
    inside = block.get("resource")
    if isinstance(inside, Mapping):
        return _words({"type": "resource", **inside})
    about = (block.get("type"), block.get("uri"), block.get("mimeType"))
    size = len(str(block.get("data") or block.get("blob") or "")) * 3 // 4  # base64
    return f"[{' '.join(str(each) for each in about if each)}{f', {size:,} bytes' if size else ''}]"
