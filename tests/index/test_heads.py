"""Heads: what tells the examples of one tool from those of the others."""

import numpy as np

from toolcurator.index.heads import SHRINKAGE, discriminate


def _points(rng: np.random.Generator, counts: list[int], d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Documents, then examples around them; one direction is noise that all share."""
    centers = rng.normal(size=(len(counts), d))
    noise = np.zeros(d)
    noise[0] = 4.0
    examples = [
        center + rng.normal() * noise + 0.1 * rng.normal(size=d)
        for center, n in zip(centers, counts, strict=True)
        for _ in range(n)
    ]
    vectors = np.concatenate((centers, np.reshape(examples, (-1, d)))).astype(np.float32)
    return vectors, len(counts) + np.concatenate(([0], np.cumsum(counts)))


def test_a_head_is_the_discriminant_in_plain_arithmetic() -> None:
    counts = [3, 0, 5, 2]
    vectors, starts = _points(np.random.default_rng(0), counts)
    directions, scales = discriminate(vectors, starts)
    classes = [np.concatenate((vectors[[i]], vectors[starts[i] : starts[i + 1]])) for i in range(4)]
    means = np.stack([each.mean(axis=0) for each in classes])
    within = sum((each - mean).T @ (each - mean) for each, mean in zip(classes, means, strict=True)) / sum(
        map(len, classes)
    )
    within = within + SHRINKAGE * np.trace(within) / 12 * np.eye(12)
    middle = means.mean(axis=0)
    query = np.random.default_rng(1).normal(size=12)
    expected = []
    for i in (0, 2, 3):
        w = np.linalg.solve(within, means[i] - middle)
        expected.append(w @ (query - middle) - 0.5 * w @ (means[i] - middle))
    assert np.allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-5)
    assert np.allclose(directions @ query * scales[:, 0] + scales[:, 1], expected, rtol=1e-3, atol=1e-3)


def test_a_head_looks_past_what_all_examples_vary_in() -> None:
    rng = np.random.default_rng(2)
    vectors, starts = _points(rng, [6] * 20)
    directions, scales = discriminate(vectors, starts)
    right = {"cosine": 0, "head": 0}
    for tool in range(20):
        query = vectors[tool] + 6.0 * np.eye(12)[0] + 0.1 * rng.normal(size=12)
        means = np.stack([vectors[starts[i] : starts[i + 1]].mean(axis=0) for i in range(20)])
        right["cosine"] += int(np.argmax(means @ query / np.linalg.norm(means, axis=1)) == tool)
        right["head"] += int(np.argmax(directions @ query * scales[:, 0] + scales[:, 1]) == tool)
    assert right["head"] > right["cosine"] + 3, right


def test_equal_points_give_no_infinity() -> None:
    vectors = np.tile(np.eye(4, dtype=np.float32)[:1], (6, 1))
    directions, scales = discriminate(vectors, np.array([2, 4, 6]))
    assert np.isfinite(directions).all()
    assert np.isfinite(scales).all()
