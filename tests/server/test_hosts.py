"""What docs/how-to/serve.md promises of the service alone, and behind nginx."""

import json
import signal
import socket
import threading
import time
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from itertools import count
from urllib.parse import urlsplit

import pytest

from locframework import OPERATOR, Framework, Settings
from locframework.delivery.records import NewDistribution
from locframework.projects.records import NewProject

from .conftest import SECONDS, status_of, wait_until_served

pytestmark = pytest.mark.hosts

CONNECTIONS = 600
PER_ADDRESS = 50  # nginx.conf, limit_conn
ATTACK_SECONDS = 4.0
LONGEST_SECONDS = 3.0  # of another client's request, on a busy machine
HOST = "Host: localhost\r\n"
BUNDLE = f"GET /api/v1/docs/swagger-ui-bundle.js HTTP/1.1\r\n{HOST}\r\n"
FIRST_BYTES = {
    "slow heads": "GET /api/v1/healthz HTTP/1.1\r\nX: a",
    "slow bodies": f"POST /api/v1/tokens HTTP/1.1\r\n{HOST}"
    "Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n{",
    "idle connections": f"GET /api/v1/healthz HTTP/1.1\r\n{HOST}\r\n",
    "non-readers": f"GET /api/v1/docs HTTP/1.1\r\n{HOST}\r\n",
}
ADDRESSES = (f"127.2.{n // 250}.{n % 250 + 1}" for n in count())
GREEDY, PIPELINED = 4, 20  # non-readers that ask for 34 MB each


def connect(port, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), SECONDS, (source, 0))


def drip(clients):
    """Send one byte on each connection that is still open."""
    for client in clients:
        with suppress(OSError):
            client.send(b"a", socket.MSG_DONTWAIT)


@pytest.mark.parametrize("kind", FIRST_BYTES)
def test_600_slow_connections_do_not_delay_others(site, kind):
    first = FIRST_BYTES[kind].encode()
    with ExitStack() as stack:
        clients = []
        for number in range(CONNECTIONS):
            source = f"127.0.1.{number // PER_ADDRESS + 1}"
            client = stack.enter_context(connect(site.port, source))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            is_greedy = kind == "non-readers" and number < GREEDY
            client.sendall(BUNDLE.encode() * PIPELINED if is_greedy else first)
            clients.append(client)
        slowest, begun = 0.0, time.monotonic()
        while time.monotonic() - begun < ATTACK_SECONDS:
            if kind.startswith("slow"):
                drip(clients)
            before = time.monotonic()
            assert status_of(site.port) == 200
            slowest = max(slowest, time.monotonic() - before)
            time.sleep(0.2)

    assert slowest < LONGEST_SECONDS


@pytest.mark.parametrize("kind", FIRST_BYTES)
@pytest.mark.parametrize("connections", [1, 4, 16, PER_ADDRESS - 2])
@pytest.mark.parametrize("requests", [1, PIPELINED])
@pytest.mark.parametrize("delay", [0.0, 0.01])
def test_no_client_that_is_slow_delays_others(site, kind, connections, requests, delay):
    whole = BUNDLE if kind == "non-readers" else FIRST_BYTES["idle connections"]
    last = FIRST_BYTES[kind] if kind.startswith("slow") else whole
    sent = [whole] * (requests - 1) + [last]
    source = next(ADDRESSES)
    with ExitStack() as stack:
        clients = [
            stack.enter_context(connect(site.port, source)) for _ in range(connections)
        ]
        for client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            for part in sent if delay else ["".join(sent)]:
                client.sendall(part.encode())
                time.sleep(delay / connections)
        for _ in range(2):
            drip(clients if kind.startswith("slow") else ())
            begun = time.monotonic()
            assert status_of(site.port, source=next(ADDRESSES)) == 200
            assert time.monotonic() - begun < LONGEST_SECONDS


