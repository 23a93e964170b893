"""A calibration as it lies beside its index: two probabilities, the limits chosen, and what to expect of them."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolcurator.errors import ToolCuratorError
from toolcurator.index import LocalIndex
from toolcurator.routing.decide import Thresholds
from toolcurator.routing.logistic import Logistic

FILE = "calibration.json"
KERNEL = "kernel.npz"
VERSION = 1
"""Of the signals; a calibration on others is made again."""


class CalibrationError(ToolCuratorError):
    """A calibration cannot be read, or was made for another encoder or catalogue; the message says what to run."""


class Rate(BaseModel):
    """A share of queries, and how sure it is.

    Attributes:
        share: The share, between 0 and 1.
        low: Lower end of its 95 % interval (Wilson 1927).
        high: Upper end.
        of: How many queries it is a share of.
    """

    model_config = ConfigDict(frozen=True)

    share: float
    low: float
    high: float
    of: int

    @classmethod
    def measured(cls, hits: int, of: int) -> Rate:
        """From a count."""
        if not of:
            return cls(share=0.0, low=0.0, high=1.0, of=0)
        z, share = 1.96, hits / of
        middle = (share + z * z / (2 * of)) / (1 + z * z / of)
        half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
        return cls(share=share, low=max(0.0, middle - half), high=min(1.0, middle + half), of=of)

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%} of {self.of:,})"


class Point(BaseModel):
    """One line of the trade-off: a limit, and what it would do.

    Attributes:
        high: The limit on the probability that the first tool is right.
        false_route: Share of the queries no tool fits that would be matched.
        near: The same of those from near the catalogue's domain; None without any.
        matched: Share of the queries with a tool that would be matched to the right one.
        wrong: Share of them that would be matched to a wrong one.
    """

    model_config = ConfigDict(frozen=True)

    high: float
    false_route: float
    near: float | None
    matched: float
    wrong: float


class Figures(BaseModel):
    """What to expect, measured on queries that the model in question had not seen.

    Attributes:
        auroc: Area under the curve of queries with a tool against those without.
        ece: Expected calibration error of the probability that any tool fits, in ten equal bins.
        accuracy: Share of the queries with a tool whose first candidate is right.
        false_route: Queries no tool fits that are matched.
        false_near: The same of those from near the domain.
        miss: Queries with a tool for which none is said to fit.
        wrong: Queries with a tool that are matched to a wrong one.
        matched: Queries with a tool that are matched to the right one.
        ambiguous: Queries with a tool that are left to choose from three.
    """

    model_config = ConfigDict(frozen=True)

    auroc: float
    ece: float
    accuracy: Rate
    false_route: Rate
    false_near: Rate | None
    miss: Rate
    wrong: Rate
    matched: Rate
    ambiguous: Rate


class Calibration(BaseModel):
    """The probabilities of one catalogue and encoder, and the limits chosen.

    Attributes:
        version: `VERSION` of the signals.
        encoder: Id of the encoder; empty for an index of words alone.
        catalog: Key of the index, which changes with every tool.
        learned_from: ``queries`` or ``examples``.
        in_scope: Queries with a tool that were learned from.
        general: General queries without one.
        near: Queries without one from near the domain.
        fits: Signals → probability that any tool fits.
        right: Signals → probability that the first tool is right.
        thresholds: The limits.
        false_route: Most queries without a tool that may be matched, as asked for.
        miss: Most queries with a tool that may be declined, as asked for.
        kernel_used: Whether a kernel head lies beside it.
        kernel_weight: What that weighs in the order of the tools.
        figures: What to expect.
        curve: The trade-off.
        spread_in: Queries with a tool, in twenty equal bins of the probability that any fits.
        spread_out: Those without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = VERSION
    encoder: str
    catalog: str
    learned_from: str
    in_scope: int
    general: int
    near: int
    fits: Logistic
    right: Logistic
    thresholds: Thresholds
    false_route: float
    miss: float
    kernel_used: bool = False
    kernel_weight: float = 0.0
    figures: Figures
    curve: tuple[Point, ...] = ()
    spread_in: tuple[int, ...] = Field(default=(), repr=False)
    spread_out: tuple[int, ...] = Field(default=(), repr=False)

    def save(self, folder: Path) -> None:
        """Put it into an index folder."""
        draft = folder / f"{FILE}.new"
        draft.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.replace(folder / FILE)


def folder_of(index: LocalIndex) -> Path:
    """The index folder, in which a calibration lies beside the generations."""
    return index.generation.folder.parent


def read_calibration(index: LocalIndex) -> Calibration | None:
    """The calibration beside an index; None if there is none.

    Raises:
        CalibrationError: It was made for another encoder or another state of the catalogue (pitfall C7), or cannot be read.
    """
    path = folder_of(index) / FILE
    again = "run `toolcurator calibrate CATALOG` again, or `toolcurator calibrate CATALOG --forget` to do without"
    try:
        found = Calibration.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise CalibrationError(f"{path} cannot be read ({type(error).__name__}): {again}") from None
    if found.version != VERSION:
        raise CalibrationError(f"{path} was made by another version of toolcurator: {again}")
    if found.encoder != index.encoder_id:
        made, used = found.encoder or "none", index.encoder_id or "none"
        raise CalibrationError(f"{path} was made for the encoder {made}, the index has {used}: {again}")
    if found.catalog != index.manifest.key:
        raise CalibrationError(f"{path} was made for an older state of the catalogue: {again}")
    return found


def forget_calibration(index: LocalIndex) -> bool:
    """Remove the calibration beside an index; returns whether there was one."""
    path = folder_of(index) / FILE
    there = path.exists()
    for file in (path, path.with_name(KERNEL)):
        file.unlink(missing_ok=True)
    return there
