"""What all tests share: no cache of the user's, no settings of the user's, and catalogues that are indexed once."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from toolcurator import Curator, Tool

EXAMPLES = Path(__file__).parent.parent / "examples"

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None, max_examples=60)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _nobodys_machine() -> Iterator[None]:
    """No test reads or writes the user's cache, and no variable of the user's changes an answer."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="toolcurator-tests-") as folder:
        for name in [name for name in os.environ if name.startswith("TOOLCURATOR_")]:
            patch.delenv(name)
        for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
            patch.setenv(name, folder)
        yield


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of examples."""
    return EXAMPLES


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Curator]:
    """Opens a curator over any source, with an index folder of its own; settings as keywords."""

    def open_(source: object, **how: Any) -> Curator:
        return Curator.open(source, **{"index_dir": tmp_path_factory.mktemp("index"), **how})

    return open_


@pytest.fixture(scope="session")
def campus_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the campus catalogue is indexed, with the packaged encoder; open it as often as you like."""
    return tmp_path_factory.mktemp("campus")


@pytest.fixture(scope="session")
def campus(campus_index: Path) -> Curator:
    """The campus catalogue with the packaged encoder."""
    return Curator.open(EXAMPLES / "campus", index_dir=campus_index)


@pytest.fixture(scope="session")
def campus_words(opened: Callable[..., Curator]) -> Curator:
    """The campus catalogue by words alone."""
    return opened(EXAMPLES / "campus", encoder="none")


@pytest.fixture(scope="session")
def office() -> tuple[Tool, ...]:
    """Nine tools that have little to do with each other, two of them not for everybody."""
    return tuple(
        Tool(name=name, server=server, description=text, examples=tuple(examples), roles=tuple(roles))
        for name, server, text, examples, roles in (
            (
                "pay_invoice",
                "books",
                "Pay a supplier's invoice from the firm's account.",
                ["settle the electricity bill"],
                [],
            ),
            ("list_invoices", "books", "Invoices of a month, paid and unpaid.", [], []),
            (
                "close_ledger",
                "books",
                "Close the ledger of a year for good.",
                ["lock last year's accounts"],
                ["auditor"],
            ),
            ("book_room", "house", "Reserve a meeting room for some hours.", ["we need a place to meet at noon"], []),
            ("open_window", "house", "Open a window of the office by motor.", [], []),
            ("water_plants", "house", "Water the plants in the hall.", ["the ficus is dry"], ["gardener", "auditor"]),
            ("translate_text", "words", "Translate a text into another language.", [], []),
            ("find_typos", "words", "Find spelling mistakes in a text.", ["proofread my letter"], []),
            ("send_fax", "post", "Send a fax to a number abroad.", [], []),
        )
    )