def exchange(port, request):
    """Return all that is answered, until the server closes or says nothing."""
    answer = b""
    with connect(port) as client:
        client.settimeout(1.0)
        try:
            client.sendall(request)
            while part := client.recv(65536):
                answer += part
        except (TimeoutError, ConnectionError):
            pass
    return answer


GET = "GET /api/v1/healthz HTTP/1.1"
POST = "POST /api/v1/tokens HTTP/1.1"
NOTHING = 0  # closed without an answer, or still waiting for more
FRAMING = [  # head, statuses alone, statuses behind nginx
    (f"{POST}|Host: a|Content-Length: 5|Transfer-Encoding: chunked", None, {400}),
    (f"{POST}|Host: a|Content-Length: 5|Content-Length: 6", {400}, {400}),
    (f"{POST}|Host: a|Content-Length: 5|Content-Length: 5", {400}, {400}),
    (f"{POST}|Host: a|Content-Length: +5", {400}, {400}),
    *[
        (f"{POST}|Host: a|Transfer-Encoding: {coding}||0|", {501}, {400, 501})
        for coding in ("x", "xchunked", "identity", "gzip, chunked", "chunked;q=1")
    ],
    (f"{POST}|Host: a|Transfer-Encoding: chunked, chunked||0|", None, {400, 501}),
    (f"{POST}|Host: a|Transfer-Encoding: chunked||zz|", {400}, {400}),
    (f"{GET}|Host: a|Host: b", {400}, {400}),
    (f"{GET}|Host: a, b", {400}, {400}),
    (f"{GET}|Host: a/b", {400}, {400}),
    (f"{GET}|Connection: close", {200}, {400}),
    (f"{GET}|Host: a|Connection: close|X : b", {400}, {200, 400}),
    (f"{GET}|Host: a|Connection: close|X: a| folded", {200}, {400}),
    (f"{GET}|Host: a|X: {'a' * 40_000}", {431, NOTHING}, {400}),
    (f"{POST}|Host: a|Content-Length: 60000000", {413}, {413}),
    ("GET //api/v1/healthz HTTP/1.1|Host: a|Connection: close", {404}, {404}),
    ("GET http://b/api/v1/healthz HTTP/1.1|Host: a", {400}, {200, 400}),
    (f"{POST}|Host: evil.example|Content-Length: 0", {400}, {400}),
]


@pytest.mark.parametrize("at", range(len(FRAMING)))
def test_malformed_requests_are_refused_as_documented(site, at):
    head, alone, proxied = FRAMING[at]
    expected = alone if len(site.ports) == 1 else proxied
    if expected is None:
        pytest.skip("waitress reads the chunks; see docs/how-to/serve.md")

    answer = exchange(site.port, head.replace("|", "\r\n").encode() + b"\r\n\r\n")

    assert (int(answer.split()[1]) if answer else NOTHING) in expected


def test_a_body_that_is_cut_off_is_never_carried_out(site):
    head = f"{POST}\r\nHost: a\r\nContent-Type: application/json\r\n"
    with connect(site.port) as client:
        client.sendall(f"{head}Content-Length: 100\r\n\r\n{{}}".encode())
        client.shutdown(socket.SHUT_WR)
        answer = client.recv(65536)

    assert answer == b"" or b" 400 " in answer


def test_a_client_cannot_choose_its_address(proxied):
    """Nor can it behind the proxy, with a header that WSGI spells alike."""
    left = []
    for number in range(3):
        connection = HTTPConnection("127.0.0.1", proxied.port, timeout=SECONDS)
        spoofed = {
            "X-Forwarded-For": f"192.0.2.{number}",
            "X_Forwarded_For": f"192.0.3.{number}",
        }
        connection.request("GET", "/api/v1/tokens/self", headers=spoofed)
        left.append(int(connection.getresponse().headers["X-RateLimit-Remaining"]))
        connection.close()

    assert left == [left[0], left[0] - 1, left[0] - 2]


