"""``toolcurator train``: what is learned from labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, open_curator, progress

if TYPE_CHECKING:
    from toolcurator.training.intent import TrainedIntent

train = typer.Typer(help="Learn from labels.", no_args_is_help=True)


@train.callback()
def _group() -> None:  # pyright: ignore[reportUnusedFunction]
    """Learn from labels."""


@train.command("intent")
def train_intent(
    catalogs: Annotated[list[str], typer.Argument(metavar="CATALOG...", help="Files, folders or addresses.")],
    turns: Annotated[
        Path,
        typer.Option(
            exists=True,
            dir_okay=False,
            help='Labelled turns, JSON Lines: "message", "tool" (or null), "slots", "history", "candidates".',
        ),
    ],
    llm: Annotated[str, typer.Option(help="The model that is trained for, a LiteLLM name.")],
    out: Annotated[Path, typer.Option(help="Where the prompt goes; route and chat read it with --intent.")],
    api_base: Annotated[
        str, typer.Option(help="Address of an OpenAI-compatible server, such as http://localhost:8000/v1.")
    ] = "",
    optimizer: Annotated[
        Literal["bootstrap", "labeled", "random"],
        typer.Option(help="DSPy's BootstrapFewShot, LabeledFewShot or BootstrapFewShotWithRandomSearch."),
    ] = "bootstrap",
    examples: Annotated[int, typer.Option(min=1, max=16, help="Most examples in the prompt.")] = 4,
    held_out: Annotated[
        float, typer.Option(min=0.05, max=0.9, help="Share of the turns that is measured on, and not learned from.")
    ] = 0.3,
    seed: Annotated[int, typer.Option(help="Of the split.")] = 0,
    role: Annotated[str | None, typer.Option(help="Persona; without it every tool is seen.")] = None,
    encoder: Encoder = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
    as_json: Json = False,
) -> None:
    """Make a better prompt for the model that confirms tools and reads slots, from labelled turns.

    Example: toolcurator train intent examples/et_services --turns turns.jsonl --llm openai/gpt-4o-mini --out intent.json
    """
    import asyncio

    from toolcurator.enrichment.model import open_model
    from toolcurator.errors import SettingsError
    from toolcurator.training.intent import train_intent as run
    from toolcurator.training.turns import read_turns

    if not out.absolute().parent.is_dir():
        raise SettingsError(f"{out} cannot be written: its folder does not exist")
    curator = open_curator(catalogs, encoder=encoder, profiles=profiles, language=language, index_dir=index_dir)
    labelled = read_turns(turns, curator, role=role)
    model = open_model(llm, api_base)

    async def trained() -> TrainedIntent:
        try:
            with progress("asking") as report:
                return await run(
                    labelled,
                    model,
                    optimizer=optimizer,
                    share=held_out,
                    seed=seed,
                    examples=examples,
                    language=curator.index.manifest.language,
                    progress=report,
                )
        finally:
            await model.close()

    made = asyncio.run(trained())
    if made.kept:
        made.program.write(out)
    if as_json:
        print(json.dumps(made.report() | {"out": str(out) if made.kept else None}, ensure_ascii=False, indent=2))
    else:
        _print(made, out)


def _print(made: TrainedIntent, out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.1%}"

    table = Table("", "before", "after", box=None, pad_edge=False)
    rows = {"tool": "tool right", "none": "none right", "slots_exact": "slots exact", "slots_f1": "slots F1"}
    for name, title in rows.items():
        table.add_row(title, *(share(getattr(each, name)) for each in (made.before, made.after)))
    table.add_row("no usable answer", str(made.before.failed), str(made.after.failed))
    Console(width=100, highlight=False).print(table)
    print(f"measured on {made.before.turns} turns, learned from {made.learned_from} others")
    print(f"{made.calls} calls, {made.tokens_in:,} tokens in, {made.tokens_out:,} out")
    if made.added:
        print(f"in {made.added} turns the search had not found the tool that was meant; it was offered all the same")
    if made.kept:
        print(f"{made.examples} examples in the prompt, written to {out}: toolcurator route CATALOG ... --intent {out}")
    else:
        print("not written: it is worse than the prompt that comes with the package")
