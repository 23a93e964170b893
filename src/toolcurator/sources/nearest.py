"""The names most like a name, for messages that name the nearest tools (pitfall D6)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_NEAR = 0.55
_LONGEST = 200


def nearest_labels(name: str, candidates: Iterable[tuple[str, Iterable[str]]], n: int) -> tuple[str, ...]:
    """Find what was probably meant.

    Args:
        name: What was asked for; only its first 200 characters count.
        candidates: A label, and the names it goes by. Neither case, separators nor the order of the words matter:
            ``complaint_submit`` is like ``submitComplaint``, and ``payfee`` like ``pay_fee``.
        n: At most so many.

    Returns:
        The labels, the most alike first, ties in alphabetical order; empty if none is like it.
    """
    matchers = [difflib.SequenceMatcher(None, "", form, autojunk=False) for form in _forms(name[:_LONGEST])]
    scored: list[tuple[float, str]] = []
    for label, names in candidates:
        pairs = [pair for each in names for pair in zip(matchers, _forms(each), strict=True)]
        score = max(_ratio(matcher, form) for matcher, form in pairs)
        if score >= _NEAR:
            scored.append((-score, label))
    return tuple(label for _, label in sorted(scored)[:n])


def _forms(name: str) -> tuple[str, str]:
    """A name without its separators, and its words sorted."""
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower())
    return "".join(words), " ".join(sorted(words))


def _ratio(matcher: difflib.SequenceMatcher[str], form: str) -> float:
    """How alike, from 0 to 1; the cheap upper bounds go first."""
    matcher.set_seq1(form)
    return matcher.ratio() if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR else 0.0