def test_metrics_are_not_shown_to_clients_of_the_proxy(proxied):
    assert status_of(proxied.port, "/metrics") == 404


def test_the_proxy_caches_published_content(proxied):
    data = proxied.folder / "data"
    plugins = {
        "peewee": {"database": f"sqlite:///{data / 'locframework.sqlite3'}"},
        "disk": {"folder": str(data / "blobs")},
        "rapidfuzz": {"folder": str(data / "matching")},
    }
    with Framework(Settings.of({"plugins": plugins})) as framework:
        organization, _ = framework.organizations.create_organization(
            "A", "a@b.example"
        )
        new = NewProject("Shop", "en", organization_id=organization.id)
        project = framework.projects.create_project(OPERATOR, new)
        distribution = framework.distributions.create_distribution(
            OPERATOR, project.id, NewDistribution("Web", "json-nested")
        )
    path = f"/content/{distribution.public_key}/manifest.json"
    deadline = time.monotonic() + SECONDS
    while status_of(proxied.ports[0], path) != 200:  # a job of the service builds it
        assert time.monotonic() < deadline
        time.sleep(0.1)

    def get(path, **headers):
        connection = HTTPConnection("127.0.0.1", proxied.port, timeout=SECONDS)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def cached(path, **headers):
        return get(path, **headers)[1]["X-Cache-Status"]

    path = f"/api/v1{path}"
    status, headers, content = get(path, Host="localhost")
    assert (status, headers["X-Cache-Status"]) == (200, "MISS")
    assert cached(path, Host="localhost") == "HIT"
    assert cached(path, Host="127.0.0.1") == "MISS"  # a manifest names the host
    known = {"Host": "localhost", "If-None-Match": headers["ETag"]}
    status, unchanged, nothing = get(path, **known)
    assert (status, nothing, unchanged["X-Cache-Status"]) == (304, b"", "HIT")
    assert unchanged["Cache-Control"] == headers["Cache-Control"]
    file = urlsplit(json.loads(content)["files"][0]["url"]).path
    assert [cached(file), cached(file)] == ["MISS", "HIT"]
    assert cached("/api/v1/healthz") is None


class Traffic:
    """Clients that read and write until the block ends; ``statuses`` are all met."""

    def __init__(self, port):
        self.statuses, self._port, self._is_over = set(), port, threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[n]) for n in range(4)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number):
        source = f"127.0.2.{number + 1}", 0
        is_write = number == 0  # one that needs a token
        method, path = ("POST", "tokens") if is_write else ("GET", "healthz")
        while not self._is_over.wait(0.02):
            connection = HTTPConnection(
                "127.0.0.1", self._port, timeout=SECONDS, source_address=source
            )
            try:
                connection.request(method, f"/api/v1/{path}", b"" if is_write else None)
                self.statuses.add(connection.getresponse().status)
            except OSError as error:
                self.statuses.add(repr(error))
            finally:
                connection.close()


def test_sigterm_of_one_process_loses_no_request(proxied):
    with Traffic(proxied.port) as traffic:
        time.sleep(0.5)
        proxied.processes[0].send_signal(signal.SIGTERM)
        code = proxied.processes[0].wait(SECONDS)
        time.sleep(0.5)
    proxied.processes[0] = proxied.start(proxied.ports[0])
    wait_until_served(proxied.ports[0])

    assert code == 0
    assert traffic.statuses == {200, 401}


def test_after_the_kill_of_one_process_the_other_serves(proxied):
    with Traffic(proxied.port) as traffic:
        time.sleep(0.5)
        proxied.processes[1].kill()
        proxied.processes[1].wait()
        time.sleep(0.5)
        traffic.statuses -= {502}  # a write that the killed process had begun
        time.sleep(0.5)
    proxied.processes[1] = proxied.start(proxied.ports[1])
    wait_until_served(proxied.ports[1])

    assert traffic.statuses == {200, 401}
