"""BEIR-style folders: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/SPLIT.tsv``."""

from __future__ import annotations

from pathlib import Path

from toolcurator.evaluation.bench_form import rows_of
from toolcurator.evaluation.labels import DatasetError, LabelledQuery, LabelledSet
from toolcurator.tool import Tool


def is_beir(folder: Path) -> bool:
    """Whether a folder is a set in BEIR's form."""
    return (folder / "corpus.jsonl").is_file() and (folder / "qrels").is_dir()


def read_beir(folder: Path) -> LabelledSet:
    """Read a set: a document is a tool, its title the name; a split is a file of judgements.

    A document judged above 0 is a need of its own, as the metrics of BEIR have it. Queries that no split judges are left out.

    Raises:
        DatasetError: A line cannot be read; the message names file and line.
    """
    tools = tuple(
        Tool(id=(id := _id(row, place)), name=str(row.get("title") or id), description=str(row.get("text") or ""))
        for place, row in rows_of(folder / "corpus.jsonl")
    )
    texts = {_id(row, place): str(row.get("text") or "") for place, row in rows_of(folder / "queries.jsonl")}
    queries: list[LabelledQuery] = []
    for file in sorted((folder / "qrels").glob("*.tsv")):
        for query, relevant in _judged(file).items():
            if not texts.get(query, "").strip():
                raise DatasetError(f"{file}: query {query!r} is not in queries.jsonl, or has no text")
            needs = tuple(frozenset({id}) for id in relevant)
            kind = "multi" if len(needs) > 1 else "single" if needs else "irrelevant"
            queries.append(LabelledQuery(query, texts[query], needs, kind, split=file.stem))
    return LabelledSet(folder.name, tools, tuple(queries))


def _judged(file: Path) -> dict[str, list[str]]:
    """Query id → the documents judged above 0."""
    judged: dict[str, list[str]] = {}
    for number, line in enumerate(file.read_text("utf-8-sig").splitlines(), 1):
        cells = line.split("\t")
        if not line.strip() or cells[0] == "query-id":
            continue
        try:
            query, document, score = cells[0], cells[1], float(cells[2])
        except (IndexError, ValueError):
            raise DatasetError(
                f"{file}:{number}: expected query id, document id and score, with tabs between"
            ) from None
        found = judged.setdefault(query, [])
        if score > 0:
            found.append(document)
    return judged


def _id(row: dict[str, object], place: str) -> str:
    if "_id" not in row:
        raise DatasetError(f'{place}: "_id" is missing')
    return str(row["_id"])
