"""``toolcurator chat``: a conversation with a catalogue, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Language, Profiles, live_curator
from toolcurator.cli.route import ApiBase, IntentFile, Llm, Preset, open_router

if TYPE_CHECKING:
    from toolcurator.routing.router import Router


def chat(
    catalogs: Annotated[list[str], typer.Argument(metavar="CATALOG...", help="Files, folders or addresses.")],
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is seen.")] = None,
    llm: Llm = None,
    api_base: ApiBase = "",
    intent: IntentFile = None,
    preset: Preset = "default",
    base_url: Annotated[
        str, typer.Option(help="For endpoints without a host of their own; {id} and {name} are the tool's.")
    ] = "",
    host: Annotated[
        list[str] | None,
        typer.Option(help="A further host that may be called; may be repeated.", show_default="the catalogue's own"),
    ] = None,
    private: Annotated[
        list[str] | None,
        typer.Option(help="A host or network with a private address that may be called.", show_default="none"),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="File that decisions are appended to, redacted.")] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Call with missing arguments empty, as the third seed does.")
    ] = False,
    events: Annotated[bool, typer.Option("--events", help="Print every event as JSON.")] = False,
    encoder: Encoder = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Talk to a catalogue: tools are found, arguments asked for, services called. An empty line, or the end of input, ends it.

    Example: toolcurator chat examples/et_services --base-url http://localhost:8080/{name} --private localhost
    """
    import asyncio

    from toolcurator.retrieval import Curator
    from toolcurator.routing.call import Caller, CallPolicy
    from toolcurator.routing.log import DecisionLog

    options = {"encoder": encoder, "profiles": profiles, "language": language, "index_dir": index_dir}
    with live_curator(catalogs, **options) as curator:
        catalog, live = (
            (curator.index.catalog, None) if isinstance(curator, Curator) else (curator.catalog, curator.live)
        )
        policy = CallPolicy.for_tools(catalog, base_url=base_url, hosts=tuple(host or ()), private=tuple(private or ()))
        router = open_router(
            curator,
            llm,
            api_base,
            intent,
            preset,
            caller=Caller(policy, live=live),
            log=DecisionLog(log) if log else None,
            lenient=lenient,
        )
        asyncio.run(_talk(router, role, events))


def _messages() -> Iterator[str]:
    shown = sys.stdin.isatty()
    while True:
        if shown:
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line.strip()


async def _talk(router: Router, role: str | None, events: bool) -> None:
    from toolcurator.routing.conversation import Conversation
    from toolcurator.routing.events import ErrorEvent, QuestionEvent, ResultEvent, ToolCallEvent

    conversation = Conversation()
    for message in _messages():
        async for event in router.stream(message, conversation, role=role):
            if events:
                print(event.model_dump_json(), flush=True)
            elif isinstance(event, ResultEvent | QuestionEvent):
                print(event.text, flush=True)
            elif isinstance(event, ErrorEvent):
                print(f"! {event.message}", flush=True)
            elif isinstance(event, ToolCallEvent):
                given = ", ".join(f"{name}={value!r}" for name, value in event.arguments.items())
                print(f"  [{event.tool}({given})]", file=sys.stderr, flush=True)
