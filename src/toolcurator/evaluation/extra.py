"""Libraries of the extra ``eval``, loaded when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from toolcurator.errors import MissingExtra


def load_library(module: str, extra: str = "eval") -> Any:
    """Import a module of an optional library.

    Args:
        module: Its name.
        extra: The extra that brings it.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(f"evaluation ({module.partition('.')[0]})", extra) from None
