"""One operation → one tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.openapi import calling
from toolcurator.sources.openapi.arguments import Arguments, arguments_of
from toolcurator.sources.openapi.document import Operation
from toolcurator.sources.openapi.limit import SchemaLimit
from toolcurator.sources.openapi.references import BrokenReference, References
from toolcurator.sources.openapi.schema import Schemas
from toolcurator.sources.openapi.text import description_of, path_name, short, side_effect, text
from toolcurator.tool import Endpoint, JsonSchema, Tool

_LONGEST_ANSWER = 160


@dataclass(frozen=True)
class ToolMaker:
    """Makes the tools of one document.

    Attributes:
        document: The document.
        references: Its references.
        schemas: Its schemas.
        limit: How much of them a tool may carry.
        schemes: Its security schemes.
        server: Server of its tools.
        said: What is said of that server.
        url: Where it came from, if that is an address.
    """

    document: JsonSchema
    references: References
    schemas: Schemas
    limit: SchemaLimit
    schemes: dict[str, JsonSchema]
    server: str
    said: str
    url: str

    def make(self, operation: Operation, taken: set[str]) -> tuple[Tool, list[str]]:
        """The tool of an operation.

        Args:
            operation: The operation.
            taken: Ids of this document that are taken already; another operation of the same name gets its method and path
                behind the name of its id, and keeps the name.

        Returns:
            The tool, and what is wrong with parts of the operation.
        """
        body = operation.body
        security = calling.security_of(self.document, operation)
        arguments = arguments_of(
            operation,
            self.references,
            self.schemas,
            secrets=calling.secret_places(security, self.schemes),
            consumes=self.document.get("consumes"),
        )
        doubts = arguments.doubts
        parameters, cut = self.limit.complete(arguments.schema)
        if cut:
            doubts.append("the schema of its arguments is too large; what lies deepest is left open")
        by_path = path_name(operation.method, operation.path)
        name = text(body.get("operationId")) or by_path
        server = calling.server_of(self.document, operation, self.url)
        tool = Tool(
            id=self._id(name, by_path, taken),
            name=name,
            server=self.server,
            description=_description(operation),
            parameters=parameters,
            tags=tuple(dict.fromkeys(text(tag) for tag in as_array(body.get("tags")) or () if text(tag))),
            endpoint=Endpoint(
                kind="http",
                method=operation.method,
                url=server + (operation.path if operation.path.startswith("/") else f"/{operation.path}"),
                auth=calling.auth_name(security),
            ),
            side_effect=side_effect(operation.method, operation.path, name),
            metadata=self._metadata(operation, arguments, security),
        )
        return tool, doubts

    def _id(self, name: str, by_path: str, taken: set[str]) -> str:
        start = f"{self.server}/{name}" if self.server else name
        key = start if start not in taken else f"{start}__{by_path}"
        number = 2
        while key in taken:
            key, number = f"{start}__{by_path}_{number}", number + 1
        return key

    def _metadata(
        self, operation: Operation, arguments: Arguments, security: list[dict[str, list[str]]]
    ) -> dict[str, Any]:
        used = {name: self.schemes[name] for each in security for name in each if name in self.schemes}
        parts = {
            "path": operation.path,
            "operation_id": text(operation.body.get("operationId")),
            "arguments": arguments.places,
            "content_type": arguments.content_type,
            "security": security,
            "schemes": used,
            "response": self._response(operation),
        }
        metadata: dict[str, Any] = {"openapi": {key: value for key, value in parts.items() if value}}
        if self.said:
            metadata["server_description"] = self.said
        if operation.body.get("deprecated") is True:
            metadata["deprecated"] = True
        return metadata

    def _response(self, operation: Operation) -> str:
        """The first answer of success, in a few words (``200: The pets.``)."""
        declared = {str(code): each for code, each in (as_object(operation.body.get("responses")) or {}).items()}
        code = next((code for code in sorted(declared) if code.startswith("2")), "default")
        try:
            node, _ = self.references.follow(declared.get(code), operation.scope)
        except BrokenReference:
            return ""
        said = short((as_object(node) or {}).get("description"), _LONGEST_ANSWER)
        return f"{code}: {said}" if said else code if code in declared else ""


def _description(operation: Operation) -> str:
    own = description_of(operation.body.get("summary"), operation.body.get("description"))
    return own or description_of(operation.item.get("summary"), operation.item.get("description"))
