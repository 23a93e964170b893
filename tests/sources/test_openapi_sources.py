"""OpenAPI documents wherever they lie: a mapping, a folder, an address (pitfalls D2, D8)."""

import http.server
import shutil
import socket
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from toolcurator import Catalog, Curator
from toolcurator.errors import CatalogError, MissingExtra, UnknownTool
from toolcurator.sources.openapi import read_openapi
from toolcurator.sources.web import fetch_value

DATA = Path(__file__).parent.parent / "data" / "openapi"
SERVED = {
    "/v3/openapi.json": (b'{"openapi": "3.0.0", "info": {"title": "Served"}, "paths": {"/a": {"get": {"operationId": "a"}}}}'),
    "/relative.yaml": (
        b"openapi: 3.1.0\ninfo: {title: Served}\nservers: [{url: ./v9}]\npaths:\n"
        b"  /a: {get: {operationId: a, parameters: [{$ref: 'shared.yaml#/P'}]}}\n  /b: 5\n"
    ),
    "/tools.yaml": b"name: desk\ntools: [{name: ring, description: Ring the bell.}]\n",
    "/bomb.yaml": b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(9)
    ),
    "/page": b"<!doctype html><title>docs</title>",
    "/broken.json": b'{"openapi": ',
}  # fmt: skip


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = urlsplit(self.path).path
        self.server.asked.append((path, self.headers.get("Authorization")))
        if path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/v3/openapi.json")
            self.end_headers()
        elif path == "/endless.json":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b'{"openapi": [' * 10_000)
            except OSError:
                pass
        elif path == "/silent":
            self.server.silence.wait(10)
        elif path in SERVED:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SERVED[path])
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.asked, running.silence = [], threading.Event()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.silence.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.server_port}"


def test_an_address(url):
    catalog = Catalog.of(f"{url}/v3/openapi.json")
    (tool,) = catalog.tools
    assert (tool.id, tool.endpoint.url, catalog.name) == ("served/a", f"{url}/a", "Served")
    assert catalog.files == (), "an address is no file"
    assert Catalog.load(f"{url}/v3/openapi.json", DATA / "clinic_2.json").tools[0] == tool


def test_a_relative_server_starts_at_the_address_after_redirects(url):
    (tool,) = read_openapi(f"{url}/relative.yaml").tools
    assert tool.endpoint.url == f"{url}/v9/a"
    (moved,) = read_openapi(f"{url}/moved").tools
    assert moved.endpoint.url == f"{url}/a"


def test_references_over_the_network_are_reported_not_fetched(url, server):
    reading = read_openapi(f"{url}/relative.yaml")
    assert [fault.entry for fault in reading.skipped] == ["/b"]
    assert "references over the network are not fetched" in reading.faults[0].message
    assert "/shared.yaml" not in [path for path, _ in server.asked]


def test_a_catalogue_of_our_own_at_an_address(url):
    catalog = Catalog.of(f"{url}/tools.yaml")
    assert [tool.id for tool in catalog] == ["ring"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/absent.json", "cannot be fetched: the server answered 404 Not Found"),
        ("/page", "cannot be fetched: the answer is a web page"),
        ("/broken.json", "not JSON"),
        ("/bomb.yaml", "aliases expand to more than"),
    ],
)
def test_d8_what_cannot_be_read_at_an_address(url, path, message):
    with pytest.raises(CatalogError, match="no tool could be read") as caught:
        Catalog.of(url + path)
    assert message in str(caught.value)
    assert f"{url}{path}" in str(caught.value)


def test_d8_one_dead_address_does_not_stop_the_rest(url):
    catalog = Catalog.of([f"{url}/absent.json", DATA / "clinic_2.json"])
    assert (len(catalog), len(catalog.faults)) == (3, 1)


def test_d8_an_answer_without_end_is_given_up(url):
    _, value, fault = fetch_value(f"{url}/endless.json", most_bytes=2**20)
    assert value is None
    assert "more than the limit of 1 MiB" in fault.message


def test_a_server_that_says_nothing(url):
    _, _, fault = fetch_value(f"{url}/silent", seconds=0.3)
    assert fault.message == "cannot be fetched: no answer within 0.3 seconds"


