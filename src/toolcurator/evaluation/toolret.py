"""ToolRet and Tool-REX: tasks that share one large pool of tools, from a local copy or from the hub."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolcurator.errors import CatalogError
from toolcurator.evaluation.bench_form import rows_of
from toolcurator.evaluation.extra import load_library
from toolcurator.evaluation.labels import DatasetError, LabelledQuery, LabelledSet, Meta
from toolcurator.sources.json_values import as_array, as_object
from toolcurator.sources.parameters import parameters_of
from toolcurator.tool import Tool

HUB = {
    "hub:toolret": ("mangopy/ToolRet-Queries", "mangopy/ToolRet-Tools"),
    "hub:toolrex": ("Lux1997/Tool-DE-Queries", "Lux1997/Tool-DE-Tools"),
}
"""Names that are downloaded, and the data sets on the hub with their queries and their tools."""

CATEGORIES = ("code", "customized", "web")
_NAMES = ("name", "tool_name", "api_name", "function_name", "func_name", "title", "id")
_TEXTS = ("description", "functionality", "desc", "summary", "tool_description", "api_description")
_PROFILE = ("function_description", "when_to_use", "limitations", "tags")
_SUFFIXES = (".parquet", ".jsonl", ".json")


def is_toolret(folder: Path) -> bool:
    """Whether a folder is a local copy: it holds a folder ``…queries`` and a folder ``…tools``."""
    return folder.is_dir() and _halves(folder) is not None


def read_toolret(folder: Path) -> list[LabelledSet]:
    """Read a local copy.

    Args:
        folder: Holds the two data sets as they lie on the hub, in folders whose names end in ``queries`` and ``tools``: in
            the one a folder a task, in the other one a category, with files in Parquet, JSON Lines or JSON.

    Returns:
        A set a task, all over the same tools. Queries are without their instruction, which stays beside them.

    Raises:
        DatasetError: Nothing is in there, or a row cannot be read.
        MissingExtra: The files are Parquet, and pyarrow is not installed.
    """
    halves = _halves(folder)
    if halves is None:
        raise DatasetError(f"{folder}: expected a folder that ends in 'queries' and one that ends in 'tools'")
    return _joined(*halves)


def read_toolret_from_hub(name: str) -> list[LabelledSet]:
    """Download one of `HUB`, or take it from the hub's cache.

    Raises:
        DatasetError: It cannot be downloaded.
        MissingExtra: huggingface-hub or pyarrow is not installed.
    """
    snapshot_download = load_library("huggingface_hub", "toolret").snapshot_download
    folders: list[Path] = []
    for repository in HUB[name]:
        try:
            folders.append(Path(snapshot_download(repository, repo_type="dataset")))
        except Exception as error:  # the hub's own errors, and those of whatever carries them
            reason = " ".join(str(error).split())[:200]
            raise DatasetError(f"{name}: {repository} cannot be downloaded ({reason}); or give a local copy") from error
    return _joined(*folders)


def _joined(queries: Path, tools: Path) -> list[LabelledSet]:
    pool: dict[str, Tool] = {}
    categories: dict[str, str] = {}
    for place, row in _rows(tools):
        id = str(row.get("id") or "")
        if not id:
            raise DatasetError(f"{place}: a tool without an id")
        pool.setdefault(id, tool_of(id, row.get("documentation"), place))
        categories.setdefault(id, _part(place, tools))
    if not pool:
        raise DatasetError(f"{tools}: no tool in it")
    served = tuple(pool.values())
    tasks: dict[str, list[LabelledQuery]] = {}
    for place, row in _rows(queries):
        query = _query(row, _part(place, queries), place)
        if query is not None:
            tasks.setdefault(query.subset, []).append(query)
    return [
        LabelledSet(task, served, tuple(asked), Meta(source=queries.name), _category(asked, categories))
        for task, asked in sorted(tasks.items())
    ]


def tool_of(id: str, documentation: object, place: str) -> Tool:
    """A tool from its documentation, which has no form of its own: 35 sources, and a dozen ways to say "description".

    Args:
        id: Its id.
        documentation: An object, or its text as JSON or as Python writes it, or prose.
        place: For messages.

    Returns:
        The tool. Where nothing is called a description, the whole text is one, since that is what ToolRet searches.
    """
    said = as_object(_value(documentation)) or {}
    name = next((text for key in _NAMES if isinstance(text := said.get(key), str) and text.strip()), id)
    description = next((text for key in _TEXTS if isinstance(text := said.get(key), str) and text.strip()), "")
    profile = {key: value for key in _PROFILE if (value := said.get(key))}
    try:
        parameters = parameters_of(said["parameters"]) if said.get("parameters") else None
    except CatalogError:
        parameters = None
    whole = documentation if isinstance(documentation, str) else json.dumps(documentation, ensure_ascii=False)
    body: dict[str, Any] = {"id": id, "name": name, "description": description or whole}
    try:
        return Tool.model_validate(
            {**body, "profile": profile or None, **({"parameters": parameters} if parameters else {})}
        )
    except ValidationError:
        raise DatasetError(f"{place}: tool {id!r} cannot be read") from None


def _query(row: dict[str, Any], task: str, place: str) -> LabelledQuery | None:
    """A row as a query; None for the one row of ToolRet whose text is empty."""
    text = str(row.get("query") or "")
    labels = as_array(_value(row.get("labels")))
    if labels is None:
        raise DatasetError(f'{place}: "labels" must be a list')
    needs = tuple(
        frozenset({str(label["id"])})
        for each in labels
        if (label := as_object(each)) and "id" in label and float(label.get("relevance", 1)) > 0
    )
    if not text.strip():
        return None
    kind = "multi" if len(needs) > 1 else "single" if needs else "irrelevant"
    return LabelledQuery(
        id=str(row.get("id") or place),
        query=text,
        needs=needs,
        kind=kind,
        subset=task,
        instruction=str(row.get("instruction") or ""),
    )


def _category(asked: list[LabelledQuery], categories: dict[str, str]) -> str:
    """The category that a task's tools come from: that of its first tool that is known."""
    ids = (id for query in asked for need in query.needs for id in need)
    return next((categories[id] for id in ids if id in categories), "")


def _rows(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in _SUFFIXES and not _hidden(file, folder))
    for file in files:
        if file.suffix == ".jsonl":
            yield from rows_of(file)
        elif file.suffix == ".json":
            try:
                rows = as_array(json.loads(file.read_text("utf-8-sig")))
            except ValueError as error:
                raise DatasetError(f"{file}: not JSON ({error})") from None
            yield from ((f"{file}:{at}", row) for at, each in enumerate(rows or (), 1) if (row := as_object(each)))
        else:
            yield from ((f"{file}:{at}", row) for at, row in enumerate(_parquet(file), 1))


def _parquet(file: Path) -> list[dict[str, Any]]:
    return load_library("pyarrow.parquet", "toolret").read_table(file).to_pylist()


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts) or file.name == "dataset_infos.json"


def _part(place: str, folder: Path) -> str:
    """Task or category: the folder a file lies in, or its name."""
    inside = Path(place.rpartition(":")[0]).relative_to(folder)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def _halves(folder: Path) -> tuple[Path, Path] | None:
    halves = [
        [each for each in sorted(folder.iterdir()) if each.is_dir() and each.name.lower().endswith(end)]
        for end in ("queries", "tools")
    ]
    return (halves[0][0], halves[1][0]) if all(halves) else None


def _value(value: object) -> object:
    """A value that may be its own text, as JSON or as Python writes it."""
    if not isinstance(value, str):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
    return value
