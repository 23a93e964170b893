"""What a report is about, and the files it is written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from toolcurator.evaluation.figures import Comparison, Figures, compare, figures_of
from toolcurator.evaluation.labels import DatasetError
from toolcurator.evaluation.record import Run, Runs

MARKDOWN, JSON, PAGE, RUNS = "report.md", "figures.json", "index.html", "runs.json"


class FiguresFile(BaseModel):
    """Figures as they are saved, for programs.

    Attributes:
        figures: One a run.
        comparisons: Every run against the first one.
    """

    model_config = ConfigDict(frozen=True)

    figures: tuple[Figures, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class Report:
    """Runs side by side.

    Attributes:
        runs: The runs; every other one is compared with the first.
        subject: Which of them the plots of a single run are about: the first that was measured now.
    """

    runs: tuple[Run, ...]
    subject: int = 0

    @classmethod
    def of(cls, runs: Sequence[Run], against: Sequence[Run] = ()) -> Report:
        """A report on runs.

        Args:
            runs: What was measured now.
            against: Older runs. The one of the first run's label comes first, else the first of them, and is what all are
                compared with.
        """
        if not against:
            return cls(tuple(runs))
        old = next((run for run in against if run.label == runs[0].label), against[0])
        return cls((old.model_copy(update={"label": f"{old.label} ({old.made:%Y-%m-%d %H:%M})"}), *runs), subject=1)

    @cached_property
    def figures(self) -> tuple[Figures, ...]:
        """The figures of each run."""
        return tuple(figures_of(run) for run in self.runs)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every run against the first one, set by set."""
        return tuple(each for run in self.runs[1:] for each in compare(self.runs[0], run))

    @property
    def file(self) -> FiguresFile:
        """The figures as they are saved."""
        return FiguresFile(figures=self.figures, comparisons=self.comparisons)


def write_runs(runs: Sequence[Run], path: Path) -> None:
    """Save runs, for ``--against``.

    Raises:
        DatasetError: The file cannot be written.
    """
    _write(path, Runs(runs=tuple(runs)).model_dump_json())


def write_report(report: Report, folder: Path) -> Path:
    """Write ``index.html``, ``report.md``, ``figures.json`` and ``runs.json``.

    Args:
        report: The report.
        folder: Where; made if it is not there.

    Returns:
        The page.

    Raises:
        MissingExtra: jinja2 or matplotlib is not installed.
        DatasetError: The folder cannot be written.
    """
    from toolcurator.evaluation.report.markdown import markdown
    from toolcurator.evaluation.report.page import page

    _write(folder / PAGE, page(report))
    _write(folder / MARKDOWN, markdown(report))
    _write(folder / JSON, report.file.model_dump_json(indent=1))
    write_runs(report.runs, folder / RUNS)
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise DatasetError(f"{path} cannot be written: {error.strerror or error}") from None
