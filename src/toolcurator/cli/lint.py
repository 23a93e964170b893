"""``toolcurator lint``: what is wrong with the documents of a catalogue."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolcurator.cli.opened import Encoder, IndexDir, Json, Language, Profiles, Synonyms, progress

if TYPE_CHECKING:
    from rich.console import Console

    from toolcurator.catalog import Catalog
    from toolcurator.lint import Change, Finding, LintReport
    from toolcurator.retrieval import Curator

FailOn = Literal["error", "warning", "note", "never"]

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
_CHANGES = 20


def lint(
    catalogs: Annotated[list[str], typer.Argument(metavar="CATALOG...", help="Files, folders or addresses.")],
    as_json: Json = False,
    sarif: Annotated[Path | None, typer.Option(help="Write SARIF 2.1.0 to this file; - for stdout.")] = None,
    select: Annotated[
        list[str] | None, typer.Option(help="Only these rules: TC6 (a family), TC602, or a name; may be repeated.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Not these; TC604:server/* for some tools only; may be repeated.")
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="Exit with 1 from this severity on.")] = "error",
    top: Annotated[int, typer.Option(min=0, help="Findings shown of each rule; 0 for all.")] = 5,
    fix: Annotated[
        bool, typer.Option("--fix", help="Put right what is mechanical; shows a diff without --out.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="With --fix: the new catalogue (.json, .jsonl, .yaml).")] = None,
    encoder: Encoder = None,
    synonyms: Synonyms = None,
    profiles: Profiles = None,
    language: Language = None,
    index_dir: IndexDir = None,
) -> None:
    """Check the documents of tools: missing, too long, confusable, stuffed, or speaking to the model.

    Exit code: 0 if nothing is as bad as --fail-on, 1 if something is, 2 if the command cannot run.
    """
    from toolcurator.catalog import Catalog
    from toolcurator.errors import CatalogError
    from toolcurator.lint import fixed, places
    from toolcurator.lint import lint as check
    from toolcurator.lint import sarif as as_sarif

    if out is not None:
        if not fix:
            raise CatalogError("--out goes with --fix")
        _refuse_input(out, catalogs)
    catalog = Catalog.load(*catalogs, synonyms=synonyms, profiles=profiles, language=language)
    how = {"synonyms": synonyms, "profiles": profiles, "language": language, "index_dir": index_dir, "encoder": encoder}
    curator = _curator(catalogs, catalog, how)
    with progress("checking") as report_progress:
        report = check(
            catalog,
            curator=curator,
            select=select or (),
            ignore=ignore or (),
            locate=places(catalogs),
            progress=report_progress if len(catalog) > 500 else None,
        )
    changed: tuple[Change, ...] = ()
    if fix:
        tools, changed = fixed(catalog.tools)
        if out is not None:
            Catalog(tools, name=catalog.name, language=catalog.language, sources=catalog.sources).save(out)
    if sarif is not None:
        text = json.dumps(as_sarif(report), ensure_ascii=False, indent=1)
        if str(sarif) == "-":
            print(text)
        else:
            sarif.write_text(f"{text}\n", "utf-8", errors="backslashreplace")
    if as_json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    elif str(sarif) != "-":
        _print(report, top)
        if fix:
            _print_changes(changed, out)
    raise typer.Exit(_exit_code(report, fail_on, out is not None))


def _curator(catalogs: list[str], catalog: Catalog, how: Mapping[str, Any]) -> Curator | None:
    """The curator that a search would open, so that both share an index; None if no tool is active."""
    from toolcurator.cli.opened import open_curator
    from toolcurator.retrieval import Curator
    from toolcurator.sources.web import is_url

    if not catalog.visible(None):
        return None
    if catalog.live or any(map(is_url, catalogs)):  # not asked or fetched a second time
        given = {name: how[name] for name in ("encoder", "index_dir") if how[name] is not None}
        with progress("encoding") as report:
            return Curator.open(catalog, progress=report, **given)
    return open_curator(catalogs, quiet=True, **how)


def _refuse_input(out: Path, catalogs: list[str]) -> None:
    from toolcurator.errors import CatalogError

    target = out.resolve()
    for path in (Path(each).resolve() for each in catalogs):
        if target == path or (path.is_dir() and target.is_relative_to(path)):
            raise CatalogError(f"--out {out} is the catalogue itself or lies in it; choose another file")


def _exit_code(report: LintReport, fail_on: FailOn, written: bool) -> int:
    if fail_on == "never":
        return 0
    return 1 if any(not (written and each.fixable) for each in report.at_least(fail_on)) else 0


def _print(report: LintReport, top: int) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    for severity, count in report.counts.items():
        shown = [each for each in report.findings if each.severity == severity]
        if not count:
            continue
        console.print(f"\n{severity}s ({count:,})", style=_STYLES[severity], markup=False)
        rules = Counter[str]()
        kept: list[Finding] = []
        for each in shown:
            rules[each.rule] += 1
            if not top or rules[each.rule] <= top:
                kept.append(each)
        _table(console, kept)
        if more := {rule: n - top for rule, n in rules.items() if top and n > top}:
            left = ", ".join(f"{n:,} {rule}" for rule, n in more.items())
            console.print(f"… and {left} more (--top 0 shows all, --select one rule)", markup=False)
    if report.pairs_left_out:
        console.print(f"{report.pairs_left_out:,} further confusable pairs are left out", markup=False)
    _summary(console, report)


def _table(console: Console, findings: list[Finding]) -> None:
    from rich.table import Table
    from rich.text import Text

    from toolcurator.retrieval.explain import cell

    def lines(*parts: str) -> Text:
        return Text("\n").join(cell(part) for part in parts if part)

    rows = Table(box=None, pad_edge=False, show_header=False, expand=False)
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold", max_width=44)
    rows.add_column(overflow="fold")
    for each in findings:
        place = f"{each.path}:{each.line}" if each.path and each.line else each.path
        about = lines(each.tool or place, each.where, place if each.tool else "")
        rows.add_row(
            cell(f"{each.rule} {each.name}", _STYLES[each.severity]), about, lines(each.message, each.evidence)
        )
    console.print(rows)


def _summary(console: Console, report: LintReport) -> None:
    from toolcurator.lint import RULES
    from toolcurator.retrieval.explain import cell

    most = max(report.histogram, default=0)
    console.print("\nscore of the documents, 0 to 100")
    for number, count in enumerate(report.histogram):
        bar = "█" * (round(40 * count / most) or (1 if count else 0))
        console.print(f"{number * 10:>3} {bar} {count:,}", markup=False)
    lowest = ", ".join(f"{score.tool} {score.total:.0f}" for score in report.worst(3))
    console.print(cell(f"mean {report.mean:.1f}; lowest: {lowest}"))
    by_rule = ", ".join(f"{RULES[rule].name} {sum(counts.values()):,}" for rule, counts in report.by_rule.items())
    counted = ", ".join(f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in report.counts.items())
    console.print(cell(f"{len(report.scores):,} tools: {counted}{f' ({by_rule})' if by_rule else ''}"))


def _print_changes(changed: tuple[Change, ...], out: Path | None) -> None:
    tools = len({change.tool for change in changed})
    if out is not None:
        print(f"fixed {len(changed):,} fields of {tools:,} tools, written to {out}")
        return
    for change in changed[:_CHANGES]:
        print(f"\n{change.tool}: {change.where}")
        print("\n".join(change.diff()))
    if len(changed) > _CHANGES:
        print(f"… and {len(changed) - _CHANGES:,} more fields")
    print(f"\n{len(changed):,} fields of {tools:,} tools would change; --out FILE writes the new catalogue")
