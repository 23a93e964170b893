"""``toolcurator call``: call a tool of a live MCP server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from toolcurator.cli.opened import Json, warn


def call(
    source: Annotated[Path, typer.Argument(help="A file with mcpServers.")],
    tool: Annotated[str, typer.Argument(help="Id, bare name or wire name.")],
    args: Annotated[
        str, typer.Option("--args", help="Its arguments as a JSON object; - reads them from stdin.")
    ] = "{}",
    yes: Annotated[bool, typer.Option("--yes", help="Call it although it changes something, or may.")] = False,
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is seen.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds a server has to start, and to answer.")] = 30.0,
    as_json: Json = False,
) -> None:
    """Call a tool of a live MCP server, its arguments checked first. Exit code 1: the tool reports an error.

    Example: toolcurator call examples/mcp/mcp.json search --args '{"words": "clouds"}'
    """
    from dataclasses import asdict

    from rich.console import Console

    from toolcurator.errors import CallError
    from toolcurator.live_catalog import LiveCatalog

    arguments = _arguments(sys.stdin.read() if args == "-" else args)
    console = Console(stderr=True)
    with console.status("starting the servers"), LiveCatalog(source, timeout=timeout, refresh_seconds=timeout) as live:
        warn([f"MCP server '{name}': {why}" for name, why in live.failures.items()])
        found = live.catalog.require(tool, role)
        if found.side_effect is not False and not yes:
            says = "changes something" if found.side_effect else "does not say that it changes nothing"
            raise CallError(f"tool '{found.id}' {says}; add --yes to call it all the same")
        result = live.call(found.id, arguments, role=role)
    if as_json:
        print(json.dumps({"tool": found.id, **asdict(result)}, ensure_ascii=False, indent=2))
    else:
        print(result.text)
    raise typer.Exit(1 if result.is_error else 0)


def _arguments(text: str) -> dict[str, Any]:
    from toolcurator.errors import CallError

    try:
        value: Any = json.loads(text)
    except ValueError as error:
        raise CallError(f"--args is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise CallError('--args must be a JSON object, such as \'{"words": "clouds"}\'')
    return value  # pyright: ignore[reportUnknownVariableType]
