"""A real HTTP server on loopback whose paths misbehave, each in its own way, and that remembers what it was asked."""

import json
import socket
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str  # decoded, as a server routes it
    raw: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def log_message(self, *_: Any) -> None:
        pass

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.server.asked.append(
            Asked(self.command, unquote(parts.path), self.path, parse_qsl(parts.query, True), headers, body)
        )
        behavior = parts.path.strip("/").partition("/")[0]
        getattr(self, f"do_{behavior}", self.do_echo)()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _any

    def _answer(self, status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def do_echo(self) -> None:
        asked = self.server.asked[-1]
        self._answer(
            200, json.dumps({"method": asked.method, "path": asked.path, "key": asked.headers.get("x-key", "")})
        )

    def do_mirror(self) -> None:
        sent = {key: value.encode("latin-1").decode() for key, value in self.headers.items()}
        self._answer(200, json.dumps({"line": self.path, "headers": sent}))

    def do_seed(self) -> None:
        buttons = [{"title": "Edasi", "payload": "#service, /POST/../admin"}]
        self._answer(200, json.dumps({"response": [{"content": "1 EUR = 37 THB", "buttons": buttons}]}))

    def do_slow(self) -> None:
        time.sleep(1.0)
        self._answer(200, "{}")

    def do_drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(40):
            try:
                self.wfile.write(b".")
                self.wfile.flush()
            except OSError:
                return
            time.sleep(0.05)

    def do_late500(self) -> None:
        self.server.effects += 1
        self._answer(500, json.dumps({"detail": f"broke with key {self.headers.get('X-Key')} in hand"}))

    def do_busy(self) -> None:
        self.server.effects += 1
        if self.server.effects < 3:
            self._answer(503, "{}")
        else:
            self._answer(200, '{"well": true}')

    def do_rejected(self) -> None:
        self._answer(422, '{"detail": [{"loc": ["body", "amount"], "msg": "too much"}], "title": "Amount too high"}')

    def do_broken(self) -> None:
        self.server.effects += 1
        self._answer(200, '{"response": [{"content": ')

    def do_shape(self) -> None:
        self._answer(200, '["another", "shape"]')

    def do_hangup(self) -> None:
        self.server.effects += 1
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def do_large(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = b"x" * 65_536
        try:
            for _ in range(4_000):  # 262 MB, if anybody read it
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.server.written += len(piece)
        except OSError:
            self.close_connection = True

    def do_packed(self) -> None:
        import gzip

        self._answer(200, gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")

    def do_image(self) -> None:
        self._answer(200, b"\x89PNG\r\n\x1a\n" + bytes(92), "image/png")

    def do_text(self) -> None:
        self._answer(200, "tere õhtust".encode("latin-1"), "text/plain; charset=iso-8859-1")

    def do_bare(self) -> None:
        self._answer(200, '{"n": 1}', "")

    def do_empty(self) -> None:
        self.send_response(204)
        self.end_headers()

    def do_redirect(self) -> None:
        status = int(self.path.strip("/").split("/")[1])
        self.server.effects += 1
        self._answer(status, "", Location=self.server.location)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A caller that hangs up is what these tests are about."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        self.effects = self.written = 0
        self.location = "/echo"


class Service:
    """The server, started."""

    def __init__(self) -> None:
        self.server = _Server()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = f"http://{self.host}"

    @property
    def asked(self) -> list[Asked]:
        return self.server.asked

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
