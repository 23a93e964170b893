"""The report on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from toolcurator.evaluation.report.report import Report
from toolcurator.evaluation.report.tables import Table, tables


def print_report(report: Report, console: Console) -> None:
    """Print every table but the parts, which are for the files, and what to know before a figure is quoted."""
    for table in tables(report):
        if table.title != "By kind and subset":
            console.print(_rich(table))
            console.print(f"{table.note}\n", style="dim", markup=False, highlight=False)
    for warning in warnings(report):
        console.print(f"! {warning}", style="yellow", markup=False, highlight=False)


def warnings(report: Report) -> list[str]:
    """What to know before a figure is quoted, each once."""
    found = [f"{each.name}: {warning}" for run in report.runs for each in run.sets for warning in each.warnings]
    found += [
        f"{each.name}, {run.label}: the probability that any tool fits was not measured with this encoder"
        for run in report.runs
        for each in run.sets
        if not each.calibrated and any(not answer.needs for answer in each.answers)
    ]
    for figures in report.figures:
        for each in figures.sets:
            if sum(each.leaks_examples):
                exact, near = each.leaks_examples
                found.append(
                    f"{each.name}, {figures.label}: leak: queries that stand among the tools' examples, and are answered from "
                    f"memory: {exact} word for word, {near} nearly so"
                )
    return list(dict.fromkeys(found))


def _rich(table: Table) -> RichTable:
    made = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    for at, name in enumerate(table.head):
        made.add_column(escape(name), justify="left" if at < table.texts else "right", no_wrap=at >= table.texts)
    first = len(table.rows) - table.averages
    for at, row in enumerate(table.rows):
        made.add_row(*map(escape, row), style="bold" if at >= first else "", end_section=at == first - 1)
    return made
