"""Makes any string fit for a tokenizer: valid Unicode, of bounded length."""

from __future__ import annotations

import re

CHARACTERS_PER_TOKEN = 32
"""A text is cut at this many characters for each token that the model reads: English needs five, long words twenty."""

COUNTED = 100_000
"""Characters whose tokens are counted; the rest is estimated."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def clean(text: str, characters: int) -> str:
    """Cut a text, and repair what a tokenizer would refuse.

    Args:
        text: Anything.
        characters: Characters kept.

    Returns:
        Valid Unicode without NUL. Surrogate pairs, as a careless JSON reader leaves them, become the character they
        stand for; lone surrogates become U+FFFD.
    """
    text = text[:characters].replace("\0", " ")
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
