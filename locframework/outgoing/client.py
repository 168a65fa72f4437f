"""Requests to other servers: checked addresses, one request, one answer."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import ip_network
from ssl import SSLContext, SSLEOFError
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.errors import UrlNotAllowed, abbreviate

from .addresses import Target, may_reach, read_url
from .channel import (
    Channel,
    Deadline,
    Lookup,
    check_authorities,
    connect,
    plain_channel,
    shake_hands,
    tls_context,
)

Port = Annotated[int, Meta(ge=1, le=65535)]

SendError = Literal[
    "url_not_allowed",  # by its text; settings may have changed since it was created
    "no_public_address",  # or the name has no address, see HttpClient
    "connection_refused",
    "connection_failed",  # no way there
    "tls_failed",  # the certificate, or the handshake
    "connection_lost",  # closed or reset before the headers of an answer were whole
    "bad_answer",  # not HTTP
    "timeout",  # the time was up, at whatever it was
]

ANSWER_BYTES = 16 * 1024
LOOKUP_SECONDS = 3.0
_INTERIM = {*range(100, 200)} - {101}
_PIECE = 64 * 1024


class OutgoingSettings(Struct, frozen=True, forbid_unknown_fields=True):
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


class HttpRequest(Struct, frozen=True):
    """One request, and how long it may take."""

    method: str
    url: str
    # in this order; Host, Content-Length and Connection are the client's
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""  # sent as it is
    seconds: float = 20.0  # from looking up the name to the last byte read
    bytes_limit: int = ANSWER_BYTES  # of the answer, its headers included


class HttpAnswer(Struct, frozen=True):
    """The result of a request: either a status or an error."""

    status_code: int | None
    error: SendError | None = None
    headers: Mapping[str, str] = {}  # by name in lower case; of two the first
    body: bytes = b""  # as it came, not decompressed
    is_whole: bool = False  # the body came to its end


class HttpClient:
    """Sends requests over sockets of our own and the standard library's HTTP.

    Only to addresses that are global unicast at the moment of the attempt, or in the
    allowed networks: a name that is public today may be 127.0.0.1 tomorrow. A name is
    looked up once an attempt, every address of it is checked, and the socket is
    connected to one of those checked. The error is the same for a name without an
    address and for one with other addresses, so that nobody learns the names of a
    private network. ``allow_http``: also without TLS, into the allowed networks alone.

    No keep-alive, redirects, proxies, netrc, cookies or decompression. The environment
    has no effect. Any number of threads may call. Raises SettingsError for a
    ``ca_file`` that cannot be read.
    """

    def __init__(
        self,
        settings: OutgoingSettings,
        *,
        allow_http: bool = False,
        lookup: Lookup | None = None,
    ) -> None:
        self._ports = settings.allowed_ports
        self._networks = tuple(map(ip_network, settings.allowed_networks))
        self._ca_file = settings.ca_file
        check_authorities(settings.ca_file)
        self._allow_http = allow_http
        self._lookup = lookup or Lookup()

    def check_url(self, url: str) -> None:
        """Raise UrlNotAllowed if nothing would be sent there now. Looks up the name, in
        up to 3 seconds: not within a transaction."""
        target = read_url(url, self._ports, allow_http=self._allow_http)
        if not self._addresses(target, Deadline(LOOKUP_SECONDS)):
            host = abbreviate(target.host)  # the message is cut, and is to say why
            raise UrlNotAllowed(
                f"url: {host} must lead to addresses of the public internet only"
            )

    def send(self, request: HttpRequest) -> HttpAnswer:
        """Make one attempt, and return its answer.

        Raises nothing, whatever URL and server do, and is back a second after
        ``seconds`` at the latest. A status counts once the headers of the answer are
        whole: a body that is cut, or never ends, does not change it. Redirects are
        answers, and are not followed.
        """
        try:
            return self._attempt(request, Deadline(request.seconds))
        except _SendFailed as failed:
            return HttpAnswer(None, failed.error)

    def _attempt(self, request: HttpRequest, deadline: Deadline) -> HttpAnswer:
        try:
            target = read_url(request.url, self._ports, allow_http=self._allow_http)
        except UrlNotAllowed:
            raise _SendFailed("url_not_allowed") from None
        with _failing_as("connection_failed"):
            found = self._addresses(target, deadline)
            if not found:
                raise _SendFailed("no_public_address")
            connection = connect(found, target.port, deadline)
        if target.scheme == "http":
            channel = plain_channel(connection, deadline, request.bytes_limit)
        else:
            with _failing_as("tls_failed"):
                channel = shake_hands(
                    connection,
                    target.host,
                    self._context,
                    deadline,
                    request.bytes_limit,
                )
        with channel, _failing_as("connection_lost"):
            return _exchange(channel, target, request)

    @cached_property
    def _context(self) -> SSLContext:
        """Made with the first attempt: to read the system's authorities takes 20 ms."""
        return tls_context(self._ca_file)

    def _addresses(self, target: Target, deadline: Deadline) -> list[str]:
        """All addresses of the host; none when one of them is not to be reached."""
        found = self._lookup(target.host, deadline.left(LOOKUP_SECONDS))
        is_tls = target.scheme == "https"
        is_fine = all(
            may_reach(each, self._networks, allow_public=is_tls) for each in found
        )
        return found if is_fine else []


