"""OpenAPI documents on the command line, from a file and from an address (pitfall D2)."""

import functools
import http.server
import threading

import pytest


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def desk(examples):
    return examples / "openapi" / "lending_desk.yaml"


@pytest.fixture
def address(examples):
    handler = functools.partial(Quiet, directory=examples / "openapi")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/lending_desk.yaml"
    server.shutdown()
    server.server_close()


def test_search(run, desk, tmp_path):
    ran = run("search", desk, "keep my book longer", "--json", "--encoder", "none", "--index-dir", tmp_path)
    assert ran.json["hits"][0]["id"] == "lending_desk/post_loans_by_loan_renewal"
    assert "lending_desk.yaml:99: tool 'PATCH /readers/{reader}/fines': an operation must be an object" in ran.err


def test_show(run, desk):
    shown = run("show", desk, "lend")
    assert "reader (string, required): Number on the library card" in shown.out
    assert "POST https://main.lending.example/api/loans" in shown.out
    body = run("show", desk, "lend", "--json").json
    assert body["metadata"]["openapi"]["arguments"]["copy"] == {"in": "body"}
    assert body["endpoint"]["auth"] == "deskKey"
    assert "7 tools" in run("show", desk).out


@pytest.mark.parametrize("target", ["openai", "openai_responses", "anthropic", "gemini", "mcp"])
def test_convert(run, desk, target):
    text = run("convert", desk, "--to", target).out
    assert "post_loans_by_loan_renewal" in text
    assert text.count("X-Desk-Key") == 0


def test_an_address(run, address, tmp_path):
    found = run("search", address, "reserve a title", "--json", "--encoder", "none", "--index-dir", tmp_path).json
    assert found["hits"][0]["id"] == "lending_desk/placeHold"
    assert run("show", address, "cancelHold", "--json").json["side_effect"] is True
    assert "placeHold" in run("convert", address).out
    assert run("index", address, "--json", "--encoder", "none", "--index-dir", tmp_path).json["tools"] == 7


def test_an_address_that_is_not_there(run, address):
    ran = run("show", f"{address}.old?key=s3cret")
    assert ran.code == 2
    failed = f"{address}.old?…: cannot be fetched: the server answered 404 Not Found"
    assert ran.err == f"error: no tool could be read: {failed}\n"
