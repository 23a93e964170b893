"""What was written about a tool taken back: a field, all that a model wrote, or all of a run (pitfall B8)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from toolcurator.enrichment.source import PROFILE_FIELDS
from toolcurator.tool import Profile


def roll_back(profile: Profile, *, fields: Collection[str] = (), model: str = "", run: str = "") -> Profile:
    """A profile without what is taken back. The tool's own text is not in it, and so stays as it is.

    Args:
        profile: The profile.
        fields: Fields to take back, whoever wrote them.
        model: Take back what this model wrote.
        run: Take back what this run wrote.

    Returns:
        The rest; not grounded if nothing is left.
    """
    gone = {
        name
        for name in PROFILE_FIELDS
        if name in fields
        or (
            (by := profile.provenance.get(name)) is not None
            and ((model and by.model == model) or (run and by.run == run))
        )
    }
    empty = Profile()
    changed: dict[str, Any] = {name: getattr(empty, name) for name in gone}
    changed["provenance"] = {name: by for name, by in profile.provenance.items() if name not in gone}
    left = profile.model_copy(update=changed)
    return left.model_copy(
        update={"grounded": profile.grounded and any(getattr(left, name) for name in PROFILE_FIELDS)}
    )


def keep_peoples(before: Profile | None, after: Profile | None) -> Profile | None:
    """A new profile in which what people wrote, approved or rejected before stands as they left it.

    Text that a person wrote always stays; a verdict of a person stays as long as the document is the one it was given on.

    Args:
        before: The profile a tool had.
        after: The new one.
    """
    if before is None or after is None:
        return before if after is None else after
    hashes = {each.source_hash for each in after.provenance.values()}
    kept = [
        name
        for name, by in before.provenance.items()
        if by.model == "human" or (by.judge == "human" and (not hashes or by.source_hash in hashes))
    ]
    if not kept:
        return after
    changed: dict[str, Any] = {name: getattr(before, name) for name in kept if name in PROFILE_FIELDS}
    changed["provenance"] = {**after.provenance, **{name: before.provenance[name] for name in kept}}
    found = after.model_copy(update=changed)
    return found.model_copy(update={"grounded": any(getattr(found, name) for name in PROFILE_FIELDS)})
