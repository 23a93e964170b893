"""``toolcurator eval``: measure on labelled queries, side by side, and write a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from toolcurator.cli.opened import IndexDir, Language, Profiles, warn
from toolcurator.settings import Fusion, Preset

if TYPE_CHECKING:
    from toolcurator.encoders import Progress
    from toolcurator.evaluation.ablation import Ablation
    from toolcurator.evaluation.labels import Dataset
    from toolcurator.evaluation.record import Asked, Run, SetRun
    from toolcurator.retrieval import Curator

_LISTED = "Several, with commas between."


def evaluate(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Folders that are a labelled set, or hold several (bench form, BEIR, a copy of ToolRet); "
            "hub:toolret and hub:toolrex are downloaded.",
        ),
    ],
    sets: Annotated[str | None, typer.Option(help=f"Names of the sets. {_LISTED}", show_default="all")] = None,
    split: Annotated[str, typer.Option(help="The split that is asked.")] = "test",
    kind: Annotated[
        str | None, typer.Option(help=f"single, multi, irrelevant, near, far, ... {_LISTED}", show_default="all")
    ] = None,
    subset: Annotated[str | None, typer.Option(help=f"Parts of the sets. {_LISTED}", show_default="all")] = None,
    limit: Annotated[
        int, typer.Option(min=0, help="Most answerable queries a set, and as many without an answer; 0 asks all.")
    ] = 400,
    seed: Annotated[int, typer.Option(help="Seed of samples, examples and resampling.")] = 0,
    k: Annotated[int, typer.Option(min=1, help="Depth of the rankings; 20 is needed for every metric.")] = 20,
    preset: Annotated[
        str | None, typer.Option(help=f"default, classic. {_LISTED[:-1]}: each is a run.", show_default="default")
    ] = None,
    fusion: Annotated[
        str | None, typer.Option(help=f"weighted, rrf, dense, sparse. {_LISTED[:-1]}.", show_default="weighted")
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(help="packaged, none, a folder, a hub name, or openai:MODEL@URL; may be repeated."),
    ] = None,
    rerank: Annotated[str | None, typer.Option(help="Reranker: a folder or a hub name.", show_default="none")] = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Example queries a tool, drawn from the train split and put into the index.")
    ] = 0,
    profiles: Profiles = None,
    ablate: Annotated[
        str | None,
        typer.Option(
            help="evidence, fields: the same run again without each evidence of the score, each field of the profiles. "
            f"{_LISTED}",
            show_default="none",
        ),
    ] = None,
    with_instruction: Annotated[
        bool, typer.Option("--with-instruction", help="Put ToolRet's instruction before each query.")
    ] = False,
    against: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Runs saved with --json, to compare with.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(help="Where the runs go, query by query.", show_default="nowhere")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Folder for index.html, report.md and JSON.", show_default="none")
    ] = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Measure how well the right tools are found, on queries with known answers.

    Example: toolcurator eval examples/campus --preset default,classic --report out
    """
    from rich.console import Console

    from toolcurator.evaluation.ablation import Ablation
    from toolcurator.evaluation.datasets import load_datasets
    from toolcurator.evaluation.record import Asked, read_runs
    from toolcurator.evaluation.report import Report, write_report
    from toolcurator.evaluation.report.report import write_runs
    from toolcurator.evaluation.report.terminal import print_report
    from toolcurator.evaluation.run import described

    _check_libraries(report is not None)
    older = read_runs(against) if against else ()
    datasets = load_datasets(
        data,
        sets=_listed(sets),
        split=split,
        kinds=_listed(kind),
        subsets=_listed(subset),
        limit=limit or None,
        seed=seed,
    )
    asked = Asked(
        split=split,
        kinds=_listed(kind),
        subsets=_listed(subset),
        limit=limit or None,
        seed=seed,
        k=k,
        examples=examples,
        instruction=with_instruction,
        profiles=profiles is not None,
    )
    datasets, notes = _prepared(datasets, examples, seed, profiles)
    runs: list[Run] = []
    shared = {"rerank_model": rerank, "language": language, "index_dir": index_dir}
    ablated = _ablated(datasets, _choices("ablate", ablate, Ablation))
    ways = [
        (" · ".join(filter(None, (label, without and f"without {without}"))), options, without)
        for label, options in _ways(
            _choices("preset", preset, Preset), _choices("fusion", fusion, Fusion), encoder or [None]
        )
        for without in ablated
    ]
    if index_dir and len(datasets) * len(ways) > 1:
        from toolcurator.errors import QueryError

        raise QueryError("--index-dir holds one index: give one set and one run, or leave it out")
    with _bars() as bar:
        for label, options, without in ways:
            done: list[SetRun] = []
            curator: Any = None
            opened: Any = None
            for dataset in datasets:
                title = f"{dataset.name} · {label}" if len(ways) > 1 else dataset.name
                with bar(title) as phase:
                    start = time.perf_counter()
                    if opened is not dataset.tools:  # the tasks of ToolRet share one pool
                        given = {**shared, **options}
                        curator = _opened(dataset, phase("encoding"), given, without=without, quiet=bool(runs))
                        opened = dataset.tools
                    took = time.perf_counter() - start
                    done.append(_asked(dataset, curator, asked, took, phase("asking"), notes.get(dataset.name, ())))
            runs.append(described(label, curator, asked, done))
    made = Report.of(runs, older)
    if json:
        write_runs(runs, json)
    wide = Console(width=None if sys.stdout.isatty() else 180, highlight=False)
    print_report(made, wide)
    if report:
        wide.print(f"report: {write_report(made, report)}", markup=False, soft_wrap=True)


