"""Tools of agent frameworks go in as they are, by the frameworks' real classes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolcurator import Catalog, Curator
from toolcurator.errors import CatalogError


def lend_book(title: str, days: int = 14) -> str:
    """Lends a book.

    Args:
        title: What stands on the cover.
        days: How long.
    """
    return f"{title} for {days}"


class RenewLoan(BaseModel):
    """Extends a loan that is not overdue."""

    loan: str = Field(description="Number of the loan.")
    days: int = 7


def test_a_pydantic_model_is_a_tool_whose_fields_are_the_arguments() -> None:
    (tool,) = Catalog.of(RenewLoan)
    assert (tool.name, tool.description) == ("RenewLoan", "Extends a loan that is not overdue.")
    assert [(slot.name, slot.type, slot.required) for slot in tool.slots] == [
        ("loan", "string", True),
        ("days", "integer", False),
    ]
    assert tool.slots[0].description == "Number of the loan."

    class Bare(BaseModel):
        x: int

    assert Catalog.of([Bare])["Bare"].description == ""  # pydantic's own docstring is not the tool's


def test_langchain() -> None:
    tools = pytest.importorskip("langchain_core.tools")
    plain = tools.tool(parse_docstring=True)(lend_book)
    structured = tools.StructuredTool.from_function(
        func=lend_book, name="renew", description="Renews.", args_schema=RenewLoan
    )
    dictionary = tools.StructuredTool(
        name="cancel", description="Cancels.", func=lend_book,
        args_schema={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    )  # fmt: skip
    catalog = Catalog.of([plain, structured, dictionary], server="library")
    assert [tool.id for tool in catalog] == ["library/lend_book", "library/renew", "library/cancel"]
    lend = catalog["library/lend_book"]
    assert lend.description == "Lends a book."
    assert [(slot.name, slot.required, slot.description) for slot in lend.slots] == [
        ("title", True, "What stands on the cover."),
        ("days", False, "How long."),
    ]
    assert [slot.name for slot in catalog["library/renew"].slots] == ["loan", "days"]
    assert [slot.name for slot in catalog["library/cancel"].slots] == ["id"]


def test_langchain_arguments_that_the_framework_injects_are_no_slots() -> None:
    tools = pytest.importorskip("langchain_core.tools")
    from typing import Annotated

    def note(text: str, state: Annotated[dict[str, Any], tools.InjectedToolArg]) -> str:
        """Notes something."""
        return text

    note.__annotations__ = {"text": str, "state": Annotated[dict[str, Any], tools.InjectedToolArg], "return": str}
    (tool,) = Catalog.of(tools.tool(note))
    assert [slot.name for slot in tool.slots] == ["text"]


def test_llama_index() -> None:
    tools = pytest.importorskip("llama_index.core.tools")
    (tool,) = Catalog.of(tools.FunctionTool.from_defaults(lend_book, name="lend", description="Lends."))
    assert (tool.name, tool.description) == ("lend", "Lends.")
    assert [(slot.name, slot.required) for slot in tool.slots] == [("title", True), ("days", False)]


def test_pydantic_ai_tools_and_toolsets() -> None:
    library = pytest.importorskip("pydantic_ai")
    (tool,) = Catalog.of(library.Tool(lend_book))
    assert (tool.name, tool.description) == ("lend_book", "Lends a book.")
    assert tool.slots[0].description == "What stands on the cover."
    toolset = library.FunctionToolset([lend_book]).prefixed("desk")
    assert [tool.name for tool in Catalog.of(toolset)] == ["desk_lend_book"]
    both = library.CombinedToolset([toolset, library.FunctionToolset([lend_book])])

    async def in_a_loop() -> list[str]:
        return [tool.name for tool in Catalog.of([both])]

    assert asyncio.run(in_a_loop()) == ["desk_lend_book", "lend_book"]


def test_a_toolset_that_cannot_list_its_tools_is_named() -> None:
    library = pytest.importorskip("pydantic_ai")

    class Closed(library.FunctionToolset):
        async def get_tools(self, ctx: Any) -> dict[str, Any]:
            raise ConnectionError("nobody is there")

    with pytest.raises(CatalogError, match="Closed cannot list its tools: nobody is there"):
        Catalog.of(Closed([lend_book]))


def test_agents_sdk() -> None:
    agents = pytest.importorskip("agents")
    (tool,) = Catalog.of(agents.function_tool(lend_book))
    assert (tool.name, tool.description) == ("lend_book", "Lends a book.")
    assert [slot.name for slot in tool.slots] == ["title", "days"]


def test_they_mix_with_everything_else_and_are_found() -> None:
    types = pytest.importorskip("mcp.types")
    mixed = [
        RenewLoan,
        lend_book,
        types.Tool(name="opening_hours", description="When the library is open.", inputSchema={"type": "object"}),
        {"name": "pay_fine", "description": "Pays a fine for a late book."},
    ]
    curator = Curator.open(mixed)
    assert curator.select("I want to extend my loan", k=1)[0].id == "RenewLoan"
    assert curator.select("when do you open", k=1)[0].id == "opening_hours"
