"""Which operations of a document are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolcurator.sources.json_values import as_array
from toolcurator.sources.openapi.document import Operation


@dataclass(frozen=True)
class Wanted:
    """A filter; what is empty lets everything through.

    Attributes:
        tags: Operations with one of these tags, case aside.
        paths: Operations whose path fits one of these globs (``/pets*``; ``*`` stands for slashes too).
        methods: Operations with one of these methods, case aside.
    """

    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    @classmethod
    def of(cls, tags: str | Sequence[str], paths: str | Sequence[str], methods: str | Sequence[str]) -> Wanted:
        """Make a filter; one text stands for a list of one."""
        lists = [(each,) if isinstance(each, str) else tuple(each) for each in (tags, paths, methods)]
        return cls(*lists)

    def refusal(self, operation: Operation) -> str:
        """Why an operation is not asked for; empty if it is."""
        if self.methods and operation.method not in {each.upper() for each in self.methods}:
            return "not asked for: the method"
        if self.paths and not any(fnmatchcase(operation.path, glob) for glob in self.paths):
            return "not asked for: the path"
        if self.tags:
            own = {str(tag).casefold() for tag in as_array(operation.body.get("tags")) or ()}
            if not own & {tag.casefold() for tag in self.tags}:
                return "not asked for: the tags"
        return ""
