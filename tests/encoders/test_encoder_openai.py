"""The OpenAI-compatible endpoint, against a small real server on loopback."""

import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from toolcurator.encoders.load import load_encoder
from toolcurator.errors import EncoderError

pytest.importorskip("httpx")
from toolcurator.encoders.openai_encoder import OpenAIEncoder

KEY = "sk-very-secret"


@dataclass
class Server:
    """Answers with ``[length of the text, 1, 0]``; ``failures`` are sent first, one a request."""

    url: str = ""
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    longest: int = 10**9
    garbage: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, body: dict[str, Any], authorization: str) -> tuple[int, dict[str, str], str]:
        self.requests.append({**body, "authorization": authorization})
        if self.failures:
            status, headers = self.failures.pop(0)
            return status, headers, f"no, not with {authorization}"
        if any(not text or len(text.encode()) > self.longest for text in body["input"]):
            return 400, {}, "maximum context length exceeded"
        size = body.get("dimensions", 3)
        data = [{"index": i, "embedding": [len(t), 1, 0][:size]} for i, t in enumerate(body["input"])]
        return 200, {}, self.garbage or json.dumps({"data": data[::-1]})  # in no particular order


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            assert self.path == "/v1/embeddings"
            status, headers, text = state.answer(body, self.headers.get("authorization", ""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_port}/v1"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


def test_vectors_come_in_order_of_the_texts_and_unit_length(server: Server) -> None:
    encoder = load_encoder(f"openai:tiny@{server.url}")
    assert encoder is not None
    vectors = encoder.encode_documents(["a", "bbbb"])
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[1, 1, 0], [4, 1, 0]]) / np.sqrt([[2], [17]]), abs=1e-6)
    assert encoder.dimensions == 3
    assert encoder.encode_queries([]).shape == (0, 3)
    assert server.requests[0]["authorization"] == f"Bearer {KEY}"


def test_dimensions_are_learned_or_asked_for(server: Server) -> None:
    assert OpenAIEncoder("tiny", server.url).dimensions == 3
    short = OpenAIEncoder("tiny", server.url, dimensions=2)
    assert short.dimensions == 2
    assert len(server.requests) == 1
    assert short.encode_queries(["a"]).shape == (1, 2)
    assert server.requests[1]["dimensions"] == 2


def test_batches_report_progress(server: Server) -> None:
    seen: list[tuple[int, int]] = []
    encoder = OpenAIEncoder("tiny", server.url, batch_size=2)
    vectors = encoder.encode_documents(["a" * n for n in range(1, 6)], progress=lambda *at: seen.append(at))
    assert seen == [(2, 5), (4, 5), (5, 5)]
    assert [len(request["input"]) for request in server.requests] == [2, 2, 1]
    assert (vectors[:, 0] / vectors[:, 1]) == pytest.approx([1, 2, 3, 4, 5], abs=1e-5)


def test_prompts_are_the_family_s_or_the_caller_s(server: Server) -> None:
    OpenAIEncoder("intfloat/e5-small", server.url).encode_queries(["a"])
    OpenAIEncoder("intfloat/e5-small", server.url).encode_documents(["a"])
    OpenAIEncoder("intfloat/e5-small", server.url, query_prompt="Q ").encode_queries(["a"])
    assert [request["input"][0] for request in server.requests] == ["query: a", "passage: a", "Q a"]


def test_a_busy_server_is_asked_again(server: Server) -> None:
    server.failures = [(429, {"Retry-After": "0"}), (503, {}), (500, {})]
    assert OpenAIEncoder("tiny", server.url, backoff=0.01).encode_queries(["a"]).shape == (1, 3)
    assert len(server.requests) == 4


def test_retry_after_is_honoured(server: Server) -> None:
    server.failures = [(429, {"Retry-After": "0.3"})]
    start = time.perf_counter()
    OpenAIEncoder("tiny", server.url, backoff=0.001).encode_queries(["a"])
    assert time.perf_counter() - start >= 0.3


def test_retry_after_as_a_date_in_the_past_means_now(server: Server) -> None:
    server.failures = [(503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})]
    start = time.perf_counter()
    OpenAIEncoder("tiny", server.url, backoff=30).encode_queries(["a"])
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_wait_of_an_hour_is_an_error_at_once(server: Server, wait: str) -> None:
    server.failures = [(429, {"Retry-After": wait})]
    with pytest.raises(EncoderError, match="429"):
        OpenAIEncoder("tiny", server.url).encode_queries(["a"])


def test_retries_end(server: Server) -> None:
    server.failures = [(500, {})] * 9
    with pytest.raises(EncoderError, match="500"):
        OpenAIEncoder("tiny", server.url, retries=2, backoff=0.001).encode_queries(["a"])
    assert len(server.requests) == 3


def test_the_key_is_in_no_message_log_or_attribute(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.failures = [(401, {})]
    encoder = OpenAIEncoder("tiny", server.url)
    with pytest.raises(EncoderError, match="OPENAI_API_KEY") as caught:
        encoder.encode_queries(["a"])
    assert "***" in str(caught.value)
    for text in (str(caught.value), encoder.id, repr(vars(encoder)), caplog.text):
        assert KEY not in text


def test_without_a_key_none_is_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    OpenAIEncoder("tiny", server.url).encode_queries(["a"])
    assert server.requests[0]["authorization"] == ""


@pytest.mark.parametrize(
    "garbage",
    [
        "<html>",
        "[]",
        '{"data": [{"index": 0}]}',
        '{"data": []}',
        '{"data": [{"index": 0, "embedding": [NaN, 1, 0]}]}',
        '{"data": [{"index": 0, "embedding": ["a", "b"]}]}',
    ],
)
def test_an_answer_that_is_no_vector_is_an_error(server: Server, garbage: str) -> None:
    server.garbage = garbage
    with pytest.raises(EncoderError, match=r"127\.0\.0\.1"):
        OpenAIEncoder("tiny", server.url).encode_queries(["a"])


def test_d9_an_absent_server_is_an_error_at_once(server: Server) -> None:
    start = time.perf_counter()
    with pytest.raises(EncoderError, match="cannot be reached"):
        OpenAIEncoder("tiny", "http://127.0.0.1:9/v1").encode_queries(["a"])
    assert time.perf_counter() - start < 5


def test_a_slow_server_times_out(server: Server) -> None:
    server.answer = lambda *_: time.sleep(0.5) or (200, {}, "{}")  # type: ignore[method-assign, return-value]
    with pytest.raises(EncoderError, match="ReadTimeout"):
        OpenAIEncoder("tiny", server.url, timeout=0.05, retries=1, backoff=0.01).encode_queries(["a"])


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "a" * 1_000_000, "🎉" * 300_000], ids=len)
def test_a28_any_text_is_answered(server: Server, text: str) -> None:
    server.longest = 8191  # as if every byte were a token
    assert OpenAIEncoder("tiny", server.url).encode_queries([text]).shape == (1, 3)
    assert OpenAIEncoder("tiny", server.url).count_tokens(text) >= 0


def test_a29_tokens_are_estimated(server: Server) -> None:
    assert OpenAIEncoder("tiny", server.url).count_tokens("pay the bill") == 3
