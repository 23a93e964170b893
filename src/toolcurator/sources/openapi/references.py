"""``$ref`` → what it names: in the document itself, or in a file below its folder. Nothing is fetched from a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from toolcurator.sources.documents import MOST_BYTES, read_value
from toolcurator.sources.json_values import as_object

if TYPE_CHECKING:
    from referencing import Resource
    from referencing._core import Resolver

Scope = Any
"""Where a part of a document stands (a resolver of ``referencing``), so that relative references in it are understood."""

_MOST_STEPS = 32  # references that name references
_MOST_FILES = 500


class BrokenReference(Exception):
    """A reference that leads nowhere; the message says why."""


class References:
    """The references of one document.

    Args:
        document: The document.
        file: The file it came from; its folder is where relative references lead. None if it is no file.
        url: The address it came from, if any; used in messages only.
        most_bytes: All files together may have so many bytes.

    Attributes:
        root: The scope of the document itself.
        files: The files that references led to.
    """

    def __init__(self, document: Any, *, file: Path | None = None, url: str = "", most_bytes: int = MOST_BYTES) -> None:
        from referencing import Registry, Resource, Specification

        self._folder = file.resolve().parent if file else None
        self._read: dict[str, Resource[Any]] = {}
        self._left = most_bytes
        self.files: set[str] = set()
        opaque = Specification[Any].OPAQUE
        uri = file.resolve().as_uri() if file else url or "urn:document"
        registry: Registry[Any] = Registry(retrieve=self._retrieve)  # pyright: ignore[reportCallIssue]
        registry = registry.with_resource(uri, Resource(contents=document, specification=opaque))
        self.root: Scope = registry.resolver(uri)

    def follow(self, node: Any, scope: Scope) -> tuple[Any, Scope]:
        """The part itself, or what its ``$ref`` names in the end, with the scope of that.

        Raises:
            BrokenReference: The reference names nothing, leads around in a circle, or out of the document's folder.
        """
        for _ in range(_MOST_STEPS):
            body = as_object(node)
            reference = body.get("$ref") if body is not None else None
            if not isinstance(reference, str):
                return node, scope
            node, scope = self.look_up(reference, scope)
        raise BrokenReference("$ref leads around in a circle")

    def look_up(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """What one reference names, which may be a reference again.

        Raises:
            BrokenReference: As for ``follow``.
        """
        from referencing.exceptions import Unresolvable

        try:
            found = cast("Resolver[Any]", scope).lookup(reference)
        except (Unresolvable, LookupError, ValueError, TypeError, AttributeError) as error:
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, BrokenReference):
                cause = cause.__cause__
            raise BrokenReference(f"$ref {_shown(reference)}: {cause or 'there is no such part'}") from None
        return found.contents, found.resolver

    def _retrieve(self, uri: str) -> Resource[Any]:
        if uri not in self._read:
            self._read[uri] = self._open(uri)
        return self._read[uri]

    def _open(self, uri: str) -> Resource[Any]:
        from referencing import Resource, Specification

        parts = urlsplit(uri)
        if parts.scheme in ("http", "https"):
            raise BrokenReference("references over the network are not fetched; put the file beside the document")
        if parts.scheme != "file" or self._folder is None:
            raise BrokenReference("a document that did not come from a file has no files beside it")
        path = Path(url2pathname(unquote(parts.path))).resolve()
        if parts.netloc or not path.is_relative_to(self._folder):
            raise BrokenReference("it leads out of the document's folder, and is not read")
        if len(self._read) >= _MOST_FILES:
            raise BrokenReference(f"more than {_MOST_FILES} files")
        value, fault = read_value(path, self._left)
        if fault is not None:
            raise BrokenReference(f"line {fault.line}: {fault.message}" if fault.line else fault.message)
        self._left -= path.stat().st_size
        self.files.add(str(path))
        return Resource(contents=value, specification=Specification[Any].OPAQUE)


def _shown(reference: str) -> str:
    """A reference fit for a message: without user, password and query."""
    try:
        parts = urlsplit(reference)
    except ValueError:
        return "that is no address"
    if parts.netloc:
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return f"'{parts._replace(query='').geturl()[:120]}'"
