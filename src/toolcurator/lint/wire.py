"""Names that a model sees in another form (TC901), and what went wrong while the catalogue was read (TC403, TC902)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolcurator.catalog import Catalog
from toolcurator.lint.finding import Finding, found
from toolcurator.sources.wire_names import LONGEST
from toolcurator.tool import Tool


def wire_name(tool: Tool, catalog: Catalog) -> Iterator[Finding]:
    """TC901: a name that cannot go out as it is, whatever other tools are called."""
    wire = catalog.wire_names[tool.id]
    if len(tool.name) > LONGEST:
        yield found(
            "TC901",
            tool.id,
            "name",
            f"{len(tool.name)} characters, more than {LONGEST}; a model sees {wire}",
            tool.name,
        )
    elif not tool.name.isascii():
        yield found("TC901", tool.id, "name", f"not plain ASCII; a model sees {wire}", tool.name)
    elif wire != tool.name and not all(char.isalnum() or char in "_-" for char in tool.name):
        yield found("TC901", tool.id, "name", f"characters that providers refuse; a model sees {wire}", tool.name)


def faults(catalog: Catalog) -> Iterator[Finding]:
    """TC403 and TC902: the faults of the catalogue, with their file and line."""
    for fault in catalog.faults:
        rule = "TC403" if fault.message.startswith("synonym") else "TC902"
        tool = "" if fault.entry.startswith("#") else fault.entry
        message = f"entry {fault.entry}: {fault.message}" if fault.entry.startswith("#") else fault.message
        yield replace(found(rule, tool, "", message), path=fault.path, line=fault.line)
