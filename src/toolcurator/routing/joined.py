"""What several tools came to in one turn, as one outcome; and the events that tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcurator.routing.events import EndEvent, ErrorEvent, Event, QuestionEvent, ResultEvent
from toolcurator.routing.outcome import Outcome, OutcomeKind

_FIRST: tuple[OutcomeKind, ...] = ("failed_after", "asked", "answered", "failed_before", "declined")
"""Which of several outcomes says what became of the turn."""

SETTLED: frozenset[OutcomeKind] = frozenset(("answered", "declined"))
"""Outcomes that can be told while other tools are still being called."""

_LAST = {"failed_before": 1, "asked": 2, "failed_after": 3}
"""What the user reads last: a question is answered right below it, and nothing follows a failure after an effect."""


def joined(parts: Sequence[Outcome]) -> Outcome:
    """Join outcomes.

    Args:
        parts: What each tool came to, in order; one or more.

    Returns:
        The outcome of the turn; a single one as it is.
    """
    if len(parts) == 1:
        return parts[0]
    main = min(parts, key=lambda each: _FIRST.index(each.kind))
    return Outcome(
        main.kind,
        "\n\n".join(each.text for each in in_order_of_telling(parts) if each.text),
        main.layer,
        main.tool,
        main.slots,
        main.missing,
        tuple(button for each in parts for button in each.buttons),
        main.structured,
        why="; ".join(each.why for each in parts if each.why),
        parts=tuple(parts),
    )


def last_events(outcome: Outcome) -> Iterator[Event]:
    """The events that say what became of a turn, its end included.

    Of several parts those that are settled were told as they happened (`result_of`), and are not told again. A part that failed
    before it could change anything is a result among others: an error would end the stream.
    """
    for each in in_order_of_telling(outcome.parts) or [outcome]:
        if outcome.parts and each.kind in SETTLED:
            continue
        if each.kind == "asked":
            yield QuestionEvent(text=each.text, tool=each.tool, missing=each.missing, buttons=each.buttons)
        elif each.kind == "failed_after" or (each.kind == "failed_before" and each is outcome):
            before = each.kind == "failed_before"
            yield ErrorEvent(message=each.text or each.why, before_effect=before, tool=each.tool)
        elif each.text:
            yield result_of(each)
    yield EndEvent(outcome="failed" if outcome.kind.startswith("failed") else outcome.kind)


def result_of(outcome: Outcome) -> ResultEvent:
    """The event that tells an outcome's text."""
    return ResultEvent(
        text=outcome.text,
        structured=outcome.structured,
        tool=outcome.tool,
        layer=outcome.layer,
        buttons=outcome.buttons,
    )


def in_order_of_telling(parts: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes in the order in which the user is told of them."""
    return sorted(parts, key=lambda each: _LAST.get(each.kind, 0))
