"""Recorded profiles: what a model or a person wrote about tools before, attached to the tools of a catalogue.

A file is JSON Lines: ``id`` (of the tool, or its bare name), the fields of `Profile`, and ``set`` if the profile is for
the catalogue of that name only. Other keys, and fields that are null, do not count.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolcurator.errors import CatalogError
from toolcurator.sources.documents import read_document
from toolcurator.sources.fault import Fault, explain
from toolcurator.sources.json_values import as_object, in_words
from toolcurator.tool import Profile, Tool


@dataclass(frozen=True, slots=True)
class RecordedProfile:
    """A profile, and whom it is for.

    Attributes:
        id: Id of the tool, or its bare name.
        profile: What was written about it.
        set: Name of the only catalogue it is for; empty for any.
    """

    id: str
    profile: Profile
    set: str = ""


ProfileSource = Mapping[str, Profile] | str | os.PathLike[str]


def read_profiles(path: str | os.PathLike[str]) -> tuple[RecordedProfile, ...]:
    """Read a file of recorded profiles.

    Args:
        path: JSON Lines (``.jsonl``), or a list in ``.json`` or ``.yaml``.

    Returns:
        Every profile in the order of the file, those that are not grounded among them.

    Raises:
        CatalogError: The file cannot be read, or an entry is no profile; the message names file and line.
    """
    document = read_document(Path(path))
    if document.faults:
        raise CatalogError(str(document.faults[0]))
    found: list[RecordedProfile] = []
    for index, entry in enumerate(document.entries):
        try:
            found.append(_recorded(entry))
        except CatalogError as error:
            raise CatalogError(str(Fault(path=str(path), line=document.line(index), message=str(error)))) from None
    return tuple(found)


def any_profiles(source: ProfileSource | None) -> tuple[tuple[RecordedProfile, ...], str]:
    """Profiles from a mapping or from a file → the profiles, and the path of the file.

    Raises:
        CatalogError: As for `read_profiles`, or a value of the mapping is no profile.
    """
    if source is None:
        return (), ""
    if isinstance(source, Mapping):
        return tuple(RecordedProfile(id, _profile(value, f"profile of '{id}': ")) for id, value in source.items()), ""
    return read_profiles(source), str(source)


def attach_profiles(
    recorded: Sequence[RecordedProfile], tools: Iterable[Tool], *, names: Collection[str] = (), path: str = ""
) -> tuple[tuple[Tool, ...], tuple[Fault, ...]]:
    """Attach profiles to tools by id, else by a bare name that only one tool has.

    Of several sets only those count that the catalogue is named after; if it is named after none, all do. A recorded
    profile replaces the one that a tool has. One that is not grounded is never attached.

    Args:
        recorded: The profiles.
        tools: The tools.
        names: Names of the catalogue and of its folders.
        path: The file of the profiles, for the faults.

    Returns:
        The tools, and one fault for each kind of profile that could not be attached.
    """
    tools = tuple(tools)
    if not recorded:
        return tools, ()
    chosen, torn = _chosen(recorded, names)
    ids = {tool.id for tool in tools}
    by_name: dict[str, list[str]] = {}
    for tool in tools:
        by_name.setdefault(tool.name, []).append(tool.id)
    unknown: list[str] = []
    unclear: list[str] = []
    further: list[str] = []
    doubtful: list[str] = []
    mine: dict[str, Profile] = {}
    for each in sorted(chosen, key=lambda each: each.id not in ids):  # what has the very id goes first
        meant = [each.id] if each.id in ids else by_name.get(each.id, [])
        if len(meant) != 1:
            (unclear if meant else unknown).append(each.id)
        elif not each.profile.grounded:
            doubtful.append(each.id)
        elif meant[0] in mine:
            further.append(each.id)
        else:
            mine[meant[0]] = each.profile
    faults = (
        _fault(path, unknown, "names no tool of the catalogue", "name no tool of the catalogue"),
        _fault(
            path, unclear, "has the name of several tools (use an id)", "have the name of several tools (use an id)"
        ),
        _fault(path, torn, "differs between sets (keep one set)", "differ between sets (keep one set)"),
        _fault(path, further, "comes after another of the same tool", "come after others of the same tool"),
        _fault(path, doubtful, "is not grounded and is left out", "are not grounded and are left out"),
    )
    attached = (
        tool.model_copy(update={"profile": mine[tool.id]}) if mine.get(tool.id, tool.profile) != tool.profile else tool
        for tool in tools
    )
    return tuple(attached), tuple(fault for fault in faults if fault is not None)


def _recorded(entry: object) -> RecordedProfile:
    row = as_object(entry)
    if row is None:
        raise CatalogError(f"a profile must be an object, not {in_words(entry)}")
    id, kind = row.get("id"), row.get("set")
    if not isinstance(id, str) or not id.strip():
        raise CatalogError("id is missing: whose profile it is")
    if kind is not None and not isinstance(kind, str):
        raise CatalogError(f"set must be a string, not {in_words(kind)}")
    fields = {key: row[key] for key in Profile.model_fields if row.get(key) is not None}
    if not fields:
        raise CatalogError(f"no field of a profile in it: expected {', '.join(Profile.model_fields)}")
    return RecordedProfile(id, _profile(fields), kind or "")


def _profile(value: Any, title: str = "") -> Profile:
    try:
        return Profile.model_validate(value)
    except ValidationError as error:
        raise CatalogError(f"{title}{explain(error)}") from None


def _chosen(
    recorded: Sequence[RecordedProfile], names: Collection[str]
) -> tuple[tuple[RecordedProfile, ...], tuple[str, ...]]:
    """The profiles that are for this catalogue, and the ids for which several sets say several things."""
    sets = {each.set for each in recorded} & ({*names} - {""})
    mine = [each for each in recorded if not sets or each.set in sets]
    if sets:  # what is for any catalogue fills the gaps
        special = {each.id for each in mine}
        mine += [each for each in recorded if not each.set and each.id not in special]
    first: dict[str, RecordedProfile] = {}
    torn: dict[str, None] = {}
    for each in mine:
        known = first.setdefault(each.id, each)
        if each.set != known.set and each.profile != known.profile:
            torn[each.id] = None
    kept = tuple(each for each in mine if each.id not in torn and each.set == first[each.id].set)
    return kept, tuple(torn)


def _fault(path: str, ids: Sequence[str], one: str, several: str) -> Fault | None:
    if not ids:
        return None
    message = (
        f"1 profile {one}: '{ids[0]}'" if len(ids) == 1 else f"{len(ids)} profiles {several}, the first is '{ids[0]}'"
    )
    return Fault(path=path, message=message)