def _ablated(datasets: list[Dataset], kinds: Sequence[str | None]) -> tuple[str | None, ...]:
    """What is left out, a run each: first nothing, then what ``--ablate`` asks for."""
    from toolcurator.errors import QueryError
    from toolcurator.evaluation.ablation import parts_to_leave_out

    found: list[str | None] = [None]
    for kind in kinds:
        if kind is not None:
            found += (names := parts_to_leave_out(cast("Ablation", kind), datasets))
            if not names:
                raise QueryError("--ablate fields: no tool has a profile; attach them with --profiles FILE")
    return tuple(found)


def _opened(
    dataset: Dataset, progress: Progress, options: dict[str, Any], *, without: str | None, quiet: bool
) -> Curator:
    from toolcurator.evaluation.ablation import PROFILE_FIELDS, leave_out, without_field
    from toolcurator.retrieval import Curator

    given = {name: value for name, value in options.items() if value is not None}
    if without in PROFILE_FIELDS:
        dataset = without_field(dataset, without)
    curator = Curator.open(dataset.tools, progress=progress, confirm=_confirm, **given)
    if without and without not in PROFILE_FIELDS:
        leave_out(curator, without)
    if not quiet:
        warn(curator.faults)
    return curator


def _confirm(question: str) -> bool:
    return sys.stdin.isatty() and typer.confirm(question, err=True)


def _asked(
    dataset: Dataset, curator: Curator, asked: Asked, build: float, progress: Progress, notes: Sequence[str]
) -> SetRun:
    from toolcurator.evaluation.cost import token_counter
    from toolcurator.evaluation.run import evaluate as ask

    came = ask(
        dataset,
        curator,
        k=asked.k,
        instruction=asked.instruction,
        build=build,
        counter=token_counter(),
        progress=progress,
    )
    return came.model_copy(update={"warnings": (*came.warnings, *notes)})


def _prepared(
    datasets: list[Dataset], examples: int, seed: int, profiles: Path | None
) -> tuple[list[Dataset], dict[str, tuple[str, ...]]]:
    """The sets with what is added to their tools, and what must be said about that."""
    from toolcurator.evaluation.examples import draw_examples, with_examples, with_profiles

    notes: dict[str, tuple[str, ...]] = {}
    made: list[Dataset] = []
    for dataset in datasets:
        said: list[str] = []
        if examples:
            drawn = draw_examples(dataset, examples, seed)
            if not drawn.examples:
                said.append("no train split to draw examples from: the figures are without")
            else:
                dataset = with_examples(dataset, drawn)
            if drawn.refused:
                said.append(f"{drawn.refused} train queries are asked too, and were not drawn as examples")
        if profiles:
            dataset = with_profiles(dataset, profiles)
        notes[dataset.name] = tuple(said)
        made.append(dataset)
    return made, notes


def _ways(
    presets: Sequence[str | None], fusions: Sequence[str | None], encoders: Sequence[str | None]
) -> list[tuple[str, dict[str, Any]]]:
    """Every combination, each with a label made of what differs from the defaults."""
    ways: list[tuple[str, dict[str, Any]]] = []
    for preset, fusion, encoder in product(presets, fusions, encoders):
        said = [each for each in (preset, fusion, Path(encoder).name if encoder else None) if each]
        ways.append((" · ".join(said) or "default", {"preset": preset, "fusion": fusion, "encoder": encoder}))
    return ways


def _choices(name: str, given: str | None, kind: Any) -> Sequence[str | None]:
    from toolcurator.errors import QueryError

    listed = _listed(given) or (None,)
    for each in listed:
        if each is not None and each not in get_args(kind):
            raise QueryError(f"--{name} must be one of {', '.join(get_args(kind))}, not {each!r}")
    return listed


def _listed(given: str | None) -> tuple[str, ...] | None:
    found = tuple(each.strip() for each in (given or "").split(",") if each.strip())
    return found or None


def _check_libraries(drawn: bool) -> None:
    """Say what is missing before anything is measured, not after."""
    from toolcurator.evaluation.extra import load_library

    for library in ("ir_measures", "sklearn.metrics", *(("jinja2", "matplotlib") if drawn else ())):
        load_library(library)


@contextmanager
def _bars() -> Generator[Callable[[str], Any]]:
    """One progress bar a set on stderr, with what is being done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        TextColumn("{task.fields[phase]}", style="dim"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:

        @contextmanager
        def bar(title: str) -> Generator[Callable[[str], Progress]]:
            task = bars.add_task(title, total=None, phase="opening")

            def phase(name: str) -> Progress:
                def report(done: int, total: int) -> None:
                    bars.update(task, completed=done, total=total, phase=name)

                return report

            yield phase

        yield bar
