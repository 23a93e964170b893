"""What people check of profiles, in a file that they edit: the fields, what they were written from, and what became of them.

All that no judge accepted at once is in it (dropped, refined or unjudged fields), and a random sample of what passed by itself,
so that the agreement between judge and reviewer can be told.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from toolcurator.enrichment.model import EnrichmentError
from toolcurator.enrichment.source import PROFILE_FIELDS, source_of, stale_fields
from toolcurator.sources.json_values import as_array, as_object
from toolcurator.tool import Profile, Provenance, Tool

Why = Literal["dropped", "refined", "unjudged", "stale", "sample"]

SAMPLE = 50
"""Fields that passed by themselves and are looked at all the same."""
HUMAN = "human"
VERDICTS = ("approve", "reject")

_LISTS = ("tags", "example_queries")
_HELP = """\
# What a model wrote about your tools. For each field set verdict to approve or reject, or edit its text; what you leave alone
# stays as it is. A field that was dropped has no text: approve that, or write one. Then run the same command with --apply.
"""


@dataclass(frozen=True)
class Item:
    """One field to look at.

    Attributes:
        tool: Id of the tool.
        field: Name of the field.
        why: Why it is looked at.
    """

    tool: str
    field: str
    why: Why


@dataclass(frozen=True)
class Reviewed:
    """What came of a review.

    Attributes:
        profiles: Id of the tool → its profile, all of them, the unchanged ones too.
        approved: Fields approved.
        rejected: Fields rejected, which are empty now.
        edited: Fields whose text a person wrote.
        judged: What judge and reviewer said of each field that both judged: supported or not.
    """

    profiles: Mapping[str, Profile]
    approved: int
    rejected: int
    edited: int
    judged: tuple[tuple[bool, bool], ...]

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960) between judge and reviewer: 1 full agreement, 0 what chance gives; None where it is undefined."""
        return cohens_kappa(self.judged)


def plan(tools: Sequence[Tool], *, sample: int = SAMPLE, seed: int = 0) -> tuple[Item, ...]:
    """Which fields are to be looked at.

    Args:
        tools: The tools with their profiles.
        sample: Fields that passed by themselves and are looked at, drawn by chance.
        seed: Of the chance.

    Returns:
        The fields, in the order of the tools. What a person has written or judged already is not among them, unless it is stale.
    """
    doubtful: dict[tuple[str, str], Why] = {}
    passed: list[tuple[str, str]] = []
    for tool in tools:
        if tool.profile is None:
            continue
        stale = stale_fields(tool, tool.profile)
        for field in PROFILE_FIELDS:
            by = tool.profile.provenance.get(field, Provenance())
            if field in stale and by.source_hash:
                doubtful[tool.id, field] = "stale"
            elif HUMAN in (by.model, by.judge):
                continue
            elif not getattr(tool.profile, field):
                if by.supported is False:
                    doubtful[tool.id, field] = "dropped"
            elif by.supported is None:
                doubtful[tool.id, field] = "unjudged"
            elif by.prompt.startswith("refine"):
                doubtful[tool.id, field] = "refined"
            else:
                passed.append((tool.id, field))
    drawn = random.Random(seed).sample(passed, min(sample, len(passed)))  # noqa: S311
    sampled: dict[tuple[str, str], Why] = dict.fromkeys(drawn, "sample")
    chosen = doubtful | sampled
    pairs = ((tool.id, field) for tool in tools for field in PROFILE_FIELDS)
    return tuple(Item(*pair, chosen[pair]) for pair in pairs if pair in chosen)


