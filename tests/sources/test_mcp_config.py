"""The mcpServers JSON as other clients write it."""

import json
from pathlib import Path

import pytest

from toolcurator import Catalog
from toolcurator.errors import CatalogError
from toolcurator.sources.mcp import McpServers, is_mcp_config, read_mcp_config

SECRET = "sk-4711-very-secret"


def test_the_file_of_other_clients_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "files": {"command": "npx", "args": ["-y", "@x/files", "/data"], "env": {"A": "1"}, "cwd": "/srv"},
                    "web": {"type": "streamable-http", "url": "https://x.example/mcp", "headers": {"X-Key": "k"}},
                    "plain": {"url": "https://y.example/mcp", "autoApprove": ["a"], "timeout": 5},
                    "old": {"transport": "sse", "url": "https://z.example/sse"},
                    "off": {"command": "x", "disabled": True},
                },
                "globalShortcut": "",
            }
        )
    )
    files, web, plain, old, off = read_mcp_config(file)
    assert (files.transport, files.command, files.args, files.env, files.cwd) == (
        "stdio", "npx", ("-y", "@x/files", "/data"), {"A": "1"}, "/srv",
    )  # fmt: skip
    assert (web.transport, web.headers) == ("http", {"X-Key": "k"})
    assert (plain.transport, old.transport, off.disabled) == ("http", "sse", True)
    assert not any(each.problem for each in (files, web, plain, old, off))
    assert McpServers([files, off]).names == ("files",)


def test_the_forms_of_vs_code() -> None:
    servers = {"a": {"type": "stdio", "command": "x"}, "b": {"type": "http", "url": "http://h/"}}
    for body in ({"servers": servers, "inputs": []}, {"mcp": {"servers": servers}}):
        assert is_mcp_config(body)
        assert [each.name for each in read_mcp_config(body)] == ["a", "b"]
    assert not is_mcp_config({"servers": [{"url": "https://api.example"}], "openapi": "3.0.0"})
    assert not is_mcp_config({"servers": {"a": 1}})


def test_variables_are_expanded_and_an_unset_one_fails_its_server_alone() -> None:
    servers = {
        "a": {"command": "${BIN}/x", "args": ["--t=${env:TOKEN}"], "env": {"T": "${TOKEN}", "R": "${REGION:-eu}"}},
        "b": {"url": "https://h/${MISSING}"},
        "c": {"command": "x", "args": ["${input:key}"]},
        "d": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${EMPTY:-none}"}},
    }
    a, b, c, d = read_mcp_config({"mcpServers": servers}, environment={"BIN": "/b", "TOKEN": SECRET, "EMPTY": ""})
    assert (a.command, a.args, a.env) == ("/b/x", (f"--t={SECRET}",), {"T": SECRET, "R": "eu"})
    assert "MISSING is not set" in b.problem
    assert "${input:key}" in c.problem
    assert d.headers == {"Authorization": "Bearer none"}
    assert not a.problem
    assert str(McpServers([a, b]).faults[0]).startswith("MCP server 'b': the environment variable MISSING")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "neither 'command' nor 'url'"),
        ({"type": "stdio"}, "'command' is missing"),
        ({"type": "carrier-pigeon", "url": "x"}, "carrier-pigeon"),
        ({"url": "ftp://x"}, "http://"),
        ({"command": 7}, "must be a string, not a number"),
        ({"command": "x", "args": "y"}, "'args' must be a list"),
        ({"command": "x", "env": {"A": {}}}, "'env' must be an object"),
        (3, "must be an object"),
    ],
)
def test_a_broken_entry_keeps_its_place_with_its_problem(body: object, said: str) -> None:
    broken, fine = read_mcp_config({"mcpServers": {"x": body, "fine": {"command": "y"}}})
    assert said in broken.problem
    assert not fine.problem


def test_no_secret_shows(tmp_path: Path) -> None:
    servers = {
        "a": {"command": "x", "args": [SECRET], "env": {"T": SECRET}},
        "b": {
            "url": f"https://u:{SECRET}@h.example:8/mcp?key={SECRET}",
            "headers": {"Authorization": f"Bearer {SECRET}"},
        },
    }
    for config in read_mcp_config({"mcpServers": servers}):
        assert SECRET not in repr(config) + str(config) + config.address
        assert SECRET not in config.redact(f"failed at {config.url} with {SECRET}") or config.name == "a"
    assert read_mcp_config({"mcpServers": servers})[1].address == "https://h.example:8/mcp"


def test_what_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no MCP server in"):
        read_mcp_config({"tools": []})
    with pytest.raises(CatalogError, match="no such file"):
        read_mcp_config(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(CatalogError, match=r"bad\.json:1: not JSON"):
        read_mcp_config(tmp_path / "bad.json")


def test_a_folder_starts_no_process(tmp_path: Path) -> None:
    started = tmp_path / "started"
    config = {"mcpServers": {"x": {"command": "touch", "args": [str(started)]}}}
    (tmp_path / "mcp.json").write_text(json.dumps(config))
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "a", "description": "b"}]))
    catalog = Catalog.load(tmp_path)
    assert [tool.id for tool in catalog] == ["a"]
    assert "name the file itself" in str(catalog.faults[0])
    assert not started.exists()
