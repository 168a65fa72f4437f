"""What is read from a URL that is let through."""

from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_webhooks_https.target import Target, read_url

from locframework.ports import UrlNotAllowed


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "authority"),
    [
        ("https://a.example", "a.example", 443, "/", "a.example"),
        ("https://a.example/", "a.example", 443, "/", "a.example"),
        ("HTTPS://a.example/B", "a.example", 443, "/B", "a.example"),
        ("https://A.Example:443/X", "a.example", 443, "/X", "a.example"),
        ("https://a.example?b=c", "a.example", 443, "/?b=c", "a.example"),
        ("https://a.example/b?c@d:e", "a.example", 443, "/b?c@d:e", "a.example"),
        ("https://xn--bcher-kva.example/", *["xn--bcher-kva.example", 443, "/"],
         "xn--bcher-kva.example"),
        ("https://a_b.example/%20", "a_b.example", 443, "/%20", "a_b.example"),
        ("https://1.1.1.1/", "1.1.1.1", 443, "/", "1.1.1.1"),
        ("https://1.1.1.example/", "1.1.1.example", 443, "/", "1.1.1.example"),
        ("https://[2606:4700::1111]:8443/", "2606:4700::1111", 8443, "/",
         "[2606:4700::1111]:8443"),
        ("https://[2606:4700:0:0::1111]/", "2606:4700::1111", 443, "/",
         "[2606:4700::1111]"),
        ("https://localhost:8443/", "localhost", 8443, "/", "localhost:8443"),
    ],
)  # fmt: skip
def test_a_good_url_is_taken_apart(
    url: str, host: str, port: int, path: str, authority: str
) -> None:
    target = read_url(url, (443, 8443))

    assert target == Target(host, port, path)
    assert target.authority == authority


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://a.example/", "must begin with https://"),
        ("HTTP://a.example/", "must begin with https://"),
        ("HTTPS://me@a.example/", "must not have a user name or password"),
        (" https://a.example/", "must begin with https://"),
        ("https://a.example/ b", "only printable ASCII without spaces"),
        ("https://bücher.example/", "write the host as xn--"),
        ("https://аpple.example/", "write the host as xn--"),
        ("https://a.example/ä", "percent-encoded"),
        ("https://a.example\\b/", "backslashes"),
        ("https://me@a.example/", "must not have a user name or password"),
        ("https://me:secret@a.example/", "must not have a user name or password"),
        ("https://a.example:8080/", "the port must be 443, not 8080"),
        ("https://a.example:/", "is not https://host"),
        ("https://a.example/#b", "is not https://host"),
        ("https://a.example/{b}", "is not https://host"),
        ("https://a..example/", "the host is not a name"),
        ("https://a.example./", "the host is not a name"),
        ("https://-a.example/", "the host is not a name"),
        ("https://" + "a" * 64 + ".example/", "the host is not a name"),
        ("https://1.1.1/", "the host is not a plain address"),
        ("https://a.0x1/", "the host is not a plain address"),
        ("https://[1.1.1.1]/", "the host is not a plain address"),
        ("https://a.example/" + "b" * 2048, "is longer than 2048 characters"),
    ],
)
def test_a_refusal_names_the_rule(url: str, told: str) -> None:
    with pytest.raises(UrlNotAllowed, match=told) as refusal:
        read_url(url, (443,))

    assert refusal.value.message.startswith("url: ")
    assert "secret" not in refusal.value.message


@given(st.text("aA0-_.x", max_size=80), st.text("n-a0", max_size=70))
def test_every_host_that_is_let_through_can_be_asked_for(name: str, more: str) -> None:
    """Neither the resolver nor TLS can fail over its spelling."""
    try:
        target = read_url(f"https://{name}.xn--{more}/", (443,))
    except UrlNotAllowed:
        return

    assert target.host.encode("idna") == target.host.encode("ascii")


@given(
    st.text("a.0:@/\\?#[]%x-ä\n ", max_size=30).map(lambda text: f"https://{text}"),
)
def test_whatever_is_let_through_reads_the_same_elsewhere(url: str) -> None:
    try:
        target = read_url(url, (443,))
    except UrlNotAllowed:
        return

    elsewhere = urlsplit(url)
    assert elsewhere.hostname is not None
    assert same_host(elsewhere.hostname, target.host)
    assert elsewhere.port in (None, target.port)
    assert elsewhere.username is None
    assert read_url(f"https://{target.authority}{target.path}", (443,)) == target


def same_host(one: str, other: str) -> bool:
    """Names by their letters, addresses by their value."""
    if ":" in one:
        return ip_address(one) == ip_address(other)
    return one == other
