"""What a tool is: anything callable with a name, a description and arguments. Imports nothing of ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

JsonSchema = dict[str, Any]
Format = Literal["openai", "openai_responses", "anthropic", "gemini", "mcp"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Provenance(_Frozen):
    """Where one profile field comes from.

    Attributes:
        model: Model that wrote it, or ``"human"``.
        prompt: Version of the prompt.
        at: Time of writing.
        source_hash: Hash of the raw document it was written from; another hash means the field is stale.
        supported: The judge's verdict; None if nobody judged it.
        reason: The judge's reason.
        judge: Who gave the verdict: a model, ``"rules"``, or ``"human"``.
        run: The enrichment run that wrote it.
    """

    model: str = ""
    prompt: str = ""
    at: datetime | None = None
    source_hash: str = ""
    supported: bool | None = None
    reason: str = ""
    judge: str = ""
    run: str = ""


class Profile(_Frozen):
    """Fields that a model or a person wrote about a tool (seed 2, Tool-DE). The author's own text is never in here."""

    function_description: str = ""
    tags: tuple[str, ...] = ()
    when_to_use: str = ""
    limitations: str = ""
    example_queries: tuple[str, ...] = ()
    grounded: bool = True
    provenance: Mapping[str, Provenance] = Field(default_factory=dict[str, Provenance])


class Endpoint(_Frozen):
    """How a tool is called. Secrets are never in here, only the name under which one is stored."""

    kind: Literal["http", "mcp", "python"] = "http"
    method: str = "GET"
    url: str = ""
    auth: str = ""


class Slot(_Frozen):
    """One argument of a tool (an "entity" in the third seed), derived from the JSON Schema of its parameters.

    Attributes:
        name: Property name.
        description: The property's description, empty if there is none.
        type: JSON Schema type in words (``string``, ``integer | null``), empty if the schema does not say.
        required: Whether the call needs it.
        position: Place in the declared order, from 0.
        enum: Allowed values, as text.
        json_schema: The property's own schema, as declared.
    """

    name: str
    description: str = ""
    type: str = ""
    required: bool = False
    position: int = 0
    enum: tuple[str, ...] = ()
    json_schema: JsonSchema = Field(default_factory=dict[str, Any])


class Declaration(_Frozen):
    """The form a tool came in with, kept so that the same form goes out unchanged."""

    format: Format
    body: dict[str, Any]


class Tool(_Frozen):
    """A tool: function, MCP tool, API operation or service.

    Attributes:
        id: Qualified id, unique in a catalogue; by default ``server/name``, or the name if there is no server.
        name: The name its owner gave it, kept as it is for search.
        server: Server or provider that offers it.
        description: The owner's description.
        parameters: JSON Schema (type object) of the arguments.
        examples: Example queries; each becomes a point of its own in the index.
        tags: Free words.
        roles: Personas that may see it; empty means all.
        extra_context: Words and paraphrases added for search only (``domain_synonyms.json``).
        profile: Fields written about the tool by a model or a person.
        endpoint: How to call it.
        state: Only ``active`` tools are found.
        side_effect: Whether a call changes something; None if unknown.
        metadata: Anything else that came with it (title, category, server_description, ...).
        declaration: The form it came in with.
    """

    id: str = ""
    name: str
    server: str = ""
    description: str = ""
    parameters: JsonSchema = Field(default_factory=lambda: {"type": "object", "properties": {}})
    examples: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    extra_context: str = ""
    profile: Profile | None = None
    endpoint: Endpoint | None = None
    state: Literal["active", "draft", "inactive"] = "active"
    side_effect: bool | None = None
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    declaration: Declaration | None = None

    @field_validator("name")
    @classmethod
    def _name_has_text(cls, name: str) -> str:
        if not name.strip():
            raise ValueError("name is empty")
        return name

    @model_validator(mode="before")
    @classmethod
    def _qualify(cls, data: Any) -> Any:
        fields = as_object(data)
        if fields.get("id") or not isinstance(name := fields.get("name"), str):
            return data
        server = fields.get("server")
        return {**fields, "id": f"{server}/{name}" if server else name}

    def model_post_init(self, context: Any, /) -> None:
        """Share the set of the fields that were given with the tools that have the same: of its own it takes 0.7 kB."""
        object.__setattr__(self, "__pydantic_fields_set__", _shared(frozenset(self.model_fields_set)))

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The arguments in declared order, ``$ref`` resolved once (a cycle stays as declared)."""
        required = self.parameters.get("required")
        needed = cast(list[Any], required) if isinstance(required, list) else []
        return tuple(
            _slot(name, resolve(schema, self.parameters), name in needed, position)
            for position, (name, schema) in enumerate(as_object(self.parameters.get("properties")).items())
        )

    @cached_property
    def leaf(self) -> str:
        """The bare name, without what a client put before it (``mcp__server__search`` → ``search``)."""
        return self.name.rsplit("__", 1)[-1] if self.name.startswith("mcp__") else self.name


def resolve(schema: Any, root: JsonSchema, depth: int = 8) -> JsonSchema:
    """Follow a local ``$ref``.

    Args:
        schema: A property's schema; anything but a mapping gives an empty one.
        root: The schema in which ``#/...`` pointers start.
        depth: References followed at most, so that a cycle ends.

    Returns:
        The schema the reference names, with the keys beside the reference laid over it.
    """
    found = as_object(schema)
    while depth and isinstance(ref := found.get("$ref"), str) and ref.startswith("#"):
        target: Any = root
        for part in ref.lstrip("#/").split("/") if ref.strip("#/") else ():
            target = as_object(target).get(part.replace("~1", "/").replace("~0", "~"))
        if not isinstance(target, dict):
            break
        found = as_object(target) | {key: value for key, value in found.items() if key != "$ref"}
        depth -= 1
    return found


@lru_cache(maxsize=256)
def _shared(names: frozenset[str]) -> set[str]:
    return set(names)


def as_object(value: Any) -> JsonSchema:
    """The value if it is a mapping, else an empty one."""
    return cast(JsonSchema, value) if isinstance(value, dict) else {}


def _slot(name: str, schema: JsonSchema, required: bool, position: int) -> Slot:
    kind = schema.get("type")
    values = schema.get("enum")
    return Slot(
        name=name,
        description=_text(schema.get("description")),
        type=" | ".join(map(str, kind)) if isinstance(kind, list) else _text(kind),  # pyright: ignore[reportUnknownArgumentType]
        required=required,
        position=position,
        enum=tuple(map(str, values)) if isinstance(values, list) else (),  # pyright: ignore[reportUnknownArgumentType]
        json_schema=schema,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
