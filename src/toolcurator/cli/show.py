"""``toolcurator show``: what a catalogue holds, or one of its tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from toolcurator.cli.opened import Json, Profiles, Synonyms, warn

if TYPE_CHECKING:
    from toolcurator.catalog import Catalog
    from toolcurator.tool import Profile, Tool


def show(
    catalog: Annotated[str, typer.Argument(help="A file, a folder, or an address.")],
    tool: Annotated[
        str | None, typer.Argument(help="Id, bare name or wire name; without it all tools are listed.")
    ] = None,
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is shown.")] = None,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    as_json: Json = False,
) -> None:
    """Show what a catalogue holds, or one of its tools."""
    from toolcurator.catalog import Catalog

    loaded = Catalog.load(catalog, synonyms=synonyms, profiles=profiles)
    warn([str(fault) for fault in loaded.faults])
    chosen = (loaded.require(tool, role),) if tool else loaded.visible(role)
    if as_json:
        shown = [
            {**each.model_dump(mode="json", exclude_defaults=True), "wire_name": loaded.wire_names[each.id]}
            for each in chosen
        ]
        print(json.dumps(shown[0] if tool else shown, ensure_ascii=False, indent=2))
    elif tool:
        _one(chosen[0], loaded)
    else:
        _all(chosen, loaded)


def _all(tools: tuple[Tool, ...], catalog: Catalog) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table

    from toolcurator.retrieval.explain import cell

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("tool", "slots", "examples", "roles", "description"):
        table.add_column(
            name, justify="right" if name in ("slots", "examples") else "left", no_wrap=True, overflow="ellipsis"
        )
    for each in tools:
        roles = ", ".join(each.roles) or "all"
        text = " ".join(each.description.split())
        table.add_row(cell(each.id), str(len(each.slots)), str(len(each.examples)), cell(roles), cell(text))
    Console(width=None if sys.stdout.isatty() else 160, highlight=False).print(table)
    hidden = len(catalog) - len(tools)
    print(f"{len(tools):,} tools{f', {hidden:,} not shown (role or state)' if hidden else ''}")


def _one(tool: Tool, catalog: Catalog) -> None:
    rows = {
        "id": tool.id,
        "name on the wire": catalog.wire_names[tool.id],
        "description": tool.description or "(none)",
        "state": tool.state,
        "roles": ", ".join(tool.roles) or "all",
        "side effect": {True: "yes", False: "no", None: "unknown"}[tool.side_effect],
        "tags": ", ".join(tool.tags),
        "extra context": tool.extra_context,
        "called by": f"{tool.endpoint.method} {tool.endpoint.url}" if tool.endpoint and tool.endpoint.url else "",
        "came as": tool.declaration.format if tool.declaration else "our own form",
    }
    for name, value in rows.items():
        if value:
            print(f"{name + ':':18}{value}")
    for title, lines in (
        ("slots", [_slot_line(tool, i) for i in range(len(tool.slots))]),
        ("examples", list(tool.examples)),
    ):
        if lines:
            print(f"{title}:")
            for line in lines:
                print(f"  {line}")
    if tool.profile:
        _profile(tool.profile)


def _profile(profile: Profile) -> None:
    print("profile:")
    for name, value in (
        ("function", profile.function_description),
        ("when to use", profile.when_to_use),
        ("limitations", profile.limitations),
        ("tags", ", ".join(profile.tags)),
        ("grounded", "" if profile.grounded else "no"),
    ):
        if value:
            print(f"  {name + ':':16}{value}")
    if profile.example_queries:
        print("  example queries:")
        for query in profile.example_queries:
            print(f"    {query}")


def _slot_line(tool: Tool, number: int) -> str:
    slot = tool.slots[number]
    kind = f"{slot.type or 'any'}{', required' if slot.required else ''}"
    values = f" one of {', '.join(slot.enum)}" if slot.enum else ""
    return f"{slot.name} ({kind}){values}{': ' if slot.description else ''}{slot.description}"
