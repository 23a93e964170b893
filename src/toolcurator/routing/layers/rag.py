"""Answers from documents, by any retriever."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from toolcurator.routing.outcome import Outcome
from toolcurator.routing.turn import Turn

Write = Callable[[str, Sequence[str]], Awaitable[str] | str]
"""Message and passages → the answer."""


class Rag:
    """Answers from what a retriever finds.

    Args:
        retriever: A callable (message → texts, or objects that hold one), or a retriever of LangChain (``invoke``), LlamaIndex
            (``retrieve``) or Haystack (``run``). Plain functions run in a thread.
        write: Writes the answer from message and passages; None answers with the first passage as it is. It returns an
            empty text to decline.
        most: Passages that are used.
    """

    name = "rag"

    def __init__(self, retriever: Any, write: Write | None = None, *, most: int = 4) -> None:
        self._retriever = retriever
        self._write = write
        self._most = most

    async def answer(self, turn: Turn) -> Outcome | None:
        """See `toolcurator.routing.turn.Layer`."""
        passages = _texts(await _asked(self._retriever, turn.message))[: self._most]
        if not passages:
            return None
        text = passages[0]
        if self._write is not None:
            written = self._write(turn.message, passages)
            text = await written if inspect.isawaitable(written) else written
        if not text.strip():
            return None
        return Outcome("answered", text, self.name, structured={"passages": passages}, why=f"{len(passages)} passages")


async def _asked(retriever: Any, message: str) -> Any:
    for name in ("ainvoke", "aretrieve"):
        if inspect.iscoroutinefunction(ask := getattr(retriever, name, None)):
            return await ask(message)
    for name in ("invoke", "retrieve"):
        if callable(ask := getattr(retriever, name, None)):
            return await asyncio.to_thread(ask, message)
    if callable(run := getattr(retriever, "run", None)):  # Haystack
        return await asyncio.to_thread(lambda: run(query=message))
    found = await asyncio.to_thread(retriever, message)
    return await found if inspect.isawaitable(found) else found


def _texts(found: Any) -> list[str]:
    """The texts in whatever a retriever gives."""
    if isinstance(found, dict):
        found = cast("dict[str, Any]", found).get("documents", [])
    members: list[Any] = [found] if isinstance(found, str) else list(found or ())
    return [text for each in members if (text := _text(each).strip())]


def _text(document: Any) -> str:
    node = getattr(document, "node", document)
    for name in ("page_content", "text", "content"):
        if isinstance(value := getattr(node, name, None), str):
            return value
    return document if isinstance(document, str) else ""
