"""Which URLs and addresses may be reached."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.outgoing.addresses import Target, is_public, may_reach, read_url
from locframework.ports import UrlNotAllowed
from locframework.testing.contracts.transports import NOT_PUBLIC_ADDRESSES

PUBLIC = (
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255"),
    *("100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15"),
    *("168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255"),
    *("172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255"),
    *("192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255"),
    *("198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255"),
    *("203.0.114.0", "223.255.255.255"),
    *("2001:200::", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2600::1"),
    *("2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "3ffd::1", "3fff:1000::1"),
)

REFUSED_THOUGH_GLOBAL = [
    ip_network(network)
    for network in (
        *("168.63.129.16/32", "192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24"),
        *("192.88.99.0/24", "192.175.48.0/24", "::/3", "2001::/23", "2002::/16"),
        *("2620:4f:8000::/48", "3ffe::/16", "3fff::/20", "4000::/2", "8000::/1"),
    )
]

addresses = st.one_of(
    st.integers(0, 2**32 - 1).map(IPv4Address),
    st.integers(0, 2**128 - 1).map(IPv6Address),
    # most of all addresses are nowhere near a border: look there, too
    st.builds(
        lambda text, off: ip_address(int(ip_address(text.strip("[]"))) + off),
        st.sampled_from([each for each in NOT_PUBLIC_ADDRESSES if "[" in each]),
        st.integers(0, 2**64),
    ),
    st.integers(0, 2**32 - 1).map(lambda low: IPv6Address((0x64FF9B << 96) + low)),
    st.integers(0, 2**32 - 1).map(lambda low: IPv6Address((0xFFFF << 32) + low)),
    st.integers(0, 2**112 - 1).map(lambda low: IPv6Address((0x2002 << 112) + low)),
    st.integers(0, 2**96 - 1).map(lambda low: IPv6Address((0x20010000 << 96) + low)),
)


@pytest.mark.parametrize("text", PUBLIC)
def test_what_is_public(text):
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", [each.strip("[]") for each in NOT_PUBLIC_ADDRESSES])
def test_what_is_not(text):
    assert not is_public(ip_address(text))


@given(addresses)
def test_nothing_is_public_that_is_special_or_carries_another_address(address):
    """What the standard library calls global and is refused is in the list."""
    special = (
        not address.is_global
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    carries = isinstance(address, IPv6Address) and (
        address.ipv4_mapped is not None
        or address.sixtofour is not None
        or address.teredo is not None
        or address.is_site_local
        or address not in IPv6Network("2000::/3")
    )

    assert not ((special or carries) and is_public(address))
    if address.is_global and not address.is_multicast and not is_public(address):
        assert any(address in network for network in REFUSED_THOUGH_GLOBAL)


def test_what_is_no_address_is_not_allowed():
    allowed = [*map(ip_network, ["127.0.0.0/8", "fe80::/10"])]

    for text in ("", "localhost", "127.1", "fe80::1%eth0", "127.0.0.1 ", "0x7f.0.0.1"):
        assert not may_reach(text, allowed)


def test_allowed_networks_allow_what_is_in_them_and_no_more():
    allowed = [*map(ip_network, ["127.0.0.0/8", "::1/128"])]

    assert may_reach("127.0.0.1", allowed)
    assert may_reach("::1", allowed)
    assert may_reach("1.1.1.1", allowed)
    for text in ("128.0.0.1x", "10.0.0.1", "::2", "::ffff:127.0.0.1", "::127.0.0.1"):
        assert not may_reach(text, allowed)


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
def test_a_good_url_is_taken_apart(url, host, port, path, authority):
    target = read_url(url, (443, 8443))

    assert target == Target(host, port, path)
    assert target.authority == authority


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://a.example/", "must begin with https://"),
        (" https://a.example/", "must begin with https://"),
        ("https://a.example/ b", "only printable ASCII without spaces"),
        ("https://bücher.example/", "write the host as xn--"),
        ("https://аpple.example/", "write the host as xn--"),
        ("https://a.example/ä", "percent-encoded"),
        ("https://a.example\\b/", "backslashes"),
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
def test_a_refusal_names_the_rule(url, told):
    with pytest.raises(UrlNotAllowed, match=told) as refusal:
        read_url(url, (443,))

    assert refusal.value.message.startswith("url: ")
    assert "secret" not in refusal.value.message


@given(st.text("aA0-_.x", max_size=80), st.text("n-a0", max_size=70))
def test_every_host_that_is_let_through_can_be_asked_for(name, more):
    """Neither the resolver nor TLS can fail over its spelling."""
    try:
        target = read_url(f"https://{name}.xn--{more}/", (443,))
    except UrlNotAllowed:
        return

    assert target.host.encode("idna") == target.host.encode("ascii")


@given(st.text("a.0:@/\\?#[]%x-ä\n ", max_size=30).map(lambda text: f"https://{text}"))
def test_whatever_is_let_through_reads_the_same_elsewhere(url):
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


def same_host(one, other):
    """Names by their letters, addresses by their value."""
    if ":" in one:
        return ip_address(one) == ip_address(other)
    return one == other
