"""BM25: the documented formula, fields, masks, and an index that opens as it was saved."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcurator.errors import ToolCuratorError
from toolcurator.lexical import Bm25, LexicalIndexError, Tokenizer

english = Tokenizer()
TOKEN = st.sampled_from(["a", "b", "c", "d", "e", "õ", "検索", "~_ab", "\U0001f600"])
DOCUMENTS = st.lists(st.tuples(st.lists(TOKEN, max_size=5), st.lists(TOKEN, max_size=9)), max_size=7)
WEIGHTS = st.fixed_dictionaries({"name": st.sampled_from([0.0, 1.0, 2.5]), "text": st.sampled_from([0.0, 0.5, 1.0])})


def of_texts(*texts: str) -> Bm25:
    return Bm25.build({"text": [english(text) for text in texts]})


def columns_of(documents) -> dict[str, list[list[str]]]:
    return {"name": [name for name, _ in documents], "text": [text for _, text in documents]}


def by_the_formula(documents, query: list[str], weights: dict[str, float], k1: float, b: float) -> list[float]:
    counts, lengths = [], []
    for name, text in documents:
        count: Counter[str] = Counter()
        for weight, tokens in ((weights["name"], name), (weights["text"], text)):
            for token in tokens:
                count[token] += weight
        counts.append(count)
        lengths.append(weights["name"] * len(name) + weights["text"] * len(text))
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        score = 0.0
        for token in set(query):
            df = sum(token in name or token in text for name, text in documents)
            if count[token] > 0:
                idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                score += idf * count[token] / (count[token] + k1 * (1 - b + b * length / mean))
        scores.append(score)
    return scores


@given(
    DOCUMENTS, st.lists(TOKEN, max_size=6), WEIGHTS, st.sampled_from([0.0, 1.2, 1.5]), st.sampled_from([0.0, 0.75, 1.0])
)
def test_scores_follow_the_formula(documents, query, weights, k1, b):
    bm25 = Bm25.build(columns_of(documents), k1=k1, b=b)
    np.testing.assert_allclose(
        bm25.scores(query, weights), by_the_formula(documents, query, weights, k1, b), rtol=1e-4, atol=1e-6
    )


def test_a2_only_documents_that_hold_a_word_of_the_query_score():
    bm25 = of_texts(*(f"tool number {i}" for i in range(86)), "shows the CGPA of a student")
    scores = bm25.scores(english("CGPA please", bm25.knows), {"text": 1.0})
    assert np.flatnonzero(scores).tolist() == [86]
    assert scores.dtype == np.float32


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_a3_a_word_that_half_or_all_documents_hold_still_counts(n: int):
    bm25 = of_texts(*["send money"] * n)
    assert (bm25.scores(["send"], {"text": 1.0}) > 0).all()
    assert bm25.idf("send") > 0


def test_a3_of_two_tools_the_one_with_both_words_wins():
    bm25 = of_texts("pay fees", "show timetable")
    assert bm25.scores(english("pay my fees"), {"text": 1.0}).argmax() == 0


def test_a4_scores_and_files_do_not_depend_on_how_the_index_came_about(tmp_path: Path):
    texts = ["pay fees", "show attendance", "pay attention", ""]
    forth, back = of_texts(*texts), of_texts(*texts[::-1])
    query = english("pay and show")
    assert forth.scores(query, {"text": 1.0}).tolist() == back.scores(query, {"text": 1.0})[::-1].tolist()
    forth.save(tmp_path / "one")
    of_texts(*texts).save(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_weights_join_fields_before_saturation():
    bm25 = Bm25.build({"name": [["pay"], ["x"]], "text": [["pay"], ["pay", "pay"]]}, k1=1.0, b=0.0)
    once = bm25.idf("pay") * 1 / 2
    assert bm25.scores(["pay"], {"name": 1.0}).tolist() == pytest.approx([once, 0.0])
    both = bm25.idf("pay") * 2 / 3
    assert bm25.scores(["pay"], {"name": 1.0, "text": 1.0}).tolist() == pytest.approx([both, both])
    assert bm25.scores(["pay"], {"elsewhere": 1.0}).tolist() == [0.0, 0.0]


def test_the_weights_of_the_build_and_of_the_query_agree():
    columns = {"name": [["pay"], ["x", "pay"]], "text": [["fee", "pay"], ["pay"]]}
    usual = Bm25.build(columns, weights={"name": 2.0})
    later = Bm25.build(columns)
    weights = {"name": 2.0, "text": 1.0}
    assert usual.scores(["pay", "fee"], weights).tolist() == later.scores(["pay", "fee"], weights).tolist()


def test_many_weightings_in_turn_stay_right():
    bm25 = Bm25.build({"name": [["pay"]], "text": [["pay", "fee"]]})
    first = bm25.scores(["pay"], {"name": 0.5}).tolist()
    for weight in range(1, 60):
        bm25.scores(["pay"], {"name": float(weight)})
    assert bm25.scores(["pay"], {"name": 0.5}).tolist() == first


def test_field_scores_are_those_of_one_field_alone():
    bm25 = Bm25.build({"name": [["pay"], ["fee"]], "text": [["fee"], ["fee", "x"]]})
    scores = bm25.field_scores(["pay", "fee"])
    assert list(scores) == ["name", "text"]
    assert scores["name"].tolist() == bm25.scores(["pay", "fee"], {"name": 1.0}).tolist()
    assert scores["text"][0] > scores["text"][1] > 0


def test_masked_documents_score_nothing():
    bm25 = of_texts("pay fees", "pay salary", "pay rent")
    scores = bm25.scores(["pay"], {"text": 1.0}, np.array([True, False, True]))
    assert (scores > 0).tolist() == [True, False, True]


def test_a_repeated_query_word_counts_once():
    bm25 = of_texts("pay fees", "show fees")
    once, thrice = (bm25.scores(["pay"] * k, {"text": 1.0}).tolist() for k in (1, 3))
    assert once == thrice


def test_unknown_words_have_the_largest_idf():
    bm25 = of_texts("pay fees", "pay salary")
    assert bm25.idf("unheard") > bm25.idf("fee") > bm25.idf("pay") > 0
    assert bm25.knows("fee")
    assert not bm25.knows("unheard")


def test_matched_is_the_idf_mass_that_each_document_holds():
    bm25 = of_texts("pay fees", "pay salary", "")
    found = bm25.matched(["pay", "fee", "fee", "unheard"], np.array([2, 0, 1, 0]))
    pay, fee = bm25.idf("pay"), bm25.idf("fee")
    assert found.tolist() == pytest.approx([0.0, pay + fee, pay, pay + fee])
    assert bm25.matched(["pay"], np.array([], int)).tolist() == []


@settings(max_examples=30)
@given(DOCUMENTS, st.lists(TOKEN, max_size=4))
def test_a_saved_index_answers_as_before(tmp_path_factory: pytest.TempPathFactory, documents, query):
    folder = tmp_path_factory.mktemp("index")
    bm25 = Bm25.build(columns_of(documents), k1=1.2, b=0.5, weights={"name": 2.0})
    bm25.save(folder)
    again = Bm25.open(folder)
    assert (again.names, again.n, again.k1, again.b, again.weights) == (
        ("name", "text"),
        len(documents),
        1.2,
        0.5,
        (2.0, 1.0),
    )
    for weights in ({"name": 2.0, "text": 1.0}, {"text": 1.0}):
        assert again.scores(query, weights).tolist() == bm25.scores(query, weights).tolist()
    assert again.vocabulary.tokens() == sorted({token for pair in documents for text in pair for token in text})
    assert all(again.knows(token) for pair in documents for text in pair for token in text)


@settings(max_examples=40)
@given(DOCUMENTS, DOCUMENTS, st.randoms(use_true_random=False))
def test_an_updated_index_is_the_one_built_anew(tmp_path_factory: pytest.TempPathFactory, old, new, draw):
    kept = draw.sample(range(len(old)), draw.randint(0, len(old))) + [-1] * len(new)
    draw.shuffle(kept)
    fresh = iter(new)
    documents = [old[i] if i >= 0 else next(fresh) for i in kept]
    updated = Bm25.build(columns_of(old), weights={"name": 2.0}).updated(np.array(kept, int), columns_of(new))
    folder = tmp_path_factory.mktemp("index")
    updated.save(folder / "updated")
    Bm25.build(columns_of(documents), weights={"name": 2.0}).save(folder / "anew")
    assert files(folder / "updated") == files(folder / "anew")


def test_an_update_must_fit():
    bm25 = Bm25.build({"name": [["pay"], ["fee"]]})
    for columns in ({"name": []}, {"name": [["x"]], "text": [["x"]]}):
        with pytest.raises(ValueError, match="tokens of 1 documents"):
            bm25.updated(np.array([0, -1]), columns)


def test_fields_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"\[1, 2\]"):
        Bm25.build({"name": [["pay"]], "text": [["pay"], ["fee"]]})


@pytest.mark.parametrize("damage", ["missing", "cut", "foreign", "format", "json", "mixed"])
def test_a15_a_damaged_index_is_refused_in_one_sentence(tmp_path: Path, damage: str):
    of_texts("pay fees", "show attendance").save(tmp_path)
    if damage == "missing":
        (tmp_path / "docs.npy").unlink()
    elif damage == "cut":
        whole = (tmp_path / "impacts.npy").read_bytes()
        (tmp_path / "impacts.npy").write_bytes(whole[:-3])
    elif damage == "foreign":
        (tmp_path / "table.npy").write_bytes(b"not an array")
    elif damage == "format":
        about = (tmp_path / "bm25.json").read_text()
        (tmp_path / "bm25.json").write_text(about.replace('"format": ', '"format": 99'))
    elif damage == "json":
        (tmp_path / "bm25.json").write_text("[")
    else:
        np.save(tmp_path / "idfs.npy", np.zeros(1, np.float32))
    with pytest.raises(LexicalIndexError, match="build it again") as error:
        Bm25.open(tmp_path)
    assert isinstance(error.value, ToolCuratorError)


def test_a28_a_query_of_very_many_tokens_is_answered():
    bm25 = of_texts("pay fees", "show attendance")
    assert bm25.scores([f"x{i}" for i in range(20_000)] + ["pay"], {"text": 1.0}).argmax() == 0


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}
