"""What the index finds: int8 against float32, role masks, and evidence that does not depend on who else is there."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from toolcurator import Curator, Tool
from toolcurator.index import Evidence, Query
from toolcurator.index.index import Floats

QUERIES = (
    "show my attendance",
    "I want to complain about the warden",
    "how much money is on my account",
    "pay the tuition fee by card",
    "zebra crossing",
)


@pytest.fixture(scope="module")
def campus_int8(examples, tmp_path_factory: pytest.TempPathFactory, campus_index) -> Curator:
    """The campus catalogue searched by int8 codes; the vectors come from the exact index, so nothing is encoded."""
    import shutil

    folder = tmp_path_factory.mktemp("int8") / "index"
    shutil.copytree(campus_index, folder)
    calls: list[tuple[int, int]] = []
    curator = Curator.open(
        examples / "campus", index_dir=folder, exact_points=0, progress=lambda *done: calls.append(done)
    )
    assert calls == []
    return curator


@pytest.fixture(scope="module", autouse=True)
def _campus_first(campus: Curator) -> None:
    """The int8 index starts as a copy of this one."""


@pytest.fixture(scope="module")
def plain(opened: Callable[..., Curator], campus: Curator) -> dict[str, Curator]:
    """Tools without examples, both ways."""
    tools = [
        tool.model_copy(update={"examples": ()})
        for tool in campus.index.catalog
        if tool.server in ("bank", "library", "health")
    ]
    return {"exact": opened(tools), "int8": opened(tools, exact_points=0)}


def _vector(curator: Curator, text: str) -> Floats:
    assert curator.encoder is not None
    return curator.encoder.encode_queries([text])[0]


def _query(curator: Curator, text: str) -> Query:
    return Query(text, text.split(), text.split(), _vector(curator, text))


def _position(curator: Curator, id: str) -> int:
    position = curator.index.position(id)
    assert position is not None
    return position


def _by_tool(evidence: Evidence) -> dict[int, float]:
    return dict(zip(evidence.tools.tolist(), evidence.dense.tolist(), strict=True))


@pytest.mark.parametrize("role", [None, "student", "admin", "nobody"])
def test_int8_finds_what_exact_finds(campus: Curator, campus_int8: Curator, role: str | None) -> None:
    assert not campus.index.manifest.scale
    assert campus_int8.index.manifest.scale
    assert campus.index.manifest.points > len(campus)
    for text in QUERIES:
        exact, quick = (curator.select(text, k=10, role=role, fusion="dense") for curator in (campus, campus_int8))
        assert [hit.id for hit in exact.hits[:5]] == [hit.id for hit in quick.hits[:5]], text
        assert [hit.score for hit in exact.hits[:5]] == pytest.approx([hit.score for hit in quick.hits[:5]], abs=1e-5)
        one, other = (curator.index.search(_query(curator, text), role=role) for curator in (campus, campus_int8))
        assert one.visible == other.visible
        assert other.dense_mean == pytest.approx(one.dense_mean, abs=0.01)
        assert other.document_spread == pytest.approx(one.document_spread, abs=0.01)
        if one.visible:
            assert one.examples is not None
            assert other.examples is not None
            assert other.examples.head_spread == pytest.approx(one.examples.head_spread, rel=0.05, abs=0.05)
        assert [hit.id for hit in campus.select(text, role=role)][:3] == [
            hit.id for hit in campus_int8.select(text, role=role)
        ][:3]


def test_int8_finds_what_exact_finds_without_examples(plain: dict[str, Curator]) -> None:
    exact, quick = plain["exact"], plain["int8"]
    assert exact.index.manifest.points == exact.index.manifest.tools
    assert quick.index.manifest.scale
    for text in QUERIES:
        one, other = (curator.select(text, fusion="dense") for curator in (exact, quick))
        assert [hit.id for hit in one.hits[:5]] == [hit.id for hit in other.hits[:5]], text
        assert [hit.score for hit in one.hits[:5]] == pytest.approx([hit.score for hit in other.hits[:5]], abs=1e-5)


def test_dense_ranks_follow_the_cosines(campus: Curator, campus_int8: Curator) -> None:
    for curator in (campus, campus_int8):
        evidence = curator.index.search(_query(curator, QUERIES[0]), role="student", limit=20)
        ranked = sorted((rank, at) for at, rank in enumerate(evidence.dense_rank.tolist()) if rank)
        assert [rank for rank, _ in ranked] == list(range(1, 21))
        cosines = [float(evidence.dense[at]) for _, at in ranked]
        assert cosines == pytest.approx(sorted(cosines, reverse=True), abs=0.02)


def test_scores_are_those_of_plain_arithmetic(campus: Curator) -> None:
    """Cosine of the document, of the best example, and their mean with the mean example, counted by hand."""
    evidence = campus.index.search(_query(campus, "show my attendance"))
    vector = _vector(campus, "show my attendance")
    encoder = campus.encoder
    assert encoder is not None
    for id in ("campus/get_attendance", "bank/freeze_account", "library/view_book"):
        position = _position(campus, id)
        at = int(np.searchsorted(evidence.tools, position))
        tool = campus.index.tool(position)
        examples = encoder.encode_documents(list(tool.examples)) @ vector
        document = float(campus.index.vectors(np.array([position]))[0] @ vector)
        assert evidence.document[at] == pytest.approx(document, abs=1e-4)
        assert evidence.best[at] == pytest.approx(max(document, *examples), abs=0.02)
        assert evidence.dense[at] == pytest.approx((document + max(examples) + np.mean(examples)) / 3, abs=0.02)


def test_equally_many_examples_are_summed_up_as_different_numbers_of_them_are(
    campus: Curator, opened: Callable[..., Curator]
) -> None:
    """Where every tool has as many examples as the others, they are added and compared in another way."""
    tools = [tool for tool in campus.index.catalog if tool.server == "bank" and len(tool.examples) > 2]
    even = opened([tool.model_copy(update={"examples": tool.examples[:3]}) for tool in tools])
    evidence = even.index.search(_query(even, "freeze my card"))
    encoder, vector = even.encoder, _vector(even, "freeze my card")
    assert encoder is not None
    assert evidence.examples is not None
    for at, position in enumerate(evidence.tools.tolist()):
        cosines = encoder.encode_documents(list(even.index.tool(position).examples)) @ vector
        assert len(cosines) == 3
        assert evidence.examples.mean[at] == pytest.approx(np.mean(cosines), abs=0.02)
        assert evidence.examples.best[at] == pytest.approx(max(cosines), abs=0.02)


def test_the_nearest_point_is_named(campus: Curator, campus_int8: Curator) -> None:
    for curator in (campus, campus_int8):
        for id, example in (
            ("campus/get_attendance", "how many classes have I missed this term"),
            ("library/view_book", None),
        ):
            tool = curator.tool(id)
            text = example or tool.examples[-1]
            number, cosine = curator.index.nearest_point(_position(curator, id), _vector(curator, text))
            assert curator.index.point(number).text == text
            assert cosine > 0.98


def test_points_of_neighbors_are_not_mixed_up(campus: Curator) -> None:
    index = campus.index
    number = len(index.ids)
    for position in range(len(index.ids)):
        tool = index.tool(position)
        assert index.point(position).kind == "document"
        for example in dict.fromkeys(tool.examples):
            assert index.point(number).text == example
            number += 1
    assert number == index.manifest.points


# ------------------------------------------------------------------------------------------------ roles


@pytest.mark.parametrize("way", ["campus", "campus_int8", "campus_words"])
@pytest.mark.parametrize("role", ["student", "parent", "nobody"])
def test_a27_means_and_ranks_are_those_of_a_catalogue_without_the_others(
    request: pytest.FixtureRequest, opened: Callable[..., Curator], campus: Curator, way: str, role: str
) -> None:
    """What a role may not see does not exist for it, not even in a mean or a rank."""
    curator: Curator = request.getfixturevalue(way)
    text = "show my attendance and pay the fee"
    query = _query(campus, text) if way != "campus_words" else Query(text, text.split(), text.split(), None)
    evidence = curator.index.search(query, role=role, limit=500)
    seen = curator.index.visible(role)
    assert evidence.visible == len(seen) == len(evidence.tools)
    assert evidence.tools.tolist() == seen.tolist()
    examples = evidence.examples
    for found, names in ((evidence, ("document", "words")), (examples, ("mean", "best", "words"))):
        for name in names if found is not None else ():
            values = getattr(found, name)
            values = values if found is evidence or examples.has is None else values[examples.has]
            spread = getattr(found, f"{name}_spread")
            near = 2e-3 if found is evidence else 0.04  # few examples borrow from the documents
            assert spread == pytest.approx((float(values.mean()), float(values.std())), abs=near), name
    for ranks in (evidence.dense_rank, evidence.sparse_rank):
        given = ranks[ranks > 0]
        assert sorted(given.tolist()) == list(range(1, len(given) + 1))


def test_a27_the_role_table_is_what_the_tools_say(campus: Curator) -> None:
    for role in ("student", "teacher", "admin", "parent", "nobody", "", "Student"):
        by_index = {campus.index.ids[at] for at in campus.index.visible(role)}
        assert by_index == {tool.id for tool in campus.index.catalog.visible(role)}, role
    assert len(campus.index.visible(None)) == len(campus)


def test_a2_only_scores_above_zero_have_a_sparse_rank(campus_words: Curator) -> None:
    evidence = campus_words.index.search(Query("cgpa", ["cgpa"], ["cgpa"], None), role="student")
    assert evidence.visible == 87
    assert (evidence.sparse_rank > 0).sum() == (evidence.sparse > 0).sum() <= 3
    assert not evidence.dense_rank.any()


def test_a_role_without_tools_and_words_that_nobody_knows(opened: Callable[..., Curator]) -> None:
    curator = opened([Tool(name="x", roles=("admin",))], encoder="none")
    evidence = curator.index.search(Query("x", ["x"], ["x"], None), role="student")
    assert len(evidence.tools) == 0
    assert evidence.visible == 0
    for value in (evidence.dense_mean, *evidence.document_spread, *evidence.words_spread):
        assert value == 0
    unknown = curator.index.search(Query("?", [], [], None))
    assert unknown.sparse.tolist() == [0.0]
    assert np.isfinite(unknown.name_precision).all()


def test_many_threads_get_the_answers_of_one(campus: Curator) -> None:
    asked = [(text, role) for text in QUERIES for role in (None, "student", "parent")] * 3
    alone = [[(hit.id, hit.score) for hit in campus.select(text, role=role)] for text, role in asked]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda a: [(hit.id, hit.score) for hit in campus.select(a[0], role=a[1])], asked))
    for one, other in zip(alone, together, strict=True):
        assert [id for id, _ in one] == [id for id, _ in other]
        assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-3)
