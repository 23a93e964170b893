"""``toolcurator route``: which tool a message is about, with what arguments, or none; nothing is called."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolcurator.cli.batch import answer_file
from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, open_curator

if TYPE_CHECKING:
    from toolcurator.live import LiveCurator
    from toolcurator.retrieval import Curator
    from toolcurator.routing.router import Router
    from toolcurator.routing.understanding import Understanding

Llm = Annotated[
    str | None,
    typer.Option(help="Model that confirms the tool and reads slots, a LiteLLM name.", show_default="none, by rules"),
]
ApiBase = Annotated[str, typer.Option(help="Address of an OpenAI-compatible server, such as http://localhost:8000/v1.")]
Preset = Annotated[
    Literal["default", "classic"],
    typer.Option(help="classic decides by cosine, with the third seed's fixed limits."),
]
IntentFile = Annotated[
    Path | None,
    typer.Option(help="What `toolcurator train intent` wrote, for --llm.", exists=True, dir_okay=False),
]


def route(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="CATALOG... MESSAGE", help="Files, folders or addresses, then the message."),
    ],
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is seen.")] = None,
    queries: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help='A file of messages: JSON Lines with "query", or plain lines.'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the decisions go, a line each.", show_default="standard output")
    ] = None,
    llm: Llm = None,
    api_base: ApiBase = "",
    intent: IntentFile = None,
    preset: Preset = "default",
    encoder: Encoder = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
    as_json: Json = False,
) -> None:
    """Decide which tool a message is about (match, ambiguous, none), and read its arguments. Nothing is called.

    Example: toolcurator route examples/et_services "Palju saan 200 EUR eest THBdes?"
    """
    import asyncio

    from toolcurator.errors import QueryError

    catalogs, message = (arguments, "") if queries else (arguments[:-1], arguments[-1])
    if not catalogs:
        raise QueryError(
            f"a catalogue and a message are needed, only {message!r} came: toolcurator route CATALOG MESSAGE"
        )
    curator = open_curator(catalogs, encoder=encoder, profiles=profiles, language=language, index_dir=index_dir)
    router = open_router(curator, llm, api_base, intent, preset)
    with asyncio.Runner() as runner:

        def decided(asked: dict[str, Any]) -> tuple[Understanding, dict[str, Any]]:
            start = time.perf_counter()
            seen_by = role or asked.get("role")  # a line never sees more than the command may
            found = runner.run(router.understand(asked["query"], role=seen_by))
            return found, _line(found, 1000 * (time.perf_counter() - start))

        if queries:
            raise typer.Exit(answer_file(queries, out, "deciding", lambda asked: decided(asked)[1]))
        found, line = decided({"query": message})
    if as_json:
        print(json.dumps(line | {"why": found.why}, ensure_ascii=False, indent=2))
    else:
        _show(found)


def open_router(
    curator: Curator | LiveCurator,
    llm: str | None,
    api_base: str,
    intent: Path | None,
    preset: Literal["default", "classic"],
    **more: Any,
) -> Router:
    """A router over a curator, with a model if one is named."""
    from toolcurator.errors import SettingsError
    from toolcurator.retrieval import Curator
    from toolcurator.routing.router import Router

    searched = curator if isinstance(curator, Curator) else curator.curator
    if preset == "classic" and searched.encoder is None:
        raise SettingsError("--preset classic compares cosines, which need an encoder: leave out --encoder none")
    if intent and not llm:
        raise SettingsError(f"{intent} is for a model: say which one with --llm")
    model = None
    if llm:
        from toolcurator.enrichment.model import open_model

        model = open_model(llm, api_base)
    calibration = "classic" if preset == "classic" else "own"
    return Router(curator, llm=model, intent=intent, calibration=calibration, **more)


def _line(found: Understanding, ms: float) -> dict[str, Any]:
    """One decision as a line of the batch's output; with the same of each part, where there are several."""
    parts = {"parts": [{"query": each.decision.query, **_said(each)} for each in found.parts]} if found.parts else {}
    return {**_said(found), **parts, "ms": round(ms, 2)}


def _said(found: Understanding) -> dict[str, Any]:
    decision = found.decision
    chosen = found.tool is not None
    kind = "match" if chosen else decision.kind if decision.kind != "match" else "none"
    return {
        "decision": "ambiguous" if found.choice else kind,
        "tool": found.tool.id if found.tool is not None else None,
        "probability": round(decision.right if chosen else decision.fits, 4),
        "candidates": [{"tool": each.tool, "score": round(each.score, 4)} for each in decision.candidates],
        "slots": dict(found.slots.values),
        "missing": list(found.slots.missing),
    }


def _show(found: Understanding) -> None:
    decision = found.decision
    if found.parts:
        print(f"{len(found.parts)} requests in one message")
    for each in found.parts or (found,):
        _show_one(each)
    if decision.thresholds.scale != "cosine" and not decision.calibrated:
        print("not calibrated for this catalogue: toolcurator calibrate CATALOG")


def _show_one(found: Understanding) -> None:
    decision = found.decision
    what = "cosine" if decision.thresholds.scale == "cosine" else "probability"
    if found.tool is not None:
        print(f"match: {found.tool.id} ({what} {decision.right:.2f})")
        for name, value in found.slots.values.items():
            source = found.slots.normalized_from.get(name)
            print(f"  {name} = {value!r}" + (f"   from “{source}”" if source else ""))
        for name in found.slots.missing:
            print(f"  {name} is missing")
        for note in found.slots.said:
            print(f"  note: {note}")
    elif found.choice:
        print("ambiguous: " + ", ".join(tool.id for tool in found.choice))
    else:
        print(f"none ({what} {'of the nearest' if what == 'cosine' else 'that any tool fits'} {decision.fits:.2f})")
    print(f"because: {found.why}")
