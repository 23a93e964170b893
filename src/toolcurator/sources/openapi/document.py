"""An OpenAPI document → its operations, each with what its path and the document say for it, or why it is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolcurator.sources.json_values import as_array, as_object, in_words
from toolcurator.sources.openapi.references import BrokenReference, References, Scope
from toolcurator.sources.openapi.text import text
from toolcurator.tool import JsonSchema

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    Attributes:
        path: As written (``/pets/{id}``).
        method: In upper case.
        body: The operation object.
        scope: Where it stands.
        item: The path item around it.
        item_scope: Where that stands.
    """

    path: str
    method: str
    body: JsonSchema
    scope: Scope
    item: JsonSchema
    item_scope: Scope

    @property
    def place(self) -> str:
        """How people name it: ``GET /pets/{id}``."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class NotAnOperation:
    """What stands where an operation is due, and cannot be one.

    Attributes:
        path: The path.
        method: The method in upper case; empty if the whole path is at fault.
        reason: Why.
    """

    path: str
    method: str
    reason: str


def version_of(document: JsonSchema) -> str:
    """What the document says it is (``3.1.0``, ``2.0``); empty if it says nothing."""
    return next((str(document[key]) for key in ("openapi", "swagger") if key in document), "")


def refusal(document: JsonSchema) -> str:
    """Why a document cannot be read at all; empty if it can."""
    version = version_of(document)
    if version != "2" and not version.startswith(("2.", "3")):
        return f"OpenAPI {version or 'without a version'} is not read: expected 2.0, 3.0 or 3.1"
    paths = document.get("paths")
    if not paths:
        if webhooks := as_object(document.get("webhooks")):
            return f"no operations, only {len(webhooks)} under 'webhooks', which the service calls and nobody else can"
        return f"no operations: 'paths' is {'empty' if 'paths' in document else 'missing'}"
    return "" if isinstance(paths, dict) else f"'paths' must be an object, not {in_words(paths)}"


def operations(document: JsonSchema, references: References) -> Iterator[Operation | NotAnOperation]:
    """Every method of every path, in order."""
    for path, declared in (as_object(document.get("paths")) or {}).items():
        path = str(path)
        if path.startswith("x-"):
            continue
        try:
            item, scope = references.follow(declared, references.root)
        except BrokenReference as error:
            yield NotAnOperation(path, "", str(error))
            continue
        found = as_object(item)
        if found is None:
            yield NotAnOperation(path, "", f"a path must hold an object, not {in_words(item)}")
            continue
        beside = {key: value for key, value in (as_object(declared) or {}).items() if key != "$ref"}
        for method in METHODS:
            if method not in found and method not in beside:
                continue
            at = references.root if method in beside else scope
            body = as_object(beside.get(method, found.get(method)))
            if body is None:
                reason = f"an operation must be an object, not {in_words(beside.get(method, found.get(method)))}"
                yield NotAnOperation(path, method.upper(), reason)
                continue
            yield Operation(path, method.upper(), body, at, {**found, **beside}, scope)


def parameters(operation: Operation, references: References) -> Iterator[tuple[JsonSchema, Scope] | str]:
    """The parameters of an operation: the path's, replaced by its own where place and name are the same.

    Yields:
        Each parameter and its scope, or what is wrong with one.
    """
    chosen: dict[tuple[str, str], tuple[JsonSchema, Scope]] = {}
    lists = ((operation.item, operation.item_scope), (operation.body, operation.scope))
    for holder, scope in lists:
        for number, declared in enumerate(as_array(holder.get("parameters")) or (), 1):
            try:
                node, at = references.follow(declared, scope)
            except BrokenReference as error:
                yield f"parameter {number}: {error}"
                continue
            body = as_object(node)
            name = text(body.get("name")) if body else ""
            if body is None or not name:
                yield f"parameter {number} has no name"
                continue
            chosen[str(body.get("in")), name] = body, at
    yield from chosen.values()
