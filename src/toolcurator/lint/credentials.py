"""Secrets of well-known forms: found, told from placeholders, and masked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_FORMS = (
    (
        "a private key",
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\s|\\[nr])*[A-Za-z0-9+/=]{30,}(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{20,})*"
        r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]*(?:\s|\\[nr])*-----END[A-Z ]*)?",
    ),
    ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{18,}"),
    ("a Slack token", r"\bxox[abeprs]-[A-Za-z0-9-]{16,}"),
    ("a Slack webhook", r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("a Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("an API key", r"\bsk-(?:proj-|ant-|or-|svcacct-)?[A-Za-z0-9_-]{20,}"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("a Google token", r"\bya29\.[0-9A-Za-z_-]{20,}"),
    ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("a PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    ("a SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("a Telegram bot token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,33}\b"),
    ("a JSON Web Token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("a bearer token", r"(?i:\bbearer\s+)(?P<b>[A-Za-z0-9._~+/-]{20,}=*)"),
    ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"'<>]*:(?P<u>[^\s/@\"'<>]{3,})@[^\s\"'<>]+"),
    (
        "a key in a URL",
        r"(?i:[?&](?:api[_-]?key|apikey|access[_-]?token|auth[_-]?token|token|secret|sig|password)=)(?P<q>[A-Za-z0-9._~%+/-]{12,})",
    ),
    (
        "a key or password",
        r"(?i:\b(?:api[_ -]?key|secret[_ -]?key|access[_ -]?key|client[_ -]?secret|auth[_ -]?token|access[_ -]?token|"
        r"password|passwd)\b[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?)(?P<p>[^\s\"'`,;(){}<>]{12,})",
    ),
)
_SECRET = re.compile("|".join(f"(?P<f{number}>{form})" for number, (_, form) in enumerate(_FORMS)))
_HINT = re.compile(
    r"PRIVATE KEY|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|hooks\.slack|[rs]k[_-]|AIza|ya29|hf_|npm_|pypi-|SG\.|:AA|eyJ"
    r"|(?i:bearer|://[^\s/]*:|api[_ -]?key|apikey|secret|token|sig=|passw|access[_ -]?key)"
)
_PLACEHOLDER = re.compile(
    r"x{3,}|\*{3,}|\.{3}|…|your|example|sample|dummy|placeholder|changeme|change_me|redacted|insert|<|\$\{|\{\{|%s|"
    r"user:pass|default|longterm|access.?token|my.?(?:secret|token|key|pass)|pass.?word|:pass(?:word|wd)?@|:secret@|abcdef|0123456|1234567|\btoken\b|_here\b|test.?key|foobar",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"pass(?:word|wd|phrase)|secret|api[_-]?key|apikey|access[_-]?token|auth[_-]?token|private[_-]?key", re.I
)
_SHOWN = 4


class Secret(NamedTuple):
    """A secret in a text.

    Attributes:
        kind: What it is, in words.
        start: Where it begins.
        end: Where it ends.
    """

    kind: str
    start: int
    end: int


def secrets_in(text: str) -> Iterator[Secret]:
    """The secrets of a text; what is plainly a placeholder (``sk-your-key-here``) is none."""
    if not _HINT.search(text):
        return
    for match in _SECRET.finditer(text):
        number = next(number for number in range(len(_FORMS)) if match[f"f{number}"])
        group = next((name for name in "buqp" if match[name]), f"f{number}")
        value = match[group]
        by_form = group == "u" or number == 0  # a URL's password may be any word
        if _PLACEHOLDER.search(match[0] if group == "u" else value) or not (by_form or _random(value)):
            continue
        yield Secret(_FORMS[number][0], *match.span(group))


def is_secret_value(name: str, value: str) -> bool:
    """Whether the default of an argument of that name is a secret rather than a placeholder."""
    return bool(
        _NAMED.search(name)
        and len(value) >= 8
        and not value.isspace()
        and " " not in value
        and not _PLACEHOLDER.search(value)
        and _random(value)
    )


def redact(text: str) -> str:
    """A text with its secrets masked, all but the first few characters."""
    for secret in reversed(list(secrets_in(text))):
        text = f"{text[: secret.start]}{mask(text[secret.start : secret.end])}{text[secret.end :]}"
    return text


def mask(value: str) -> str:
    """What may be shown of a secret: four characters of a long one, and how long it is."""
    return f"{value[:_SHOWN] if len(value) >= 16 else ''}[masked, {len(value)} characters]"


def _random(value: str) -> bool:
    """Whether characters look drawn by chance rather than made of words: digits among letters, or letters of both cases."""
    plain = "".join(char for char in value if char.isalnum())
    letters = sum(char.isalpha() for char in plain)
    if len(set(plain)) < min(8, len(plain)) or not letters:
        return False
    humps = sum(a.islower() and b.isupper() for a, b in pairwise(plain))
    return letters < len(plain) or humps > len(plain) / 8