def test_nothing_listens():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    _, _, fault = fetch_value(f"http://127.0.0.1:{port}/openapi.json")
    assert fault.message == "cannot be fetched: ConnectError (Connection refused)"


def test_credentials_are_used_and_never_shown(url, server):
    secret = url.replace("//", "//me:pa55@") + "/absent.json?api_key=t0ken#x"
    with pytest.raises(CatalogError) as caught:
        Catalog.of(secret)
    assert server.asked[-1] == ("/absent.json", "Basic bWU6cGE1NQ==")
    assert f"{url}/absent.json?…: cannot be fetched" in str(caught.value)
    good = read_openapi(url.replace("//", "//me:pa55@") + "/v3/openapi.json?api_key=t0ken")
    for text in (str(caught.value), repr(good)):
        assert not any(word in text for word in ("pa55", "t0ken", "me:"))


def test_httpx_is_an_extra(monkeypatch, url):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra, match=r"toolcurator\[http\]"):
        read_openapi(f"{url}/v3/openapi.json")


def test_a_mapping_and_a_list_of_them():
    document = {"openapi": "3.1.0", "info": {"title": "API"}, "paths": {"/x": {"get": {}}, "/y": 3}}
    catalog = Catalog.of(document)
    assert [tool.id for tool in catalog] == ["api/get_x"]
    assert [fault.message for fault in catalog.faults if fault.entry == "/y"] == [
        "a path must hold an object, not a number"
    ]
    both = Catalog.of([document, {**document, "paths": {"/z": {"get": {}}}}])
    assert [tool.id for tool in both] == ["api/get_x", "api_2/get_z"]
    assert document["paths"]["/x"] == {"get": {}}


def test_a_folder_with_documents_of_one_title_and_their_parts(tmp_path):
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text(
            "openapi: 3.0.0\ninfo: {title: OpenAPI definition}\npaths:\n"
            "  /x: {get: {operationId: all, parameters: [{$ref: 'parts/p.yaml'}]}}\n"
        )
    shutil.copy(tmp_path / "two.yaml", tmp_path / "two.yml")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "p.yaml").write_text("{name: page, in: query, schema: {type: integer}}")
    catalog = Catalog.of(tmp_path)
    assert [tool.id for tool in catalog] == ["openapi_definition/all", "openapi_definition_two/all"]
    assert catalog.tools[1].slots[0].type == "integer"
    taken = [fault for fault in catalog.faults if "the id is taken already" in fault.message]
    assert [(Path(fault.path).name, fault.line) for fault in taken] == [("two.yml", 4)]
    assert not [fault for fault in catalog.faults if "p.yaml" in fault.path], "a part is no catalogue of its own"
    assert str((tmp_path / "parts" / "p.yaml").resolve()) in catalog.files


def test_an_index_follows_the_document_and_its_parts(tmp_path):
    source = tmp_path / "api"
    source.mkdir()
    shutil.copytree(DATA / "parts", source / "parts")
    path = Path(shutil.copy(DATA / "harbour_3_1.yaml", source))
    how = {"encoder": "none", "index_dir": tmp_path / "index"}
    first = Curator.open(path, **how)
    assert first.index.generation.folder == Curator.open(path, **how).index.generation.folder
    part = source / "parts" / "berths.yaml"
    part.write_text(part.read_text().replace("operationId: freeBerths", "operationId: emptyMoorings"))
    later = Curator.open(path, **how)
    assert later.tool("emptyMoorings").endpoint.url == "/berths"
    with pytest.raises(UnknownTool):
        later.tool("freeBerths")


def test_an_index_of_an_address(url, tmp_path):
    how = {"encoder": "none", "index_dir": tmp_path / "index"}
    curator = Curator.open(f"{url}/v3/openapi.json", **how)
    assert [hit.id for hit in curator.select("served a")] == ["served/a"]
    again = Curator.open([f"{url}/v3/openapi.json"], **how)
    assert again.index.generation.folder == curator.index.generation.folder, "what did not change is not built again"
