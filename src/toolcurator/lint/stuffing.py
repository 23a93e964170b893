"""Texts made to be found rather than understood (TC501), and names worded as requests (TC502); pitfall A26."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from toolcurator.index.documents import in_words
from toolcurator.lexical import Tokenizer
from toolcurator.lexical.english import STOP_WORDS
from toolcurator.lint.finding import Finding, excerpt, found
from toolcurator.tool import Tool

MOST_TAGS = 25
MOST_CONTEXT = 150
"""Words of ``extra_context``, which is meant for paraphrases: twenty of them are plenty."""

_REPEATS, _SHARE = 6, 0.45  # a word this often, and this share of all words that tell something
_IN_A_ROW = 3
_LABELLED = 8  # keywords behind "keywords:"
_LISTED = 15  # short items in a row without an announcement
_LIST_SHARE = 0.5  # of a description that such a list takes
_ITEM_WORDS = 3
_BARE_WORDS, _BARE_STOPS = (
    25,
    0.04,
)  # a text without grammar: so many words, and fewer than this share of function words
_SENTENCE = 25  # characters of a sentence that may not stand three times

_WORD = re.compile(r"[^\W\d_]{2,}")
_LABEL = re.compile(
    r"\b(?:key\s?words?|search\s+terms|search\s+words|seo|also\s+known\s+as|aka|related\s+(?:words|terms|searches)|"
    r"hashtags|trigger\s+words|"
    r"synonyms|schlagwörter|suchbegriffe|mots[- ]clés|palabras\s+clave|märksõnad|ключевые\s+слова|关键词|關鍵詞|"
    r"キーワード)\s*[:：=]\s*",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:such\s+as|including|include[sd]?|like|one\s+of|any\s+of|e\.?\s?g\.?|for\s+example|supports?|supported|"
    r"types?|values?|formats?|fields?|columns?|"
    r"options?|categories|currencies|languages?|countries|codes?|names?|parameters?|returns?|contains?|namely|"
    r"following|available|allowed|valid|"
    r"keys?|units|statuses|states|properties|attributes|covers?|with|between|of|from|to|for|examples?|(?:\w+s)|比如|"
    r"例如|包括|支持|等)\s*(?:are|is)?\s*[:：(\[]?\s*[-*•]?\s*$",
    re.IGNORECASE,
)
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_SPLIT = re.compile(r"[,;|/•·、，；\n#]+")
_REQUEST = re.compile(
    r"\b(?:please|pls|plz|bitte|palun|por favor|s il vous plait|пожалуйста)\b"
    r"|^(?:i want|i need|i would|can you|could you|help me|give me|show me|tell me|let me)\b"
    r"|\b(?:use|call|pick|choose|select|prefer|try) (?:this|me)\b(?! (?:file|day|week|month|year|item))"
    r"|\balways (?:use|call|pick|choose|select|first)\b|\bbest tool\b|\bonly tool\b|\bmust (?:use|call)\b|\b(?:use|"
    r"call) (?:first|always)\b"
    r"|\banything you (?:want|need)\b|\beverything you (?:want|need)\b",
    re.IGNORECASE,
)


def stuffed_texts(tool: Tool, tokenizer: Tokenizer) -> Iterator[Finding]:
    """TC501 for a tool: its description, its tags, its extra context."""
    for where, value in (("description", tool.description), ("extra_context", tool.extra_context)):
        if value and (why := _why(value, where == "extra_context", tokenizer)):
            message, evidence = why
            yield found("TC501", tool.id, where, message, evidence)
    if len(tool.tags) > MOST_TAGS:
        message = f"{len(tool.tags)} tags; keep the few that tell it from other tools"
        yield found("TC501", tool.id, "tags", message, ", ".join(tool.tags))


def requesting_name(tool: Tool) -> Iterator[Finding]:
    """TC502: a name that reads like what a user says, or that praises itself."""
    if match := _REQUEST.search(in_words(tool.leaf).lower()):
        message = f"the name holds {match[0]!r}, the words of a request rather than of what the tool does"
        yield found("TC502", tool.id, "name", message, tool.name)


def _why(value: str, for_search: bool, tokenizer: Tokenizer) -> tuple[str, str] | None:
    """What is wrong with a text, and where."""
    words = [word.lower() for word in _WORD.findall(value)]
    if (row := _in_a_row(value)) is not None:
        return "the same word several times in a row", excerpt(value, *row)
    telling = [tokenizer.stem(word) for word in words if word not in STOP_WORDS]
    if telling:
        word, count = Counter(telling).most_common(1)[0]
        if count >= _REPEATS and count > _SHARE * len(telling) and len(word) > 2:
            return f"{word!r} makes up {count} of its {len(telling)} words; say it once", value
    if (twice := _repeated_sentence(value)) is not None:
        return "the same sentence three times or more", twice
    if for_search:
        if len(words) > MOST_CONTEXT:
            return f"{len(words)} words; keep the paraphrases that people use and other tools do not have", value
        return None
    if (label := _LABEL.search(value)) is not None:
        items = _items(value[label.end() :].split("\n\n")[0])
        short = _leading(items)
        if len(short) >= _LABELLED:
            return f"a list of {len(short)} keywords; put the few that help into tags", excerpt(value, *label.span())
    if (listed := _bare_list(value, len(words))) is not None:
        return f"a list of {listed[1]} keywords instead of sentences", excerpt(value, *listed[0])
    if len(words) >= _BARE_WORDS and value.isascii() and tokenizer.english:
        stops = sum(word in STOP_WORDS for word in words)
        if stops < _BARE_STOPS * len(words) and _plain_words(value) and not _introduced(value):
            return f"{len(words)} words without a sentence", value
    return None


def _in_a_row(value: str) -> tuple[int, int] | None:
    """A word that stands three times with nothing but spaces or commas between; not numbers, dots, or letters alone."""
    last, count, start = "", 1, 0
    end = 0
    for match in _WORD.finditer(value):
        word = match[0].lower()
        if word == last and not value[end : match.start()].strip(" ,;"):
            count += 1
            if count >= _IN_A_ROW and len(word) > 2:
                return start, match.end()
        else:
            count, start = 1, match.start()
        last, end = word, match.end()
    return None


def _repeated_sentence(value: str) -> str | None:
    sentences = [" ".join(each.lower().split()) for each in re.split(r"[.!?\n]+", value)]
    counted = Counter(each for each in sentences if len(each) >= _SENTENCE and each.count(" ") > 2)
    return next((each for each, count in counted.items() if count >= 3), None)


def _items(text: str) -> list[str]:
    return [" ".join(item.split()) for item in _SPLIT.split(text)]


def _leading(items: Sequence[str]) -> list[str]:
    short: list[str] = []
    for item in items:
        if not item or len(item.split()) > _ITEM_WORDS or "." in item[:-1]:
            break
        short.append(item)
    return short


def _bare_list(value: str, words: int) -> tuple[tuple[int, int], int] | None:
    """A run of many short items that nothing announces and that makes up most of the text."""
    start, run, begin, listed = 0, 0, 0, 0
    for item in [*re.finditer(r"[^,;|•·、，；\n#]+", value)]:
        text = item[0].strip()
        short = (
            0 < len(text.split()) <= _ITEM_WORDS
            and text.isascii() == value.isascii()
            and _WORD.search(text) is not None
        )
        code = re.search(r"[_={}()<>\[\]\"'`:]|[a-z][A-Z]|\d", text) is not None
        gap = value[start : item.start()]
        if short and not code and (not run or not gap.count("\n") > 1):
            if not run:
                begin, listed = item.start(), 0
            run, listed = run + 1, listed + len(_WORD.findall(text))
            if run >= _LISTED and listed > _LIST_SHARE * words and not _announced(value[:begin]):
                return (begin, item.end()), run
        else:
            run = 0
        start = item.end()
    return None


def _announced(before: str) -> bool:
    """Whether a list belongs to a sentence, which may hold its first item already."""
    words = before.rstrip(" ,;|").split()
    return any(_ANNOUNCED.search(" ".join(words[: len(words) - first])) for first in range(_ITEM_WORDS + 1))


def _introduced(value: str) -> bool:
    """Whether a text begins by announcing the list that it consists of."""
    first, *rest = _SPLIT.split(value)
    return len(rest) > 2 and _announced(first)


def _plain_words(value: str) -> bool:
    """Whether a text consists of words, not of code, JSON, or names with underscores."""
    return sum(char in '{}[]()<>=_"`:/\\|' for char in value) < 0.02 * len(value)
