"""Where the public sets lie, and a fixed sample; the sets themselves are read by `toolcurator.evaluation`."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")

SAMPLE, SEED = 400, 0


def data_option(parser: argparse.ArgumentParser) -> None:
    """``--data``, or the environment variable TOOLCURATOR_BENCH."""
    default = os.environ.get("TOOLCURATOR_BENCH")
    parser.add_argument(
        "--data", type=Path, required=default is None, default=default and Path(default), help="the bench folder"
    )


def sample(values: Sequence[Value], most: int = SAMPLE) -> list[Value]:
    """At most so many, a random sample with a fixed seed."""
    return list(values) if len(values) <= most else random.Random(SEED).sample(values, most)
