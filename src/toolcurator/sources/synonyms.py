"""Words and paraphrases people use for a tool, added to what is searched (``domain_synonyms.json`` of the first seed).

Two forms, which may stand in one file: ``{"tool_name": "extra words"}`` for one tool, and
``{"synonyms": {"grievance": ["complaint", "formal complaint"]}}`` for every tool whose document holds the word.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from toolcurator.sources.documents import read_value
from toolcurator.sources.fault import Fault
from toolcurator.sources.json_values import as_array, as_object, in_words
from toolcurator.tool import Tool

_CAMEL = re.compile(r"(?<=[a-zß-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])")
_TOKEN = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that do not part words


class Synonyms(BaseModel):
    """Paraphrases by tool and by word.

    Attributes:
        by_tool: Id or name of a tool → its paraphrases. A bare name means every tool of that name.
        by_word: Word (or words) → paraphrases, for each tool whose own text holds the word as a whole token. Neither
            case nor a plural matters. A paraphrase is not looked up again, so chains and cycles end at once.
    """

    model_config = ConfigDict(frozen=True)

    by_tool: Mapping[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    by_word: Mapping[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])

    def __bool__(self) -> bool:
        return bool(self.by_tool or self.by_word)

    def merged(self, other: Synonyms) -> Synonyms:
        """Both together; an entry that both have keeps the paraphrases of both."""
        return Synonyms(by_tool=_union(self.by_tool, other.by_tool), by_word=_union(self.by_word, other.by_word))

    def applied(self, tools: Iterable[Tool]) -> tuple[Tool, ...]:
        """The tools with their paraphrases in ``extra_context``, one a line, after what stands there already.

        Nothing is added twice, so applying again changes nothing; the order of the entries does not matter.
        """
        if not self:
            return tuple(tools)
        words = [(_phrase(word), paraphrases) for word, paraphrases in self.by_word.items()]
        return tuple(self._apply(tool, words) for tool in tools)

    def check(self, tools: Iterable[Tool], path: str = "") -> tuple[Fault, ...]:
        """What is doubtful about the entries. They are applied all the same.

        Args:
            tools: The tools they are for.
            path: The file they came from.

        Returns:
            A fault for each entry that names no tool, each paraphrase that several entries claim, and each paraphrase
            of a word that is an entry itself.
        """
        known = {key for tool in tools for key in (tool.id, tool.name)}
        faults = [
            Fault(path=path, entry=name, message="synonyms for a tool that is not in the catalogue")
            for name in self.by_tool
            if name not in known
        ]
        claims: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for owner, paraphrases in [*self.by_word.items(), *self.by_tool.items()]:
            for paraphrase in paraphrases:
                claims[_phrase(paraphrase)].setdefault(owner, paraphrase)
        words = {_phrase(word): word for word in self.by_word}
        for phrase, owners in claims.items():
            paraphrase = next(iter(owners.values()))
            if len(owners) > 1:
                named = ", ".join(f"'{owner}'" for owner in owners)
                faults.append(Fault(path=path, message=f"synonym '{paraphrase}' is claimed by several: {named}"))
            for owner in owners:
                if owner in self.by_word and phrase in words and words[phrase] != owner:
                    message = (
                        f"synonym '{paraphrase}' of '{owner}' is an entry itself; synonyms of synonyms are not followed"
                    )
                    faults.append(Fault(path=path, message=message))
        return tuple(faults)

    def _apply(self, tool: Tool, words: list[tuple[str, tuple[str, ...]]]) -> Tool:
        found = {*self.by_tool.get(tool.id, ()), *self.by_tool.get(tool.name, ())}
        if words:
            text = _text_of(tool)
            tokens = f" {_phrase(text)} "
            for word, paraphrases in words:
                if f" {word} " in tokens or (_UNSPACED.search(word) and word.replace(" ", "") in tokens):
                    found.update(paraphrases)
        own = tool.extra_context.splitlines()
        added = sorted(found - set(own))
        return tool.model_copy(update={"extra_context": "\n".join([*own, *added])}) if added else tool


def read_synonyms(path: str | os.PathLike[str]) -> tuple[Synonyms, tuple[Fault, ...]]:
    """Read a file of synonyms.

    Args:
        path: JSON or YAML, in either form or both.

    Returns:
        The synonyms that can be read, and what cannot.
    """
    value, fault = read_value(Path(path))
    return (Synonyms(), (fault,)) if fault is not None else synonyms_of(value, path=str(path))


def synonyms_of(value: object, *, path: str = "") -> tuple[Synonyms, tuple[Fault, ...]]:
    """The same from a mapping in code; ``path`` is where it came from, for the faults."""
    body = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else None
    if body is None:
        message = f"synonyms must be an object from tool or word to words, not {in_words(cast('object', value))}"
        return Synonyms(), (Fault(path=path, message=message),)
    faults: list[Fault] = []
    words = as_object(body.get("synonyms"))
    if words is not None:
        del body["synonyms"]
    by_word = _phrases(words or {}, "the word", path, faults)
    by_tool = _phrases(body, "the tool", path, faults)
    return Synonyms(by_tool=by_tool, by_word=by_word), tuple(faults)


SynonymSource = Synonyms | Mapping[str, Any] | str | os.PathLike[str]


def any_synonyms(source: SynonymSource | None) -> tuple[Synonyms, tuple[Fault, ...], str]:
    """Synonyms as they are, from a mapping or from a file → the synonyms, their faults, and their path."""
    if source is None or isinstance(source, Synonyms):
        return source or Synonyms(), (), ""
    if isinstance(source, Mapping):
        return *synonyms_of(source), ""
    return *read_synonyms(source), str(source)


def _phrases(entries: Mapping[str, Any], kind: str, path: str, faults: list[Fault]) -> dict[str, tuple[str, ...]]:
    read: dict[str, tuple[str, ...]] = {}
    for key, value in entries.items():
        listed = [value] if isinstance(value, str) else as_array(value)
        if listed is None or not all(isinstance(each, str) for each in listed):
            message = f"synonyms of {kind} '{key}' must be a string or a list of strings, not {in_words(value)}"
            faults.append(Fault(path=path, message=message))
        elif phrases := tuple(dict.fromkeys(" ".join(each.split()) for each in listed if each.strip())):
            read[key] = phrases
    return read


def _union(first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    keys = dict.fromkeys((*first, *second))
    return {key: tuple(dict.fromkeys((*first.get(key, ()), *second.get(key, ())))) for key in keys}


def _text_of(tool: Tool) -> str:
    """The tool's own text, without ``extra_context``, so that a synonym never calls up another."""
    parts = [tool.name, tool.server, tool.description, *tool.tags]
    for slot in tool.slots:
        parts += [slot.name, slot.description, *slot.enum]
    return "\n".join(parts)


def _phrase(text: str) -> str:
    """Text → its tokens in the singular, parted by single spaces."""
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", text))
    return " ".join(_singular(token) for token in _TOKEN.findall(spaced.casefold()))


def _singular(token: str) -> str:
    if len(token) > 4 and token.endswith("ies"):
        return f"{token[:-3]}y"
    if len(token) > 4 and token.endswith(("sses", "xes", "zes", "ches", "shes")):
        return token[:-2]
    if len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us", "is")):
        return token[:-1]
    return token
