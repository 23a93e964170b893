"""Intervals and the paired test."""

import numpy as np
import pytest

from toolcurator.evaluation.significance import intervals, paired_test, resampled_means


def test_an_interval_is_where_theory_puts_it() -> None:
    values = np.array([[0.0, 1.0]] * 80 + [[1.0, 1.0]] * 80)
    drawn = resampled_means(values, samples=4000, seed=1)
    half, always = intervals(values.mean(axis=0), drawn)
    error = 1.96 * 0.5 / np.sqrt(160)
    assert half.mean == 0.5
    assert half.low == pytest.approx(0.5 - error, abs=0.012)
    assert half.high == pytest.approx(0.5 + error, abs=0.012)
    assert (always.low, always.high) == (1.0, 1.0)


def test_a_seed_repeats_itself() -> None:
    values = np.random.default_rng(0).random((30, 2))
    assert np.array_equal(resampled_means(values, seed=5), resampled_means(values, seed=5))
    assert not np.array_equal(resampled_means(values, seed=5), resampled_means(values, seed=6))


def test_few_differences_are_tried_in_every_pattern() -> None:
    old = np.array([0.0, 0.0, 0.0, 1.0])
    found = paired_test(old, np.array([0.5, 0.2, 0.3, 1.0]))
    assert (found.better, found.worse, found.same) == (3, 0, 1)
    assert found.mean == pytest.approx(0.25)
    assert found.p == pytest.approx(2 / 8)  # all signs as seen, or all turned round


def test_many_differences() -> None:
    rng = np.random.default_rng(2)
    old = rng.random(200)
    assert paired_test(old, old + 0.1 + 0.2 * rng.standard_normal(200)).p < 0.001
    new = old + 0.2 * rng.standard_normal(200)
    noise = paired_test(old, new)
    assert noise.p > 0.01
    assert noise.same == 0
    assert noise == paired_test(old, new)  # the seed is fixed
    back = paired_test(new, old)
    assert (back.mean, back.better, back.worse) == (-noise.mean, noise.worse, noise.better)


def test_no_difference() -> None:
    same = np.array([0.1, 0.9])
    assert paired_test(same, same).p == 1.0


def test_the_same_queries_are_needed() -> None:
    with pytest.raises(ValueError, match="2 queries against 3"):
        paired_test(np.zeros(2), np.zeros(3))
