"""Connections with a deadline, which read a limited number of bytes."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cache
from http.client import HTTPException
from pathlib import Path
from socket import (
    IPPROTO_TCP,
    SOCK_STREAM,
    TCP_NODELAY,
    create_connection,
    getaddrinfo,
    socket,
)
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import TYPE_CHECKING, cast

from locframework.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

log = logging.getLogger(__package__)


@cache
def warn_once(message: str, *given: object) -> None:
    """Log the warning, unless this process has logged the same one before."""
    log.warning(message, *given)


class Deadline:
    """A moment, ``seconds`` from now, at which every step must have ended."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds

    def left(self, most: float | None = None) -> float:
        """The seconds that a step may take, ``most`` at most. TimeoutError at 0."""
        left = self._ends - monotonic()
        if left <= 0:
            raise TimeoutError
        return left if most is None else min(left, most)


LOOKUPS_LIMIT = 128  # a name server that hangs holds a thread for up to 30 seconds


Resolve = Callable[[str], Sequence[str]]


def resolve(host: str) -> list[str]:
    """All addresses, in digits, that the system's resolver knows.

    OSError or UnicodeError for none.
    """
    return [str(where[0]) for *_, where in getaddrinfo(host, None, type=SOCK_STREAM)]


class Lookup:
    """Calls ``resolve``, and waits no longer than ``seconds``.

    A call that takes longer goes on in a thread. Nothing waits for it, not even the end
    of the process.
    """

    def __init__(self, resolve: Resolve = resolve) -> None:
        self._resolve = resolve
        self._free = BoundedSemaphore(LOOKUPS_LIMIT)

    def __call__(self, host: str, seconds: float) -> list[str]:
        """Return the addresses of ``host``; none if it has none, or none in time."""
        deadline = Deadline(seconds)
        if not self._free.acquire(timeout=seconds):
            return []
        answer: Future[Sequence[str]] = Future()
        try:
            Thread(target=self._run, args=(host, answer), daemon=True).start()
        except RuntimeError:  # no more threads on this machine
            self._free.release()
            return []
        try:
            return list(answer.result(deadline.left()))
        except (OSError, UnicodeError, TimeoutError):
            return []

    def _run(self, host: str, answer: Future[Sequence[str]]) -> None:
        try:
            answer.set_result(self._resolve(host))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)
        finally:
            self._free.release()


STEP_SECONDS = 5.0  # to connect to one address; to shake hands
ADDRESSES_LIMIT = 4  # addresses of one name


class ReadEnough(HTTPException):
    """The receiver sends more than the limit."""


class Channel(socket):
    """A connection that keeps a deadline, and reads ``unread`` bytes at most.

    http.client waits anew for each piece that it reads: a byte a second would hold
    it for ever.
    """

    deadline: Deadline
    unread: int
    may_end: bool  # whether the end of the stream is the end of an answer

    def recv_into(
        self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0
    ) -> int:
        """Read within the deadline. TimeoutError, ReadEnough, ConnectionResetError."""
        if self.unread <= 0:
            raise ReadEnough
        self.settimeout(self.deadline.left())
        with memoryview(buffer) as view:
            most = min(nbytes or len(view), self.unread)
        read = super().recv_into(buffer, most, flags)
        if read == 0 and not self.may_end:
            raise ConnectionResetError
        self.unread -= read
        return read

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        """Send within the deadline. TimeoutError."""
        self.settimeout(self.deadline.left())
        return super().send(data, flags)


class _TlsChannel(Channel, ssl.SSLSocket):
    pass


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """TLS 1.2 or later, certificates and host names verified.

    Trusts the authorities of the system and those in ``ca_file``; SSL_CERT_FILE in the
    environment has no effect.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = _TlsChannel
    file, folder = _system_authorities()
    if file.is_file():
        context.load_verify_locations(cafile=file)
    if folder.is_dir():
        context.load_verify_locations(capath=folder)
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    return context


def check_authorities(ca_file: str | None) -> None:
    """Raise SettingsError for a file that cannot be read or holds no certificates.

    Warn if no file is given, and the system has none.
    """
    file, folder = _system_authorities()
    if ca_file is None:
        if not (file.is_file() or folder.is_dir()):
            warn_once(
                "no certificate can be verified: there are no authorities at %s and "
                "%s, and ca_file of the plugin names none",
                *(file, folder),
            )
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=ca_file)
    except OSError as error:  # SSLError is one
        is_read = isinstance(error, ssl.SSLError)
        fault = "holds no certificates" if is_read else str(error.strerror)
        raise SettingsError(f"ca_file: {ca_file}: {fault}", "ca_file") from error


def _system_authorities() -> tuple[Path, Path]:
    system = ssl.get_default_verify_paths()  # openssl_…: as built, not as asked for
    return Path(system.openssl_cafile), Path(system.openssl_capath)


def connect(addresses: Sequence[str], port: int, deadline: Deadline) -> socket:
    """Return a connection to the first address that accepts one. Raises OSError."""
    refusal: OSError = ConnectionError()
    for address in addresses[:ADDRESSES_LIMIT]:
        try:
            seconds = deadline.left(STEP_SECONDS)
            connection = create_connection((address, port), seconds)  # looks up nothing
        except OSError as error:
            refusal = error
        else:
            connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
            return connection
    raise refusal


def plain_channel(connection: socket, deadline: Deadline, most: int) -> Channel:
    """Return the connection as a channel that reads ``most`` bytes."""
    channel = Channel(fileno=connection.detach())
    channel.deadline, channel.unread, channel.may_end = deadline, most, False
    return channel


def shake_hands(
    connection: socket,
    host: str,
    context: ssl.SSLContext,
    deadline: Deadline,
    most: int,
) -> Channel:
    """Return TLS over the connection, as a channel that reads ``most`` bytes. Raises
    OSError."""
    try:
        connection.settimeout(deadline.left(STEP_SECONDS))
        channel = cast(
            Channel,
            context.wrap_socket(
                connection, server_hostname=host, suppress_ragged_eofs=False
            ),
        )
    except BaseException:
        connection.close()
        raise
    channel.deadline, channel.unread, channel.may_end = deadline, most, False
    return channel
