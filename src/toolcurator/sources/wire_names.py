"""Names under which tools go to a model: 64 ASCII characters, one for each tool (pitfall D3)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from toolcurator.tool import Tool

LONGEST = 64
_VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_HASH = 8


def wire_names(tools: Iterable[Tool]) -> dict[str, str]:
    """Give every tool its wire name.

    A name that is valid and unique stays as it is. Any other is spelled in ASCII, after its server if the bare name is
    not unique; where that is too long, empty or taken, a hash of the id follows. The order of tools does not matter.

    Args:
        tools: All tools of a catalogue, with unique ids.

    Returns:
        Id → wire name, each ``^[A-Za-z_][A-Za-z0-9_-]{0,63}$``, no two the same.
    """
    ordered = sorted(tools, key=lambda tool: tool.id)
    count = Counter(tool.name for tool in ordered)
    names = {tool.id: tool.name for tool in ordered if count[tool.name] == 1 and _VALID.fullmatch(tool.name)}
    spelled = {tool.id: _spell(tool, count[tool.name] > 1) for tool in ordered if tool.id not in names}
    wanted = Counter(spelled.values())
    taken = set(names.values())
    hashed: list[str] = []
    for key, name in spelled.items():
        if name and len(name) <= LONGEST and wanted[name] == 1 and name not in taken:
            names[key] = name
        else:
            hashed.append(key)
    taken = set(names.values())
    for key in hashed:
        names[key] = _with_hash(spelled[key], key, taken)
        taken.add(names[key])
    return names


def _spell(tool: Tool, qualified: bool) -> str:
    parts = (tool.server, tool.name) if qualified and tool.server else (tool.name,)
    ascii_parts = [_OTHER.sub("_", _ascii(part)).strip("_-") for part in parts]
    name = "__".join(part for part in ascii_parts if part)
    return name if not name or name[0].isalpha() else f"_{name}"


def _ascii(text: str) -> str:
    """Text without its diacritics, ``?`` for every other letter outside ASCII."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return plain.encode("ascii", "replace").decode()


def _with_hash(name: str, key: str, taken: set[str]) -> str:
    salt = 0
    while True:
        digest = hashlib.sha256(f"{key}\0{salt}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
        candidate = f"{(name or 'tool')[: LONGEST - _HASH - 1].rstrip('_-')}_{digest}"
        if candidate not in taken:
            return candidate
        salt += 1
