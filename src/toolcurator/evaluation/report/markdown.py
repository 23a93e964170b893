"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from toolcurator.evaluation.record import Run
from toolcurator.evaluation.report.report import Report
from toolcurator.evaluation.report.tables import Table, sets_of, tables
from toolcurator.evaluation.report.terminal import warnings


def markdown(report: Report) -> str:
    """The whole report but for its plots."""
    lines = ["# Evaluation", "", *(f"- **{run.label}**: {told(run)}" for run in report.runs), ""]
    for warning in warnings(report):
        lines += [f"> {warning}", ""]
    for table in tables(report):
        lines += [f"## {table.title}", "", *_table(table), ""]
        if table.note:
            lines += [table.note, ""]
    notes = {each.name: each.notes for run in report.runs for each in run.sets if each.notes}
    if notes:
        lines += ["## The sets", "", *(f"- **{name}**: {notes[name]}" for name in sets_of(report) if name in notes), ""]
    return "\n".join(lines)


def told(run: Run) -> str:
    """How a run was made, in one line."""
    asked = run.asked
    settings = ", ".join(f"{name} {value}" for name, value in run.settings.items() if name not in ("preset", "encoder"))
    parts = [
        f"encoder {run.encoder or 'none, words alone'}",
        *([settings] if settings and run.settings.get("preset") != "classic" else []),
        f"split {asked.split}",
        *([f"kinds {', '.join(asked.kinds)}"] if asked.kinds else []),
        *([f"subsets {', '.join(asked.subsets)}"] if asked.subsets else []),
        f"at most {asked.limit:,} queries a set" if asked.limit else "every query",
        f"seed {asked.seed}",
        *([f"{asked.examples} examples a tool from the train split"] if asked.examples else []),
        *(["with ToolRet's instruction"] if asked.instruction else []),
        *(["with recorded profiles"] if asked.profiles else []),
        f"toolcurator {run.versions.get('toolcurator', '?')}",
        f"{run.made:%Y-%m-%d %H:%M} UTC",
    ]
    return "; ".join(parts)


def _table(table: Table) -> Iterable[str]:
    yield f"| {' | '.join(map(_cell, table.head))} |"
    yield f"|{'|'.join('---' if at < table.texts else '--:' for at in range(len(table.head)))}|"
    first = len(table.rows) - table.averages
    for at, row in enumerate(table.rows):
        cells = (f"**{_cell(cell)}**" if at >= first and cell else _cell(cell) for cell in row)
        yield f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").strip()
