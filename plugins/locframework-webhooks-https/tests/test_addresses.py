"""Which addresses are of the public internet."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_webhooks_https.addresses import AddressRule, is_public

from locframework.testing.contracts.transport_samples import NOT_PUBLIC_ADDRESSES

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
def test_what_is_public(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", [each.strip("[]") for each in NOT_PUBLIC_ADDRESSES])
def test_what_is_not(text: str) -> None:
    assert not is_public(ip_address(text))


@given(addresses)
def test_nothing_is_public_that_the_standard_library_knows_to_be_special(
    address: IPv4Address | IPv6Address,
) -> None:
    special = (
        not address.is_global
        or address.is_multicast
        or address.is_private
        or address.is_reserved
        or address.is_loopback
        or address.is_link_local
        or address.is_unspecified
    )

    assert not (special and is_public(address))


@given(addresses)
def test_nothing_is_public_that_carries_another_address(
    address: IPv4Address | IPv6Address,
) -> None:
    carries = isinstance(address, IPv6Address) and (
        address.ipv4_mapped is not None
        or address.sixtofour is not None
        or address.teredo is not None
        or address.is_site_local
        or address not in IPv6Network("2000::/3")
    )

    assert not (carries and is_public(address))


@given(addresses)
def test_hardly_anything_else_is_refused(
    address: IPv4Address | IPv6Address,
) -> None:
    """What the standard library calls global and is refused is in this list."""
    if address.is_global and not address.is_multicast and not is_public(address):
        assert any(address in network for network in REFUSED_THOUGH_GLOBAL)


def test_what_is_no_address_is_not_allowed() -> None:
    rule = AddressRule(["127.0.0.0/8", "fe80::/10"])

    for text in ("", "localhost", "127.1", "fe80::1%eth0", "127.0.0.1 ", "0x7f.0.0.1"):
        assert not rule.allows(text)


def test_allowed_networks_allow_what_is_in_them_and_no_more() -> None:
    rule = AddressRule(["127.0.0.0/8", "::1/128"])

    assert rule.allows("127.0.0.1")
    assert rule.allows("::1")
    assert rule.allows("1.1.1.1")
    for text in ("128.0.0.1x", "10.0.0.1", "::2", "::ffff:127.0.0.1", "::127.0.0.1"):
        assert not rule.allows(text)
