"""What an encoder does not read of a tool (TC301; pitfall A29)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from toolcurator.encoders import Encoder
from toolcurator.index.documents import text_parts, texts_of
from toolcurator.lint.finding import Finding, found
from toolcurator.tool import Tool, as_object

_NAMED = 6
_SHOWN = 60  # characters on each side of the cut


class Reach(NamedTuple):
    """How far an encoder reads into a document.

    Attributes:
        tokens: Tokens of the document.
        limit: Tokens that are read.
        cut: The part in which reading ends; empty if all of it is read.
        unread: The parts that are not read at all.
    """

    tokens: int
    limit: int
    cut: str = ""
    unread: tuple[str, ...] = ()


class Ruler:
    """Measures documents against an encoder's limit.

    Args:
        encoder: The encoder.
        parts: Parts of the dense document, in order.
    """

    def __init__(self, encoder: Encoder, parts: Sequence[str]) -> None:
        self.encoder = encoder
        self.parts = tuple(parts)
        self.limit = encoder.max_tokens
        self._room = self.limit - encoder.count_tokens("")

    def fits(self, text: str) -> bool:
        """Whether a text is read whole. A token is at least a byte, so short texts need no counting."""
        return len(text.encode("utf-8", "replace")) <= self._room or self.encoder.count_tokens(text) <= self.limit

    def reach(self, tool: Tool) -> Reach:
        """How far the tool's document is read."""
        texts = texts_of(tool, self.parts)
        if self.fits(texts.document):
            return Reach(0, self.limit)
        pieces = [(part, texts.fields[part]) for part in self.parts if texts.fields[part]]
        cut, unread, text = "", list[str](), ""
        for part, piece in pieces:
            text = f"{text} {piece}" if text else piece
            if cut:
                unread.append(part)
            elif not self.fits(text):
                cut = part
        return Reach(self.encoder.count_tokens(texts.document), self.limit, cut, tuple(unread))

    def unread_slots(self, tool: Tool) -> list[str]:
        """The arguments of which nothing is read; for a tool that is cut in its slots."""
        names = list(as_object(tool.parameters.get("properties")))
        before = self.parts[: self.parts.index("slots")]

        def read(count: int) -> bool:
            properties = as_object(tool.parameters.get("properties"))
            some = {**tool.parameters, "properties": {name: properties[name] for name in names[:count]}}
            texts = text_parts(tool.model_copy(update={"parameters": some}))
            return self.fits(" ".join(texts[part] for part in (*before, "slots") if texts[part]))

        last = _last(read, len(names))  # as many are read whole; the next one in part
        return names[last + 1 :]

    def edge(self, text: str, before: str) -> str:
        """The last words of a text that are read, and the first that are not."""
        last = _last(lambda count: self.fits(f"{before} {text[:count]}"), len(text))
        last = text.rfind(" ", max(0, last - _SHOWN), last) + 1 or last
        return f"…{text[max(0, last - _SHOWN) : last]} ┃ {text[last : last + _SHOWN]}…"


def cut_off(tool: Tool, ruler: Ruler) -> Iterator[Finding]:
    """TC301: a document or an example that the encoder does not read whole, and what is left out."""
    reach = ruler.reach(tool)
    if reach.cut:
        parts = text_parts(tool)
        before = " ".join(parts[part] for part in ruler.parts[: ruler.parts.index(reach.cut)] if parts[part])
        lost = [f"the end of {reach.cut}"]
        if reach.cut == "slots" and (names := ruler.unread_slots(tool)):
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            lost = [f"the slots {', '.join(names[:_NAMED])}{more}"]
        elif "slots" in reach.unread:
            lost.append(f"all {len(tool.slots)} slots" if len(tool.slots) > 1 else "the slot")
        lost += [part for part in reach.unread if part != "slots"]
        message = f"{reach.tokens:,} tokens, {reach.limit:,} are read; left out: {', '.join(lost)}"
        told = reach.cut in ("name", "description")
        evidence = ruler.edge(parts[reach.cut], before) if told else ""
        yield found("TC301", tool.id, reach.cut, message, evidence, severity=None if told else "note")
    for number, example in enumerate(tool.examples):
        if not ruler.fits(example):
            message = f"an example longer than the {ruler.limit:,} tokens that are read; its end is left out"
            yield found("TC301", tool.id, f"examples[{number}]", message, example, severity="note")


def _last(holds: Callable[[int], bool], most: int) -> int:
    """The highest count up to ``most`` for which something holds, if it holds up to some count and not beyond; 0 if never."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
