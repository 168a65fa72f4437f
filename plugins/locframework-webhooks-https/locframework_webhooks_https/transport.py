"""The transport ``https``: checked addresses, one request, one answer."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import ip_network
from ssl import SSLContext, SSLEOFError
from time import monotonic
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from locframework.ports import (
    KEPT_BYTES,
    Answer,
    Post,
    SendError,
    UrlNotAllowed,
    abbreviate,
)

from .addresses import Target, may_reach, read_url
from .channel import (
    READ_LIMIT,
    Channel,
    Deadline,
    Lookup,
    check_authorities,
    connect,
    shake_hands,
    tls_context,
)

Port = Annotated[int, Meta(ge=1, le=65535)]


class HttpsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be reached beside port 443 of public addresses, and who is trusted.

    Raises ValueError for a network that is none.
    """

    allowed_networks: tuple[str, ...] = ()  # "127.0.0.0/8": for development only
    allowed_ports: tuple[Port, ...] = (443,)
    ca_file: str | None = None  # certificates of authorities, beside the system's

    def __post_init__(self) -> None:
        for network in self.allowed_networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise ValueError(f"allowed_networks: {error}") from None
        if not self.allowed_ports:
            raise ValueError("allowed_ports: is empty")


LOOKUP_SECONDS = 3.0
RETRY_AFTER_CHARACTERS = 100
INTERIM = {*range(100, 200)} - {101}


class SendFailed(Exception):
    """There is no answer, for this reason."""

    def __init__(self, error: SendError) -> None:
        super().__init__(error)
        self.error: SendError = error


class HttpsTransport:
    """The port Transport over sockets of our own and the standard library's HTTP.

    A name is looked up once an attempt, every address of it is checked, and the
    socket is connected to one of those checked. No keep-alive, redirects, proxies,
    netrc, cookies or decompression, and nothing that the environment says counts.
    """

    name = "https"

    def __init__(self, settings: HttpsSettings, lookup: Lookup | None = None) -> None:
        self._ports = settings.allowed_ports
        self._networks = tuple(map(ip_network, settings.allowed_networks))
        self._ca_file = settings.ca_file
        check_authorities(settings.ca_file)
        self._lookup = lookup or Lookup()

    def check_url(self, url: str) -> None:
        """Raise UrlNotAllowed unless all addresses of the host are public now."""
        target = read_url(url, self._ports)
        if not self._public_addresses(target, Deadline(LOOKUP_SECONDS)):
            host = abbreviate(target.host)  # the message is cut, and is to say why
            raise UrlNotAllowed(
                f"url: {host} must lead to addresses of the public internet only"
            )

    def send(self, post: Post) -> Answer:
        """Make one attempt. Whatever goes wrong is told in the answer."""
        began = monotonic()
        try:
            answer = self._attempt(post, Deadline(post.seconds))
        except SendFailed as failed:
            answer = Answer(None, failed.error, 0)
        taken_ms = round((monotonic() - began) * 1000)
        return msgspec.structs.replace(answer, duration_ms=taken_ms)

    def _attempt(self, post: Post, deadline: Deadline) -> Answer:
        try:
            target = read_url(post.url, self._ports)
        except UrlNotAllowed:
            raise SendFailed("url_not_allowed") from None
        with _failing_as("connection_failed"):
            found = self._public_addresses(target, deadline)
            if not found:
                raise SendFailed("no_public_address")
            connection = connect(found, target.port, deadline)
        with _failing_as("tls_failed"):
            channel = shake_hands(connection, target.host, self._context, deadline)
        with channel, _failing_as("connection_lost"):
            return _exchange(channel, target, post)

    @cached_property
    def _context(self) -> SSLContext:
        """Made with the first attempt: to read the system's authorities takes 20 ms."""
        return tls_context(self._ca_file)

    def _public_addresses(self, target: Target, deadline: Deadline) -> list[str]:
        """All addresses of the host; none when one of them is not to be reached."""
        found = self._lookup(target.host, deadline.left(LOOKUP_SECONDS))
        is_fine = all(may_reach(each, self._networks) for each in found)
        return found if is_fine else []


@contextmanager
def _failing_as(error: SendError) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise SendFailed("timeout") from None
    except ConnectionRefusedError:
        raise SendFailed("connection_refused") from None
    except OSError:
        raise SendFailed(error) from None
    except HTTPException:
        raise SendFailed("bad_answer") from None


def _exchange(channel: Channel, target: Target, post: Post) -> Answer:
    """Send the request, read the answer. OSError or HTTPException."""
    connection = HTTPConnection(target.host, target.port)
    connection.sock = channel
    connection.putrequest(
        "POST", target.path, skip_host=True, skip_accept_encoding=True
    )
    for name, value in (
        ("Host", target.authority),
        *post.headers,
        ("Content-Length", str(len(post.body))),
        ("Accept-Encoding", "identity"),
        ("Connection", "close"),
    ):
        connection.putheader(name, value)
    # a receiver may answer, and go, without reading it all
    with suppress(ConnectionError, SSLEOFError):
        connection.endheaders(post.body)
    with closing(connection), connection.getresponse() as response:
        _skip_interim(response)
        channel.may_end = True
        retry_after = _plain(response.headers.get("Retry-After"))
        return Answer(response.status, None, 0, retry_after, _read_body(response))


def _skip_interim(response: HTTPResponse) -> None:
    """Read on to the final answer: any number of 1xx may precede it (RFC 9110, 15.2).

    http.client passes over 100 alone. After 101, for which nobody asked, no HTTP comes.
    """
    while response.status in INTERIM:
        response.headers = None  # type: ignore[assignment]  # begin() reads anew
        response.begin()


def _read_body(response: HTTPResponse) -> bytes:
    """What there is of it, to the end if that is near: a receiver may be writing.

    It is for the log alone, so nothing that goes wrong here counts.
    """
    body, left = b"", response.length
    with suppress(OSError, HTTPException):
        while left != 0:
            # in small pieces: http.client asks at once for as much memory as a
            # receiver says that it will fill
            piece = response.read1(min(left or READ_LIMIT, READ_LIMIT))
            if not piece:
                break
            body += piece
            left = None if left is None else left - len(piece)
    return body[:KEPT_BYTES]


def _plain(header: str | None) -> str | None:
    if header is None or not header.isascii() or not header.isprintable():
        return None
    return header[:RETRY_AFTER_CHARACTERS]
