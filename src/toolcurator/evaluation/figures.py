"""A run → its figures: every metric of every set with its interval, averages by name, and how well no-fit is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from toolcurator.evaluation.cost import Cost
from toolcurator.evaluation.fit import Curves, FitFigures, fit_curves, fit_figures
from toolcurator.evaluation.metrics import CUTS, METRICS
from toolcurator.evaluation.record import Answer, Run, SetRun
from toolcurator.evaluation.significance import Difference, Interval, intervals, paired_test, resampled_means

NAMES = tuple(f"{metric}@{k}" for metric in METRICS for k in CUTS)
"""Every metric, ``ndcg@1`` first."""
TESTED = ("ndcg@10", "recall@5", "complete@10", "mrr@10")
"""What is compared between two runs."""
PAIRED = "irrelevant"
"""Kind of the queries that a set may pair with answerable ones; the others are told apart from the whole sample."""

Floats = NDArray[np.float64]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Part(_Frozen):
    """A part of a set.

    Attributes:
        name: ``kind single``, ``subset eval_real``, ...
        queries: Its queries.
        metrics: Mean of each metric of `NAMES`.
    """

    name: str
    queries: int
    metrics: dict[str, float]


class SetFigures(_Frozen):
    """The figures of one set (query micro average: every query counts alike).

    Attributes:
        name: Name of the set.
        category: Its category.
        tools: Its tools.
        queries: Queries that rankings were measured on.
        metrics: Each metric of `NAMES`; empty if the set has no answerable query.
        parts: The same by kind and by subset, where there are several.
        fit: By kind of the queries that no tool answers, and ``all``; empty if there are none.
        cost: Tokens and time.
        leaks_train: Queries that stand in the train split, exact and near.
        leaks_examples: Queries that stand among the tools' examples, exact and near.
        unleaked: Metrics without the latter, if there are any.
    """

    name: str
    category: str
    tools: int
    queries: int
    metrics: dict[str, Interval]
    parts: tuple[Part, ...]
    fit: dict[str, FitFigures]
    cost: Cost
    leaks_train: tuple[int, int]
    leaks_examples: tuple[int, int]
    unleaked: dict[str, float]


class Average(_Frozen):
    """An average over sets.

    Attributes:
        name: ``query micro`` (every query counts alike), ``task macro`` (every set does), or ``category macro`` (every category
            does, and within it every set).
        of: What it is the mean of, in words.
        metrics: Each metric of `NAMES`.
    """

    name: str
    of: str
    metrics: dict[str, Interval]


class Figures(_Frozen):
    """The figures of a run.

    Attributes:
        label: Name of the run.
        sets: One a set.
        averages: Averages over the sets that have answerable queries.
    """

    label: str
    sets: tuple[SetFigures, ...]
    averages: tuple[Average, ...]


class Comparison(_Frozen):
    """Two runs on one set, query by query.

    Attributes:
        old: Name of the older run.
        new: Name of the newer run.
        set: Name of the set.
        queries: Queries that both were asked.
        differences: Each metric of `TESTED`.
    """

    old: str
    new: str
    set: str
    queries: int
    differences: dict[str, Difference]


def figures_of(run: Run) -> Figures:
    """Every figure of a run; the run's seed is the seed of the resampling."""
    seed = run.asked.seed
    ranked = [each for each in run.sets if each.ranked]
    values = {each.name: _matrix(each) for each in ranked}
    drawn = {name: resampled_means(matrix, seed=seed + at) for at, (name, matrix) in enumerate(values.items())}
    return Figures(
        label=run.label,
        sets=tuple(_set(each, values.get(each.name), drawn.get(each.name)) for each in run.sets),
        averages=_averages(ranked, values, drawn, seed),
    )


def compare(old: Run, new: Run) -> tuple[Comparison, ...]:
    """Compare two runs on the queries that both were asked (same set, same id, same text); sets without any are left out."""
    before = {each.name: each for each in old.sets}
    found: list[Comparison] = []
    for each in new.sets:
        if each.name not in before:
            continue
        then = {(answer.id, answer.query): at for at, answer in enumerate(before[each.name].ranked)}
        pairs = [(then[key], at) for at, a in enumerate(each.ranked) if (key := (a.id, a.query)) in then]
        if pairs:
            first, second = (np.array(column) for column in zip(*pairs, strict=True))
            found.append(
                Comparison(
                    old=old.label,
                    new=new.label,
                    set=each.name,
                    queries=len(pairs),
                    differences={
                        name: paired_test(
                            before[each.name].measures[name][first], each.measures[name][second], seed=new.asked.seed
                        )
                        for name in TESTED
                    },
                )
            )
    return tuple(found)


