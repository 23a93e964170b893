"""Find the few tools a query needs among hundreds, and say when none fits.

What needs numpy is imported when it is first used. ``toolcurator.tool`` is the decorator; the module of that name is reached as
``from toolcurator.tool import ...``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toolcurator.sources.functions import tool
from toolcurator.tool import Tool
from toolcurator.version import __version__

if TYPE_CHECKING:
    from toolcurator.catalog import Catalog
    from toolcurator.live import LiveCurator
    from toolcurator.retrieval import Curator, Hit, Selection
    from toolcurator.settings import Settings

_HOMES = {
    "Catalog": "toolcurator.catalog",
    "Curator": "toolcurator.retrieval",
    "Hit": "toolcurator.retrieval",
    "LiveCurator": "toolcurator.live",
    "Selection": "toolcurator.retrieval",
    "Settings": "toolcurator.settings",
}

__all__ = ["Catalog", "Curator", "Hit", "LiveCurator", "Selection", "Settings", "Tool", "__version__", "tool"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'toolcurator' has no attribute {name!r}")
