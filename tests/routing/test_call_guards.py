"""Where a call may not go: hosts, redirects and private addresses (pitfalls C14 and C24), and where secrets go."""

import asyncio
import base64
import ipaddress
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_service import Service
from test_call import LOOPBACK, http

from toolcurator import Tool
from toolcurator.errors import SettingsError
from toolcurator.routing.call import Called, Caller, CallPolicy, Failed, Secrets
from toolcurator.routing.calls.address import is_public
from toolcurator.routing.calls.allowed import Place

KEY = "s3cret-key-4711"


@pytest.fixture
def services() -> Iterator[tuple[Service, Service]]:
    """The service of a tool, and one inside that no tool is about."""
    one, two = Service(), Service()
    yield one, two
    one.stop()
    two.stop()


def call(policy: CallPolicy, tool: Tool, arguments: Any = None, secrets: Any = None) -> Called | Failed:
    return asyncio.run(Caller(policy, secrets or {}).call(tool, arguments or {}, confirmed=True))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_c24_a_redirect_to_a_host_that_is_not_listed_is_refused(services: tuple[Service, Service], status: int) -> None:
    outer, inner = services
    outer.server.location = f"{inner.url}/admin"
    tool = http(f"{outer.url}/redirect/{status}")
    outcome = call(CallPolicy.for_tools([tool], private=LOOPBACK), tool)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect, inner.asked) == ("refused", True, [])
    assert outcome.why.startswith(f"its redirect goes to {inner.host}")


def test_c24_a_redirect_to_a_private_address_is_refused_even_on_a_listed_host(
    services: tuple[Service, Service],
) -> None:
    outer, inner = services
    port = inner.host.partition(":")[2]
    tool = http(f"{outer.url}/redirect/302")
    for name in ("localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]"):
        outer.server.location = f"http://{name}:{port}/admin"
        policy = CallPolicy.for_tools([tool], private=[outer.host], hosts=[f"{name}:{port}"])
        outcome = call(policy, tool)
        assert isinstance(outcome, Failed), name
        said = "cannot be read" if name.startswith("0177") else "private address"  # the library reads no octal numbers
        assert (outcome.kind, said in outcome.why) == ("refused", True), outcome
    assert inner.asked == []


@pytest.mark.parametrize(
    "where",
    [
        "file:///etc/passwd",
        "gopher://x.example/",
        "//[",
        "http://user:pw@{host}/admin",
        "http://0x7f.1.1.1.1.1/",
        "http://a b/",
        "ftp://{host}/",
    ],
)
def test_c24_strange_redirects_are_refused(services: tuple[Service, Service], where: str) -> None:
    outer, _ = services
    outer.server.location = where.replace("{host}", outer.host)
    tool = http(f"{outer.url}/redirect/302")
    outcome = call(CallPolicy.for_tools([tool], private=LOOPBACK), tool)
    assert isinstance(outcome, Failed)
    assert (outcome.before_effect, len(outer.asked)) == (True, 1)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/echo",
        "http://localhost:{port}/echo",
        "http://LOCALHOST:{port}/echo",
        "http://127.1:{port}/echo",
        "http://2130706433:{port}/echo",
        "http://0x7f.0.0.1:{port}/echo",
        "http://[::1]:{port}/echo",
        "http://[::ffff:7f00:1]:{port}/echo",
        "http://0:{port}/echo",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
    ],
)
def test_c24_private_addresses_are_refused_unless_allowed(services: tuple[Service, Service], url: str) -> None:
    service, _ = services
    tool = http(url.replace("{port}", service.host.partition(":")[2]))
    outcome = call(CallPolicy.for_tools([tool], connect_s=0.5), tool)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.before_effect, service.asked) == ("refused", True, [])


