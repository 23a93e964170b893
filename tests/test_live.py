"""A curator in step with live MCP servers: what is found and called is what they offer now."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp_house import DAY, Older, Shop, listed, until

from toolcurator import Tool, tool
from toolcurator.errors import ArgumentError, CallError, CatalogError, UnknownTool
from toolcurator.live import LiveCurator
from toolcurator.sources.mcp import McpServers

Live = Callable[..., LiveCurator]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    opened: list[LiveCurator] = []

    def open_(source: object, **how: Any) -> LiveCurator:
        opened.append(LiveCurator(source, **{"encoder": "none", "index_dir": tmp_path / "index", **how}))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.stop()


def config(**servers: Older | dict[str, Any]) -> dict[str, Any]:
    bodies = {name: each.config if isinstance(each, Older) else each for name, each in servers.items()}
    return {"mcpServers": bodies}


def first(curator: LiveCurator, query: str) -> str:
    return curator.select(query)[0].id


RAIN = listed("rain", "Will it rain on a day", DAY, annotations={"readOnlyHint": True})
WIND = listed("wind", "How hard the wind blows on a day", DAY)
SNOW = listed("snow", "How much snow falls on a day", DAY)


def test_d4_a_server_that_announces_its_changes(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN, announce=True)
    curator = live(config(sky=sky), refresh_seconds=3600)
    before = curator.curator
    assert first(curator, "will it rain") == "sky/rain"
    assert curator.curator is before
    for tools, query, found in (
        ((RAIN, SNOW), "how much snow falls", "sky/snow"),
        ((RAIN, listed("snowfall", SNOW["description"], DAY)), "how much snow falls", "sky/snowfall"),
        ((WIND,), "will it rain", "sky/wind"),
    ):
        sky.offer(*tools)
        until(lambda: curator.live.changed)
        assert first(curator, query) == found
        assert len(curator) == len(tools)


def test_d4_a_server_that_does_not_is_listed_by_the_clock(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    curator = live(config(sky=sky), refresh_seconds=0.05)
    sky.offer(RAIN, SNOW)
    time.sleep(0.1)
    assert first(curator, "how much snow falls") == "sky/snow"
    sky.offer(listed("precipitation", RAIN["description"], DAY, annotations={"readOnlyHint": True}), SNOW)
    time.sleep(0.1)
    assert first(curator, "will it rain") == "sky/precipitation"
    assert {hit.id for hit in curator.select("rain")} == {"sky/precipitation", "sky/snow"}


def test_d4_and_after_a_call(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    curator = live(config(sky=sky), refresh_seconds=3600)
    assert not curator.call("rain", {"day": "today"}).is_error
    sky.offer(RAIN, WIND)
    assert first(curator, "how hard does the wind blow") == "sky/wind"


def test_d4_a_stale_call_names_what_there_is_now(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN, WIND)
    curator = live(config(sky=sky), refresh_seconds=3600)
    sky.offer(listed("rain_forecast", RAIN["description"], DAY, annotations={"readOnlyHint": True}), WIND)
    with pytest.raises(UnknownTool, match=r"'sky/rain' is no longer offered .* it may be sky/rain_forecast now"):
        curator.call("rain", {"day": "today"})
    assert first(curator, "will it rain") == "sky/rain_forecast"
    sky.offer(listed("rainy_forecast", "Something else", DAY), WIND)
    with pytest.raises(UnknownTool, match=r"no longer offered .*; the nearest: rainy_forecast"):
        curator.call("rain_forecast", {"day": "today"})
    sky.offer(SNOW)
    with pytest.raises(UnknownTool, match=r"'sky/wind' is no longer offered .*; it offers snow"):
        curator.call("wind", {"day": "today"})


def test_refresh_says_what_happened(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    curator = live(config(sky=sky), refresh_seconds=3600)
    assert not curator.refresh()
    sky.offer(RAIN, SNOW)
    assert curator.refresh().added == ("sky/snow",)
    assert len(curator) == 2


def test_d6_a_name_that_is_unknown_or_forbidden_names_the_nearest(live: Live, tmp_path: Path) -> None:
    """D6, A27: to a role a reserved tool looks as if it did not exist, and no server is asked."""
    secret = Tool(name="rain_alarm", server="sky", roles=("admin",))
    curator = live([config(sky=Older(tmp_path / "sky", RAIN, WIND)), secret])
    with pytest.raises(UnknownTool, match=r"no tool 'rian'; the nearest: rain$"):
        curator.call("rian", {}, role="guest")
    for name in ("rain_alarm", "sky/rain_alarm"):
        with pytest.raises(UnknownTool) as forbidden:
            curator.call(name, {}, role="guest")
        with pytest.raises(UnknownTool) as unknown:
            curator.call(name.replace("alarm", "alarn"), {}, role="guest")
        assert str(forbidden.value).replace("alarm", "alarn") == str(unknown.value)
    with pytest.raises(CallError, match="belongs to no live MCP server"):
        curator.call("rain_alarm", {}, role="admin")


def test_d7_a_call_without_its_arguments_reaches_no_server(live: Live, tmp_path: Path) -> None:
    curator = live(config(sky=Older(tmp_path / "sky", listed("count", "Count", DAY))))
    with pytest.raises(ArgumentError, match="day is missing") as caught:
        curator.call("count")
    assert caught.value.missing == ("day",)
    assert caught.value.schema == DAY
    assert curator.call("count", {"day": "x"}).text == "1"


def test_a17_two_servers_export_search(live: Live, tmp_path: Path) -> None:
    mail = Older(tmp_path / "mail", listed("search", "Find something"))
    files = Older(tmp_path / "files", listed("search", "Find something"))
    curator = live(config(mail=mail, files=files))
    assert first(curator, "search my mail") == "mail/search"
    assert first(curator, "search my files") == "files/search"
    with pytest.raises(UnknownTool, match="use an id: mail/search, files/search"):
        curator.call("search")
    pids = {name: curator.call(f"{name}/search").text for name in ("mail", "files")}
    assert str(mail.starts[-1]) in pids["mail"]
    assert str(files.starts[-1]) in pids["files"]
    wire = curator.select("search my mail").wire_names()[0]
    assert curator.call(wire).text == pids["mail"]


def test_a_killed_process_comes_back_with_other_tools(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    curator = live(config(sky=sky), refresh_seconds=3600)
    sky.offer(SNOW)
    sky.kill()
    until(lambda: curator.live.changed)
    assert first(curator, "how much snow falls") == "sky/snow"
    assert not curator.call("snow", {"day": "today"}).is_error


def test_a_server_that_is_down_keeps_its_tools_until_it_is_back(live: Live, shop: Shop) -> None:
    shop.start(("sell", "Sell a thing to a customer"))
    curator = live(config(shop={"url": shop.url}), refresh_seconds=3600)
    shop.stop()
    until(lambda: curator.live.changed)
    assert first(curator, "sell a thing") == "shop/sell"
    assert "cannot be reached" in curator.failures["shop"]
    with pytest.raises(CallError, match="'shop' cannot be reached"):
        curator.call("sell", {"text": "hat"})
    shop.start(("rent", "Rent a thing to a customer"))
    until(lambda: first(curator, "rent a thing") == "shop/rent")
    assert not curator.failures
    assert curator.call("rent", {"text": "bike"}).text == "bike"


def test_http_tools_are_added_and_removed_while_it_runs(live: Live, shop: Shop) -> None:
    shop.start(("sell", "Sell a thing"), ("lend", "Lend a thing"))
    curator = live(config(shop={"url": shop.url}), refresh_seconds=3600)
    curator.call("restock", {"add": "repair", "drop": "lend"})
    until(lambda: curator.live.changed)
    assert {hit.id for hit in curator.select("a thing")} == {"shop/sell", "shop/repair", "shop/restock"}
    with pytest.raises(UnknownTool, match="no tool 'lend'"):
        curator.call("lend", {"text": "x"})
    shop.change(add=[("wrap", "Wrap a present")], drop=["sell"])
    with pytest.raises(UnknownTool, match="'shop/sell' is no longer offered"):
        curator.call("sell", {"text": "x"})
    assert first(curator, "wrap a present") == "shop/wrap"


def test_a_server_that_hangs_holds_no_search_up(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    slow = Older(tmp_path / "slow", listed("slow", "Sleep"))
    curator = live(config(sky=sky, slow=slow), refresh_seconds=0.1, patience=0.5)
    with pytest.raises(CallError, match=r"did not answer within 0\.2 s"):  # it goes on sleeping, and answers nobody
        curator.call("slow", timeout=0.2)
    sky.offer(RAIN, SNOW)
    start = time.monotonic()
    assert first(curator, "how much snow falls") == "sky/snow"
    assert time.monotonic() - start < 2.5
    assert "did not answer within 0.5 s" in curator.failures["slow"]
    assert first(curator, "sleep") == "slow/slow"


def test_only_new_texts_are_encoded_again(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN, WIND)
    totals: list[int] = []
    how: dict[str, Any] = {"encoder": "packaged", "progress": lambda _, total: totals.append(total)}
    curator = live(config(sky=sky), refresh_seconds=3600, **how)
    encoder, at_first = curator.curator.encoder, totals.copy()
    sky.offer(RAIN, WIND, SNOW)
    curator.refresh()
    assert first(curator, "is the snow deep") == "sky/snow"
    assert set(at_first) == {2}
    assert set(totals[len(at_first) :]) == {1}
    assert curator.curator.encoder is encoder


def test_functions_and_files_stand_beside_servers(live: Live, tmp_path: Path) -> None:
    @tool
    def double(number: int) -> int:
        """Twice a number."""
        return 2 * number

    async def fails() -> None:
        """Fail."""
        raise ValueError("no luck")

    file = tmp_path / "more.yaml"
    file.write_text("tools:\n- name: knit\n  description: Knit a scarf\n")
    curator = live([config(sky=Older(tmp_path / "sky", RAIN)), double, fails, file], refresh_seconds=3600)
    assert len(curator) == 4
    assert curator.call("double", {"number": 4}).structured == 8
    assert curator.call("fails").text == "fails failed: ValueError: no luck"
    with pytest.raises(ArgumentError, match="'x' is not of type 'integer'"):
        curator.call("double", {"number": "x"})
    file.write_text("tools:\n- name: knit\n  description: Knit a scarf\n- name: weave\n  description: Weave a carpet\n")
    assert curator.refresh().added == ("weave",)
    assert asyncio.run(curator.acall("rain", {"day": "x"})).is_error is False


def test_servers_that_were_given_are_not_closed(tmp_path: Path) -> None:
    with McpServers.of(config(sky=Older(tmp_path / "sky", RAIN))) as servers:
        LiveCurator(servers, encoder="none", index_dir=tmp_path / "index").close()
        assert not servers.call("sky", "rain").is_error
        assert len(Older(tmp_path / "sky", RAIN).starts) == 2


def test_when_nothing_is_left(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN)
    curator = live(config(sky=sky), refresh_seconds=3600)
    sky.offer()
    with pytest.raises(CatalogError):
        curator.refresh()
    with pytest.raises(CatalogError):
        curator.select("will it rain")
    sky.offer(SNOW)
    curator.refresh()
    assert first(curator, "snow") == "sky/snow"


def test_several_threads(live: Live, tmp_path: Path) -> None:
    sky = Older(tmp_path / "sky", RAIN, WIND)
    curator = live(config(sky=sky), refresh_seconds=0.01)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(15):
            found = curator.select("will it rain")[0].id
            if found != "sky/rain" or curator.call(found, {"day": "x"}).is_error:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for number in range(10):
        sky.offer(RAIN, WIND, *([SNOW] if number % 2 else []))
        time.sleep(0.02)
    for each in threads:
        each.join(30)
    assert not wrong
