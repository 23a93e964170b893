"""Profiles written as the JSON Lines that ``--profiles`` reads."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolcurator.enrichment.model import EnrichmentError
from toolcurator.sources.profiles import RecordedProfile
from toolcurator.tool import Profile


def write_profiles(path: Path, profiles: Mapping[str, Profile], others: Iterable[RecordedProfile] = ()) -> None:
    """Write a file of profiles, whole or not at all.

    Args:
        path: The file, ``.jsonl``.
        profiles: Id of the tool → its profile, those that are not grounded too.
        others: Profiles of other tools that the file held before.

    Raises:
        EnrichmentError: It cannot be written.
    """
    lines = [_line(id, profile) for id, profile in profiles.items()]
    lines += [_line(each.id, each.profile, each.set) for each in others]
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise EnrichmentError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        draft.unlink(missing_ok=True)


def _line(id: str, profile: Profile, set: str = "") -> str:
    fields = profile.model_dump(mode="json", exclude_defaults=True)
    provenance = fields.pop("provenance", None)
    row = {**({"set": set} if set else {}), "id": id, **fields, "grounded": profile.grounded}
    return json.dumps(row | ({"provenance": provenance} if provenance else {}), ensure_ascii=False) + "\n"
