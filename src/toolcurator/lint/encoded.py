"""Texts that are there but not seen as text: comments (TC607), and base64 or hexadecimal (TC608)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from toolcurator.lint.credentials import secrets_in
from toolcurator.lint.finding import Finding, excerpt, found
from toolcurator.lint.instructions import Pattern, instructions_in
from toolcurator.lint.texts import Text

_COMMENT = re.compile(r"<!--([\s\S]*?)(?:-->|\Z)|^\[//\]:\s*#\s*[(\"'](.*)[)\"']\s*$", re.MULTILINE)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])")
_HEX = re.compile(
    r"(?<![A-Za-z0-9])(?:0x)?((?:[0-9a-f]{2}){20,}|(?:[0-9A-F]{2}){20,}|(?:[0-9A-Fa-f]{2} ){15,}[0-9A-Fa-f]{2})(?![A-Za-z0-9])"
)
_ESCAPED = re.compile(r"(?:\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,4};){12,}")
_SAID = 20  # characters of a comment that can hold an instruction
_LONG = 120  # a longer text is no sample value


def comments(tool: str, text: Text) -> Iterator[Finding]:
    """TC607: comments of HTML and Markdown, which a page does not show and a model reads."""
    for match in _COMMENT.finditer(text.value) if "<!--" in text.value or "[//]" in text.value else ():
        inside = (match[1] or match[2] or "").strip()
        if len(inside) < _SAID or " " not in inside:
            continue
        aimed = next(instructions_in(inside), None)
        message = "a comment, which a page does not show and a model reads; say it in the open or leave it out"
        if aimed is not None:
            message = f"a comment that is not shown and {aimed.about}"
        yield found(
            "TC607",
            tool,
            text.where,
            message,
            excerpt(text.value, *match.span()),
            severity="error" if aimed else "warning",
        )
        return


def encoded_text(tool: str, text: Text) -> Iterator[Finding]:
    """TC608: encoded text that can be read once decoded; an error if it speaks to the model, or is longer than a sample."""
    for span, decoded in decoded_in(text.value):
        if any(secret.start < span[1] and span[0] < secret.end for secret in secrets_in(text.value)):
            continue
        aimed: Pattern | None = next(instructions_in(decoded), None)
        says = f"; decoded, it says {excerpt(decoded)!r}"
        if aimed is not None:
            yield found("TC608", tool, text.where, f"encoded text that {aimed.about}{says}", excerpt(text.value, *span))
            return
        if text.kind not in ("value", "example") and _is_prose(decoded):  # a sample value may well be encoded
            severity = "warning" if len(decoded) > _LONG else "note"
            message = f"encoded text in a {text.kind}{says}"
            yield found("TC608", tool, text.where, message, excerpt(text.value, *span), severity=severity)
            return


def decoded_in(value: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Spans of encoded text, and what they say; what is no text once decoded (hashes, images, addresses) is left out."""
    for match in _BASE64.finditer(value):
        if decoded := _base64(match[0]):
            yield match.span(), decoded
    for match in _HEX.finditer(value):
        if decoded := _readable(bytes.fromhex(match[1].replace(" ", ""))):
            yield match.span(), decoded
    for match in _ESCAPED.finditer(value):
        codes = re.findall(r"\\x([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{2});|&#(\d{2,3});", match[0])
        found_bytes = bytes(int(a or b or c, 16) if a or b or c else int(d) & 0xFF for a, b, c, d in codes)
        if decoded := _readable(found_bytes):
            yield match.span(), decoded


def _base64(encoded: str) -> str:
    plain = encoded.rstrip("=").replace("-", "+").replace("_", "/")
    if plain.isalpha() and (plain.islower() or plain.isupper()):
        return ""
    try:
        return _readable(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _readable(content: bytes) -> str:
    """The text that bytes hold, if they hold any, once more decoded if that is base64 again."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if (again := _BASE64.fullmatch(text)) and (inner := _base64(again[0])):
        return inner
    return text if all(char.isprintable() or char in "\n\t\r" for char in text) else ""


def _is_prose(text: str) -> bool:
    letters = sum(char.isalpha() or char in " .,:;!?'\"\n" for char in text)
    return len(text.split()) > 2 and letters > 0.8 * len(text)
