"""A set as the peers get it: one folder with tools, documents, queries and vectors, and an endpoint for all other texts."""

from __future__ import annotations

import base64
import json
import random
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from peer_adapters.given import NO_SLOTS, GivenTool

from toolcurator import Catalog
from toolcurator.encoders import Encoder
from toolcurator.encoders.load import PACKAGED
from toolcurator.evaluation.bench_form import rows_of
from toolcurator.evaluation.datasets import load_datasets
from toolcurator.index import dense_text

KINDS = ("single", "multi")


@dataclass(frozen=True)
class Asked:
    """What is asked of a set.

    Attributes:
        queries: The queries.
        needs: What each of them needs, as `toolcurator.evaluation.metrics.measure` takes it.
        tools: Number of tools.
        known_items: The queries were written by a language model from one tool's document each, so they are easy for everyone.
    """

    queries: tuple[str, ...]
    needs: tuple[tuple[frozenset[str], ...], ...]
    tools: int
    known_items: bool


def write_set(data: Path, name: str, folder: Path, encoder: Encoder, *, limit: int, seed: int, split: str) -> Asked:
    """Write the folder of a set.

    A set without labelled queries is asked the example queries of its recorded profiles (``expansions/NAME.jsonl``), a random
    sample of them; right is the tool that each was written for.

    Args:
        data: The bench folder.
        name: The set.
        folder: Where to; made here.
        encoder: Encodes documents and queries.
        limit: Most queries.
        seed: Seed of the sample.
        split: Split of the labelled queries.
    """
    listed = data / name / "tools.jsonl"
    tools = given_tools(Catalog.of(listed))
    recorded = data / "expansions" / f"{name}.jsonl"
    labelled = any(row.get("relevant") for _, row in rows_of(data / name / "queries.jsonl"))
    if labelled:
        (dataset,) = load_datasets([data / name], split=split, kinds=KINDS, limit=limit, seed=seed)
        asked = Asked(
            tuple(query.query for query in dataset.queries),
            tuple(query.needs for query in dataset.queries),
            len(tools),
            known_items=False,
        )
    else:
        ids = {tool.id for tool in tools}
        examples = [
            (row["id"], query)
            for _, row in rows_of(recorded)
            if row["id"] in ids and row.get("grounded")
            for query in row["example_queries"]
        ]
        chosen = random.Random(seed).sample(examples, min(limit, len(examples)))
        asked = Asked(
            tuple(query for _, query in chosen), tuple((frozenset({id}),) for id, _ in chosen), len(tools), True
        )
    folder.mkdir(parents=True)
    texts = list(dict.fromkeys([*(tool.document for tool in tools), *asked.queries]))
    (folder / "tools.json").write_text(json.dumps([asdict(tool) for tool in tools]), encoding="utf-8")
    (folder / "queries.json").write_text(json.dumps(asked.queries), encoding="utf-8")
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    encoder.encode_documents(texts).tofile(folder / "vectors.f32")
    shutil.copy(PACKAGED / "tokenizer.json", folder)
    return asked


def given_tools(catalog: Catalog) -> list[GivenTool]:
    """The tools as the peers get them: without server, tags or examples."""
    taken = {tool.name for tool in catalog}
    used: set[str] = set()
    given: list[GivenTool] = []
    for tool in catalog:
        name, number = tool.name, 1
        while name in used or (number > 1 and name in taken):
            number += 1
            name = f"{tool.name}_{number}"
        used.add(name)
        given.append(
            GivenTool(
                id=tool.id,
                name=tool.name,
                unique=name,
                description=tool.description,
                parameters=dict(tool.parameters) or NO_SLOTS,
                document=dense_text(tool, ("name", "description")),
            )
        )
    return given


@contextmanager
def endpoint(encoder: Encoder) -> Generator[str]:
    """An OpenAI-compatible embeddings endpoint on this machine; yields what stands before ``/embeddings``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            vectors = encoder.encode_documents(texts)
            packed = asked.get("encoding_format") == "base64"
            rows = [
                {"object": "embedding", "index": at, "embedding": _row(row, packed)} for at, row in enumerate(vectors)
            ]
            body = json.dumps({"object": "list", "model": asked.get("model"), "data": rows, "usage": {}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Keeps stderr for progress."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _row(vector: np.ndarray, packed: bool) -> str | list[float]:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode() if packed else vector.tolist()
