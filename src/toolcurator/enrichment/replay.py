"""A recorded run in place of a model: the same contract, the same path."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from toolcurator.catalog import Catalog
from toolcurator.enrichment.model import Ask, Refused, Reply
from toolcurator.enrichment.source import PROFILE_FIELDS, source_of
from toolcurator.sources.fault import Fault
from toolcurator.sources.profiles import attach_profiles, read_profiles
from toolcurator.tool import Profile


class Replay:
    """A `Model` that answers from recorded profiles.

    Args:
        profiles: Id of the tool → its recorded profile.
        name: Under which its answers are recorded.
        stale: Ids of tools whose profile was recorded from another document than they have now.

    Attributes:
        judged: Whether verdicts are recorded.
        faults: Records that fit no tool of the catalogue.
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        name: str = "replay",
        *,
        stale: Iterable[str] = (),
        faults: tuple[Fault, ...] = (),
    ) -> None:
        self._profiles = dict(profiles)
        self._stale = frozenset(stale)
        self.name = name
        self.faults = faults
        self.judged = any(
            each.supported is not None for profile in profiles.values() for each in profile.provenance.values()
        )

    @classmethod
    def of(cls, path: str | os.PathLike[str], catalog: Catalog) -> Replay:
        """The profiles of a file that are for a catalogue, chosen as ``--profiles`` chooses them.

        Raises:
            CatalogError: The file cannot be read, or an entry is no profile.
        """
        recorded = read_profiles(path)
        bare = [tool.model_copy(update={"profile": None}) for tool in catalog]
        folders = {Path(file).resolve().parent.name for file in catalog.files}
        tools, faults = attach_profiles(recorded, bare, names={catalog.name, *folders}, path=str(path))
        profiles = {tool.id: tool.profile for tool in tools if tool.profile is not None}
        doubtful = {each.id: each.profile for each in recorded if not each.profile.grounded}
        for tool in tools:
            found = doubtful.get(tool.id) or doubtful.get(tool.name)
            if found is not None:
                profiles.setdefault(tool.id, found)
        hashes = {tool.id: source_of(tool).hash for tool in tools if tool.id in profiles}
        stale = [
            key
            for key, profile in profiles.items()
            if any(each.source_hash not in ("", hashes[key]) for each in profile.provenance.values())
        ]
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
        return cls(profiles, f"replay:{Path(path).name}@{digest}", stale=stale, faults=faults)

    async def ask(self, ask: Ask) -> Reply:
        """See ``Model.ask``."""
        profile = self._profiles.get(ask.tool)
        if profile is None:
            raise Refused("no profile of it is recorded")
        if ask.tool in self._stale:
            raise Refused("its profile was recorded from another document than it has now")
        said: dict[str, Any]
        if ask.stage == "judge":
            given = {name: profile.provenance.get(name) for name in PROFILE_FIELDS}
            said = {
                "verdicts": [
                    {
                        "field": name,
                        "supported": each is None or each.supported is not False,
                        "reason": each.reason if each else "",
                    }
                    for name, each in given.items()
                ]
            }
        else:
            said = {name: getattr(profile, name) for name in PROFILE_FIELDS} | {"grounded": profile.grounded}
        return Reply(json.dumps(said, ensure_ascii=False), cost=0.0)

    async def close(self) -> None:
        """See ``Model.close``."""
