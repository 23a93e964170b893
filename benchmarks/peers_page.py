"""The section about peers of docs/benchmarks.md, from benchmarks/results/peers.json, for benchmarks/report.py."""

from __future__ import annotations

from typing import Any

QUALITY = {"ndcg@10": "NDCG@10", "recall@5": "Recall@5", "complete@10": "Completeness@10"}
COST = {"build_s": "build s", "query_p50_ms": "query p50 ms", "query_p99_ms": "query p99 ms", "peak_mb": "peak MB"}
GROUPS = {False: "Name and description", True: "Arguments too"}


def peers(results: dict[str, Any]) -> list[str]:
    """The section, a Markdown block an entry: what was done, then two tables a set."""
    versions = dict.fromkeys(f"{row['package']} {row['version']}" for row in results["rows"] if row["version"])
    loads = [found["load"] for row in results["rows"] for found in row["sets"].values() if "load" in found] or [0.0]
    out = [
        "## Beside others",
        f"`benchmarks/peers.py`, in one run on {results['cpus']} cores, Python {results['python']}: the same tools, the same "
        f"queries (at most {results['limit']} of the **{results['split']}** split, seed {results['seed']}) and the same "
        "encoder, the packaged one, for every row; each package in its own environment, driven through its public interface "
        f"by a file in `benchmarks/peer_adapters/`: {', '.join(versions)}. Tools come with name and description only, in the "
        "second table of a set with their arguments too. Packages that take a text are given the same one (name in words, "
        "description): *shared*; the others write it themselves: *own*. *BM25 alone*, *dense alone* and *classic*, the first "
        "seed's pipeline, are ours."
        + (
            f" Measured again afterwards, in the same way: {', '.join(again)}."
            if (again := results.get("again"))
            else ""
        ),
        "The encoder is outside of all times and all memory: vectors are looked up, and what that takes is taken off"
        + "".join(
            f"; encoding a query of {name} took {about['encoding_ms']:.1f} ms"
            for name, about in results["sets"].items()
        )
        + ". *build* ends with the first answer. A query's time is the best of up to three rounds over all queries, on one "
        f"thread; the machine was not idle (load {min(loads):.1f} to {max(loads):.1f}), so compare orders of magnitude. Memory "
        "is that of the process, Python and libraries included.",
    ]
    for name, about in results["sets"].items():
        out.append(f"### {name}: {about['tools']:,} tools, {about['queries']} queries")
        if about["known_items"]:
            out.append(
                "This set has no labelled queries. These were written by a language model from one tool's document each, and "
                "that tool counts as the only right one: the figures are high for everyone, and lean towards wording close to "
                "the document. Read them for scale, not for quality."
            )
        for slots, title in GROUPS.items():
            rows = [row for row in results["rows"] if row["slots"] is slots]
            if rows:
                out.append(table(name, title, rows))
    notes = [f"*{row['label']}*: {row['note']}." for row in results["rows"] if row["note"] and not row["slots"]]
    return [*out, " ".join(notes)]


def table(name: str, title: str, rows: list[dict[str, Any]]) -> str:
    """A table, a line a row; one that could not be run says why."""
    heads = [title, "text", *QUALITY.values(), *COST.values(), "import s"]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        found = row["sets"].get(name, {})
        label = row["label"].removesuffix(", slots too")
        if error := row["error"] or found.get("error"):
            lines.append([label, row["text"], error.replace("|", "/"), *[""] * (len(heads) - 3)])
            continue
        quality = (f"{found[key]:.1f}" for key in QUALITY)
        cost = (number(found[key]) for key in COST)
        lines.append([label, row["text"], *quality, *cost, number(row["import_s"])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
