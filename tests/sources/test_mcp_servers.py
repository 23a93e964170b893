"""Live MCP servers: listed, called, failing, lost and found again."""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp_house import DAY, Older, Shop, listed, until

from toolcurator import Catalog, Curator
from toolcurator.errors import CallError, CatalogError
from toolcurator.sources.mcp import McpServers, read_mcp_config

LIBRARY = Path(__file__).parents[2] / "examples" / "mcp" / "library.py"
SECRET = "sk-4711-very-secret"
DIES = {"command": sys.executable, "args": ["-c", "import sys; sys.exit('no licence for ' + sys.argv[1])", SECRET]}


def of(timeout: float = 10.0, **servers: dict[str, Any]) -> McpServers:
    return McpServers.of({"mcpServers": servers}, timeout=timeout)


@pytest.fixture
def shops() -> Iterator[list[Shop]]:
    open_: list[Shop] = []
    yield open_
    for shop in open_:
        if shop.thread.is_alive():
            shop.stop()


def test_a_stdio_server_of_the_sdk_is_listed_called_and_followed() -> None:
    with of(library={"command": sys.executable, "args": [str(LIBRARY)]}) as servers:
        tools = {tool.name: tool for tool in servers.tools()}
        assert not servers.failures
        search = tools["search"]
        assert (search.id, search.server, search.side_effect) == ("library/search", "library", False)
        assert search.endpoint is not None
        assert (search.endpoint.kind, search.endpoint.url) == ("mcp", "library")
        assert search.metadata["server_description"].startswith("The catalogue and the loans")
        assert search.declaration is not None
        assert search.declaration.body["outputSchema"]["type"] == "object"
        assert tools["reserve"].metadata["title"] == "Reserve a book"
        assert tools["close_branch"].side_effect is True
        found = servers.call("library", "search", {"words": "cloud"})
        assert found.structured["result"][0]["id"] == "B2"
        assert servers.call("library", "reserve", {"book": "B9", "card": "1"}).is_error
        assert servers.announces("library")
        servers.call("library", "close_branch", {"confirm": True})
        until(lambda: "library" in servers.changed)
        assert "library/reserve" not in [tool.id for tool in servers.refresh(servers.changed)]
        assert not servers.changed


def test_pages_and_odd_entries_of_an_older_server(tmp_path: Path) -> None:
    spoof = listed("spoof", "a", id="bank/pay", roles=["admin"], server="bank", state="inactive")
    names = [listed(f"t{i}", f"tool {i}") for i in range(7)]
    with of(a=Older(tmp_path, *names, spoof, listed("", "no name")).config) as servers:
        assert [tool.id for tool in servers.tools()] == [*(f"a/t{i}" for i in range(7)), "a/spoof"]
        assert (servers.tools()[-1].roles, servers.tools()[-1].state) == ((), "active")
        assert "name is empty" in str(servers.faults[0])


def test_every_server_fails_for_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    caplog.set_level(logging.DEBUG)
    down = {"url": f"http://user:{SECRET}@127.0.0.1:9/mcp?key={SECRET}", "headers": {"X": SECRET}}
    hangs = {"command": sys.executable, "args": ["-c", "import time; time.sleep(60)"]}
    chatty = {"command": sys.executable, "args": ["-c", "print('not json at all')"]}
    config = {"fine": Older(tmp_path, listed("t")).config, "dies": {**DIES, "env": {"T": SECRET}}, "down": down}
    start = time.monotonic()
    with of(2, **config, none={"command": "no-such-program"}, hangs=hangs, chatty=chatty) as servers:
        assert [tool.id for tool in servers.tools()] == ["fine/t"]
        why = servers.failures
        assert "ended before it answered; its last words: no licence for ***" in why["dies"]
        assert "cannot be reached at http://127.0.0.1:9/mcp (" in why["down"]
        assert "'no-such-program' is not found" in why["none"]
        assert "did not answer within 2 s" in why["hangs"]
        assert "ended before it answered" in why["chatty"]
        with pytest.raises(CallError, match="no MCP server 'x'; there are: fine"):
            servers.call("x", "t")
        assert SECRET not in repr(servers) + "".join(map(str, servers.faults)) + "".join(why.values())
    assert time.monotonic() - start < 20
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


def test_a_slow_call_ends_in_time_and_the_server_goes_on(tmp_path: Path) -> None:
    with of(
        a=Older(tmp_path, listed("slow"), listed("t")).config, b=Older(tmp_path / "b", listed("t")).config
    ) as servers:
        start = time.monotonic()
        with pytest.raises(CallError, match=r"'a' did not answer within 0\.3 s"):
            servers.call("a", "slow", timeout=0.3)
        assert time.monotonic() - start < 2
        assert not servers.call("b", "t").is_error


def test_a_call_that_may_have_arrived_is_not_made_twice(tmp_path: Path) -> None:
    older = Older(tmp_path, listed("crash"), listed("count"))
    with of(a=older.config) as servers:
        with pytest.raises(CallError, match=r"ended before it answered.*whether the call was carried out is not known"):
            servers.call("a", "crash")
        assert servers.changed == {"a"}
        begun = len(older.starts)
        assert servers.call("a", "count").text == "1"
        assert len(older.starts) == begun + 2  # asked in the way of 2026 first, which makes it end
        with pytest.raises(CallError):
            servers.call("a", "crash", repeatable=True)
        assert len(older.starts) == begun + 4  # two tries, and no more


