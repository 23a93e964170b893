"""Measure the lexical side: ranking quality, languages, and BM25 engines against each other.

    python benchmarks/lexical.py --data BENCH [--part quality ...] [--json OUT]

`BENCH` (or the environment variable TOOLCURATOR_BENCH) is a folder of data sets, each with `tools.jsonl` and
`queries.jsonl`. The engines `bm25s` and `tantivy` are measured if they are installed. `docs/lexical.md` discusses the
figures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

from toolcurator.lexical import Bm25, Tokenizer, detect_language
from toolcurator.lexical.characters import fold

SETS = ("metatool", "bfcl", "sealtools", "toolret4", "apibank", "toolalpaca", "clinc150", "sgd")
CORPUS = ("mcp_tools", "toolret4", "bfcl", "sealtools")
WEIGHTS = {"name": 1.0, "description": 1.0, "slots": 0.5}
QUERIES = 400

Tokenize = Callable[..., list[str]]
Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def slot_text(parameters: Any) -> str:
    """Names, descriptions and allowed values of the arguments."""
    if isinstance(parameters, dict):
        slots = list((parameters.get("properties") or {}).items())
    else:
        slots = [(slot.get("name", ""), slot) for slot in parameters or () if isinstance(slot, dict)]
    words: list[str] = []
    for name, schema in slots:
        schema = schema if isinstance(schema, dict) else {}
        words += [name, str(schema.get("description") or ""), *map(str, schema.get("enum") or ())]
    return " ".join(words)


def fields_of(tools: Iterable[Row]) -> dict[str, list[str]]:
    tools = list(tools)
    return {
        "name": [tool["name"] for tool in tools],
        "description": [tool.get("description") or "" for tool in tools],
        "slots": [slot_text(tool.get("parameters")) for tool in tools],
    }


def labelled(folder: Path, split: str) -> list[Row]:
    """Up to 400 answerable queries of a split (of test, where a set lacks it), a random sample with seed 0."""
    queries = [query for query in rows(folder / "queries.jsonl") if query["relevant"]]
    chosen = [query for query in queries if query["split"] == split] or [q for q in queries if q["split"] == "test"]
    return random.Random(0).sample(chosen, QUERIES) if len(chosen) > QUERIES else chosen


def ranked(scores: np.ndarray, ids: np.ndarray, k: int = 10) -> list[str]:
    found = np.flatnonzero(scores > 0)
    return ids[found[np.lexsort((ids[found], -scores[found]))][:k]].tolist()


def ndcg(hits: list[str], query: Row) -> float:
    """NDCG@10 with linear gain; with `alternatives` any one of the relevant tools is enough."""
    relevant = set(query["relevant"])
    gains = [1 / log2(rank + 2) for rank, hit in enumerate(hits) if hit in relevant]
    if query.get("alternatives"):
        return max(gains, default=0.0)
    return sum(gains) / sum(1 / log2(rank + 2) for rank in range(min(10, len(relevant))))


# --- quality --------------------------------------------------------------------------------------


def plain(text: str, known: Callable[[str], bool] | None = None) -> list[str]:
    """The tokens of DESIGN's first measurements: split at case and punctuation, longer than one character."""
    return [w.lower() for w in re.findall(r"[A-Za-z0-9]+", re.sub("([a-z0-9])([A-Z])", r"\1 \2", text)) if len(w) > 1]


class Unstemmed(Tokenizer):
    def stem(self, word: str) -> str:
        return word


class WithStopWords(Tokenizer):
    def __call__(self, text: str, known: Callable[[str], bool] | None = None, *, stop_words: bool = True) -> list[str]:
        return super().__call__(text, known, stop_words=True)


class OneForm(Tokenizer):
    def _read(self, piece: str) -> Any:
        read = super()._read(piece)
        return read._replace(tokens=read.telling)


class Uncompounded(Tokenizer):
    def _compounds(self, words: list[str], known: Callable[[str], bool]) -> list[str]:
        return []


class CompoundedDocuments(Tokenizer):
    """Marker: documents are read again with the catalogue's own words known."""


