"""One finding, and how the text that shows it is shortened: no secret and no invisible character reaches a report."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from toolcurator.lint.credentials import redact
from toolcurator.lint.rules import RULES, Severity

LONGEST = 160
"""Characters of evidence."""

_BEFORE = 50
_SPACE = re.compile(r"\s+")

Place = tuple[str, int]
"""A file ("" for code) and a line (0 if unknown)."""
Locate = Callable[[str], Place]
"""Gives the place of a tool by its id."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about a tool.

    Attributes:
        rule: Id of the rule.
        severity: ``error``, ``warning`` or ``note``.
        tool: Id of the tool; empty for what concerns a whole file.
        where: Field: ``description``, ``slots.city.description``, ``examples[2]`` ...
        message: What is wrong, and the way out.
        evidence: The text that shows it, shortened; secrets are masked and invisible characters spelled out.
        related: Ids of other tools it is about.
        path: The file; empty if unknown.
        line: Line of the tool in it, from 1; 0 if unknown.
        fixable: Whether ``--fix`` puts it right.
    """

    rule: str
    severity: Severity
    tool: str
    where: str
    message: str
    evidence: str = ""
    related: tuple[str, ...] = ()
    path: str = ""
    line: int = 0
    fixable: bool = False

    @property
    def name(self) -> str:
        """Name of the rule."""
        return RULES[self.rule].name


def found(
    rule: str,
    tool: str,
    where: str,
    message: str,
    evidence: str = "",
    *,
    severity: Severity | None = None,
    related: tuple[str, ...] = (),
    fixable: bool = False,
) -> Finding:
    """A finding whose texts are fit to be shown; without a severity it has that of its rule."""
    return Finding(
        rule=rule,
        severity=severity or RULES[rule].severity,
        tool=tool,
        where=visible(where),
        message=visible(redact(message)),
        evidence=evidence if not evidence else excerpt(evidence),
        related=related,
        fixable=fixable,
    )


def excerpt(text: str, start: int = 0, end: int = 0) -> str:
    """A text around a match, at most `LONGEST` characters, redacted, on one line.

    Args:
        text: The whole text.
        start: Where the match begins.
        end: Where it ends.
    """
    begin = max(0, start - _BEFORE) if end > LONGEST - 2 or start > _BEFORE else 0
    # a secret is recognised only whole, so it is masked before anything is cut
    masked = redact(text) if begin == 0 and len(text) <= LONGEST else _masked(text, begin)
    short = _SPACE.sub(" ", visible(masked)).strip()
    return short if len(short) <= LONGEST else f"{short[: LONGEST - 1]}…"


def visible(text: str) -> str:
    """A text with every invisible or control character spelled out by its code point."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _is_seen(char) else _spelled(char) for char in text)


def _masked(text: str, begin: int) -> str:
    window = text[max(0, begin - 400) : begin + 1200]
    head = redact(text[max(0, begin - 400) : begin])
    return f"{'…' if begin else ''}{redact(window)[len(head) :]}"


def _is_seen(char: str) -> bool:
    return char in "\n\t " or unicodedata.category(char) not in ("Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp")


def _spelled(char: str) -> str:
    point = ord(char)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
