"""Plain Python functions as tools: to-dos, notes, measures and money.

Run it from the root of the repository: ``python examples/functions.py``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Literal

from toolcurator import Curator, tool


@dataclass
class Todo:
    """One thing to do."""

    text: str
    due: date | None = None
    done: bool = False


@dataclass
class Desk:
    """What the functions below work on; a real application has a database here."""

    todos: list[Todo] = field(default_factory=list[Todo])
    notes: dict[str, str] = field(default_factory=dict[str, str])


DESK = Desk()
METERS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "inch": 0.0254, "foot": 0.3048, "mile": 1609.344}
EUROS = {"EUR": 1.0, "USD": 0.86, "GBP": 1.14, "SEK": 0.091, "JPY": 0.0056}  # frozen, so that the example works offline


@tool(tags=["todo"], examples=["I must not forget to call the dentist", "put milk on my list for Friday"])
def add_todo(text: str, due: date | None = None) -> dict[str, object]:
    """Put something on the to-do list.

    Args:
        text: What has to be done.
        due: Day by which it has to be done.
    """
    DESK.todos.append(Todo(text, due))
    return asdict(DESK.todos[-1])


@tool(tags=["todo"], examples=["what is left for today", "show me everything I have finished"])
def list_todos(state: Literal["open", "done", "all"] = "open") -> list[dict[str, object]]:
    """List the things on the to-do list, the most urgent first.

    Args:
        state: Which of them to show.
    """
    chosen = [each for each in DESK.todos if state == "all" or each.done == (state == "done")]
    return [asdict(each) for each in sorted(chosen, key=lambda each: each.due or date.max)]


@tool(tags=["todo"], examples=["the dentist is called, cross it off"])
def complete_todo(text: str) -> bool:
    """Tick off a thing on the to-do list.

    Args:
        text: Its text, or part of it.

    Returns:
        Whether there was such a thing.
    """
    found = next((each for each in DESK.todos if text.lower() in each.text.lower() and not each.done), None)
    if found is not None:
        found.done = True
    return found is not None


@tool
def write_note(title: str, text: str, append: bool = False) -> int:
    """Save a note under a title.

    Args:
        title: Title under which it can be found again.
        text: What to write down.
        append: Add to the note of that title instead of replacing it.

    Returns:
        Length of the note in characters.
    """
    before = DESK.notes.get(title, "") if append else ""
    DESK.notes[title] = f"{before}\n{text}".strip()
    return len(DESK.notes[title])


@tool(tags=["notes"], examples=["what did I write about the garden"])
def find_notes(words: list[str], limit: int = 5) -> list[str]:
    """Find saved notes by words in their title or text.

    Args:
        words: Words that the title or the text must hold, all of them.
        limit: How many titles to return at most.
    """
    wanted = [word.lower() for word in words]
    hits = [title for title, text in DESK.notes.items() if all(word in f"{title} {text}".lower() for word in wanted)]
    return hits[:limit]


def convert_length(
    value: float,
    source: Literal["mm", "cm", "m", "km", "inch", "foot", "mile"],
    target: Literal["mm", "cm", "m", "km", "inch", "foot", "mile"],
) -> float:
    """Convert a length or distance between metric and imperial units.

    Args:
        value: How many of the source unit.
        source: Unit to convert from.
        target: Unit to convert to.
    """
    return value * METERS[source] / METERS[target]


def convert_temperature(degrees: float, to: Literal["celsius", "fahrenheit"]) -> float:
    """Convert a temperature between Celsius and Fahrenheit.

    Args:
        degrees: Temperature in the other of the two scales.
        to: Scale of the answer.
    """
    return (degrees - 32) / 1.8 if to == "celsius" else degrees * 1.8 + 32


def convert_currency(amount: float, source: str, target: str = "EUR") -> float:
    """Convert a sum of money into another currency at a fixed rate.

    Args:
        amount: Sum of money.
        source: ISO 4217 code of the currency it is in, e.g. USD.
        target: ISO 4217 code of the currency wanted.

    Raises:
        KeyError: There is no rate for one of the currencies.
    """
    return amount * EUROS[source] / EUROS[target]


def main() -> None:
    """Open a curator over the functions and print what it picks for a few requests."""
    curator = Curator.open(
        [
            add_todo,
            list_todos,
            complete_todo,
            write_note,
            find_notes,
            convert_length,
            convert_temperature,
            convert_currency,
        ]
    )
    for query in (
        "how many dollars is 80 euros",
        "put the tax papers on my list for Monday",
        "find my note about the wifi code",
        "my oven only shows fahrenheit, what is 200 degrees celsius there",
    ):
        print(query)
        for hit in curator.select(query, k=3):
            print(f"  {hit.tool.name:<22}{hit.score:.2f}")


if __name__ == "__main__":
    main()
