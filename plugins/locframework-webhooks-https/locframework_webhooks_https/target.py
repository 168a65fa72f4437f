"""Reads a webhook's URL, more strictly than any library for URLs does.

Whoever reads a URL leniently may read another host in it than the next reader does:
so only what can be read in one way is let through.
"""

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address

from msgspec import Struct

from locframework.ports import UrlNotAllowed

MOST_CHARACTERS = 2048
_SCHEME = "https://"
_URL = re.compile(
    r"(?i:https)://(?P<host>[^/?#:@\[\]]+|\[[0-9A-Fa-f:.]+\])"
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

    @property
    def authority(self) -> str:
        """The value of the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == 443 else f"{host}:{self.port}"


def read_url(url: str, allowed_ports: Collection[int]) -> Target:
    """What the URL says. UrlNotAllowed, naming the rule, unless it is one of ours."""
    if len(url) > MOST_CHARACTERS:
        raise UrlNotAllowed(f"url: is longer than {MOST_CHARACTERS} characters")
    if url[: len(_SCHEME)].lower() != _SCHEME:  # RFC 3986 section 3.1
        raise UrlNotAllowed(f"url: must begin with {_SCHEME}")
    if not all("!" <= character <= "~" for character in url) or "\\" in url:
        raise UrlNotAllowed(
            "url: only printable ASCII without spaces and backslashes; write the host "
            "as xn--…, the rest percent-encoded"
        )
    if "@" in re.split(r"[/?#]", url[len(_SCHEME) :], maxsplit=1)[0]:
        raise UrlNotAllowed("url: must not have a user name or password")
    found = _URL.fullmatch(url)
    if found is None or _NOT_IN_TARGET & set(found["target"] or ""):
        raise UrlNotAllowed("url: is not https://host[:port]/path?query")
    port = int(found["port"] or 443)
    if port not in allowed_ports:
        ports = ", ".join(map(str, allowed_ports))
        raise UrlNotAllowed(f"url: the port must be {ports}, not {port}")
    path = found["target"] or "/"
    return Target(_host(found["host"]), port, f"/{path}" if path[0] == "?" else path)


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
