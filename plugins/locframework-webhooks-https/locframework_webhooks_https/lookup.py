"""Looks names up within a limit of time, which getaddrinfo does not know."""

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import BoundedSemaphore, Thread
from time import monotonic

from msgspec import Struct


class Deadline:
    """A moment, ``seconds`` from now, that every step has to keep."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds

    def left(self, most: float | None = None) -> float:
        """The seconds that a step may take, ``most`` at most. TimeoutError at 0."""
        left = self._ends - monotonic()
        if left <= 0:
            raise TimeoutError
        return left if most is None else min(left, most)


MOST_AT_ONCE = 128  # a name server that hangs holds a thread for up to 30 seconds


class SocketAddress(Struct, frozen=True):
    """Where a socket can connect to, as the system knows it."""

    family: socket.AddressFamily
    address: str  # the digits of an IP address
    port: int


Resolve = Callable[[str, int], Sequence[SocketAddress]]


def resolve(host: str, port: int) -> list[SocketAddress]:
    """All that the system's resolver knows. OSError or UnicodeError for nothing."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [
        SocketAddress(family, str(where[0]), int(where[1]))
        for family, _, _, _, where in found
    ]


class Lookup:
    """Asks ``resolve``, and does not wait longer than it is told to.

    A call that takes longer goes on in a thread that nobody waits for, not even the
    end of the process.
    """

    def __init__(self, resolve: Resolve = resolve) -> None:
        self._resolve = resolve
        self._free = BoundedSemaphore(MOST_AT_ONCE)

    def __call__(self, host: str, port: int, seconds: float) -> list[SocketAddress]:
        """The addresses of ``host``; none when there are none, or none in time."""
        deadline = Deadline(seconds)
        if not self._free.acquire(timeout=seconds):
            return []
        answer: Future[Sequence[SocketAddress]] = Future()
        try:
            Thread(target=self._run, args=(host, port, answer), daemon=True).start()
        except RuntimeError:  # no more threads on this machine
            self._free.release()
            return []
        try:
            return list(answer.result(deadline.left()))
        except (OSError, UnicodeError, TimeoutError):
            return []

    def _run(
        self, host: str, port: int, answer: Future[Sequence[SocketAddress]]
    ) -> None:
        try:
            answer.set_result(self._resolve(host, port))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)
        finally:
            self._free.release()
