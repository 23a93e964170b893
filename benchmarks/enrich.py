"""Throughput of enrichment against a scripted server with a fixed latency: what share of the ideal is reached.

The ideal is calls x latency / parallel calls. Clients are measured one by one as well, each with the same questions.

    python benchmarks/enrich.py --tools 3000 --latency 0.05 --parallel 16 --json
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVER = Path(__file__).parent.parent / "tests" / "enrichment" / "scripted_server.py"
VERBS = ("list", "find", "book", "cancel", "move", "pay", "print", "rename", "export", "check")
NOUNS = ("invoice", "room", "parcel", "ticket", "lesson", "meter", "garden", "ferry", "recipe", "permit")


def catalog(count: int) -> list[dict[str, object]]:
    """Tools of our own, two arguments each."""
    return [
        {
            "name": f"{VERBS[i % 10]}_{NOUNS[i // 10 % 10]}_{i}",
            "description": f"{VERBS[i % 10].title()} a {NOUNS[i // 10 % 10]} of the office number {i} and tell whoever asked.",
            "parameters": {
                "type": "object",
                "properties": {
                    "day": {"type": "string", "description": "The day on which it is wanted."},
                    "person": {"type": "string", "description": "Whoever asks, by name."},
                },
            },
        }
        for i in range(count)
    ]


def start_server(folder: Path, latency: float) -> tuple[subprocess.Popen[bytes], str]:
    """The scripted server in a process of its own, and its address."""
    (folder / "script.json").write_text(json.dumps({"latency": latency}))
    process = subprocess.Popen([sys.executable, str(SERVER), str(folder / "port"), str(folder / "script.json")])
    while not (folder / "port").exists():
        time.sleep(0.01)
    return process, f"http://127.0.0.1:{(folder / 'port').read_text()}/v1"


async def pipeline(url: str, folder: Path, tools: int, parallel: int) -> tuple[int, float, float]:
    """Calls, seconds and seconds of CPU of a whole run: journal, checks and profiles included."""
    from toolcurator import Catalog
    from toolcurator.enrichment.run import due
    from toolcurator.enrichment.session import Session, Stages, save

    found = Catalog.of(catalog(tools))
    stages = Stages(
        llm="openai/scripted", judge="openai/scripted", refine="openai/scripted", api_base=url, parallel=parallel
    )
    async with Session(Catalog.of(catalog(3)), stages, folder / "warm") as warm:  # imports, the first connections
        await warm.enrich(due(Catalog.of(catalog(3))))
    start, cpu = time.perf_counter(), time.process_time()
    async with Session(found, stages, folder / "run") as session:
        report = await session.enrich(due(found))
    save(folder / "profiles.jsonl", report, found)
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    assert report.count("enriched") == tools, report
    return session.ledger.calls, seconds, used


async def client(kind: str, url: str, calls: int, parallel: int) -> tuple[float, float]:
    """Seconds and seconds of CPU of one client that asks the question of the first stage so many times."""
    import dspy
    import httpx
    import litellm

    from toolcurator.enrichment.expand import expand_stage
    from toolcurator.enrichment.http_model import HttpModel
    from toolcurator.enrichment.model import Ask
    from toolcurator.enrichment.source import source_of
    from toolcurator.sources.gather import gather

    stage, sources = expand_stage(), [source_of(tool) for tool in gather(catalog(100), server="").unique()[0]]
    ours = HttpModel("openai/scripted", url)
    lm = dspy.LM("openai/scripted", api_base=url, api_key="none", cache=False, num_retries=0)
    predict = dspy.Predict(stage.signature)
    http = httpx.AsyncClient(limits=httpx.Limits(max_connections=None, max_keepalive_connections=None))

    def body(ask: Ask) -> list[dict[str, str]]:
        return [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]

    async def once(number: int) -> None:
        source = sources[number % len(sources)]
        if kind == "dspy.Predict":
            with dspy.context(lm=lm, adapter=dspy.JSONAdapter(), disable_history=True, track_usage=False):
                await predict.acall(document=source.fenced)
            return
        ask = stage.asking(source)
        if kind == "litellm":
            reply = await litellm.acompletion(model="openai/scripted", api_base=url, api_key="none", messages=body(ask))
            stage.read(reply.choices[0].message.content)
        elif kind == "httpx":
            answer = await http.post(f"{url}/chat/completions", json={"model": "scripted", "messages": body(ask)})
            stage.read(answer.json()["choices"][0]["message"]["content"])
        else:
            stage.read((await ours.ask(ask)).text)

    await once(0)
    waiting = iter(range(calls))

    async def work() -> None:
        for number in waiting:
            await once(number)

    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(parallel)))
    spent = time.perf_counter() - start, time.process_time() - cpu
    await ours.close()
    await http.aclose()
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=3000)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument(
        "--clients", type=int, default=0, help="calls of each client that is measured alone, 0 for none"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.pop("OPENAI_API_KEY", None)
    facts: dict[str, object] = {"tools": given.tools, "latency": given.latency, "parallel": given.parallel}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process, url = start_server(folder, given.latency)
        try:
            calls, seconds, cpu = asyncio.run(pipeline(url, folder, given.tools, given.parallel))
            ideal = calls * given.latency / given.parallel
            facts |= {
                "calls": calls,
                "seconds": round(seconds, 2),
                "ideal_seconds": round(ideal, 2),
                "share_of_ideal": round(ideal / seconds, 3),
                "cpu_ms_a_call": round(1000 * cpu / calls, 2),
            }
            if given.clients:
                facts["clients"] = {}
                for kind in ("ours", "httpx", "dspy.Predict", "litellm"):
                    took, used = asyncio.run(client(kind, url, given.clients, given.parallel))
                    facts["clients"][kind] = {
                        "cpu_ms_a_call": round(1000 * used / given.clients, 2),
                        "share_of_ideal": round(given.clients * given.latency / given.parallel / took, 3),
                    }
        finally:
            process.terminate()
            process.wait()
    if given.json:
        print(json.dumps(facts, indent=2))
        return
    for key, value in facts.items():
        print(f"{key:16}{value}")


if __name__ == "__main__":
    main()
