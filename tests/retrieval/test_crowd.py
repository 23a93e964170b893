"""Above 256 visible tools only candidates are scored, and above some thousand points int8 finds them: the answers stay."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolcurator import Curator, Tool
from toolcurator.encoders import Progress

QUERIES = (
    "cancel the flight to Oslo",
    "where is my parcel",
    "approve the budget of the department and print the payslips",
    "a new playlist for the radio",
    "please permanently erase workflow 456",
    "get_accounts",
)


@pytest.fixture(scope="module")
def again(crowd: Curator, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Curator]:
    """Opens the crowd's tools, or some of them changed, over a copy of its index: nothing is encoded a second time."""

    def open_(tools: Sequence[Tool] | None = None, **how: Any) -> Curator:
        folder: Path = tmp_path_factory.mktemp("crowd") / "index"
        shutil.copytree(crowd.index.generation.folder.parent, folder)
        calls: list[tuple[int, int]] = []
        progress: Progress = lambda done, total: calls.append((done, total))  # noqa: E731
        curator = Curator.open(tools or list(crowd.index.catalog), index_dir=folder, progress=progress, **how)
        assert calls == []
        return curator

    return open_


@pytest.fixture(scope="module")
def int8(again: Callable[..., Curator]) -> Curator:
    return again(exact_points=0)


def test_int8_candidates_are_scored_exactly(crowd: Curator, int8: Curator) -> None:
    assert int8.index.manifest.scale
    for query in QUERIES:
        for fusion in ("dense", "weighted"):
            one, other = (curator.select(query, k=10, fusion=fusion) for curator in (crowd, int8))
            assert [hit.id for hit in one.hits[:5]] == [hit.id for hit in other.hits[:5]], query
            assert [hit.score for hit in one.hits[:5]] == pytest.approx(
                [hit.score for hit in other.hits[:5]], abs=1e-5 if fusion == "dense" else 0.1
            )
            assert other.fits == pytest.approx(one.fits, abs=0.01)


@pytest.mark.parametrize("way", ["crowd", "int8"])
def test_a27_a_role_gets_the_answers_of_a_catalogue_of_its_own(
    crowd: Curator, again: Callable[..., Curator], way: str
) -> None:
    how = {"exact_points": 0} if way == "int8" else {}
    tools = list(crowd.index.catalog)
    mixed = [
        tool.model_copy(update={"roles": ("worker",)} if i % 20 else {"roles": ("boss",)})
        for i, tool in enumerate(tools)
    ]
    all_of_them = again(mixed, **how)
    own = again([tool for tool in mixed if "worker" in tool.roles], **how)
    assert len(own) > 256
    for query in QUERIES:
        one = all_of_them.select(query, k=10, role="worker", fusion="dense")
        other = own.select(query, k=10, fusion="dense")
        assert [hit.id for hit in one] == [hit.id for hit in other]
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=1e-5)
        assert [hit.evidence.dense_rank for hit in one] == [hit.evidence.dense_rank for hit in other]


def test_few_candidates_still_hold_the_best(crowd: Curator, again: Callable[..., Curator]) -> None:
    narrow = again(candidates=5)
    for query in QUERIES:
        assert narrow.select(query)[0].id == crowd.select(query)[0].id
        assert len(narrow.select(query, k=3)) == 3


class WordEncoder:
    """A caller's own encoder: a word is a direction, a text without a known word is a vector of zeros (as static models give)."""

    id = "words-1"
    dimensions = 8
    max_tokens = 100
    languages = ("en",)
    known = ("pay", "bill", "book", "room", "open", "window", "list", "all")

    def encode_documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        vectors = np.array([[text.lower().split().count(word) for word in self.known] for text in texts], np.float32)
        vectors = vectors.reshape(len(texts), self.dimensions)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        return self.encode_documents(texts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "query", ["zig zag", "zig zag and also pow wow", "zig zag; pay bill", "pay bill and then zig zag. pow wow"]
)
def test_a_text_without_a_known_token_is_no_number_trouble(tmp_path: Path, query: str) -> None:
    from toolcurator.index import open_index
    from toolcurator.settings import Settings

    encoder, settings = WordEncoder(), Settings(index_dir=tmp_path, pass_through=0)
    names = ("pay_bill", "book_room", "open_window", "list_all", "nothing_known", "pow_wow", "zig_zag")
    tools = [Tool(name=name, description=name.replace("_", " ")) for name in names]
    curator = Curator(open_index(tools, settings=settings, encoder=encoder), encoder=encoder, settings=settings)
    for fusion in ("weighted", "dense", "rrf"):
        found = curator.select(query, fusion=fusion)  # type: ignore[arg-type]
        assert np.isfinite([hit.score for hit in found]).all()
        assert 0 <= found.fits <= 1
        assert isinstance(found.explain(), str)
    if "pay bill" in query:
        assert "pay_bill" in [hit.id for hit in curator.select(query, k=3)]