def test_c24_the_address_that_was_checked_is_the_one_that_is_called(
    services: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = services
    lookup, asked = socket.getaddrinfo, []

    def rebinding(host: Any, *more: Any, **how: Any) -> Any:
        """A name server that gives an allowed address first, and another one ever after."""
        if host not in ("rebind.example", b"rebind.example"):
            return lookup(host, *more, **how)
        asked.append(host)
        return lookup("127.0.0.1" if len(asked) == 1 else "127.0.0.66", *more, **how)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    tool = http(f"http://rebind.example:{service.host.partition(':')[2]}/echo", "POST")
    outcome = call(CallPolicy.for_tools([tool], private=["127.0.0.1"]), tool)
    assert isinstance(outcome, Called), outcome
    assert len(asked) == 1
    assert service.asked[0].headers["host"].startswith("rebind.example:")


def test_private_hosts_are_allowed_by_name_or_network(services: tuple[Service, Service]) -> None:
    service, _ = services
    port = service.host.partition(":")[2]
    tool = http(f"http://localhost:{port}/echo")
    for private in (["localhost:" + port], ["127.0.0.0/8"], ["127.0.0.1"]):
        assert isinstance(call(CallPolicy.for_tools([tool], private=private), tool), Called)
    for private in (["localhost"], ["localhost:1"], ["10.0.0.0/8"], ["other:" + port]):
        assert isinstance(call(CallPolicy.for_tools([tool], private=private), tool), Failed)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.31.255.255", False),
        ("192.168.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("255.255.255.255", False),
        ("224.0.0.1", False),
        ("::", False),
        ("::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.215.14", True),
        ("::127.0.0.1", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::93.184.215.14", True),
        ("2002:7f00:1::", False),
        ("fe80::1", False),
        ("fe80::1%2", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
    ],
)
def test_c24_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


@pytest.mark.parametrize(
    ("entry", "url", "held"),
    [
        ("a.example", ("a.example", 443, "/x"), True),
        ("a.example", ("a.example", 8443, "/x"), False),
        ("a.example:8443", ("A.EXAMPLE.", 8443, "/x"), True),
        ("a.example:8443", ("a.example", 443, "/x"), False),
        ("a.example", ("b.a.example", 443, "/"), False),
        ("*.a.example", ("b.a.example", 443, "/"), True),
        ("*.a.example", ("a.example", 443, "/"), False),
        ("*.a.example", ("bad-a.example", 443, "/"), False),
        ("a.example/services", ("a.example", 443, "/services/x"), True),
        ("a.example/services", ("a.example", 443, "/services-admin"), False),
        ("a.example/services/", ("a.example", 443, "/admin"), False),
        ("[2001:db8::1]:80", ("2001:db8::1", 80, "/"), True),
    ],
)
def test_c14_hosts_and_paths_come_from_a_list(entry: str, url: tuple[str, int, str], held: bool) -> None:
    assert Place.of(entry).holds(*url) is held


@pytest.mark.parametrize("entry", ["", "http://a.example", "a.example:x", "a@b.example", "[::1"])
def test_an_entry_that_is_no_host_is_refused_at_once(entry: str) -> None:
    with pytest.raises(SettingsError, match="is no host"):
        Caller(CallPolicy(hosts=(entry,)))


def test_by_default_only_the_hosts_of_the_catalogue_are_called(services: tuple[Service, Service]) -> None:
    one, two = services
    policy = CallPolicy.for_tools([http(f"{one.url}/echo")], private=LOOPBACK)
    assert isinstance(call(policy, http(f"{one.url}/echo")), Called)
    outcome = call(policy, http(f"{two.url}/echo"))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, two.asked) == ("refused", [])


def test_redirects_within_the_list_are_followed_and_keep_their_meaning(services: tuple[Service, Service]) -> None:
    one, two = services
    policy = CallPolicy(hosts=(one.host, two.host), private=LOOPBACK)
    one.server.location = f"{two.url}/echo"
    slots = {"a": {"type": "string"}}
    for status, method in ((307, "POST"), (308, "POST"), (302, "GET"), (303, "GET")):
        two.asked.clear()
        outcome = call(policy, http(f"{one.url}/redirect/{status}", "POST", slots=slots), {"a": "b"})
        assert isinstance(outcome, Called)
        assert (two.asked[0].method, two.asked[0].body) == (method, b'{"a": "b"}' if method == "POST" else b"")
    one.server.location = "/redirect/302"
    outcome = call(policy, http(f"{one.url}/redirect/302"))
    assert isinstance(outcome, Failed)
    assert outcome.why == "more than 3 redirects"


def test_c13_a_post_that_was_answered_with_see_other_has_happened(services: tuple[Service, Service]) -> None:
    one, two = services
    policy = CallPolicy(hosts=(one.host, two.host), private=LOOPBACK)
    for where, status, before in (
        ("http://elsewhere.example/", 303, False),
        ("http://elsewhere.example/", 302, False),
        ("http://elsewhere.example/", 307, True),
        (f"{two.url}/rejected", 303, False),
        (f"{two.url}/rejected", 307, True),
    ):
        one.server.location = where
        outcome = call(policy, http(f"{one.url}/redirect/{status}", "POST"))
        assert isinstance(outcome, Failed)
        assert outcome.before_effect is before, (where, status)


def test_a_secret_goes_to_its_own_host_only(services: tuple[Service, Service]) -> None:
    one, two = services
    policy = CallPolicy(hosts=(one.host, two.host), private=LOOPBACK)
    auth = {"auth": {"type": "header", "name": "X-Key"}}
    tool = http(f"{one.url}/redirect/307", "POST", auth="desk", metadata=auth)
    one.server.location = f"{two.url}/echo"
    assert isinstance(call(policy, tool, secrets={"desk": KEY}), Called)
    assert one.asked[0].headers["x-key"] == KEY
    assert "x-key" not in two.asked[0].headers
    one.server.location = "/echo"
    assert isinstance(call(policy, tool, secrets={"desk": KEY}), Called)
    assert one.asked[-1].headers["x-key"] == KEY


@pytest.mark.parametrize(
    ("scheme", "header", "value"),
    [
        ({}, "authorization", f"Bearer {KEY}"),
        ({"type": "bearer"}, "authorization", f"Bearer {KEY}"),
        ({"type": "basic"}, "authorization", f"Basic {base64.b64encode(KEY.encode()).decode()}"),
        ({"type": "header", "name": "X-Desk"}, "x-desk", KEY),
        ({"type": "cookie", "name": "session"}, "cookie", f"session={KEY}"),
        ({"type": "query", "name": "key"}, "", KEY),
    ],
)
def test_how_a_secret_is_sent(services: tuple[Service, Service], scheme: Any, header: str, value: str) -> None:
    service, _ = services
    tool = http(f"{service.url}/echo", auth="desk", metadata={"auth": scheme})
    assert isinstance(call(CallPolicy.for_tools([tool], private=LOOPBACK), tool, secrets={"desk": KEY}), Called)
    (asked,) = service.asked
    assert (asked.headers.get(header) == value) if header else asked.query == [("key", KEY)]


def test_a_secret_is_in_no_answer_and_no_message(
    services: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = services
    how = {"auth": "desk-key", "metadata": {"auth": {"type": "header", "name": "X-Key"}}}
    echo, late = http(f"{service.url}/echo", **how), http(f"{service.url}/late500", "POST", **how)
    policy = CallPolicy.for_tools([echo], private=LOOPBACK)
    missing = asyncio.run(Caller(policy).call(echo, {}))
    assert isinstance(missing, Failed)
    assert (missing.before_effect, service.asked) == (True, [])
    assert "TOOLCURATOR_SECRET_DESK_KEY" in missing.why
    monkeypatch.setenv("TOOLCURATOR_SECRET_DESK_KEY", KEY)
    caller = Caller(policy)
    answered = asyncio.run(caller.call(echo, {}))
    assert isinstance(answered, Called)
    assert service.asked[0].headers["x-key"] == KEY
    assert answered.structured["key"] == "•••"
    failed = asyncio.run(caller.call(late, {}, confirmed=True))
    assert isinstance(failed, Failed)
    assert "with key ••• in hand" in failed.why
    assert KEY not in repr((answered, failed, Secrets({"desk": KEY}), vars(Secrets({})).keys()))


def test_a_secret_is_taken_out_in_every_form_a_service_may_write_it(services: tuple[Service, Service]) -> None:
    service, _ = services
    secret = 'pass"wörd/42+x'
    for kind in ("header", "query", "cookie", "basic"):
        tool = http(f"{service.url}/mirror", auth="desk", metadata={"auth": {"type": kind, "name": "X-Key"}})
        outcome = call(CallPolicy.for_tools([tool], private=LOOPBACK), tool, secrets={"desk": secret})
        assert isinstance(outcome, Called)
        assert "•••" in outcome.text
        assert "42+x" not in outcome.text
        assert "42%2Bx" not in outcome.text


def test_one_cookie_header_holds_them_all(services: tuple[Service, Service]) -> None:
    service, _ = services
    metadata = {
        "openapi": {"arguments": {"c": {"in": "cookie", "name": "lang"}}},
        "auth": {"type": "cookie", "name": "session"},
    }
    tool = http(f"{service.url}/echo", slots={"c": {"type": "string"}}, auth="desk", metadata=metadata)
    policy = CallPolicy.for_tools([tool], private=LOOPBACK)
    assert isinstance(call(policy, tool, {"c": "et"}, secrets={"desk": KEY}), Called)
    assert service.asked[0].headers["cookie"] == f"lang=et; session={KEY}"


def test_no_argument_sets_a_header_of_the_connection(services: tuple[Service, Service]) -> None:
    service, _ = services
    for name, value in (("Host", "evil.example"), ("X-Fine", "a\r\nX-Evil: 1"), ("Transfer-Encoding", "chunked")):
        places = {"h": {"in": "header", "name": name}}
        tool = http(f"{service.url}/echo", slots={"h": {"type": "string"}}, metadata={"openapi": {"arguments": places}})
        outcome = call(CallPolicy.for_tools([tool], private=LOOPBACK), tool, {"h": value})
        assert isinstance(outcome, Failed)
        assert (outcome.kind, service.asked) == ("refused", [])


def test_a_proxy_of_the_environment_is_not_used(
    services: tuple[Service, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = services
    monkeypatch.setenv("HTTP_PROXY", two.url)
    monkeypatch.setenv("ALL_PROXY", two.url)
    tool = http(f"{one.url}/echo")
    assert isinstance(call(CallPolicy.for_tools([tool], private=LOOPBACK), tool), Called)
    assert two.asked == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_certificate_is_checked_against_the_name_although_the_address_is_dialed(
    services: tuple[Service, Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = services
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*made, *names, "-keyout", "key.pem", "-out", "cert.pem"], cwd=tmp_path, check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
    port = service.host.partition(":")[2]

    def called(host: str) -> Called | Failed:
        tool = http(f"https://{host}:{port}/echo", "POST")
        return call(CallPolicy.for_tools([tool], private=LOOPBACK), tool)

    untrusted = called("localhost")
    assert isinstance(untrusted, Failed)
    assert (untrusted.before_effect, "CERTIFICATE" in untrusted.why) == (True, True), untrusted
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    assert isinstance(called("localhost"), Called)
    other = called("127.0.0.1")
    assert isinstance(other, Failed), "the certificate is for another name"
    assert (other.before_effect, len(service.asked)) == (True, 1)
