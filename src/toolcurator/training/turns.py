"""Labelled turns of conversations: what was said, which tool was meant, and with what arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from toolcurator.errors import ToolCuratorError
from toolcurator.retrieval import Curator
from toolcurator.routing.decider import Decider
from toolcurator.routing.intent import CANDIDATES
from toolcurator.sources.fault import explain
from toolcurator.tool import Tool

FEWEST = 4
"""Turns that training needs at least: some to learn from, some to measure on."""
_SHOWN = 5


class TurnsError(ToolCuratorError):
    """A file of labelled turns cannot be used; the message names its lines."""


@dataclass(frozen=True)
class LabelledTurn:
    """One turn.

    Attributes:
        message: What the user said.
        tool: Id of the tool that was meant; None if no tool was.
        slots: Its arguments.
        history: (role, message) of earlier turns.
        candidates: The tools that the model may choose from.
        added: Whether the tool that was meant is among them only because of its label.
    """

    message: str
    tool: str | None
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    history: tuple[tuple[str, str], ...] = ()
    candidates: tuple[Tool, ...] = ()
    added: bool = False


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: str
    message: str


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    message: str
    tool: str | None
    slots: dict[str, Any] = {}
    history: list[_Said | tuple[str, str]] = []
    candidates: list[str] = []


def read_turns(path: str | os.PathLike[str], curator: Curator, *, role: str | None = None) -> list[LabelledTurn]:
    """Read a file of turns.

    Args:
        path: JSON Lines: ``message``, ``tool`` (an id, or null), and perhaps ``slots``, ``history`` (a list of ``role`` and
            ``message``) and ``candidates`` (ids). Without candidates they are the three of the decision; a tool that was meant
            and not among them takes the last place.
        curator: The catalogue.
        role: Persona; tools that it may not see do not exist for it.

    Raises:
        TurnsError: A line cannot be used, or there are too few.
    """
    catalog, decider = curator.index.catalog, Decider(curator, "packaged")
    turns: list[LabelledTurn] = []
    faults: list[str] = []
    try:
        lines = Path(path).read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TurnsError(f"{path} cannot be read: {error}") from None

    def known(key: str) -> Tool:
        tool = catalog.find(key, role)
        if tool is None:
            near = ", ".join(catalog.nearest(key, role))
            raise TurnsError(f"there is no tool '{key}'" + (f"; the nearest: {near}" if near else ""))
        return tool

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            said = _Line.model_validate(json.loads(line))
            if not said.message.strip():
                raise TurnsError("the message is empty")
            turns.append(_turn(said, known, decider, role))
        except ValidationError as error:
            faults.append(f"{path}:{number}: {explain(error)}")
        except (ValueError, RecursionError) as error:
            faults.append(f"{path}:{number}: not JSON ({error})")
        except ToolCuratorError as error:
            faults.append(f"{path}:{number}: {error}")
    if faults:
        more = f"; and {len(faults) - _SHOWN} more lines" if len(faults) > _SHOWN else ""
        raise TurnsError("; ".join(faults[:_SHOWN]) + more)
    if len(turns) < FEWEST:
        raise TurnsError(f"{path} has {len(turns)} turns; training needs {FEWEST} at least, better 50")
    return turns


def _turn(said: _Line, known: Any, decider: Decider, role: str | None) -> LabelledTurn:
    meant: Tool | None = known(said.tool) if said.tool is not None else None
    if meant is None and said.slots:
        raise TurnsError("there are slots, but no tool they belong to")
    names = {slot.name for slot in meant.slots} if meant is not None else set[str]()
    if unknown := [name for name in said.slots if name not in names]:
        raise TurnsError(f"tool '{said.tool}' has no slot {', '.join(unknown)}")
    ids = said.candidates or [each.tool for each in decider.decide(said.message, role=role).candidates]
    tools: list[Tool] = list({tool.id: tool for tool in map(known, ids)}.values())[:CANDIDATES]
    added = meant is not None and meant.id not in {tool.id for tool in tools}
    if added and meant is not None:
        tools = [*tools[: CANDIDATES - 1], meant]
    history = tuple((each.role, each.message) if isinstance(each, _Said) else each for each in said.history)
    return LabelledTurn(said.message, meant.id if meant else None, said.slots, history, tuple(tools), added)


def held_out(turns: Sequence[LabelledTurn], share: float, seed: int) -> tuple[list[LabelledTurn], list[LabelledTurn]]:
    """Turns to learn from, and turns to measure on; with and without a tool in about the same shares.

    Args:
        turns: Two or more.
        share: Of those to measure on; at least one is left on either side.
        seed: The same seed splits the same way.
    """
    ordered = sorted(_shuffled(turns, seed), key=lambda each: each.tool is None)
    count = min(max(round(share * len(ordered)), 1), len(ordered) - 1)
    step = len(ordered) / count
    taken = {int(step * at + step / 2) for at in range(count)}
    learn = _shuffled([each for at, each in enumerate(ordered) if at not in taken], seed)
    return learn, [each for at, each in enumerate(ordered) if at in taken]


def _shuffled(turns: Sequence[LabelledTurn], seed: int) -> list[LabelledTurn]:
    order: list[int] = np.random.default_rng(seed).permutation(len(turns)).tolist()
    return [turns[at] for at in order]


def pairs_of(slots: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Slots in a form to compare: 200 and 200.0, or "Tartu" and "tartu", are the same."""

    def plain(value: Any) -> str:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, list | dict):
            return json.dumps(cast("Any", value), sort_keys=True, ensure_ascii=False).casefold()
        return " ".join(str(value).split()).casefold()

    return frozenset((name, plain(value)) for name, value in slots.items() if value is not None)
