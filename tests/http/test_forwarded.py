"""The middleware that takes a client's address and scheme from a trusted proxy."""

import pytest

from locframework.http.forwarded import client_address, forwarded


def environ_behind(trusted_proxy, **headers):
    """Return the environ that the application sees of a request from 10.0.0.1."""
    seen = {}
    app = forwarded(lambda environ, _: seen.update(environ) or [], trusted_proxy)
    app({"REMOTE_ADDR": "10.0.0.1", "wsgi.url_scheme": "http", **headers}, None)
    return seen


@pytest.mark.parametrize(
    ("trusted", "address", "scheme"),
    [
        (None, "10.0.0.1", "http"),
        ("10.0.0.2", "10.0.0.1", "http"),
        ("10.0.0.1", "203.0.113.9", "https"),
        ("*", "203.0.113.9", "https"),
    ],
)
def test_only_the_trusted_proxy_sets_address_and_scheme(trusted, address, scheme):
    environ = environ_behind(
        trusted,
        HTTP_X_FORWARDED_FOR="198.51.100.7, 203.0.113.9",
        HTTP_X_FORWARDED_PROTO="https",
        HTTP_X_FORWARDED_HOST="evil.example",
    )

    assert environ["REMOTE_ADDR"] == address
    assert environ["wsgi.url_scheme"] == scheme
    assert not [name for name in environ if "FORWARDED" in name]


def test_a_scheme_that_is_none_is_ignored():
    assert environ_behind("*", HTTP_X_FORWARDED_PROTO="ftp")["wsgi.url_scheme"] == (
        "http"
    )


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("203.0.113.9:4711", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8::9", "2001:db8::9"),
        ("[2001:DB8::9]:4711", "2001:db8::9"),
        ('198.51.100.7,"[2001:db8::9]:4711"', "2001:db8::9"),
        ("unknown", "unknown"),
    ],
)
def test_a_client_has_one_address_in_every_notation(header, address):
    assert client_address(header) == address
