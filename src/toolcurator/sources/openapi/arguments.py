"""Parameters and request body of an operation → one JSON Schema of type object, and where each argument goes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.openapi.document import Operation, parameters
from toolcurator.sources.openapi.references import BrokenReference, References, Scope
from toolcurator.sources.openapi.schema import Schemas
from toolcurator.sources.openapi.text import text
from toolcurator.tool import JsonSchema

_PLACES = ("path", "query", "header", "cookie")
_NOT_ARGUMENTS = frozenset(
    {"accept", "content-type", "authorization"}
)  # OpenAPI 3: other parts of the document say these
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_WRITTEN = ("style", "explode", "allowReserved", "collectionFormat")
_TEMPLATE = re.compile(r"\{([^{}?&][^{}]*)\}")
_OF_PARAMETER = frozenset({"name", "in", "required", "description", "deprecated", *_WRITTEN, "allowEmptyValue"})


@dataclass
class Arguments:
    """What a call of an operation takes.

    Attributes:
        properties: Argument → its schema.
        required: Names of those that are needed.
        places: Argument → ``{"in": "path"}``; ``name`` if the API calls it otherwise; how lists are written, if declared.
        content_type: Of the request body; empty if there is none.
        doubts: What is wrong with some of them.
    """

    properties: JsonSchema = field(default_factory=dict[str, Any])
    required: list[str] = field(default_factory=list[str])
    places: dict[str, JsonSchema] = field(default_factory=dict[str, JsonSchema])
    content_type: str = ""
    doubts: list[str] = field(default_factory=list[str])

    @property
    def schema(self) -> JsonSchema:
        """The arguments as one schema, without the definitions it refers to."""
        required = {"required": self.required} if self.required else {}
        return {"type": "object", "properties": self.properties, **required}

    def add(self, name: str, schema: JsonSchema, place: JsonSchema, *, required: bool) -> None:
        """Add one argument, under another name if its own is taken."""
        key = name
        if key in self.properties:
            key = f"{place['in']}_{name}"
        while key in self.properties:
            key = f"{key}_"
        self.properties[key] = schema
        self.places[key] = place if key == name else {**place, "name": name}
        if required:
            self.required.append(key)


def arguments_of(
    operation: Operation,
    references: References,
    schemas: Schemas,
    *,
    secrets: frozenset[tuple[str, str]],
    consumes: Any,
) -> Arguments:
    """Read what an operation takes.

    Args:
        operation: The operation.
        references: The references of the document.
        schemas: Its schemas.
        secrets: Place and name of what the operation's security scheme sends; a caller adds those, no model does.
        consumes: Content types that a document of 2.0 names for all operations.

    Returns:
        The arguments: parameters first, in order, then the request body. The properties of a body that is an object with known
        properties stand beside the parameters; any other body, and one of which a property is called as a parameter is, is one
        argument ``body``.
    """
    found = Arguments()
    fields: list[tuple[JsonSchema, Scope]] = []
    whole: tuple[JsonSchema, Scope] | None = None
    for each in parameters(operation, references):
        if isinstance(each, str):
            found.doubts.append(each)
            continue
        declared, scope = each
        place, name = str(declared.get("in")), text(declared["name"])
        if place == "body":
            whole = each
        elif place == "formData":
            fields.append(each)
        elif place not in _PLACES:
            found.doubts.append(f"parameter '{name}': its place must be path, query, header or cookie")
        elif (place, name) not in secrets and not (place == "header" and name.lower() in _NOT_ARGUMENTS):
            required = place == "path" or declared.get("required") is True
            found.add(name, _parameter(declared, scope, schemas), _place(declared, place), required=required)
    _add_undeclared(found, operation.path)
    types = as_array(operation.body.get("consumes")) or as_array(consumes) or []
    if fields:
        sends_file = any(declared.get("type") == "file" for declared, _ in fields)
        named = [kind for kind in _FORMS if kind in types]
        found.content_type = _FORMS[1] if sends_file else next(iter(named), _FORMS[0])
        for declared, scope in fields:
            required = declared.get("required") is True
            found.add(
                declared["name"], _parameter(declared, scope, schemas), _place(declared, "form"), required=required
            )
    elif whole is not None:
        declared, scope = whole
        found.content_type = str(_preferred(types) or "application/json")
        _add_body(found, declared.get("schema"), scope, schemas, declared, operation.method)
    if "requestBody" in operation.body:
        _add_request_body(found, operation, references, schemas)
    return found


def _add_undeclared(found: Arguments, path: str) -> None:
    """Parts of the path that nothing declares; without them there is no address to call."""
    declared = {place.get("name", name) for name, place in found.places.items() if place["in"] == "path"}
    for name in dict.fromkeys(each.strip("+*#./;") for each in _TEMPLATE.findall(path)):
        if name and name not in declared:
            found.add(name, {"type": "string"}, {"in": "path"}, required=True)
            found.doubts.append(f"'{name}' stands in the path and is not declared; it is taken as text")


def _add_request_body(found: Arguments, operation: Operation, references: References, schemas: Schemas) -> None:
    try:
        node, scope = references.follow(operation.body["requestBody"], operation.scope)
    except BrokenReference as error:
        found.doubts.append(f"request body: {error}")
        node, scope = None, operation.scope
    declared = as_object(node) or {}
    content = as_object(declared.get("content")) or {}
    found.content_type = _preferred(list(content)) or "application/json"
    media = as_object(content.get(found.content_type)) or {}
    schema = media.get("schema")
    if schema is None and not found.content_type.endswith("json"):
        schema = {"type": "string"}
    _add_body(found, schema, scope, schemas, declared, operation.method)


def _add_body(found: Arguments, schema: Any, scope: Scope, schemas: Schemas, declared: JsonSchema, method: str) -> None:
    place: JsonSchema = {"in": "form" if found.content_type.startswith(_FORMS) else "body"}
    # Left out, `required` means false in OpenAPI 3; but next to nobody means that a POST may come with nothing in it.
    required = declared.get("required", method in ("POST", "PUT", "PATCH")) is True
    whole = schemas.as_object(schema, scope) if schema is not None else None
    if whole is not None and not (whole["properties"].keys() & found.properties.keys()):
        for name, each in whole["properties"].items():
            found.add(name, each, place, required=required and name in whole["required"])
        return
    said = text(declared.get("description"))
    converted = schemas.once(f"body: {said}", schema, lambda: _described(schemas.convert(schema, scope), said)) or {}
    if converted.get("properties") == {} and converted.get("additionalProperties") is False:
        found.content_type = ""  # a body that may hold nothing
        return
    name = "body" if "body" not in found.properties else "request_body"
    found.add(name, converted, {**place, "whole": True}, required=required)


def _described(schema: JsonSchema, said: str) -> JsonSchema:
    return {**schema, "description": said} if said and "description" not in schema else schema


def _parameter(declared: JsonSchema, scope: Scope, schemas: Schemas) -> JsonSchema:
    return schemas.once("parameter", declared, lambda: _schema_of(declared, scope, schemas)) or {}


def _schema_of(declared: JsonSchema, scope: Scope, schemas: Schemas) -> JsonSchema:
    """The schema of a parameter: under ``schema``, under ``content``, or in 2.0 the parameter itself."""
    inner: Any = declared.get("schema")
    if inner is None and (content := as_object(declared.get("content"))):
        inner = (as_object(next(iter(content.values()))) or {}).get("schema")
    if inner is None:
        inner = {key: value for key, value in declared.items() if key not in _OF_PARAMETER}
    plain = as_object(inner)
    if "example" in declared and plain is not None and not {"example", "examples"} & plain.keys():
        inner = {**plain, "example": declared["example"]}
    schema = schemas.convert(inner, scope)
    if said := text(declared.get("description")):
        schema = {**schema, "description": said}
    return {**schema, "deprecated": True} if declared.get("deprecated") is True else schema


def _place(declared: JsonSchema, place: str) -> JsonSchema:
    return {"in": place} | {key: declared[key] for key in _WRITTEN if key in declared}


def _preferred(types: list[Any]) -> str:
    """The content type that a caller can write most easily: JSON, then forms, then the first."""
    names = [name for name in types if isinstance(name, str)]
    return min(names, key=_rank, default="")


def _rank(content_type: str) -> int:
    plain = content_type.partition(";")[0].strip().lower()
    if plain == "application/json":
        return 0
    if plain.endswith(("+json", "/json")):
        return 1
    return 2 if plain.startswith(_FORMS) else 4 if plain == "*/*" else 3
