"""Folders → the data sets that are evaluated: which form each has, which sets are wanted, and the sample."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from toolcurator.evaluation.beir import is_beir, read_beir
from toolcurator.evaluation.bench_form import is_bench, read_bench
from toolcurator.evaluation.labels import Dataset, DatasetError, LabelledQuery, LabelledSet, Wanted
from toolcurator.evaluation.toolret import HUB, is_toolret, read_toolret, read_toolret_from_hub
from toolcurator.sources.nearest import nearest_labels

__all__ = ["Dataset", "DatasetError", "LabelledQuery", "LabelledSet", "Wanted", "load_datasets"]

log = logging.getLogger("toolcurator")


def load_datasets(
    paths: Sequence[Path | str],
    *,
    sets: Sequence[str] | None = None,
    split: str = "test",
    kinds: Sequence[str] | None = None,
    subsets: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Dataset]:
    """Load data sets, and draw the sample of each.

    Args:
        paths: Folders that are a set, or hold several; in the bench form, BEIR's, or a local copy of ToolRet or Tool-REX.
            ``hub:toolret`` and ``hub:toolrex`` are downloaded.
        sets: Names of the sets; None means all.
        split: The split.
        kinds: Only these kinds of queries; None means all.
        subsets: Only these parts of the sets; None means all.
        limit: At most so many answerable queries a set, and as many that no tool answers; None means all.
        seed: Seed of the sample. The same queries, limit and seed give the same sample.

    Returns:
        The sets that have such queries, in the order of their names as asked, else as found.

    Raises:
        DatasetError: A path is no set, a name is unknown, a set that was named has no such query, or none has.
        MissingExtra: The download, or the form of the files, needs a library that is not installed.
    """
    found: dict[str, LabelledSet | Path] = {}
    for path in paths:
        for each in _sets(path):
            name = each.name
            if name in found:
                raise DatasetError(f"two sets are called {name!r}; evaluate them one after the other")
            found[name] = each
    wanted = Wanted(split, _tuple(kinds), _tuple(subsets), limit, seed)
    datasets: list[Dataset] = []
    for name in dict.fromkeys(sets) if sets is not None else found:
        if name not in found:
            near = nearest_labels(name, ((each, (each,)) for each in found), 3)
            there = f"the nearest: {', '.join(near)}" if near else f"there are: {', '.join(sorted(found))}"
            raise DatasetError(f"no set {name!r}; {there}")
        read = _read(found[name])
        dataset = wanted.of(read)
        if dataset.asked():
            datasets.append(dataset)
        elif sets is not None or len(found) == 1:
            raise DatasetError(f"{name}: no query {_described(wanted)}; it has {_holdings(read)}")
        else:
            log.warning("%s is left out: no query %s; it has %s", name, _described(wanted), _holdings(read))
    if not datasets:
        raise DatasetError(f"no set in {', '.join(map(str, paths))} has a query {_described(wanted)}")
    return datasets


def _sets(path: Path | str) -> list[LabelledSet | Path]:
    """The sets of a path: read already where several share their tools, else their folders."""
    if str(path) in HUB:
        return [*read_toolret_from_hub(str(path))]
    folder = Path(path)
    if not folder.exists():
        raise DatasetError(f"no such folder: {folder}")
    if is_toolret(folder):
        return [*read_toolret(folder)]
    if is_beir(folder) or is_bench(folder):
        return [folder.resolve()]  # "." has no name
    inside = [each for each in sorted(folder.iterdir()) if each.is_dir()] if folder.is_dir() else []
    found = [each for each in inside if is_beir(each) or is_bench(each)]
    if not found:
        raise DatasetError(
            f"{folder} is no data set, and holds none: expected a folder with queries.jsonl and tools.jsonl, "
            "or with corpus.jsonl, queries.jsonl and qrels/, or a copy of ToolRet"
        )
    return [*found]


def _read(found: LabelledSet | Path) -> LabelledSet:
    if isinstance(found, LabelledSet):
        return found
    return read_beir(found) if is_beir(found) else read_bench(found)


def _tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _described(wanted: Wanted) -> str:
    kinds = f" of kind {' or '.join(wanted.kinds)}" if wanted.kinds else ""
    subsets = f" of subset {' or '.join(wanted.subsets)}" if wanted.subsets else ""
    return f"in split {wanted.split!r}{kinds}{subsets}"


def _holdings(found: LabelledSet) -> str:
    count = Counter((query.split, query.kind) for query in found.queries)
    return (
        ", ".join(f"{number} {split}/{kind}" for (split, kind), number in sorted(count.items())) or "no queries at all"
    )
