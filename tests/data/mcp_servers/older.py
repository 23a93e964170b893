"""An MCP server from before 2026, written without the SDK: `older.py FOLDER [--announce]`.

It lists the tools of FOLDER/tools.json, which may change while it runs, three a page. Like some servers in the wild it
ends at once if anything comes before `initialize`. Tools: `crash` ends it during the call, `slow` sleeps, `count` says
how often it was called, any other echoes its arguments. Every start adds a line to FOLDER/starts.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

folder, announce = Path(sys.argv[1]), "--announce" in sys.argv
with (folder / "starts").open("a") as starts:
    starts.write(f"{os.getpid()}\n")
print(f"older server up, token {os.environ.get('OLDER_TOKEN', '')}", file=sys.stderr, flush=True)
calls = 0


def send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools() -> list[dict[str, object]]:
    while True:
        try:
            return json.loads((folder / "tools.json").read_text())
        except ValueError:  # it is just being written
            time.sleep(0.01)


def watch() -> None:
    before = tools()
    while True:
        time.sleep(0.02)
        if (now := tools()) != before:
            before = now
            send(method="notifications/tools/list_changed")


def answer(method: str, params: dict) -> dict:
    global calls
    if method == "initialize":
        capabilities = {"tools": {"listChanged": announce}}
        info = {"name": "older", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
    if method == "tools/list":
        start, every = int(params.get("cursor", 0)), tools()
        more = {"nextCursor": str(start + 3)} if start + 3 < len(every) else {}
        return {"tools": every[start : start + 3], **more}
    name, calls = params["name"], calls + 1
    if name == "crash":
        print("giving up", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "slow":
        time.sleep(30)
    if name not in [tool["name"] for tool in tools()]:
        return {"content": [{"type": "text", "text": f"Unknown tool: {name}"}], "isError": True}
    said = calls if name == "count" else {"pid": os.getpid(), "arguments": params.get("arguments")}
    return {"content": [{"type": "text", "text": json.dumps(said)}]}


started = False
for line in sys.stdin:
    message = json.loads(line)
    if not started and message["method"] != "initialize":
        sys.exit("expected initialize")
    if not started and announce:
        threading.Thread(target=watch, daemon=True).start()
    started = True
    if "id" in message:
        send(id=message["id"], result=answer(message["method"], message.get("params", {})))
