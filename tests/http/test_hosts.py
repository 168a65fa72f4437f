"""Which hosts and request targets the app answers (decisions 2.12)."""

import pytest

from locframework.testing.client import Client

HOSTS = [
    ("localhost", True),
    ("LOCALHOST:8080", True),
    ("127.0.0.1", True),
    ("127.1.2.3:80", True),
    ("[::1]:8080", True),
    ("evil.example", False),
    ("localhost.evil.example", False),
    ("127.0.0.1.evil.example", False),
    ("10.0.0.1", False),
]


@pytest.mark.parametrize(("host", "is_loopback"), HOSTS)
def test_without_base_url_only_loopback_hosts_are_answered(client, host, is_loopback):
    answer = client.get("/whoami", headers={"Host": host})

    assert answer.status == (200 if is_loopback else 400)
    if not is_loopback:
        assert answer.error["code"] == "unknown_host"
        assert answer.error["message"].startswith(f"{host!r} is no loopback host; set")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_answered_whatever_the_host(client, path):
    assert client.get(path, headers={"Host": "10.0.0.1:8080"}).status == 200


@pytest.mark.parametrize(
    ("settings", "vary"),
    [
        ({"base_url": "https://l10n.example.com/api/v1"}, None),
        ({"trust_host": True}, "Host"),
    ],
)
def test_any_host_is_answered_where_it_is_not_used_or_trusted(build, settings, vary):
    client = Client(build(**settings), "writer")

    answer = client.get("/whoami", headers={"Host": "l10n.example.com"})

    assert (answer.status, answer.headers["Vary"]) == (200, vary)


@pytest.mark.parametrize(
    ("name", "target", "status"),
    [
        ("REQUEST_URI", "/api/v1/whoami", 200),
        ("REQUEST_URI", "//api/v1/whoami", 404),
        ("RAW_URI", "//api/v1/whoami", 404),
        ("REQUEST_URI", "http://LOCALHOST/api/v1/whoami", 200),
        ("RAW_URI", "http://evil.example/api/v1/whoami", 400),
    ],
)
def test_the_target_is_judged_as_it_was_sent(build, name, target, status):
    app = build()

    def served(environ, start_response):
        return app({**environ, name: target}, start_response)

    assert Client(served, "writer").get("/whoami").status == status
