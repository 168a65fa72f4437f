"""Tells the addresses of the public internet from all others.

By a list of our own: ``ipaddress.is_global`` is true of addresses that lead inside
(64:ff9b::7f00:1, 2002:7f00:1::, 224.0.0.1, 168.63.129.16 and others).
"""

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address

# The IANA registries of special-purpose addresses, and what they leave out.
_NOT_PUBLIC_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's NAT; metadata at Alibaba
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # the host of a virtual machine at Azure
        "169.254.0.0/16",  # link-local; metadata at most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; metadata at Oracle
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # automatic multicast tunnelling
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# Everything outside is no global unicast: loopback, mapped and translated IPv4,
# unique local, link-local, site-local, multicast, 5f00::/16 and what is not given out.
_UNICAST_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID and others
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: leads to an IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # given back
        "3fff::/20",  # documentation
    )
)


def is_public(address: Address) -> bool:
    """Whether it is global unicast: an interface somewhere on the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    inside = any(address in network for network in _NOT_PUBLIC_6)
    return address in _UNICAST_6 and not inside


class AddressRule:
    """Public addresses, and networks that the operator allows besides."""

    def __init__(self, allowed_networks: Iterable[str]) -> None:
        self._allowed = tuple(map(ip_network, allowed_networks))

    def allows(self, text: str) -> bool:
        """Whether a socket may connect there; ``text`` as getaddrinfo answers it."""
        try:
            address = ip_address(text)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.scope_id is not None:
            return False
        return is_public(address) or any(address in net for net in self._allowed)
