"""The probabilities for a catalogue that was not calibrated: learned across catalogues by ``benchmarks/fit_routing.py``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from toolcurator.routing.decide import Thresholds
from toolcurator.routing.logistic import Logistic


class Pair(BaseModel):
    """Both probabilities, and limits.

    Attributes:
        fits: Signals → probability that any tool fits.
        right: Signals → probability that the first tool is right.
        thresholds: The limits.
    """

    model_config = ConfigDict(frozen=True)

    fits: Logistic
    right: Logistic
    thresholds: Thresholds


class Packaged(BaseModel):
    """What comes with the package.

    Attributes:
        dense: For an index with vectors.
        words: For an index of words alone.
        checked: What each was checked with, for people.
    """

    model_config = ConfigDict(frozen=True)

    dense: Pair
    words: Pair
    checked: dict[str, list[str]] = {}


@cache
def packaged() -> Packaged:
    """The packaged probabilities."""
    return Packaged.model_validate_json(files("toolcurator.routing").joinpath("packaged.json").read_text("utf-8"))
