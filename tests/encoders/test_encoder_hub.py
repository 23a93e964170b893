"""Models of the Hugging Face hub: a cache made by hand, and a hub on loopback."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tiny_models import write_json, write_onnx, write_tokenizer

from toolcurator.encoders.load import load_encoder
from toolcurator.encoders.model_folder import sha256
from toolcurator.errors import EncoderError

Maker = Callable[..., Path]
COMMIT = "c0ffee" * 6 + "beef"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, and no setting of the machine's own."""
    for name in ("HF_HOME", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def snapshot(cache: Path, name: str = "acme/e5-tiny", commit: str = COMMIT) -> Path:
    """A cached model as huggingface_hub lays it out: blobs named by content, snapshots of links to them."""
    repository = cache / f"models--{name.replace('/', '--')}"
    folder = repository / "snapshots" / commit
    write_onnx(folder / "onnx" / "model.onnx")
    write_tokenizer(folder / "tokenizer.json")
    blob = repository / "blobs" / sha256(folder / "onnx" / "model.onnx")
    blob.parent.mkdir()
    (folder / "onnx" / "model.onnx").rename(blob)
    (folder / "onnx" / "model.onnx").symlink_to(blob)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    return folder


@pytest.mark.parametrize("prefix", ["", "hub:"])
@pytest.mark.parametrize("offline", ["", "1"])
def test_d9_a_cached_model_needs_neither_network_nor_question(
    cache: Path, monkeypatch: pytest.MonkeyPatch, prefix: str, offline: str
) -> None:
    snapshot(cache)
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    encoder = load_encoder(f"{prefix}acme/e5-tiny")
    assert encoder is not None
    assert encoder.id.startswith("onnx:acme/e5-tiny:")
    assert encoder.encode_queries(["pay"]).shape == (1, 4)
    assert encoder.count_tokens("pay") == 5  # the family was found by the hub's name: [CLS] passage : pay [SEP]


def test_the_cache_is_found_below_hf_home(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot(cache)
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv("HF_HOME", str(cache.parent))
    assert load_encoder("acme/e5-tiny") is not None


def test_a_folder_of_that_name_goes_first(cache: Path, monkeypatch: pytest.MonkeyPatch, tiny: Maker) -> None:
    snapshot(cache)
    tiny("acme/e5-tiny", seed=1)
    monkeypatch.chdir(cache.parent)
    local, hub = load_encoder("acme/e5-tiny"), load_encoder("hub:acme/e5-tiny")
    assert local is not None
    assert hub is not None
    assert local.id.startswith("onnx:e5-tiny:")
    assert hub.id.startswith("onnx:acme/e5-tiny:")


def test_a13_id_is_by_content_not_by_place(cache: Path, tmp_path: Path) -> None:
    first = snapshot(cache)
    second = snapshot(tmp_path / "other")
    from toolcurator.encoders.model_folder import read_folder
    from toolcurator.encoders.onnx_encoder import OnnxEncoder

    def identity(path: Path) -> str:
        return OnnxEncoder(read_folder(path, name="acme/e5-tiny")).id

    before = identity(first)
    assert before == identity(second)
    # A blob's name is its hash: the id follows it without reading the file.
    link = first / "onnx" / "model.onnx"
    other = link.resolve().with_name("0" * 64)
    other.write_bytes(link.read_bytes())
    link.unlink()
    link.symlink_to(other)
    assert identity(first) != before


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_d9_offline_is_an_error_at_once(cache: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1")
    start = time.perf_counter()
    with pytest.raises(EncoderError, match="HF_HUB_OFFLINE"):
        load_encoder("acme/absent", confirm=lambda _: pytest.fail("asked although offline"))
    assert time.perf_counter() - start < 1


def test_d9_no_download_without_a_yes(cache: Path) -> None:
    asked: list[str] = []
    with pytest.raises(EncoderError, match="hf download acme/absent"):
        load_encoder("acme/absent")
    with pytest.raises(EncoderError, match="not downloaded"):
        load_encoder("acme/absent", confirm=lambda question: asked.append(question) or False)  # type: ignore[func-returns-value]
    assert len(asked) == 1
    assert "acme/absent" in asked[0]
    assert not cache.exists()


def test_d9_half_a_model_in_the_cache_is_none(cache: Path) -> None:
    folder = snapshot(cache)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match="not in the local hub cache"):
        load_encoder("acme/e5-tiny")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """A hub on loopback over one folder: its address, the folder, and the files fetched from it."""
    root, fetched = tmp_path / "remote", list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            marker = f"/resolve/{COMMIT}/" if f"/resolve/{COMMIT}/" in path else "/resolve/main/"
            if path.startswith("/api/models/acme/remote"):
                names = [str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()]
                info = {"id": "acme/remote", "sha": COMMIT, "siblings": [{"rfilename": name} for name in names]}
                tree = [{"type": "file", "path": n, "size": (root / n).stat().st_size, "oid": "0" * 40} for n in names]
                return self.send(json.dumps(tree if "/tree/" in path else info).encode(), {}, body)
            if marker in path and (root / path.split(marker)[1]).is_file():
                file = root / path.split(marker)[1]
                if body:
                    fetched.append(path.split(marker)[1])
                content = file.read_bytes()
                etag = hashlib.sha1(content, usedforsecurity=False).hexdigest()
                return self.send(content, {"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'}, body)
            self.send_error(404)
            return None

        def send(self, content: bytes, headers: dict[str, str], body: bool) -> None:
            self.send_response(200)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}", root, fetched
    http.shutdown()
    thread.join()
    http.server_close()


def run(cache: Path, endpoint: str, name: str = "acme/remote") -> subprocess.CompletedProcess[str]:
    """In a process of its own, since huggingface_hub reads its settings once, on import."""
    code = (
        "from toolcurator.encoders import load_encoder\n"
        "from toolcurator.errors import ToolCuratorError\n"
        "try:\n"
        f"    encoder = load_encoder({name!r}, confirm=lambda question: True)\n"
        "    print(encoder.id.split(':')[0], encoder.encode_queries(['pay']).shape)\n"
        "except ToolCuratorError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    settings = {"HF_ENDPOINT": endpoint, "HF_HUB_CACHE": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1", "HF_TOKEN": ""}
    environment = {
        **os.environ,
        **settings,
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "127.0.0.1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


def test_d9_after_a_yes_only_what_is_needed_is_fetched(cache: Path, hub: tuple[str, Path, list[str]]) -> None:
    pytest.importorskip("huggingface_hub")
    endpoint, root, fetched = hub
    write_onnx(root / "onnx" / "model.onnx")
    write_onnx(root / "onnx" / "model_fp16.onnx")
    write_tokenizer(root / "tokenizer.json")
    write_json(root / "config.json", {})
    for other in ("pytorch_model.bin", "model.safetensors", "README.md"):
        (root / other).write_text("large")
    done = run(cache, endpoint)
    assert done.stdout == "onnx (1, 4)\n", done.stderr
    assert sorted(fetched) == ["config.json", "onnx/model.onnx", "tokenizer.json"]
    assert load_encoder("acme/remote") is not None  # from now on from the cache


def test_d9_an_absent_model_and_an_unreachable_hub_are_one_line(cache: Path, hub: tuple[str, Path, list[str]]) -> None:
    pytest.importorskip("huggingface_hub")
    start = time.perf_counter()
    absent, unreachable = run(cache, hub[0], "acme/absent"), run(cache, "http://127.0.0.1:9")
    assert time.perf_counter() - start < 15
    for done in (absent, unreachable):
        assert done.stdout.startswith("EncoderError acme/"), done.stderr
        assert "cannot be fetched" in done.stdout
        assert done.stdout.count("\n") == 1
