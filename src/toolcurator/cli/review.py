"""``toolcurator review``: what a model wrote about tools, looked at by people in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcurator.cli.opened import Encoder, Json, Language, progress, warn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolcurator.enrichment.review import Item
    from toolcurator.tool import Tool


def review(
    catalogs: Annotated[list[Path], typer.Argument(metavar="CATALOG...", help="One or more files or folders.")],
    profiles: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="The profiles, as `toolcurator enrich` writes them.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The file to edit.", show_default="beside the profiles, .review.yaml")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="An edited file that is read back.")
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Fields that passed by themselves and are looked at, drawn by chance.")
    ] = 50,
    seed: Annotated[int, typer.Option(help="Of the chance.")] = 0,
    round_trip: Annotated[
        bool, typer.Option("--round-trip/--no-round-trip", help="Mark example queries that find another tool first.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Write over a file to edit that is there.")] = False,
    encoder: Encoder = None,
    language: Language = None,
    as_json: Json = False,
) -> None:
    """Write a file in which people approve, reject or edit what a model wrote, and read it back.

    Example: toolcurator review examples/campus --profiles campus.profiles.jsonl; edit; then the same with
    --apply campus.review.yaml
    """
    from toolcurator.catalog import Catalog
    from toolcurator.enrichment.profiles_file import write_profiles
    from toolcurator.enrichment.review import applied, exported, plan
    from toolcurator.errors import QueryError
    from toolcurator.sources.documents import read_value
    from toolcurator.sources.profiles import read_profiles

    catalog = Catalog.load(*catalogs, profiles=profiles, language=language)
    warn([str(fault) for fault in catalog.faults])
    if apply:
        value, fault = read_value(apply)
        if fault is not None:
            raise QueryError(str(fault))
        found = applied(catalog.tools, value, path=str(apply))
        others = [each for each in read_profiles(profiles) if each.id not in found.profiles]
        write_profiles(profiles, found.profiles, others)
        agreement = sum(a == b for a, b in found.judged) / max(len(found.judged), 1)
        facts = {
            "approved": found.approved,
            "rejected": found.rejected,
            "edited": found.edited,
            "judged_by_both": len(found.judged),
            "agreement": agreement if found.judged else None,
            "kappa": found.kappa,
        }
        if as_json:
            print(json.dumps(facts, indent=2))
            return
        print(
            f"{found.approved:,} approved, {found.rejected:,} rejected, {found.edited:,} edited; {profiles} is written"
        )
        if found.judged:
            kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
            print(
                f"judge and reviewer agree on {100 * agreement:.0f} % of {len(found.judged):,} fields "
                f"(Cohen's kappa {kappa})"
            )
        return
    target = out or profiles.with_name(f"{profiles.name.removesuffix('.jsonl').removesuffix('.profiles')}.review.yaml")
    if target.exists() and not force:
        raise QueryError(f"{target} is there already: read it back with --apply, or write over it with --force")
    items = plan(catalog.tools, sample=sample, seed=seed)
    astray: Mapping[str, Mapping[str, str]] = {}
    if round_trip:
        astray = _astray(catalog.tools, encoder, language or catalog.language)
    target.write_text(exported(catalog.tools, items, astray), encoding="utf-8", errors="backslashreplace")
    _say(target, items, astray, profiles, as_json)


def _astray(tools: Sequence[Tool], encoder: str | None, language: str) -> Mapping[str, Mapping[str, str]]:
    from toolcurator.enrichment.round_trip import astray, without_queries
    from toolcurator.retrieval import Curator

    given: dict[str, Any] = {name: value for name, value in (("encoder", encoder), ("language", language)) if value}
    with progress("encoding") as report:
        curator = Curator.open(without_queries(tools), progress=report, **given)
    with progress("asking") as report:
        return astray(curator, tools, progress=report)


def _say(
    target: Path, items: Sequence[Item], astray: Mapping[str, Mapping[str, str]], profiles: Path, as_json: bool
) -> None:
    whys = {why: sum(item.why == why for item in items) for why in dict.fromkeys(item.why for item in items)}
    wrong = sum(map(len, astray.values()))
    if as_json:
        print(
            json.dumps(
                {"file": str(target), "fields": whys, "astray": {k: dict(v) for k, v in astray.items()}}, indent=2
            )
        )
        return
    print(f"{len(items):,} fields of {len({item.tool for item in items}):,} tools in {target}: ", end="")
    print(", ".join(f"{count:,} {why}" for why, count in whys.items()) or "nothing to look at")
    if wrong:
        print(
            f"{wrong:,} example queries of {len(astray):,} tools find another tool first; they are marked where they stand"
        )
    print(f"edit it, then: toolcurator review CATALOG --profiles {profiles} --apply {target}")