def quality(data: Path) -> list[Row]:
    one = {"text": 1.0}

    def joined(fields: Mapping[str, list[str]]) -> dict[str, list[str]]:
        return {"text": [" ".join(parts) for parts in zip(fields["name"], fields["description"], strict=True)]}

    def same(fields: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
        return fields

    variants: list[tuple[str, str, Tokenize, Any, Mapping[str, float]]] = [
        ("name + description, DESIGN's tokens", "test", plain, joined, one),
        ("name + description, this tokenizer", "test", Tokenizer(), joined, one),
        ("and slots at 0.5 (the default)", "test", Tokenizer(), same, WEIGHTS),
        ("name + description, DESIGN's tokens", "dev", plain, joined, one),
        ("name + description, this tokenizer", "dev", Tokenizer(), joined, one),
        ("  without stemming", "dev", Unstemmed(), joined, one),
        ("  with stop words", "dev", WithStopWords(), joined, one),
        ("  one form of each word", "dev", OneForm(), joined, one),
        ("  without compounds", "dev", Uncompounded(), joined, one),
        ("  with compounds in documents too", "dev", CompoundedDocuments(), joined, one),
        ("  with 4-grams", "dev", Tokenizer(ngrams=True), joined, one),
        *(
            (
                f"name {n:g}, description {d:g}, slots {s:g}",
                "dev",
                Tokenizer(),
                same,
                {"name": n, "description": d, "slots": s},
            )
            for n, d, s in ((1, 1, 0), (1, 1, 0.25), (1, 1, 0.5), (1, 1, 1), (2, 1, 0.5), (2, 1, 1), (0.5, 1, 0.5))
        ),
    ]
    table: list[Row] = []
    for label, split, tokenize, arrange, weights in variants:
        figures = {name: rank_set(data / name, split, tokenize, arrange, weights) for name in SETS}
        table.append({"variant": label, "split": split, **figures, "mean": float(np.mean(list(figures.values())))})
    return table


def rank_set(folder: Path, split: str, tokenize: Tokenize, arrange: Any, weights: Mapping[str, float]) -> float:
    tools = rows(folder / "tools.jsonl")
    texts = arrange(fields_of(tools))
    tokens = {field: [tokenize(text) for text in column] for field, column in texts.items()}
    if isinstance(tokenize, CompoundedDocuments):
        known = {token for column in tokens.values() for document in column for token in document}
        tokens = {field: [tokenize(text, known.__contains__) for text in column] for field, column in texts.items()}
    bm25 = Bm25.build(tokens, weights=weights)
    ids = np.array([tool["id"] for tool in tools])
    found = [
        ndcg(ranked(bm25.scores(tokenize(query["query"], bm25.knows), weights), ids), query)
        for query in labelled(folder, split)
    ]
    return 100 * float(np.mean(found))


def examples(data: Path) -> list[Row]:
    """NDCG@10 where each tool's document also holds five of its training queries, as a field of weight 0.3."""
    table: list[Row] = []
    for label, kept in (("stop words dropped", False), ("stop words kept in examples", True)):
        row: Row = {"variant": label}
        for name in ("clinc150", "hwu64", "snips", "sgd", "metatool"):
            tools, asked = rows(data / name / "tools.jsonl"), labelled(data / name, "dev")
            seen: dict[str, list[str]] = defaultdict(list)
            for query in rows(data / name / "queries.jsonl"):
                if query["split"] == "train" and query["kind"] == "single":
                    seen[query["relevant"][0]].append(query["query"])
            draw, tokenize = random.Random(0), Tokenizer()
            texts = [" ".join(draw.sample(seen[tool["id"]], min(5, len(seen[tool["id"]])))) for tool in tools]
            columns = {field: [tokenize(text) for text in column] for field, column in fields_of(tools).items()}
            columns["examples"] = [tokenize(text, stop_words=kept) for text in texts]
            weights, ids = WEIGHTS | {"examples": 0.3}, np.array([tool["id"] for tool in tools])
            bm25 = Bm25.build(columns, weights=weights)
            scores = [bm25.scores(tokenize(query["query"], bm25.knows), weights) for query in asked]
            row[name] = 100 * float(np.mean([ndcg(ranked(s, ids), q) for s, q in zip(scores, asked, strict=True)]))
        table.append(row)
    return table


# --- languages ------------------------------------------------------------------------------------


class Grams(Tokenizer):
    """n-grams of other sizes, with or without whole words and the edges of a word."""

    def __init__(self, sizes: Sequence[int], *, words: bool = True, edges: bool = True, folded: bool = True) -> None:
        super().__init__("und", ngrams=False)
        self.sizes, self.words_too, self.edge, self.folded = sizes, words, "_" if edges else "", folded

    def _forms(self, word: str) -> list[str]:
        form = self.edge + (fold(word) if self.folded else word) + self.edge
        grams = [f"~{form[i : i + n]}" for n in self.sizes for i in range(max(1, len(form) - n + 1))]
        return [*(super()._forms(word) if self.words_too else ()), *grams]


TOKENIZERS: dict[str, Callable[[str], Tokenizer]] = {
    "words": lambda language: Tokenizer(language, ngrams=False),
    "3": lambda _: Grams([3], words=False),
    "4": lambda _: Grams([4], words=False),
    "4 no edges": lambda _: Grams([4], words=False, edges=False),
    "4 unfolded": lambda _: Grams([4], words=False, folded=False),
    "5": lambda _: Grams([5], words=False),
    "3+4": lambda _: Grams([3, 4], words=False),
    "words+3": lambda _: Grams([3]),
    "words+4": lambda _: Grams([4]),
    "default": lambda language: Tokenizer(language),
}


def languages(data: Path) -> list[Row]:
    """Share of queries whose right tool comes first, where the documents hold example queries in the language."""
    services = rows(data / "et_services" / "services.jsonl")
    documents = {s["id"]: " ".join([s["name"], s["description"], *s["examples"]]) for s in services}
    queries = rows(data / "et_services" / "queries.jsonl")
    cases: list[tuple[str, str, list[tuple[dict[str, str], list[Row]]]]] = [
        ("et_services, Estonian, single", "et", [(documents, _kind(queries, ("single",), ("et",)))]),
        ("et_services, Estonian, single and multi", "et", [(documents, _kind(queries, ("single", "multi"), ("et",)))]),
        ("et_services, et ru en, single", "et", [(documents, _kind(queries, ("single",), ("et", "ru", "en")))]),
    ]
    buerokratt = [query for query in rows(data / "buerokratt_et" / "queries.jsonl") if query["relevant"]]
    cases.append(("buerokratt_et, 6 examples", "et", _by_examples(buerokratt, "train", "dev")))
    xsid = rows(data / "xsid" / "queries.jsonl")
    for language in ("lt", "tr", "sr", "kk", "de", "da", "nl", "it", "id", "ar", "ja", "zh", "en"):
        own = [query for query in xsid if query["lang"] == language]
        cases.append((f"xsid {language}, 6 examples", language, _by_examples(own, "dev", "test")))
    table: list[Row] = []
    for label, language, folds in cases:
        texts = [text for documents, _ in folds[:1] for text in documents.values()]
        row: Row = {"case": label, "detected": detect_language(texts)}
        for name, make in TOKENIZERS.items():
            row[name] = 100 * float(np.mean([_first(make(language), *fold) for fold in folds]))
        table.append(row)
    return table


def _kind(queries: list[Row], kinds: tuple[str, ...], languages: tuple[str, ...]) -> list[Row]:
    return [query for query in queries if query["kind"] in kinds and query["lang"] in languages]


def _by_examples(queries: list[Row], seen: str, asked: str) -> list[tuple[dict[str, str], list[Row]]]:
    """Four draws of up to six example queries a tool, with the other split's queries."""
    folds: list[tuple[dict[str, str], list[Row]]] = []
    for seed in range(4):
        examples: dict[str, list[str]] = defaultdict(list)
        for query in queries:
            if query["split"] == seen:
                examples[query["relevant"][0]].append(query["query"])
        draw = random.Random(seed)
        documents = {tool: " ".join(draw.sample(texts, min(6, len(texts)))) for tool, texts in sorted(examples.items())}
        folds.append((documents, [q for q in queries if q["split"] == asked and q["relevant"][0] in documents]))
    return folds


def _first(tokenize: Tokenizer, documents: dict[str, str], queries: list[Row]) -> float:
    """Share of the queries whose right tool comes first."""
    bm25 = Bm25.build({"text": [tokenize(text, stop_words=True) for text in documents.values()]})
    ids = np.array(list(documents))
    first = [ranked(bm25.scores(tokenize(query["query"], bm25.knows), {"text": 1.0}), ids, 1) for query in queries]
    return float(
        np.mean([bool(set(hits) & set(query["relevant"])) for hits, query in zip(first, queries, strict=True)])
    )


# --- engines --------------------------------------------------------------------------------------


class Own:
    def build(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        Bm25.build(columns, weights=WEIGHTS).save(folder)

    def open(self, folder: Path) -> None:
        self.bm25 = Bm25.open(folder)

    def search(self, tokens: list[str], mask: np.ndarray | None) -> None:
        self.bm25.scores(tokens, WEIGHTS, mask)

    def update(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        kept = np.arange(self.bm25.n)
        kept[0] = -1
        self.bm25.updated(kept, {field: column[:1] for field, column in columns.items()}).save(folder)
        self.open(folder)


class Bm25s:
    def build(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        import bm25s

        for field, column in columns.items():
            engine = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            engine.index(column, show_progress=False)
            engine.save(folder / field)

    def open(self, folder: Path) -> None:
        import bm25s

        self.engines = {field: bm25s.BM25.load(folder / field, mmap=True) for field in WEIGHTS}

    def search(self, tokens: list[str], mask: np.ndarray | None) -> None:
        total = sum(WEIGHTS[field] * engine.get_scores(tokens) for field, engine in self.engines.items())
        if mask is not None:
            total *= mask

    def update(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        self.build(columns, folder)
        self.open(folder)


class Tantivy:
    """The best 100 documents; it has no way to score all of them."""

    def _schema(self) -> Any:
        import tantivy

        builder = tantivy.SchemaBuilder().add_integer_field("id", stored=True, indexed=True, fast=True)
        for field in WEIGHTS:
            builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
        return builder.build()

    def _document(self, columns: dict[str, list[list[str]]], i: int) -> Any:
        import tantivy

        return tantivy.Document(id=i, **{field: " ".join(column[i]) for field, column in columns.items()})

    def build(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        import tantivy

        folder.mkdir()
        writer = tantivy.Index(self._schema(), path=str(folder)).writer(num_threads=1)
        for i in range(len(columns["name"])):
            writer.add_document(self._document(columns, i))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        import tantivy

        self.index = tantivy.Index.open(str(folder))
        self.searcher = self.index.searcher()

    def search(self, tokens: list[str], mask: np.ndarray | None) -> None:
        from tantivy import Occur, Query

        schema = self.index.schema
        terms = [
            (Occur.Should, Query.boost_query(Query.term_query(schema, field, token, "freq"), weight))
            for token in dict.fromkeys(tokens)
            for field, weight in WEIGHTS.items()
        ]
        self.searcher.search(Query.boolean_query(terms), 100)

    def update(self, columns: dict[str, list[list[str]]], folder: Path) -> None:
        writer = self.index.writer(num_threads=1)
        writer.delete_documents_by_term("id", 0)
        writer.add_document(self._document(columns, 0))
        writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()


ENGINES: dict[str, type[Own] | type[Bm25s] | type[Tantivy]] = {"toolcurator": Own, "bm25s": Bm25s, "tantivy": Tantivy}


def corpus(data: Path, n: int) -> tuple[dict[str, list[list[str]]], list[list[str]]]:
    """n documents of real tools (beyond their number drawn again, a tenth of the words exchanged), and 300 queries."""
    draw, tokenize = random.Random(0), Tokenizer()
    tools = [tool for name in CORPUS for tool in rows(data / name / "tools.jsonl")]
    real = {field: [tokenize(text) for text in column] for field, column in fields_of(tools).items()}
    order = draw.sample(range(len(tools)), min(n, len(tools))) + draw.choices(
        range(len(tools)), k=max(0, n - len(tools))
    )
    columns: dict[str, list[list[str]]] = {}
    for field, column in real.items():
        pool = [token for document in column for token in document]
        columns[field] = [
            column[i]
            if place < len(tools)
            else [draw.choice(pool) if draw.random() < 0.1 else token for token in column[i]]
            for place, i in enumerate(order)
        ]
    texts = [query["query"] for name in ("toolret4", "bfcl", "metatool") for query in labelled(data / name, "test")]
    asked = [tokens for tokens in map(tokenize, texts) if len(tokens) >= 12]
    return columns, [tokens[:12] for tokens in draw.sample(asked, 300)]


def engines(data: Path) -> list[Row]:
    table: list[Row] = []
    for n in (200, 5_000, 50_000):
        with tempfile.TemporaryDirectory() as scratch:
            columns, queries = corpus(data, n)
            Path(scratch, "corpus.json").write_text(json.dumps(columns))
            Path(scratch, "queries.json").write_text(json.dumps({"documents": n, "queries": queries}))
            for name in ENGINES:
                if name != "toolcurator" and not find_spec(name):
                    continue
                row: Row = {"engine": name, "documents": n}
                for step in ("build", "search"):  # each in a process of its own, so that peak memory is its own
                    command = [sys.executable, __file__, "--step", step, name, scratch]
                    row |= json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
                table.append(row)
    return table


def build_step(name: str, scratch: Path) -> Row:
    columns = json.loads((scratch / "corpus.json").read_text())
    engine, before = ENGINES[name](), _peak(forget=True)
    took = _ms(lambda: engine.build(columns, scratch / name))
    peak = _peak() - before
    size = sum(file.stat().st_size for file in (scratch / name).rglob("*") if file.is_file())
    engine.open(scratch / name)
    update = _ms(lambda: engine.update(columns, scratch / name if name == "tantivy" else scratch / f"{name}-updated"))
    return {"build ms": took, "build MB": peak, "disk MB": size / 1e6, "update ms": update}


def search_step(name: str, scratch: Path) -> Row:
    asked = json.loads((scratch / "queries.json").read_text())
    engine, before = ENGINES[name](), _peak()
    importing = _ms(lambda: __import__(name)) if name != "toolcurator" else 0.0
    mask = np.random.default_rng(0).random(asked["documents"]) < 0.5
    opened = [_ms(lambda: engine.open(scratch / name)) for _ in range(5)]
    engine.search(asked["queries"][0], None)

    def timed(query: list[str], mask: np.ndarray | None) -> float:
        """The best of five, so that what else the machine does counts less."""
        return min(_ms(lambda: engine.search(query, mask)) for _ in range(5))

    times = [timed(query, None) for query in asked["queries"]]
    masked = [timed(query, mask) for query in asked["queries"]]
    return {
        "import ms": importing,
        "open ms": float(np.median(opened)),
        "p50 ms": float(np.percentile(times, 50)),
        "p99 ms": float(np.percentile(times, 99)),
        "masked p50 ms": float(np.percentile(masked, 50)),
        "search MB": _peak() - before,
    }


def _ms(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return 1000 * (time.perf_counter() - start)


def _peak(*, forget: bool = False) -> float:
    """Peak memory of this process in MB; `forget` starts counting anew (Linux)."""
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s*(\d+)", status)[0]) / 1000


# --- command --------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "quality": quality,
    "examples": examples,
    "languages": languages,
    "engines": engines,
}


def show(title: str, table: list[Row]) -> None:
    print(f"\n## {title}\n")
    heads = list(table[0])
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in table:
        print("| " + " | ".join(_cell(head, row.get(head, "")) for head in heads) + " |")


def _cell(head: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3f}" if head.startswith(("p50", "p99", "masked")) else f"{value:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("TOOLCURATOR_BENCH"), help="folder of the data sets"
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="default: all")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step, name, scratch = options.step
        print(json.dumps({"build": build_step, "search": search_step}[step](name, Path(scratch))))
        return
    if not options.data:
        parser.error("say where the data sets are: --data FOLDER, or TOOLCURATOR_BENCH")
    tables = {part: PARTS[part](Path(options.data)) for part in options.part or PARTS}
    for part, table in tables.items():
        show(part, table)
    if options.json:
        options.json.write_text(json.dumps(tables, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
