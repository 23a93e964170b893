"""A tool → its raw document: what a model reads of it, fenced as data, and the hash by which a profile goes stale."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolcurator.tool import Profile, Tool

MOST_CHARACTERS = 24_000
"""Of a document that a model reads; the hash covers all of it."""

_METADATA = ("title", "category", "server_description", "description_for_model")
_LETTER = re.compile(r"[^\W\d_]")
_PLACEHOLDER = re.compile(
    r"(?:todo|tbd|n/?a|none|null|undefined|no description(?: (?:provided|available))?|description|placeholder)\W*", re.I
)


@dataclass(frozen=True)
class Source:
    """The raw document of a tool: the author's words alone, no profile, no examples.

    Attributes:
        id: Id of the tool.
        fields: Name, server, description and parameters, and title and category, those that there are.
    """

    id: str
    fields: dict[str, Any]

    @cached_property
    def hash(self) -> str:
        """SHA-256 (first 16 hex digits) of the document; the order of keys does not matter (pitfall B4)."""
        text = json.dumps(self.fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @cached_property
    def text(self) -> str:
        """The document as JSON, at most `MOST_CHARACTERS`."""
        return json.dumps(self.fields, ensure_ascii=False, default=str)[:MOST_CHARACTERS]

    @property
    def fenced(self) -> str:
        """The document between two marks that it cannot contain, since they are made of its hash (pitfall B7)."""
        return f"<data-{self.hash}>\n{self.text}\n</data-{self.hash}>"

    @property
    def description(self) -> str:
        """The author's description."""
        return str(self.fields.get("description", ""))

    @cached_property
    def described(self) -> bool:
        """Whether the description says anything: a model could only invent what is not there (pitfall B1)."""
        text = self.description.strip()
        same = text.casefold() == str(self.fields["name"]).casefold()
        return bool(_LETTER.search(text)) and not same and not _PLACEHOLDER.fullmatch(text)


def source_of(tool: Tool) -> Source:
    """The raw document of a tool."""
    beside = {key: value for key in _METADATA if isinstance(value := tool.metadata.get(key), str)}
    found = {
        "name": tool.name,
        "server": tool.server,
        "description": tool.description,
        **beside,
        "parameters": tool.parameters if tool.parameters.get("properties") else {},
    }
    return Source(tool.id, {key: value for key, value in found.items() if value or key == "name"})


def stale_fields(tool: Tool, profile: Profile) -> tuple[str, ...]:
    """The fields of a profile that were written from another document than the tool's, or nobody knows from which."""
    now = source_of(tool).hash
    written = [name for name in PROFILE_FIELDS if getattr(profile, name)]
    return tuple(
        name for name in written if (name not in profile.provenance or profile.provenance[name].source_hash != now)
    )


PROFILE_FIELDS = ("function_description", "tags", "when_to_use", "limitations", "example_queries")
"""The fields of a profile that have a provenance, in the order in which they are shown."""
