"""The few errors that toolcurator raises on purpose; each message names the input and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ToolCuratorError(Exception):
    """Anything toolcurator raises on purpose. The command line prints it in one line."""


class CatalogError(ToolCuratorError):
    """A catalogue cannot be read, holds no usable tool, or contradicts itself."""


class UnknownTool(ToolCuratorError):
    """No tool of that name is visible to the caller. Unknown and forbidden look the same."""


class CallError(ToolCuratorError):
    """A tool cannot be called, or whoever offers it cannot be reached or does not answer."""


class ArgumentError(ToolCuratorError):
    """The arguments of a call do not fit the tool; nothing was called.

    Args:
        message: What is wrong, with the tool's name.
        schema: JSON Schema of the tool's arguments.
        missing: Names of required arguments that are not there.
    """

    def __init__(self, message: str, schema: Mapping[str, Any], missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.schema = schema
        self.missing = missing


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
