"""One tool through all stages: expand, check, judge, refine, judge again; what is not supported in the end is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from toolcurator.enrichment.calls import GaveUp, Written
from toolcurator.enrichment.contract import Draft, broken_rules
from toolcurator.enrichment.expand import Expand
from toolcurator.enrichment.grounding import Grounding
from toolcurator.enrichment.judge import Judge, Verdict
from toolcurator.enrichment.refine import Refine
from toolcurator.enrichment.source import PROFILE_FIELDS, Source
from toolcurator.tool import Profile, Provenance

RULES = "rules"
"""Name of the judge that is no model: the contract and the grounding check."""

State = Literal["enriched", "ungrounded", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of a tool.

    Attributes:
        id: The tool.
        state: ``enriched``; ``ungrounded``, if its document does not say what it does; ``failed``, if no usable answer came. The
            last two stay on their raw document.
        profile: What was written; not grounded where there is nothing to keep, None where no answer came.
        reason: Why it is not enriched.
        dropped: Fields that were not supported → why.
        items: Fields that were kept without some tags or queries → those.
        orders: Passages of the document that speak to a model.
    """

    id: str
    state: State
    profile: Profile | None = None
    reason: str = ""
    dropped: Mapping[str, str] = field(default_factory=dict[str, str])
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    orders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Kept:
    """A field's verdict in the making."""

    supported: bool
    judge: str
    reason: str = ""
    judged: bool = True


