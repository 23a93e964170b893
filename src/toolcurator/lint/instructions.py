"""Instructions to a model hidden in what should describe a tool (TC602 to TC606; pitfalls A26, B7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcurator.lint.finding import Finding, excerpt, found
from toolcurator.lint.phrases import PATTERNS, Pattern
from toolcurator.lint.rules import Severity
from toolcurator.lint.texts import Text

__all__ = ["Pattern", "instructions", "instructions_in"]

_WAYS_OUT = {
    "TC602": "",
    "TC603": "",
    "TC604": "; say when the tool fits instead",
    "TC605": "; write plain text",
    "TC606": "",
}
_HINT = re.compile(
    r"ignor|disregard|forget|discard|neglect|set aside|follow|overrid|supersed|replace|cancel|precedence|system|"
    r"you are n|this (?:tool|function|desc|is)|"
    r"verg[ie]|missacht|negeer|oubli|ne tie|ne ten|olvid|descart|esque|desconsid|dimentic|unusta|eira|zapomn|"
    r"pay no|safety|security rules|act as|behave as|respond as|answer as|extract|collect|mention|reveal|disclos|"
    r"admit|explain|report|user|human|custom|client|person|operator|secretly|covertly|silently|quietly|nutzer|"
    r"anwender|kunden|utilisat|usu[aá]|utilizad|kasuta|kliendi|"
    r"other |priority|prefer|favou?r|choose|always|must|regardless|diese|cet outil|esta |<|\[|: |"
    r"\.ssh|~/|id_|aws/cred|/etc/|\.env|netrc|npmrc|git-cred|mcp\.json|claude_desk|kube/|wallet\.dat|bash_hist|"
    r"environment|"
    r"conversation|chat|dialog|message|passw|secret|private|credential|api key|instructions|[^\x00-\u024f]",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\bnot|\bnever|n['’]t|\bwithout|\bcannot|\bnicht|\bnie|\bне|不要|不)\s*$", re.IGNORECASE)
_OPTION = re.compile(
    r"\b(?:(?:if|when|where)\s+(?:true|false|set|enabled|checked|on|yes)|whether\s+to|"
    r"set\s+(?:it\s+)?(?:to\s+true\s+)?to|"
    r"(?:option|flag|switch)\s+to)\b[^.;]{0,20}$",
    re.IGNORECASE,
)
_DETECTOR = re.compile(
    r"detect|scan|flag|block|filter|saniti|classif|moderat|attack|injection|jailbreak|red.?team|guard|malicious|"
    r"attempts?|adversarial|suspicious",
    re.IGNORECASE,
)
_QUOTE = "\"'`“”‘’«»„「『"
_LOOK_BACK = 160


def instructions(tool: str, text: Text) -> Iterator[Finding]:
    """The instructions in a text, the first one of each rule."""
    said: set[str] = set()
    for pattern, match, plain in _matches(text.plain):
        if pattern.rule in said:
            continue
        said.add(pattern.rule)
        message = f"it {pattern.about}{_WAYS_OUT[pattern.rule]}"
        severity: Severity = pattern.in_slots if text.kind in ("slot", "value") else pattern.severity
        if _is_quoted(plain, match):
            severity, message = "note", f"it quotes a text that {pattern.about}"
        elif text.kind == "slot" and _OPTION.search(plain[max(0, match.start() - 60) : match.start()]):
            severity = "note"  # what an argument switches on, most likely
        yield found(pattern.rule, tool, text.where, message, excerpt(plain, *match.span()), severity=severity)


def instructions_in(text: str) -> Iterator[Pattern]:
    """The phrasings that a plain text holds."""
    for pattern, _, _ in _matches(" ".join(text.split())):
        yield pattern


def _matches(plain: str) -> Iterator[tuple[Pattern, re.Match[str], str]]:
    if len(plain) < 6 or not _HINT.search(plain):
        return
    for pattern in PATTERNS:
        for match in pattern.expression.finditer(plain):
            before = plain[max(0, match.start() - _LOOK_BACK) : match.start()]
            if pattern.rule == "TC602" and _NEGATED.search(before):
                continue
            yield pattern, match, plain
            break


def _is_quoted(plain: str, match: re.Match[str]) -> bool:
    """Whether a text that speaks of attacks only quotes one, as the document of a scanner does."""
    before = plain[max(0, match.start() - _LOOK_BACK) : match.start()]
    opened = any(quote in before[-12:] for quote in _QUOTE)
    closed = any(quote in plain[match.end() : match.end() + 40] for quote in _QUOTE)
    return opened and closed and bool(_DETECTOR.search(before))
