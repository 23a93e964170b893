"""A small MCP server: a town library with five tools. `mcp.json` starts it; it needs `pip install 'toolcurator[mcp]'`."""

from datetime import date, timedelta
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("library", instructions="The catalogue and the loans of the town library of Little Snoring.")

READS = ToolAnnotations(read_only_hint=True)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False)

BOOKS = {
    "B1": ("The Wind in the Reeds", "Ada Marsh", 2),
    "B2": ("A Field Guide to Clouds", "Noor Vale", 0),
    "B3": ("Bread for Beginners", "Tom Oakes", 1),
}
loans: dict[str, date] = {"B2": date(2030, 5, 1)}


class Book(BaseModel):
    """A book on the shelves."""

    id: str
    title: str
    author: str
    copies: int


@server.tool(annotations=READS)
def search(words: Annotated[str, Field(description="Words of the title or the author")]) -> list[Book]:
    """Find books on the shelves by title or author."""
    return [
        Book(id=key, title=title, author=author, copies=copies)
        for key, (title, author, copies) in BOOKS.items()
        if words.lower() in f"{title} {author}".lower()
    ]


@server.tool(annotations=READS)
def opening_hours(day: Annotated[date, Field(description="The day")]) -> str:
    """When the library is open on a day."""
    return "closed" if day.weekday() == 6 else "10:00 to 18:00"


@server.tool(title="Reserve a book", annotations=CHANGES)
def reserve(book: Annotated[str, Field(description="Id of the book")], card: str) -> str:
    """Put a book aside for a reader until they fetch it."""
    title, _, copies = BOOKS[book]
    return f"'{title}' is put aside for card {card}" if copies else f"'{title}' is out; card {card} waits for it"


@server.tool(annotations=CHANGES)
def renew_loan(book: str, weeks: Annotated[int, Field(ge=1, le=4)] = 2) -> str:
    """Keep a borrowed book for longer."""
    loans[book] = loans[book] + timedelta(weeks=weeks)
    return f"due on {loans[book]}"


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
async def close_branch(confirm: bool, context: Context) -> str:
    """Close the branch for today: nobody can reserve or renew any more."""
    if confirm:
        for name in ("reserve", "renew_loan"):
            server.remove_tool(name)
        await context.notify_tools_changed()
    return "closed" if confirm else "still open"


if __name__ == "__main__":
    server.run()