def exported(
    tools: Sequence[Tool], items: Sequence[Item], astray: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """The file to edit, in YAML.

    Args:
        tools: The tools with their profiles.
        items: The fields that are looked at.
        astray: Example queries that find another tool (`toolcurator.enrichment.round_trip`).
    """
    import yaml

    by_id = {tool.id: tool for tool in tools}
    rows: dict[str, dict[str, Any]] = {}
    for item in items:
        tool = by_id[item.tool]
        profile = tool.profile or Profile()
        by = profile.provenance.get(item.field, Provenance())
        row = rows.setdefault(item.tool, {"id": item.tool, "source": dict(source_of(tool).fields), "fields": {}})
        value: Any = getattr(profile, item.field)
        about: dict[str, Any] = {"why": item.why}
        if by.judge or by.supported is not None:
            said = "supported" if by.supported else "not supported"
            about["judge"] = f"{by.judge or 'judge'}: {said}{f', {by.reason}' if by.reason else ''}"
        about["text"] = [*value] if item.field in _LISTS else value
        if item.field == "example_queries" and (wrong := (astray or {}).get(item.tool)):
            about["find another tool first"] = dict(wrong)
        about["verdict"] = ""
        row["fields"][item.field] = about
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    body = yaml.dump({"review": [*rows.values()]}, Dumper=dumper, allow_unicode=True, sort_keys=False, width=120)
    return f"{_HELP}{body}"


def applied(tools: Sequence[Tool], value: object, *, path: str = "") -> Reviewed:
    """The profiles after a review.

    Args:
        tools: The tools with the profiles that were reviewed.
        value: The content of the edited file.
        path: The file, for errors.

    Raises:
        EnrichmentError: Something in the file cannot be; every fault is named, and nothing is taken over.
    """
    by_id = {tool.id: tool for tool in tools}
    profiles = {tool.id: tool.profile for tool in tools if tool.profile is not None}
    rows = as_array((as_object(value) or {}).get("review"))
    if rows is None:
        raise EnrichmentError(
            f"{path or 'the review'}: expected a list under 'review', as `toolcurator review` wrote it"
        )
    counts = dict.fromkeys(("approved", "rejected", "edited"), 0)
    judged: list[tuple[bool, bool]] = []
    faults: list[str] = []
    now = datetime.now(UTC).replace(microsecond=0)
    for number, entry in enumerate(rows, 1):
        row = as_object(entry) or {}
        tool = by_id.get(str(row.get("id", "")))
        if tool is None or tool.id not in profiles:
            faults.append(f"entry {number}: no tool {row.get('id')!r} with a profile")
            continue
        for field, about in (as_object(row.get("fields")) or {}).items():
            try:
                found = _field(profiles[tool.id], field, as_object(about), source_of(tool).hash, now)
            except EnrichmentError as error:
                faults.append(f"tool '{tool.id}', {field}: {error}")
                continue
            if found is not None:
                profiles[tool.id], what, pair = found
                counts[what] += 1
                judged += [pair] if pair is not None else []
    if faults:
        shown = "; ".join(faults[:5]) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else "")
        raise EnrichmentError(f"{path + ': ' if path else ''}{shown}")
    return Reviewed(profiles, **counts, judged=tuple(judged))


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of two raters; None without pairs, or where both always say the same thing."""
    if not pairs:
        return None
    n = len(pairs)
    same = sum(a == b for a, b in pairs) / n
    first, second = (sum(pair[at] for pair in pairs) / n for at in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (same - chance) / (1 - chance)


_Found = tuple[Profile, Literal["approved", "rejected", "edited"], tuple[bool, bool] | None]


def _field(profile: Profile, field: str, about: dict[str, Any] | None, source: str, now: datetime) -> _Found | None:
    """The profile after a verdict on one field, what it was, and what judge and reviewer said; None if it was left alone."""
    if field not in PROFILE_FIELDS:
        raise EnrichmentError(f"not a field of a profile; expected {', '.join(PROFILE_FIELDS)}")
    if about is None:
        raise EnrichmentError("expected text and verdict")
    verdict = str(about.get("verdict") or "").strip().lower()
    if verdict and verdict not in VERDICTS:
        raise EnrichmentError(f"verdict must be {' or '.join(VERDICTS)}, not {verdict!r}")
    old = getattr(profile, field)
    text = _text(field, about.get("text"))
    by = profile.provenance.get(field, Provenance())
    if text != old and verdict == "reject":
        raise EnrichmentError("the text was edited and rejected: either, not both")
    if text != old:
        new, what, supported = text, "edited", False
        by = by.model_copy(update={"model": HUMAN, "at": now, "source_hash": source})
    elif verdict == "approve":
        new, what, supported = old, "approved", bool(old)
    elif verdict == "reject":
        if not old:
            raise EnrichmentError("it is empty already: approve it, or write a text")
        new, what, supported = type(old)(), "rejected", False
    else:
        return None
    pair = (by.supported, supported) if by.supported is not None and by.judge != HUMAN else None
    about_it = str(about.get("comment") or "")
    seal = {
        "judge": HUMAN,
        "supported": bool(new),
        "source_hash": by.source_hash or source,
        "reason": about_it or by.reason,
    }
    changed = profile.model_copy(
        update={field: new, "provenance": {**profile.provenance, field: by.model_copy(update=seal)}}
    )
    grounded = any(getattr(changed, name) for name in PROFILE_FIELDS)
    return changed.model_copy(update={"grounded": grounded}), what, pair


def _text(field: str, value: Any) -> Any:
    if field in _LISTS:
        listed = as_array(value) if value is not None else []
        if listed is None or not all(isinstance(each, str) for each in listed):
            raise EnrichmentError("text must be a list of texts")
        return tuple(text for each in listed if (text := str(each).strip()))
    if value is None:
        return ""
    if not isinstance(value, str):
        raise EnrichmentError("text must be a text")
    return value.strip()
