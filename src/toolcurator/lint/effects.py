"""Side effects that the name tells of and nothing declares (TC801), or that the declaration denies (TC802)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcurator.index.documents import in_words
from toolcurator.lint.finding import Finding, found
from toolcurator.tool import Tool

# whatever else they are about, these change something outside
_STRONG = frozenset(
    "delete remove drop destroy erase purge wipe truncate send pay transfer purchase buy refund charge publish "
    "post revoke grant kill "
    "terminate uninstall deploy overwrite rename unsubscribe subscribe cancel book reserve withdraw deposit invite "
    "ban unban archive unarchive "
    "merge restore rollback reboot shutdown approve reject submit upload insert upsert "
    "kustuta saada maksa lösche loesche sende eliminar borrar enviar pagar supprimer envoyer".split()
)
# these do so as a rule: create_chart only draws, update_plan may only think
_MILD = frozenset(
    "create add update write edit modify set move install execute run start stop restart enable disable assign "
    "unassign register save store "
    "append patch commit push import sync reset close open reply forward schedule block unblock lock unlock apply "
    "import replace "
    "lisa muuda loo".split()
)
_READING = frozenset(
    "get list search find read fetch show describe count lookup query view check retrieve validate verify compare "
    "calculate convert".split()
)


def effects(tool: Tool) -> Iterator[Finding]:
    """What the verb of the name says about the declared side effect."""
    verb, place = _verb(tool)
    strong, mild = verb in _STRONG, verb in _MILD
    if tool.side_effect is None and (strong or mild):
        message = f"{verb!r} changes something, and side_effect (or readOnlyHint, destructiveHint) is not declared"
        yield found("TC801", tool.id, place, message, tool.name if place == "name" else tool.description)
    elif tool.side_effect is False and strong:
        message = f"declared as only reading, but {verb!r} changes something; a client may call it without asking"
        yield found("TC802", tool.id, place, message, tool.name if place == "name" else tool.description)
    elif tool.side_effect is True and verb in _READING:
        message = f"declared as changing something, but {verb!r} only reads; a client will ask before each call"
        yield found("TC802", tool.id, place, message, tool.name, severity="note")


def _verb(tool: Tool) -> tuple[str, str]:
    """The verb of a tool, and the field it stands in: the first or last word of its name, else the first of its description."""
    words = in_words(tool.leaf).lower().split()
    known = _STRONG | _MILD | _READING
    for word in (words[0], words[-1]) if words else ():
        if word in known:
            return word, "name"
    for word in words[1:-1]:
        if word in _STRONG:
            return word, "name"
    first = re.match(r"\W*(\w+)", tool.description.lower())
    if first is None:
        return "", ""
    for form in (first[1], first[1].removesuffix("s"), first[1].removesuffix("es")):
        if form in known and form not in ("open", "set", "store", "book", "post", "block", "run"):
            return form, "description"
    return "", ""
