"""The command line: one file a command. Errors take one line; a traceback comes with ``--debug`` only."""

from toolcurator.cli.app import app, main

__all__ = ["app", "main"]
