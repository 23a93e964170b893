"""Python functions as tools."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypedDict

import pytest
from pydantic import BaseModel, Field

from toolcurator.errors import CatalogError
from toolcurator.sources.docstrings import read_docstring
from toolcurator.sources.functions import tool, tool_from_function

if TYPE_CHECKING:
    from nowhere import Frame


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Range(TypedDict, total=False):
    low: int
    high: int


class Address(BaseModel):
    street: str
    title: str = Field("home", description="How it is called")


class Node(BaseModel):
    label: str
    children: list[Node] = []


class RunContext:
    pass


def schema_of(fn):
    return tool_from_function(fn).parameters


def test_a_decorated_function_stays_what_it_was():
    @tool
    def double(n: int) -> int:
        """Twice a number."""
        return 2 * n

    assert double(4) == 8
    assert double.tool.name == "double"
    assert double.tool.description == "Twice a number."
    assert double.tool.endpoint.kind == "python"
    assert double.tool.endpoint.url.startswith(f"{__name__}:test_a_decorated")
    assert double.tool.endpoint.url.endswith("double")
    assert tool_from_function(double) is double.tool
    assert tool_from_function(double, server="math").id == "math/double"


def test_what_the_decorator_is_told():
    @tool(
        name="grades.show",
        server="campus",
        description="Marks.",
        roles=["student"],
        tags={"study"},
        examples=["my marks"],
        side_effect=False,
        state="draft",
    )
    async def show() -> str:
        """Not this."""
        return "A"

    made = show.tool
    assert asyncio.run(show()) == "A"
    assert (made.id, made.description, made.roles, made.tags) == (
        "campus/grades.show",
        "Marks.",
        ("student",),
        ("study",),
    )
    assert (made.examples, made.side_effect, made.state) == (("my marks",), False, "draft")


def test_annotations_become_json_schema():
    def book(
        city: str,
        color: Color,
        point: Point,
        span: Range,
        spans: list[Range],
        home: Address,
        tree: Node,
        when: Annotated[str, Field(description="ISO date")],
        tags: list[str],
        extra: dict[str, int],
        unit: Literal["C", "F"] = "C",
        maybe: Optional[int] = None,  # noqa: UP045 (the form under test)
        either: int | str = 3,
    ):
        pass

    schema = schema_of(book)
    properties = schema["properties"]
    assert schema["type"] == "object"
    assert schema["required"] == [
        "city", "color", "point", "span", "spans", "home", "tree", "when", "tags", "extra"
    ]  # fmt: skip
    assert properties["city"] == {"type": "string"}
    assert schema["$defs"]["Color"]["enum"] == ["red", "blue"]
    assert schema["$defs"]["Point"]["required"] == ["x"]
    assert set(schema["$defs"]["Range"]["properties"]) == {"low", "high"}
    assert properties["spans"]["items"] == {"$ref": "#/$defs/Range"}
    assert set(schema["$defs"]["Address"]["properties"]) == {"street", "title"}
    assert schema["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert properties["when"]["description"] == "ISO date"
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}}
    assert properties["extra"]["additionalProperties"] == {"type": "integer"}
    assert properties["unit"] == {"type": "string", "enum": ["C", "F"], "default": "C"}
    assert properties["maybe"] == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert properties["either"]["default"] == 3


def test_d5_arguments_with_difficult_names():
    def odd(title: str, description: str, schema: str, model_config: str, _hidden: int = 1, json: str = ""):
        pass

    assert list(schema_of(odd)["properties"]) == ["title", "description", "schema", "model_config", "_hidden", "json"]


def test_arguments_that_are_no_slots():
    def search(ctx: RunContext, query: str, *more: str, own: RunContext | None = None, **filters: Any):
        """Search.

        Args:
            query: What for.
            *more: Further words.
            **filters: Fields.
        """

    schema = schema_of(search)
    assert schema["properties"] == {"query": {"type": "string", "description": "What for."}}
    assert schema["additionalProperties"] is True


def test_types_pydantic_does_not_know_and_defaults_json_cannot_hold():
    def load(frame: Frame, client: RunLater, size: int, mark: Any = object()):  # noqa: B008
        pass

    schema = schema_of(load)
    assert schema["properties"] == {"frame": {}, "client": {}, "size": {"type": "integer"}, "mark": {}}
    assert schema["required"] == ["frame", "client", "size"]


class RunLater:
    def __init__(self, socket: int):
        self.socket = socket


def test_methods_partials_and_callable_objects():
    class Desk:
        """A desk that answers."""

        def ask(self, question: str):
            """Ask the desk."""

        @classmethod
        def count(cls, floor: int):
            """Count desks."""

        def __call__(self, ticket: int):
            """Serve.

            Args:
                ticket: Number drawn.
            """

    for fn in (Desk().ask, Desk.ask):
        assert list(schema_of(fn)["properties"]) == ["question"]
    assert list(schema_of(Desk.count)["properties"]) == ["floor"]
    made = tool_from_function(Desk())
    assert (made.name, made.description) == ("Desk", "A desk that answers.")
    assert made.parameters["properties"] == {"ticket": {"type": "integer", "description": "Number drawn."}}

    def power(base: int, exponent: int):
        """Raise."""

    square = tool_from_function(functools.partial(power, exponent=2))
    assert square.name == "power"
    assert square.parameters["required"] == ["base"]
    assert tool_from_function(functools.lru_cache(power)).name == "power"


GOOGLE = """Renew a loan.

Only once,
please.

Args:
    copy (str): Number on
        the sticker.
    weeks: How long: at most 4.

Returns:
    bool: not an argument.
"""
NUMPY = """Renew a loan.

Only once,
please.

Parameters
----------
copy : str
    Number on
    the sticker.
weeks : int, optional
    How long: at most 4.

Returns
-------
bool
    Not an argument.
"""
REST = """
Renew a loan.

Only once,
please.

:param str copy: Number on
    the sticker.
:param weeks: How long: at most 4.
:type weeks: int
:returns: not an argument
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST])
def test_docstrings_of_three_styles(text):
    assert read_docstring(text) == (
        "Renew a loan.\n\nOnly once, please.",
        {"copy": "Number on the sticker.", "weeks": "How long: at most 4."},
    )


def test_docstrings_that_are_hardly_any():
    assert read_docstring(None) == ("", {})
    assert read_docstring("One line: with a colon.") == ("One line: with a colon.", {})
    assert read_docstring("Note: this stays.\n\n    Indented stays.") == ("Note: this stays.\n\nIndented stays.", {})


def test_what_is_no_function_says_so():
    with pytest.raises(CatalogError, match="no function whose arguments can be read"):
        tool_from_function(3)
    with pytest.raises(CatalogError, match="use tool_from_function"):
        tool(len)
