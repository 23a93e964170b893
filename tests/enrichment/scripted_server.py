"""A scripted model behind OpenAI's protocol, in a process of its own: ``python scripted_server.py PORT_FILE SCRIPT [LOG]``.

It reads which stage and which tool it is asked about from the messages, as a model would, and answers as the script says.
Nothing but the standard library, and nothing slow: it must not be what a benchmark measures.

The script is JSON: ``latency`` (seconds), ``rules`` (a list, the first that fits is used), ``key`` (if it wants one) and
``refuses`` (words it answers 400 to). A rule has ``stage``, ``tool`` (a part of the name), ``from`` and ``to`` (of the requests
for that stage and tool, from 1), and what to do: ``content`` (the answer's text), ``status`` with ``body`` and ``headers``,
``hang`` (seconds), ``drop`` (cut the connection) or ``die`` (end the process). Each request is a line of the log: stage, tool
and model. A changed script is read at the next request, and counts from 1.
"""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

DOCUMENT = re.compile(r"<data-[0-9a-f]+>\n(.*?)\n</data-", re.DOTALL)
STAGES = (("rejected", "refine"), ("profile", "judge"))


def stage_and_tool(body):
    user = body["messages"][1]["content"]
    stage = next((stage for name, stage in STAGES if f"[[ ## {name} ## ]]" in user), "expand")
    name = re.search(r'"name": "((?:[^"\\]|\\.)*)"', DOCUMENT.search(user).group(1)).group(1)
    return stage, json.loads(f'"{name}"'), user


def good_answer(stage, tool, user):
    """What a careful model says: words of the name, nothing else."""
    if stage == "judge":
        profile = json.loads(re.search(r"\[\[ ## profile ## \]\]\n(.*?)\n\n", user, re.DOTALL).group(1))
        return {
            "verdicts": [{"field": name, "supported": True, "reason": "said so", "unsupported": []} for name in profile]
        }
    words = tool.replace("_", " ")
    return {
        "function_description": f"Does what {words} says.",
        "tags": [words, f"{words} now", f"my {words}"],
        "when_to_use": f"Somebody wants {words}.",
        "limitations": "",
        "example_queries": [f"{words}, {each}" for each in ("please", "now", "for me", "would you", "today")],
        "grounded": True,
    }


class Script:
    def __init__(self, path, log):
        self.path, self.log, self.seen, self.stamp, self.read = path, log, {}, None, None

    def answer(self, body):
        stamp = os.stat(self.path).st_mtime_ns
        if stamp != self.stamp:
            self.seen = {}
            self.stamp, self.read = stamp, json.loads(Path(self.path).read_text())
        stage, tool, user = stage_and_tool(body)
        if self.log:
            self.log.write(f"{stage}\t{tool}\t{body['model']}\n")
        count = self.seen[stage, tool] = self.seen.get((stage, tool), 0) + 1
        for rule in self.read.get("rules", ()):
            fits = rule.get("stage", stage) == stage and rule.get("tool", "") in tool
            if fits and rule.get("from", 1) <= count <= rule.get("to", 10**9):
                break
        else:
            rule = {}
        if rule.get("die"):
            if self.log:
                self.log.flush()
            os._exit(1)
        content = rule.get("content")
        content = good_answer(stage, tool, user) if content is None else content
        content = content if isinstance(content, str) else json.dumps(content)
        tokens = {"prompt_tokens": len(json.dumps(body)) // 4, "completion_tokens": len(content) // 4}
        reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}], "usage": tokens}
        return rule, rule.get("status", 200), rule.get("body", reply), self.read.get("latency", 0.0)


class Protocol(asyncio.Protocol):
    def __init__(self, script):
        self.script, self.data = script, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].lower()
            length = int(re.search(rb"content-length:\s*(\d+)", head).group(1))
            if len(self.data) < end + 4 + length:
                return
            body = json.loads(self.data[end + 4 : end + 4 + length])
            self.data = self.data[end + 4 + length :]
            self.respond(head, body)

    def respond(self, head, body):
        rule, status, answer, latency = self.script.answer(body)
        key = self.script.read.get("key")
        if key and f"bearer {key}".encode() not in head:
            rule, status, answer = {}, 401, {"error": {"message": f"wrong key, not {key}"}}
        if refused := [name for name in self.script.read.get("refuses", ()) if name in json.dumps(body)]:
            rule, status, answer = {}, 400, {"error": {"message": f"{refused[0]} is not supported"}}
        text = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        lines = [f"HTTP/1.1 {status} x", "content-type: application/json", f"content-length: {len(text)}"]
        lines += [f"{name}: {value}" for name, value in rule.get("headers", {}).items()]
        reply = "\r\n".join([*lines, "", ""]).encode() + text
        do = self.transport.abort if rule.get("drop") else lambda: self.transport.write(reply)
        asyncio.get_running_loop().call_later(rule.get("hang", latency), do)


async def main():
    ready, path, *log = sys.argv[1:]
    script = Script(path, open(log[0], "a", buffering=1) if log else None)  # noqa: SIM115
    port = int(os.environ.get("PORT", "0"))
    server = await asyncio.get_running_loop().create_server(lambda: Protocol(script), "127.0.0.1", port, backlog=512)
    draft = Path(f"{ready}.draft")
    draft.write_text(str(server.sockets[0].getsockname()[1]))
    draft.replace(ready)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