def test_a_killed_process_is_noticed_and_started_again(tmp_path: Path) -> None:
    older = Older(tmp_path, listed("t"))
    noticed: list[str] = []
    with McpServers(read_mcp_config({"mcpServers": {"a": older.config}}), on_change=noticed.append) as servers:
        older.kill()
        until(lambda: servers.changed == {"a"})
        assert noticed == ["a"]
        assert [tool.id for tool in servers.tools()] == ["a/t"]
        older.offer(listed("u"))
        assert [tool.id for tool in servers.refresh()] == ["a/u"]
        assert not servers.call("a", "u").is_error


@pytest.mark.parametrize("older", [False, True])
def test_streamable_http_is_followed_killed_and_found_again(shops: list[Shop], older: bool) -> None:
    shop = Shop(older=older).start(("sell", "Sell a thing"))
    shops.append(shop)
    with of(shop={"url": shop.url, "headers": {"X-Shop": "please"}}) as servers:
        assert {tool.name for tool in servers.tools()} == {"restock", "sell"}
        assert shop.seen_headers[-1]["x-shop"] == "please"
        assert servers.call("shop", "sell", {"text": "hat"}).text == "hat"
        servers.call("shop", "restock", {"add": "lend", "drop": "sell"})
        until(lambda: "shop" in servers.changed)
        assert {tool.name for tool in servers.refresh()} == {"restock", "lend"}
        shop.stop()
        servers.refresh()
        assert "cannot be reached at http://127.0.0.1" in servers.failures["shop"]
        assert {tool.name for tool in servers.tools()} == {"restock", "lend"}
        with pytest.raises(CallError, match="cannot be reached"):
            servers.call("shop", "lend")
        shop.start(("rent", "Rent a thing"))
        assert servers.call("shop", "rent", {"text": "bike"}).text == "bike"
        assert {tool.name for tool in servers.refresh()} == {"restock", "rent"}
        assert not servers.failures


def test_a_restart_between_two_calls_is_not_felt(shops: list[Shop]) -> None:
    shop = Shop(older=True).start(("sell", "Sell a thing"))
    shops.append(shop)
    with of(shop={"url": shop.url}) as servers:
        shop.stop()
        shop.start(("sell", "Sell a thing"))
        assert servers.call("shop", "sell", {"text": "hat"}).text == "hat"
        assert servers.changed <= {"shop"}


@pytest.mark.parametrize("kind", ["sse", "http"])
def test_a_server_that_has_only_sse(shops: list[Shop], kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shop = Shop("sse").start(("sell", "Sell a thing"))
    shops.append(shop)
    with of(5, shop={"type": kind, "url": f"{shop.url}?key={SECRET}"}) as servers:
        assert not servers.failures
        assert servers.call("shop", "sell", {"text": "hat"}).text == "hat"
        shop.stop()
        until(lambda: servers.changed == {"shop"})
        shop.start(("rent", "Rent a thing"))
        assert {tool.name for tool in servers.refresh()} == {"restock", "rent"}
    assert SECRET not in caplog.text
    assert "Traceback" not in caplog.text


def test_an_http_status_is_named(shops: list[Shop]) -> None:
    shop = Shop().start()
    shops.append(shop)
    with of(3, lost={"url": shop.url.replace("/mcp", "/nowhere")}) as servers:
        assert servers.failures["lost"] == "answered HTTP 404 Not Found"


def test_from_an_event_loop(tmp_path: Path) -> None:
    async def work(servers: McpServers) -> tuple[list[str], list[bool]]:
        tools = await servers.arefresh()
        results = await asyncio.gather(*(servers.acall("a", "t") for _ in range(5)))
        return [tool.id for tool in tools], [each.is_error for each in results]

    servers = of(a=Older(tmp_path, listed("t")).config)
    assert asyncio.run(work(servers)) == (["a/t"], [False] * 5)
    servers.close()


def test_a_file_is_listed_once_and_never_served_from_an_old_index(tmp_path: Path) -> None:
    """D4 for the command line: the second search of one file sees what the servers say then. A17: two export ``search``."""
    mail = Older(tmp_path / "mail", listed("search", "Search in letters", DAY))
    files = Older(tmp_path / "files", listed("search", "Search in files"))
    file = tmp_path / "mcp.json"
    servers = {"mail": mail.config, "files": files.config, "gone": {"command": "no-such-program"}}
    file.write_text(json.dumps({"mcpServers": servers}))
    catalog = Catalog.of(file)
    assert [tool.id for tool in catalog] == ["mail/search", "files/search"]
    assert catalog.faults[0].path == str(file)
    assert "MCP server 'gone'" in str(catalog.faults[0])
    how: dict[str, Any] = {"index_dir": tmp_path / "index", "encoder": "none"}
    assert Curator.open(file, **how).select("search in files of the server files")[0].id == "files/search"
    files.offer(listed("find", "Search in files"))
    assert Curator.open(file, **how).select("search in files")[0].id == "files/find"
    with pytest.raises(CatalogError, match="MCP server 'gone'"):
        Catalog.of({"mcpServers": {"gone": {"command": "no-such-program"}}})
