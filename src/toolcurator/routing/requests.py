"""Decision → the requests of a message that are served each by a tool of its own.

Serving one request as two is worse than serving two as one: a message is taken apart only where the search of the whole and the
searches of its parts say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolcurator.routing.decide import Decision
from toolcurator.routing.slots.clauses import clauses
from toolcurator.routing.slots.found import Span

ONE = 0.95
"""From this probability on, the whole message is about one tool, unless both halves are as sure of its first two."""
SURE = 0.8
"""Probability that both halves of a message must reach, where the search itself did not take it apart."""
MOST_CLAUSES = 6
"""A message with more is a story, and is not cut at each of them."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a message.

    Attributes:
        decision: What its part is about.
        text: Its part, with what follows up to the next request; the first one begins with the message.
        span: Where that stands in the message.
    """

    decision: Decision
    text: str
    span: Span


def requests(
    message: str, decision: Decision, decide: Callable[[str], Decision], *, checked: bool = False
) -> tuple[Request, ...]:
    """The requests of a message, if it is about several tools.

    First by the parts that it was searched in; those that are about no tool ("and thanks") ask for nothing and go with the
    request before them. Else by its halves, at each boundary between two clauses.

    Args:
        message: What the user says.
        decision: What is decided of it, with its parts.
        decide: Decides on a half of it.
        checked: A model confirms the tool of every request: parts that are ambiguous count too.

    Returns:
        Two or more, each about another tool; empty if the message is one request.
    """
    if decision.thresholds.scale == "cosine":  # the third seed serves a message whole
        return ()
    if decision.kind == "none":
        return ()
    meant = [each.tool for each in decision.candidates]
    if decision.kind == "match" and decision.right >= ONE:
        return _by_halves(message, meant[:2], decide, ONE)
    return _by_parts(message, decision, checked) or _by_halves(message, meant, decide, 0.0 if checked else SURE)


def _by_parts(message: str, decision: Decision, checked: bool) -> tuple[Request, ...]:
    spans = _spans(message, decision.parts)
    if not spans or not (checked or decision.kind == "match"):
        return ()
    firsts: dict[str, int] = {}  # tool → its part
    for at, part in enumerate(decision.parts):
        if part.kind == "match" or (checked and part.kind == "ambiguous"):
            firsts.setdefault(part.candidates[0].tool, at)
    meant = [each.tool for each in decision.candidates]
    agreed = firsts.keys() <= {*meant} if checked else firsts.keys() == {*meant[: len(firsts)]}
    if len(firsts) < 2 or not agreed:
        return ()
    taken = [*firsts.values()]
    starts = [0, *(spans[at][0] for at in taken[1:])]
    ends = [*(spans[at - 1][1] for at in taken[1:]), len(message)]  # what is no request goes with the one before it
    return _cut(message, [decision.parts[at] for at in taken], list(zip(starts, ends, strict=True)))


def _by_halves(
    message: str, meant: Sequence[str], decide: Callable[[str], Decision], least: float
) -> tuple[Request, ...]:
    """Two requests, cut where both halves are surest of two tools that the whole message may be about."""
    spans = clauses(message)
    if not 2 <= len(spans) <= MOST_CLAUSES or len(meant) < 2:
        return ()
    best, found = least, ()
    for (_, end), (start, _) in pairwise(spans):
        first = decide(message[:end])
        if first.kind != "match" or first.right < best or first.tool not in meant:
            continue
        second = decide(message[start:])
        sure = min(first.right, second.right)
        tools = {first.tool, second.tool}
        if second.kind == "match" and sure >= best and len(tools) == 2 and meant[0] in tools and tools <= {*meant}:
            best, found = sure, _cut(message, [first, second], [(0, end), (start, len(message))])
    return found


def _cut(message: str, decisions: Sequence[Decision], spans: Sequence[Span]) -> tuple[Request, ...]:
    return tuple(
        Request(each, message[start:end].strip(" ,;\n"), (start, end))
        for each, (start, end) in zip(decisions, spans, strict=True)
    )


def _spans(message: str, parts: tuple[Decision, ...]) -> list[Span] | None:
    """Where the parts stand; None if one cannot be found."""
    spans: list[Span] = []
    end = 0
    for part in parts:
        start = message.find(part.query, end) if part.query else -1
        if start < 0:
            return None
        end = start + len(part.query)
        spans.append((start, end))
    return spans