class Pipeline:
    """Takes one tool after the other through the stages.

    Args:
        expand: Writes the draft.
        judge: Judges it; None leaves fields unjudged, but for the rules.
        refine: Writes rejected fields again; None drops them at once.
        run: Id of the run, for the provenance.
        queries: Whether example queries are wanted.
    """

    def __init__(
        self,
        expand: Expand,
        judge: Judge | None = None,
        refine: Refine | None = None,
        *,
        run: str = "",
        queries: bool = True,
    ) -> None:
        self._expand = expand
        self._judge = judge
        self._refine = refine
        self._run = run
        self._queries = queries

    async def __call__(self, source: Source) -> Outcome:
        """Enrich one tool.

        Args:
            source: Its raw document.

        Returns:
            What became of it; a tool that cannot be enriched is no error.

        Raises:
            Stopped: The endpoint does not answer any more.
            Unusable: It never will.
        """
        if not source.described:
            return Outcome(source.id, "ungrounded", Profile(grounded=False), "it has no description")
        grounding = Grounding(source)
        try:
            return await self._enriched(source, grounding)
        except GaveUp as gave_up:
            return Outcome(source.id, "failed", reason=str(gave_up), orders=grounding.orders)

    async def _enriched(self, source: Source, grounding: Grounding) -> Outcome:
        first = await self._expand(source)
        if not first.value.grounded:
            reason = f"{first.model} finds that its document does not say what it does"
            return Outcome(source.id, "ungrounded", Profile(grounded=False), reason, orders=grounding.orders)
        draft = first.value if self._queries else first.value.without_queries()
        tried = await self._tried(source, draft, grounding)
        rejected = {name: kept.reason for name, kept in tried.verdicts.items() if not kept.supported}
        texts = tried.draft.only(name for name in tried.draft.written if name not in rejected)
        verdicts, items = dict(tried.verdicts), dict(tried.items)
        writers: dict[str, Written[Draft]] = dict.fromkeys(PROFILE_FIELDS, first)
        if rejected and self._refine:
            second = await self._refine(source, draft, rejected)
            if second.value.written:
                again = await self._tried(source, second.value, grounding)
                for name in second.value.written:
                    verdicts[name], writers[name] = again.verdicts[name], second
                    items.pop(name, None)
                    if again.verdicts[name].supported:
                        texts = texts.model_copy(update={name: getattr(again.draft, name)})
                        items |= {name: again.items[name]} if name in again.items else {}
        return self._outcome(source, grounding, texts, verdicts, items, writers)

    async def _tried(self, source: Source, draft: Draft, grounding: Grounding) -> _Tried:
        """Put a draft before the rules, then what is left before the judge."""
        wanted = set(draft.written)
        grounds = grounding.check(draft)
        found = {name: _Kept(False, RULES, why) for name, why in grounds.rejected.items()}
        items = {name: list(gone) for name, gone in grounds.items.items()}
        left = draft.without_items(items)
        found |= self._broken(left, wanted - {*found}, source, items)
        judged = left.only(name for name in wanted if name not in found)
        if self._judge and judged.written:
            given = await self._judge(source, judged)
            for name, verdict in given.value.items():
                gone = _gone(verdict, getattr(judged, name))
                if gone:
                    items[name] = [*items.get(name, ()), *gone]
                found[name] = _Kept(verdict.supported or bool(gone), given.model, verdict.reason)
            thinner = {name for name in given.value if items.get(name) and found[name].supported}
            left = left.without_items(items) if thinner else left
            broken = self._broken(left, thinner, source, items) if thinner else {}
            found |= {
                name: _Kept(False, given.model, f"{found[name].reason} {kept.reason}".strip())
                for name, kept in broken.items()
            }
        else:
            found |= {name: _Kept(True, "", judged=False) for name in judged.written}
        supported = {name for name, kept in found.items() if kept.supported}
        return _Tried(left, found, {name: tuple(gone) for name, gone in items.items() if name in supported})

    def _broken(
        self, draft: Draft, fields: set[str], source: Source, items: Mapping[str, list[str]]
    ) -> dict[str, _Kept]:
        broken = broken_rules(draft, description=source.description, queries=self._queries)
        without = {name: f", without {', '.join(gone)}" for name, gone in items.items()}
        return {
            name: _Kept(False, RULES, why + without.get(name, "")) for name, why in broken.items() if name in fields
        }

    def _outcome(
        self,
        source: Source,
        grounding: Grounding,
        texts: Draft,
        verdicts: Mapping[str, _Kept],
        items: Mapping[str, tuple[str, ...]],
        writers: Mapping[str, Written[Draft]],
    ) -> Outcome:
        provenance = {
            name: Provenance(
                model=writers[name].model,
                prompt=writers[name].prompt,
                at=_second(writers[name].at),
                source_hash=source.hash,
                supported=kept.supported if kept.judged else None,
                reason=f"{kept.reason} (without: {', '.join(items[name])})".strip() if name in items else kept.reason,
                judge=kept.judge,
                run=self._run,
            )
            for name in PROFILE_FIELDS
            if (kept := verdicts.get(name)) is not None
        }
        dropped = {name: kept.reason for name, kept in verdicts.items() if not kept.supported}
        profile = Profile(
            function_description=texts.function_description,
            tags=tuple(texts.tags),
            when_to_use=texts.when_to_use,
            limitations=texts.limitations,
            example_queries=tuple(texts.example_queries),
            grounded=bool(texts.written),
            provenance=provenance,
        )
        state = "enriched" if texts.written else "ungrounded"
        reason = "" if texts.written else "no field of its profile is supported by its document"
        return Outcome(source.id, state, profile, reason, dropped, items, grounding.orders)


@dataclass(frozen=True, slots=True)
class _Tried:
    draft: Draft
    verdicts: Mapping[str, _Kept]
    items: Mapping[str, tuple[str, ...]]


def _gone(verdict: Verdict, value: object) -> list[str]:
    """The items of a list that the judge does not support, if it names some of them and not all."""
    if verdict.supported or not isinstance(value, list):
        return []
    named = {each.casefold().strip() for each in verdict.unsupported}
    gone = [item for item in value if isinstance(item, str) and item.casefold().strip() in named]  # pyright: ignore[reportUnknownVariableType]
    return gone if len(gone) < len(value) else []  # pyright: ignore[reportUnknownArgumentType]


def _second(at: datetime) -> datetime:
    return at.replace(microsecond=0)
