"""The bench form: a folder with ``queries.jsonl``, its tools, and perhaps ``META.json``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcurator.evaluation.labels import DatasetError, LabelledQuery, LabelledSet, Meta
from toolcurator.sources.documents import read_document
from toolcurator.sources.files import files_of
from toolcurator.sources.json_values import as_array, as_object, in_words

QUERIES = "queries.jsonl"
NEGATIVES = "negatives"
"""Folder beside the sets, with a file a set of messages that its catalogue cannot serve."""


def is_bench(folder: Path) -> bool:
    """Whether a folder is a set in the bench form."""
    return (folder / QUERIES).is_file() and not (folder / "corpus.jsonl").is_file()


def read_bench(folder: Path) -> LabelledSet:
    """Read a set.

    Its tools are ``tools.jsonl``, or whatever else in the folder is a catalogue. Negatives of the set that lie beside it
    (``../negatives/NAME.jsonl``) come in as ``near`` and ``far`` queries of the test split, those matched in length only:
    the others are shorter than real requests, so that length alone gives them away.

    Raises:
        DatasetError: A line is no query; the message names file and line.
    """
    listed = folder / "tools.jsonl"
    tools = listed if listed.is_file() else folder
    same = _equivalents(tools)
    queries = [_query(row, same, place) for place, row in rows_of(folder / QUERIES)]
    negatives = folder.parent / NEGATIVES / f"{folder.name}.jsonl"
    if negatives.is_file():
        queries += [
            _query({"relevant": [], "split": "test", **row}, {}, place)
            for place, row in rows_of(negatives)
            if row.get("length_matched", True)
        ]
    twice = [id for id, count in Counter(query.id for query in queries).items() if count > 1]
    if twice:
        raise DatasetError(f"{folder / QUERIES}: {len(twice)} ids occur more than once, the first is {twice[0]!r}")
    return LabelledSet(folder.name, tools, tuple(queries), *_meta(folder / "META.json"))


def read_queries(path: Path) -> list[LabelledQuery]:
    """The labelled queries of a file.

    Raises:
        DatasetError: A line is no query; the message names file and line.
    """
    return [_query(row, {}, place) for place, row in rows_of(path)]


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its place (``file:line``).

    Raises:
        DatasetError: The file cannot be read, or a line is no JSON object.
    """
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 ({error.reason} at byte {error.start})") from None
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = as_object(value := json.loads(line))
        except ValueError as error:
            raise DatasetError(f"{path}:{number}: not JSON ({error})") from None
        if row is None:
            raise DatasetError(f"{path}:{number}: expected an object, not {in_words(value)}")
        yield f"{path}:{number}", row


def _query(row: dict[str, Any], same: Mapping[str, tuple[str, ...]], place: str) -> LabelledQuery:
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise DatasetError(f'{place}: "query" must be a text that is not empty')
    relevant, candidates, stand_ins = (_ids(row, key, place) for key in ("relevant", "candidates", "equivalents"))
    needs = [frozenset({id, *same.get(id, ()), *stand_ins}) for id in relevant]
    if needs and row.get("alternatives"):
        needs = [frozenset[str]().union(*needs)]
    role = row.get("role")
    return LabelledQuery(
        id=str(row.get("id", place.rpartition(":")[2])),
        query=query,
        needs=tuple(needs),
        kind=str(row.get("kind") or ("multi" if len(needs) > 1 else "single" if needs else "irrelevant")),
        split=str(row.get("split") or "test"),
        candidates=candidates,
        lang=str(row.get("lang") or ""),
        subset=str(row.get("subset") or ""),
        role=role if isinstance(role, str) else None,
        instruction=str(row.get("instruction") or ""),
        awareness=bool(row.get("awareness_positive")),
    )


def _ids(row: dict[str, Any], key: str, place: str) -> tuple[str, ...]:
    listed = as_array(row.get(key) or [])
    if listed is None or not all(isinstance(id, str) for id in listed):
        raise DatasetError(f'{place}: "{key}" must be a list of tool ids')
    return tuple(listed)


def _equivalents(tools: Path) -> dict[str, tuple[str, ...]]:
    """Tool id → the tools that stand in for it; only files that speak of it are parsed."""
    found: dict[str, tuple[str, ...]] = {}
    for file in files_of(tools):
        if b"equivalents" in file.read_bytes():
            rows = [row for entry in read_document(file).entries if (row := as_object(entry))]
            found |= {
                str(row["id"]): tuple(row["equivalents"]) for row in rows if row.get("equivalents") and "id" in row
            }
    return found


def _meta(path: Path) -> tuple[Meta, str]:
    if not path.is_file():
        return Meta(), ""
    try:
        said = as_object(json.loads(path.read_text("utf-8-sig"))) or {}
    except ValueError as error:
        raise DatasetError(f"{path}: not JSON ({error})") from None
    source, commit, licence, notes, category = (
        str(said.get(key) or "") for key in ("source", "commit", "licence", "notes", "category")
    )
    return Meta(source, commit, licence, notes), category
