"""What is served, and what is left when serving changes (pitfalls C18 and C19), on the index that routing searches."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator, Tool
from toolcurator.errors import EncoderError
from toolcurator.index import open_index
from toolcurator.settings import Settings

WORDS = ("loan", "weather", "tax", "licence", "permit", "school", "bus", "water")


class WordEncoder:
    """A small encoder that counts words; it breaks off when it comes to a text that names ``breaks_at``."""

    id, dimensions, max_tokens, languages = "word-counter", len(WORDS) + 1, 512, ("*",)

    def __init__(self, breaks_at: str = "") -> None:
        self.breaks_at = breaks_at
        self.encoded = 0

    def encode_documents(self, texts: Sequence[str], *, progress: Any = None) -> Any:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if self.breaks_at and self.breaks_at in text:
                raise EncoderError("the encoder's server went away")
            row[:] = [*(text.lower().count(word) for word in WORDS), 0.1]
            self.encoded += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encode_queries = encode_documents

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def services(**changed: Any) -> list[Tool]:
    """One service a word, with three examples."""
    return [
        Tool(
            id=word,
            name=f"{word}_service",
            description=f"All about the {word}.",
            examples=tuple(f"{word} question number {n} of {word}-marker" for n in range(3)),
        ).model_copy(update=changed.get(word, {}))
        for word in WORDS
    ]


def opened(folder: Path, tools: list[Tool], encoder: Any = None) -> Curator:
    settings = Settings(index_dir=folder, pass_through=0)
    encoder = encoder or WordEncoder()
    return Curator(open_index(tools, settings=settings, encoder=encoder), encoder=encoder, settings=settings)


def holds(folder: Path, text: str) -> list[str]:
    """The files of an index in which a text stands."""
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.parametrize("state", ["draft", "inactive"])
def test_c18_what_is_not_active_is_never_found(tmp_path: Path, state: str) -> None:
    curator = opened(tmp_path, services(tax={"state": state}))
    for query in ("tax", "tax_service", "tax question number 1 of tax-marker"):
        picked = curator.select(query, k=len(WORDS))
        assert "tax" not in [hit.tool.id for hit in picked]
        assert len(picked) == len(WORDS) - 1
    assert holds(tmp_path, "tax-marker") == []


@pytest.mark.parametrize("leaves", ["deactivated", "deleted"])
def test_c18_a_tool_that_leaves_takes_every_point_with_it(tmp_path: Path, leaves: str) -> None:
    before = opened(tmp_path, services())
    assert before.select("tax question number 1 of tax-marker", k=1)[0].tool.id == "tax"
    assert "tools.jsonl" in holds(tmp_path, "tax-marker")
    tools = services(tax={"state": "inactive"}) if leaves == "deactivated" else [t for t in services() if t.id != "tax"]
    after = opened(tmp_path, tools)
    index = open_index(tools, settings=Settings(index_dir=tmp_path), encoder=WordEncoder())
    assert index.position("tax") is None
    assert len(index.vectors_by_text()) == index.manifest.points == (len(WORDS) - 1) * 4
    assert not [text for text in index.vectors_by_text() if "tax" in text]
    assert "tax" not in [hit.tool.id for hit in after.select("tax tax-marker", k=len(WORDS))]
    assert holds(tmp_path, "tax-marker") == [], "the files that held it are gone as well"


def test_c18_an_example_that_is_taken_away_is_gone(tmp_path: Path) -> None:
    opened(tmp_path, services())
    tools = services(tax={"examples": ("tax question number 0 of tax-marker",)})
    opened(tmp_path, tools)
    index = open_index(tools, settings=Settings(index_dir=tmp_path), encoder=WordEncoder())
    assert [text for text in index.vectors_by_text() if "tax-marker" in text] == ["tax question number 0 of tax-marker"]
    assert holds(tmp_path, "tax question number 2") == []


def test_c19_a_re_index_that_fails_half_way_leaves_the_old_index_whole(tmp_path: Path) -> None:
    query = "tax question number 1 of tax-marker"
    before = [(hit.tool.id, hit.score) for hit in opened(tmp_path, services()).select(query, k=5)]
    changed = {
        word: {"description": f"Everything new on {word}.", "examples": (f"{word} asked anew",)} for word in WORDS
    }
    failing = WordEncoder(breaks_at="school asked anew")
    with pytest.raises(EncoderError):
        opened(tmp_path, services(**changed), failing)
    assert failing.encoded > 0, "it broke off in the middle"
    untouched = WordEncoder()
    still = opened(tmp_path, services(), untouched)
    assert untouched.encoded == 0, "it is the index from before, not one that was built again"
    assert [(hit.tool.id, hit.score) for hit in still.select(query, k=5)] == before
    assert len(still.select("school", k=len(WORDS))) == len(WORDS), "no service is gone"


def test_c19_the_next_re_index_leaves_nothing_stale(tmp_path: Path) -> None:
    opened(tmp_path, services())
    tools = services(school={"examples": ("school asked anew",)})
    with pytest.raises(EncoderError):
        opened(tmp_path, tools, WordEncoder(breaks_at="asked anew"))
    opened(tmp_path, tools)
    index = open_index(tools, settings=Settings(index_dir=tmp_path), encoder=WordEncoder())
    assert {text for text in index.vectors_by_text() if text.startswith("school ") and "All about" not in text} == {
        "school asked anew"
    }
    assert holds(tmp_path, "school question") == []
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("g-")]) == 1