def read_retry_after(header: str | None, at: datetime) -> timedelta | None:
    """Return how long a ``Retry-After`` asks to wait, in seconds or until a date (RFC
    9110, 10.2.3); None if absent or invalid."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text), 10**8))  # no overflow
    try:
        date = parsedate_to_datetime(text)
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(timedelta(0), aware - at)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


class _SendFailed(Exception):
    """There is no answer, for this reason."""

    def __init__(self, error: SendError) -> None:
        super().__init__(error)
        self.error: SendError = error


@contextmanager
def _failing_as(error: SendError) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise _SendFailed("timeout") from None
    except ConnectionRefusedError:
        raise _SendFailed("connection_refused") from None
    except OSError:
        raise _SendFailed(error) from None
    except HTTPException:
        raise _SendFailed("bad_answer") from None


def _exchange(channel: Channel, target: Target, request: HttpRequest) -> HttpAnswer:
    """Send the request, read the answer. OSError or HTTPException."""
    connection = HTTPConnection(target.host, target.port)
    connection.sock = channel
    connection.putrequest(
        request.method, target.path, skip_host=True, skip_accept_encoding=True
    )
    for name, value in (
        ("Host", target.authority),
        *request.headers,
        ("Content-Length", str(len(request.body))),
        ("Accept-Encoding", "identity"),
        ("Connection", "close"),
    ):
        connection.putheader(name, value)
    # a server may answer, and go, without reading it all
    with suppress(ConnectionError, SSLEOFError):
        connection.endheaders(request.body)
    with closing(connection), connection.getresponse() as response:
        _skip_interim(response)
        channel.may_end = True
        body, is_whole = _read_body(response)
        headers: dict[str, str] = {}
        for name, value in response.headers.items():
            headers.setdefault(name.lower(), value)
        return HttpAnswer(response.status, None, headers, body, is_whole)


def _skip_interim(response: HTTPResponse) -> None:
    """Read on to the final answer: any number of 1xx may precede it (RFC 9110, 15.2).

    http.client passes over 100 alone. After 101, for which nobody asked, no HTTP comes.
    """
    while response.status in _INTERIM:
        response.headers = None  # type: ignore[assignment]  # begin() reads anew
        response.begin()


def _read_body(response: HTTPResponse) -> tuple[bytes, bool]:
    """Return what there is of it, and whether that is all."""
    pieces: list[bytes] = []
    left = response.length
    with suppress(OSError, HTTPException):
        while left != 0:
            # in small pieces: http.client asks at once for as much memory as a
            # server says that it will fill
            piece = response.read1(min(left or _PIECE, _PIECE))
            if not piece:
                return b"".join(pieces), left is None
            pieces.append(piece)
            left = None if left is None else left - len(piece)
        return b"".join(pieces), True
    return b"".join(pieces), False