def fit_inputs(answers: Sequence[Answer], kind: str = "all") -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
    """What `toolcurator.evaluation.fit.fit_figures` takes.

    Args:
        answers: The answers of a set.
        kind: Kind of the queries without an answer, or ``all``. Against `PAIRED` stand the queries that the set pairs with
            them, against the other kinds the sample that rankings are measured on.
    """
    outside = [answer for answer in answers if not answer.needs and kind in ("all", answer.kind)]
    inside = [
        answer
        for answer in answers
        if answer.needs and ((answer.paired and kind in ("all", PAIRED)) or (answer.ranked and kind != PAIRED))
    ]
    chosen = [*inside, *outside]
    return (
        np.array([bool(answer.needs) for answer in chosen], np.bool_),
        np.array([answer.fits for answer in chosen], np.float64),
        np.array([answer.right for answer in chosen], np.bool_),
    )


def curves_of(each: SetRun) -> Curves | None:
    """Risk-coverage and calibration of a set; None if every query of it has an answer, or none has."""
    answerable, fits, right = fit_inputs(each.answers)
    return fit_curves(answerable, fits, right) if answerable.any() and not answerable.all() else None


def _set(each: SetRun, values: Floats | None, drawn: Floats | None) -> SetFigures:
    kinds = sorted({answer.kind for answer in each.answers if not answer.needs})
    leaked = {leak.query for leak in each.leaks.leaks if leak.place == "examples"}
    clean = np.array([answer.id not in leaked for answer in each.ranked], np.bool_)
    metrics: dict[str, Interval] = {}
    if values is not None and drawn is not None:
        metrics = dict(zip(NAMES, intervals(values.mean(axis=0), drawn), strict=True))
    return SetFigures(
        name=each.name,
        category=each.category,
        tools=each.tools,
        queries=len(each.ranked),
        metrics=metrics,
        parts=_parts(each, values),
        fit=_fits(each, ("all", *kinds) if len(kinds) > 1 else tuple(kinds)),
        cost=each.cost,
        leaks_train=_leaks(each, "train"),
        leaks_examples=_leaks(each, "examples"),
        unleaked=_means(values[clean]) if values is not None and clean.any() and not clean.all() else {},
    )


def _fits(each: SetRun, kinds: Sequence[str]) -> dict[str, FitFigures]:
    found: dict[str, FitFigures] = {}
    for kind in kinds:
        answerable, fits, right = fit_inputs(each.answers, kind)
        if answerable.any() and not answerable.all():
            found[kind] = fit_figures(answerable, fits, right, each.threshold)
    return found


def _parts(each: SetRun, values: Floats | None) -> tuple[Part, ...]:
    if values is None:
        return ()
    found: list[Part] = []
    for title, labels in (
        ("kind", [answer.kind for answer in each.ranked]),
        ("subset", [answer.subset for answer in each.ranked]),
    ):
        names = sorted(set(labels))
        for name in names if len(names) > 1 else ():
            chosen = np.array([label == name for label in labels], np.bool_)
            found.append(Part(name=f"{title} {name or '–'}", queries=int(chosen.sum()), metrics=_means(values[chosen])))
    return tuple(found)


def _averages(
    ranked: Sequence[SetRun], values: dict[str, Floats], drawn: dict[str, Floats], seed: int
) -> tuple[Average, ...]:
    if len(ranked) < 2:
        return ()
    every = np.concatenate(list(values.values()))
    means = {name: matrix.mean(axis=0) for name, matrix in values.items()}
    found = [
        _average("query micro", f"{len(every):,} queries", every.mean(axis=0), resampled_means(every, seed=seed)),
        _average("task macro", f"{len(ranked)} sets", _mean(list(means.values())), _mean(list(drawn.values()))),
    ]
    groups: dict[str, list[str]] = {}
    for each in ranked:
        groups.setdefault(each.category, []).append(each.name)
    if "" not in groups:
        found.append(
            _average(
                "category macro",
                ", ".join(f"{len(names)} sets {category}" for category, names in sorted(groups.items())),
                _mean([_mean([means[name] for name in names]) for names in groups.values()]),
                _mean([_mean([drawn[name] for name in names]) for names in groups.values()]),
            )
        )
    return tuple(found)


def _average(name: str, of: str, means: Floats, drawn: Floats) -> Average:
    return Average(name=name, of=of, metrics=dict(zip(NAMES, intervals(means, drawn), strict=True)))


def _mean(arrays: Sequence[Floats]) -> Floats:
    return np.mean(np.stack(arrays), axis=0)


def _means(values: Floats) -> dict[str, float]:
    return dict(zip(NAMES, values.mean(axis=0).tolist(), strict=True))


def _matrix(each: SetRun) -> Floats:
    """float64[n, m]: a row a query, a column a metric of `NAMES`."""
    return np.stack([each.measures[name] for name in NAMES], axis=1)


def _leaks(each: SetRun, place: str) -> tuple[int, int]:
    exact = sum(leak.exact for leak in each.leaks.leaks if leak.place == place)
    return exact, sum(leak.place == place for leak in each.leaks.leaks) - exact
