"""The few errors that toolcurator raises on purpose; each message names the input and the way out."""

from __future__ import annotations


class ToolCuratorError(Exception):
    """Anything toolcurator raises on purpose. The command line prints it in one line."""


class CatalogError(ToolCuratorError):
    """A catalogue cannot be read, holds no usable tool, or contradicts itself."""


class UnknownTool(ToolCuratorError):
    """No tool of that name is visible to the caller. Unknown and forbidden look the same."""


class QueryError(ToolCuratorError):
    """The query, or a limit given with it, cannot be served (wrong type, k below 1, unknown preset, ...)."""


class IndexFolderError(ToolCuratorError):
    """An index folder cannot be read or written."""


class SettingsError(ToolCuratorError):
    """A setting is unknown or out of range."""


class EncoderError(ToolCuratorError):
    """An encoder cannot be found, loaded or reached."""


class MissingExtra(ToolCuratorError):
    """An optional library is not installed.

    Args:
        what: What was asked for, in words.
        extra: The extra that brings it (``pip install 'toolcurator[extra]'``).
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library: pip install 'toolcurator[{extra}]'")
