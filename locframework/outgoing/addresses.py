"""Which URLs and addresses may be reached; stricter than any library.

Two lenient parsers may find different hosts in one URL. So only URLs that can be read
in one way are accepted. Public addresses are recognized by a list of our own:
``ipaddress.is_global`` is true of addresses that lead inside (64:ff9b::7f00:1,
2002:7f00:1::, 224.0.0.1, 168.63.129.16 and others).
"""

import re
from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Literal

from msgspec import Struct

from locframework.errors import UrlNotAllowed

URL_LENGTH_LIMIT = 2048
_PORTS = {"https": 443, "http": 80}
_URL = re.compile(
    r"(?i:https?)://(?P<host>[^/?#:@\[\]]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?(?P<target>[/?].*)?",
    re.ASCII,
)
_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*", re.ASCII)
_NOT_IN_TARGET = frozenset('"<>^`{|}#')


class Target(Struct, frozen=True):
    """Where a request goes: whom to connect to, and what to ask for there."""

    host: str  # a name in ASCII, or an address without brackets
    port: int
    path: str  # with the query, as in the URL
    scheme: Literal["https", "http"] = "https"

    @property
    def authority(self) -> str:
        """The value of the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == _PORTS[self.scheme]
        return host if is_usual else f"{host}:{self.port}"


def read_url(
    url: str, allowed_ports: Collection[int], *, allow_http: bool = False
) -> Target:
    """Return what the URL says. Raises UrlNotAllowed, naming the rule."""
    if len(url) > URL_LENGTH_LIMIT:
        raise UrlNotAllowed(f"url: is longer than {URL_LENGTH_LIMIT} characters")
    begin = url.partition("//")[0].lower()  # RFC 3986 section 3.1
    scheme: Literal["https", "http"] = "http" if begin == "http:" else "https"
    if begin != f"{scheme}:" or (scheme == "http" and not allow_http):
        schemes = "https:// or http://" if allow_http else "https://"
        raise UrlNotAllowed(f"url: must begin with {schemes}")
    if not all("!" <= character <= "~" for character in url) or "\\" in url:
        raise UrlNotAllowed(
            "url: only printable ASCII without spaces and backslashes; write the host "
            "as xn--…, the rest percent-encoded"
        )
    if "@" in re.split(r"[/?#]", url[len(scheme) + 3 :], maxsplit=1)[0]:
        raise UrlNotAllowed("url: must not have a user name or password")
    found = _URL.fullmatch(url)
    if found is None or _NOT_IN_TARGET & set(found["target"] or ""):
        raise UrlNotAllowed("url: is not https://host[:port]/path?query")
    port = int(found["port"] or _PORTS[scheme])
    if port not in allowed_ports:
        ports = ", ".join(map(str, allowed_ports))
        raise UrlNotAllowed(f"url: the port must be {ports}, not {port}")
    path = found["target"] or "/"
    path = f"/{path}" if path[0] == "?" else path
    return Target(_host(found["host"]), port, path, scheme)


def _host(text: str) -> str:
    if text.startswith("["):
        return _address(IPv6Address, text[1:-1])
    labels = text.split(".")
    if _NUMBER.fullmatch(labels[-1]):  # as browsers tell an address from a name
        return _address(IPv4Address, text)
    if len(text) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise UrlNotAllowed("url: the host is not a name of letters, digits and -")
    return text.lower()


def _address(kind: type[IPv4Address | IPv6Address], text: str) -> str:
    try:
        return str(kind(text))
    except ValueError:
        raise UrlNotAllowed("url: the host is not a plain address") from None


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


def may_reach(
    text: str,
    allowed: Iterable[IPv4Network | IPv6Network],
    *,
    allow_public: bool = True,
) -> bool:
    """Whether a socket may connect to an address: public, or in an allowed network.

    ``text`` as getaddrinfo answers it.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return False
    if allow_public and is_public(address):
        return True
    return any(address in network for network in allowed)
