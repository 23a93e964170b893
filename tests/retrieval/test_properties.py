"""What holds for any text and any catalogue."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from toolcurator import Curator, Tool
from toolcurator.errors import QueryError
from toolcurator.retrieval.budget import diversify, pick

BUILDS = (Phase.explicit, Phase.generate)
"""Phases of tests that build an index for each example: a failure is shown as it was found, not made smaller for minutes."""

WORDS = st.sampled_from(
    ["pay", "bill", "room", "book", "list", "all", "the", "open", "naïve", "法令", "C++", "õpe", "é", "also"]
)
TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(WORDS, max_size=8).map(" ".join),
    st.text(alphabet="ab _-.:/\\[]{}<>\0\n\t\ud83d😀法é", max_size=40),
)
NAME = TEXT.filter(lambda text: text.strip())
TOOL = st.builds(
    Tool,
    name=NAME,
    server=st.one_of(st.just(""), NAME),
    description=TEXT,
    examples=st.lists(TEXT, max_size=2).map(tuple),
    tags=st.lists(TEXT, max_size=2).map(tuple),
    roles=st.lists(st.sampled_from(["student", "admin"]), max_size=2, unique=True).map(tuple),
    parameters=st.dictionaries(TEXT, st.fixed_dictionaries({"description": TEXT}), max_size=2).map(
        lambda properties: {"type": "object", "properties": properties}
    ),
)
CATALOG = st.lists(TOOL, min_size=1, max_size=14, unique_by=lambda tool: tool.id)


@contextmanager
def _open(tools: list[Tool]) -> Iterator[Curator]:
    with TemporaryDirectory() as folder:
        yield Curator.open(tools, encoder="none", index_dir=Path(folder))


def _answer(curator: Curator, query: str, **how: Any) -> list[tuple[str, float]] | None:
    try:
        found = curator.select(query, **how)
    except QueryError:
        assert not any(letter.isprintable() and not letter.isspace() for letter in query[:10_000])
        return None
    assert 0 <= found.fits <= 1
    return [(hit.id, hit.score) for hit in found]


@given(st.lists(TEXT, min_size=1, max_size=12))
@settings(max_examples=30)
def test_any_query_is_answered_or_called_empty(campus_words: Curator, queries: list[str]) -> None:
    for query in queries:
        found = _answer(campus_words, query, role="student", k=5)
        assert found is None or len(found) <= 5


@given(CATALOG, TEXT, st.integers(1, 20), st.one_of(st.none(), st.integers(1, 300)))
@settings(max_examples=15, phases=BUILDS)
def test_any_catalogue_opens_and_limits_hold(tools: list[Tool], query: str, k: int, budget: int | None) -> None:
    with _open(tools) as curator:
        assert len(curator) == len(tools)
        for role in (None, "student"):
            allowed = {tool.id for tool in tools if role is None or not tool.roles or role in tool.roles}
            try:
                found = curator.select(query, k=k, role=role, token_budget=budget)
            except QueryError:
                break
            ids = [hit.id for hit in found]
            assert len(ids) == len(set(ids)) <= k
            assert set(ids) <= allowed
            assert budget is None or sum(hit.tokens or 0 for hit in found) <= budget
            assert np.isfinite([hit.score for hit in found]).all()
            assert len(set(found.wire_names())) == len(ids)
            by_id = {tool.id: tool for tool in tools}
            assert all(hit.tool == by_id[hit.id] for hit in found if _is_unicode(by_id[hit.id])), "read back as put in"


def _is_unicode(tool: Tool) -> bool:
    """Half a surrogate pair, which a careless JSON writer leaves behind, need not survive."""
    try:
        str(tool.model_dump()).encode()
        tool.model_dump_json()
    except ValueError:
        return False
    return True


@given(CATALOG, st.lists(TEXT, min_size=1, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=8, phases=BUILDS)
def test_a04_the_order_of_tools_does_not_matter(tools: list[Tool], queries: list[str], random) -> None:
    shuffled = list(tools)
    random.shuffle(shuffled)
    with _open(tools) as one, _open(shuffled) as other:
        assert one.index.manifest.key == other.index.manifest.key
        assert one.index.wire_names == other.index.wire_names
        for query in queries:
            for fusion in ("weighted", "rrf", "sparse"):
                assert _answer(one, query, fusion=fusion) == _answer(other, query, fusion=fusion)


RANKED = st.lists(st.integers(0, 40), unique=True, max_size=25).map(
    lambda tools: [(t, -float(i)) for i, t in enumerate(tools)]
)


@given(RANKED, st.integers(1, 30), st.sets(st.integers(0, 40), max_size=5), st.one_of(st.none(), st.integers(1, 200)))
def test_picks_are_within_the_limits_and_in_order(
    ranked: list[tuple[int, float]], k: int, pinned: set[int], budget: int | None
) -> None:
    def tokens(tool: int) -> int:
        return 1 + tool % 17

    picks, over = pick(ranked, k=k, pinned=frozenset(pinned), tokens=tokens, token_budget=budget)
    tools = [each.tool for each in picks]
    order = [tool for tool, _ in ranked]
    assert len(tools) <= k
    assert tools == sorted(tools, key=order.index)
    assert budget is None or sum(map(tokens, tools)) <= budget
    if budget is None:
        assert over == 0
        assert len(tools) == min(k, len(order))
        wanted = [tool for tool in order if tool in pinned][:k]
        assert set(wanted) <= set(tools)
        assert set(tools) - pinned == set([tool for tool in order if tool not in pinned][: k - len(wanted)])
    else:
        left = budget - sum(map(tokens, tools))
        if len(tools) < k:
            assert all(tokens(tool) > left for tool in order if tool not in tools), "what would fit is in"


@given(st.integers(1, 12), st.floats(0, 1), st.integers(1, 15), st.integers(0, 1000))
def test_diversity_orders_and_loses_nothing(n: int, weight: float, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = np.sort(rng.random(n).astype(np.float32))[::-1]
    tools = rng.permutation(100)[:n].tolist()
    order = diversify(tools, scores, vectors, weight, k)
    assert sorted(order) == sorted(tools)
    assert weight == 1 or order[0] == tools[0]
    if weight == 0:
        assert order == tools
