"""Leaks: planted ones are found, and nothing else."""

import random

from toolcurator.evaluation.leakage import GRAM, find_leaks, nearest, normalized

TRAIN = [
    ("t1", "Please book a table for two at the harbour restaurant tonight."),
    ("t2", "How long does the ferry to the islands take?"),
    ("t3", "turn the heating down in the bedroom"),
]


def test_the_same_text_but_for_case_and_punctuation() -> None:
    report = find_leaks([("q1", "HOW LONG does the ferry to the islands take"), ("q2", "feed the cat")], train=TRAIN)
    (leak,) = report.leaks
    assert (leak.query, leak.owner, leak.place, leak.similarity, leak.exact) == ("q1", "t2", "train", 1.0, True)
    assert (report.asked, report.train, report.examples) == (2, 3, 0)


def test_nearly_the_same_text() -> None:
    asked = [("q1", "Please book a table for two at the harbour restaurant today"), ("q2", "book a table")]
    (leak,) = find_leaks(asked, train=TRAIN).leaks
    assert (leak.query, leak.owner, leak.exact) == ("q1", "t1", False)
    assert 0.8 <= leak.similarity < 1


def test_examples_are_reported_apart_from_train() -> None:
    report = find_leaks([("q1", "turn the heating down in the bedroom")], train=TRAIN, examples=TRAIN[2:])
    assert [leak.place for leak in report.leaks] == ["train", "examples"]
    assert len(report.of("examples", exact=True)) == 1
    assert report.of("examples", exact=False) == ()


def test_texts_without_letters_are_no_leaks() -> None:
    assert find_leaks([("q1", "???"), ("q2", "")], train=[("t", "!!!")]).leaks == ()


def test_other_scripts() -> None:
    (leak,) = find_leaks([("q", "今日の天気を教えてください")], train=[("t", "今日の天気を教えてください。")]).leaks
    assert leak.exact


def test_every_pair_is_found_that_a_plain_comparison_finds() -> None:
    rng = random.Random(4)
    words = "red green blue lamp door music play stop open close".split()
    left = [" ".join(rng.choices(words, k=rng.randint(2, 9))) for _ in range(60)]
    right = [" ".join(rng.choices(words, k=rng.randint(2, 9))) for _ in range(80)]
    right += [text.replace("lamp", "lamps") for text in left[:20]]

    def grams(text: str) -> set[str]:
        padded = f" {normalized(text)} "
        return {padded[at : at + GRAM] for at in range(len(padded) - GRAM + 1)}

    def plain(text: str) -> float:
        return max(len(grams(text) & grams(other)) / len(grams(text) | grams(other)) for other in right)

    expected = {i: plain(text) for i, text in enumerate(left) if plain(text) >= 0.6}
    found = {i: similarity for i, _, similarity in nearest(left, right, 0.6)}
    assert found.keys() == expected.keys()
    assert all(abs(found[i] - expected[i]) < 0.0011 for i in found)
    assert len(found) >= 20
