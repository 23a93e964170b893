"""Calls by an OpenAPI document, of MCP servers, and of Python functions."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_service import Service
from mcp.server.mcpserver.exceptions import ToolError
from mcp_house import DAY, Older, Shop, listed

from toolcurator import Catalog, Tool
from toolcurator.live_catalog import LiveCatalog
from toolcurator.routing.call import Called, Caller, CallPolicy, Failed
from toolcurator.sources.mcp import McpServers

LOOPBACK = ("127.0.0.0/8",)


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.stop()


def _document(url: str) -> dict[str, Any]:
    def parameter(name: str, place: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "in": place, "schema": {"type": more.pop("type", "string")}, **more}

    body = {
        "type": "object",
        "properties": {"note": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["note"],
    }
    form = {"application/x-www-form-urlencoded": {"schema": body}}
    lists = [
        parameter("tag", "query", type="array"),
        parameter("ids", "query", type="array", style="form", explode=False),
        parameter("filter", "query", type="object", style="deepObject"),
        parameter("only", "query", type="boolean"),
    ]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Desk", "version": "1"},
        "servers": [{"url": f"{url}/echo"}],
        "components": {"securitySchemes": {"desk": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
        "paths": {
            "/rooms/{room}/notes": {
                "parameters": [parameter("room", "path", required=True)],
                "get": {
                    "operationId": "list",
                    "parameters": [*lists, parameter("X-Lang", "header"), parameter("sid", "cookie")],
                },
                "put": {
                    "operationId": "write",
                    "security": [{"desk": []}],
                    "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
                },
                "post": {"operationId": "post", "requestBody": {"required": True, "content": form}},
                "patch": {
                    "operationId": "patch",
                    "requestBody": {
                        "content": {"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}}
                    },
                },
            }
        },
    }


def test_c21_arguments_go_where_the_openapi_document_says(service: Service, tmp_path: Path) -> None:
    (tmp_path / "desk.json").write_text(json.dumps(_document(service.url)))
    catalog = Catalog.load(tmp_path / "desk.json")
    tools = {tool.name: tool for tool in catalog}
    caller = Caller(CallPolicy.for_tools(catalog, private=LOOPBACK), {"desk": "s3cret-key"})

    def call(name: str, **arguments: Any) -> Any:
        outcome = asyncio.run(caller.call(tools[name], arguments, confirmed=True))
        assert isinstance(outcome, Called), outcome
        return service.asked[-1]

    asked = call(
        "list",
        **{"room": "A/1", "tag": ["x", "y z"], "ids": [1, 2], "filter": {"year": 2026}, "only": True},
        **{"X-Lang": "et", "sid": "a;b"},
    )
    assert (asked.method, asked.path) == ("GET", "/echo/rooms/A/1/notes")
    assert "/rooms/A%2F1/notes?" in asked.raw
    assert asked.query == [("tag", "x"), ("tag", "y z"), ("ids", "1,2"), ("filter[year]", "2026"), ("only", "true")]
    assert (asked.headers["x-lang"], asked.headers["cookie"]) == ("et", "sid=a%3Bb")
    asked = call("write", room="1", note="tere õhtust", count=2)
    assert (asked.method, asked.json) == ("PUT", {"note": "tere õhtust", "count": 2})
    assert asked.headers["x-key"] == "s3cret-key"
    asked = call("post", room="1", note="a&b", count=2)
    assert (asked.body, asked.headers["content-type"]) == (b"note=a%26b&count=2", "application/x-www-form-urlencoded")
    asked = call("patch", room="1", body=[1, 2])
    assert asked.json == [1, 2]


def test_mcp_tools_are_called_and_fail_before_or_after(tmp_path: Path) -> None:
    older = Older(tmp_path / "older", listed("look", schema=DAY), listed("crash"))
    shop = Shop().start(("say", "Says it again."))
    config = {"mcpServers": {"older": older.config, "shop": {"url": shop.url}}}
    try:
        with LiveCatalog(config, timeout=10) as live:
            tools = {tool.id: tool for tool in live.catalog}

            async def turn() -> None:
                caller = Caller(CallPolicy(timeout_s=10), live=live)
                unconfirmed = await caller.call(tools["shop/say"], {"text": "tere"})
                assert isinstance(unconfirmed, Failed)
                assert unconfirmed.kind == "unconfirmed", "it does not say that it changes nothing"
                said = await caller.call(tools["shop/say"], {"text": "tere"}, confirmed=True)
                assert isinstance(said, Called)
                assert said.text == "tere"
                wrong = await caller.call(tools["older/look"], {}, confirmed=True)
                assert isinstance(wrong, Failed)
                assert (wrong.kind, wrong.missing) == ("arguments", ("day",))
                gone = tools["shop/say"].model_copy(update={"id": "shop/gone", "name": "gone"})
                lost = await caller.call(gone, {}, confirmed=True)
                assert isinstance(lost, Failed)

            asyncio.run(turn())
    finally:
        shop.stop()


def test_c13_an_mcp_server_that_cannot_be_reached_is_before_the_effect() -> None:
    shop = Shop().start(("say", "Says it again."))
    servers = McpServers.of({"mcpServers": {"shop": {"url": shop.url}}}, timeout=5)
    with servers:
        (tool,) = [tool for tool in servers.tools() if tool.name == "say"]
    shop.stop()
    with McpServers.of({"mcpServers": {"shop": {"url": shop.url}}}, timeout=5) as again:
        outcome = asyncio.run(Caller(CallPolicy(), live=again).call(tool, {}, confirmed=True))
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, outcome.kind) == (True, "unreachable")
    assert "cannot be reached" in outcome.why


def _slow_mcp() -> Shop:
    """A server whose tool takes long, or reports an error."""
    shop = Shop()
    shop.start()

    def slow() -> str:
        time.sleep(1.0)
        return "late"

    def wrong() -> str:
        raise ToolError("the shelf is empty")

    shop.server.add_tool(slow)
    shop.server.add_tool(wrong)
    return shop


def test_c13_an_mcp_call_that_went_out_is_after_the_effect() -> None:
    shop = _slow_mcp()
    try:
        with McpServers.of({"mcpServers": {"shop": {"url": shop.url}}}, timeout=5) as servers:
            tools = {tool.name: tool for tool in servers.tools()}
            caller = Caller(CallPolicy(), live=servers)

            async def turns() -> list[Any]:
                late = await caller.call(tools["slow"], {}, confirmed=True, timeout=0.3)
                wrong = await caller.call(tools["wrong"], {}, confirmed=True)
                reading = tools["wrong"].model_copy(update={"side_effect": False})
                return [late, wrong, await caller.call(reading, {})]

            late, wrong, reading = asyncio.run(turns())
    finally:
        shop.stop()
    assert (late.before_effect, late.kind) == (False, "timeout"), late
    assert (wrong.before_effect, wrong.kind, "the shelf is empty" in wrong.why) == (False, "tool", True)
    assert (reading.before_effect, reading.kind) == (True, "tool")


def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


async def greet(name: str) -> str:
    """Greet somebody."""
    await asyncio.sleep(0)
    return f"Tere, {name}!"


def explode() -> None:
    """Raise."""
    raise RuntimeError("the fuse is wet")


def sleep() -> None:
    """Take long."""
    threading.Event().wait(0.5)


def test_python_functions_are_called_plain_and_async() -> None:
    caller = Caller(CallPolicy(), functions=[add, greet, explode, sleep])
    tools = {tool.name: tool for tool in Catalog.of([add, greet, explode, sleep])}

    def call(name: str, arguments: Any, **how: Any) -> Any:
        return asyncio.run(caller.call(tools[name], arguments, confirmed=True, **how))

    assert call("add", {"a": 2}).structured == {"sum": 3}
    assert call("greet", {"name": "Mari"}).text == "Tere, Mari!"
    wrong = call("add", {"a": "two"})
    assert (wrong.kind, wrong.before_effect) == ("arguments", True)
    raised = call("explode", {})
    assert (raised.kind, raised.before_effect, raised.why) == ("tool", False, "it raised RuntimeError: the fuse is wet")
    late = call("sleep", {}, timeout=0.1)
    assert (late.kind, late.before_effect) == ("timeout", False)
    reading = tools["explode"].model_copy(update={"side_effect": False})
    assert asyncio.run(caller.call(reading, {})).before_effect is True


def test_a_function_that_only_the_catalogue_names_is_never_imported() -> None:
    tool = Tool.model_validate({"name": "system", "endpoint": {"kind": "python", "url": "os:system"}})
    outcome = asyncio.run(Caller(CallPolicy(), functions=[add]).call(tool, {}, confirmed=True))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect) == ("refused", True)
