"""Requests without TLS, into networks that are allowed, and whole answers."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from locframework.outgoing.channel import Lookup
from locframework.outgoing.client import HttpClient, HttpRequest, OutgoingSettings

BODY = b"x" * 100_000


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY) + self.path.count("!")))
        self.send_header("X-Seen", self.headers["X-Given"])
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass


@pytest.fixture
def port():
    with HTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def client(port, networks=("127.0.0.0/8",), **given):
    return HttpClient(OutgoingSettings(networks, (port,)), **given)


def test_an_allowed_network_is_asked_without_tls_where_that_is_allowed(port):
    request = HttpRequest(
        "GET", f"http://127.0.0.1:{port}/", (("X-Given", "a"),), bytes_limit=200_000
    )

    answer = client(port, allow_http=True).send(request)

    assert (answer.status_code, answer.body, answer.is_whole) == (200, BODY, True)
    assert answer.headers["x-seen"] == "a"
    assert client(port).send(request).error == "url_not_allowed"
    assert client(port, (), allow_http=True).send(request).error == "no_public_address"


def test_a_public_address_is_never_asked_without_tls(port):
    resolve = Lookup(lambda host: ["1.1.1.1"])
    request = HttpRequest("GET", f"http://a.example:{port}/")

    answer = client(port, allow_http=True, lookup=resolve).send(request)

    assert answer.error == "no_public_address"


@pytest.mark.parametrize(("path", "limit"), [("/!", 200_000), ("/", 50_000)])
def test_an_answer_that_is_cut_is_not_whole(port, path, limit):
    url = f"http://127.0.0.1:{port}{path}"

    answer = client(port, allow_http=True).send(
        HttpRequest("GET", url, (("X-Given", "a"),), bytes_limit=limit)
    )

    assert (answer.status_code, answer.is_whole) == (200, False)
    assert BODY.startswith(answer.body)
