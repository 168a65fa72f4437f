"""A server on loopback that does as it is told, over real TLS: for what sends webhooks
and what asks engines."""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread

from msgspec import Struct

from .certificates import Authority

HOST = "127.0.0.1"
NETWORK = "127.0.0.0/8"
IDLE_SECONDS = 60.0  # nobody waits longer than this for a transport that is stuck


class Received(Struct, frozen=True):
    """A request as it came."""

    method: str
    path: str  # with the query
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header of this name, however it is spelt."""
        found = (value for key, value in self.headers if key.lower() == name.lower())
        return next(found, None)


class Visit:
    """One connection, as a behaviour sees it: plain until hands are shaken."""

    def __init__(self, connection: socket.socket, receiver: Receiver) -> None:
        self.connection = connection
        self.receiver = receiver

    def shake_hands(self, context: ssl.SSLContext | None = None) -> None:
        """Speak TLS from now on; the receiver's own unless told another."""
        speaks = context or self.receiver.context
        self.connection = speaks.wrap_socket(self.connection, server_side=True)

    def read_request(self) -> Received:
        """The whole request, which the receiver has ``received`` then."""
        head, body = b"", b""
        while b"\r\n\r\n" not in head:
            head += self._read()
        head, _, body = head.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [tuple(line.split(": ", 1)) for line in lines]
        length = next((int(v) for k, v in headers if k.lower() == "content-length"), 0)
        while len(body) < length:
            body += self._read()
        method, path, _ = first.split(" ")
        received = Received(method, path, tuple((k, v) for k, v in headers), body)
        self.receiver.received.append(received)
        return received

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self.connection.sendall(data)
        self.receiver.sent_bytes += len(data)

    def wait(self, seconds: float = IDLE_SECONDS) -> None:
        """Do nothing, until the receiver is closed at the latest."""
        self.receiver.closed.wait(seconds)

    def reset(self) -> None:
        """End the connection by a reset instead of a farewell."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def _read(self) -> bytes:
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionResetError
        return data


Behaviour = Callable[[Visit], None]
Reply = Callable[[Received], tuple[int, bytes]]
Certify = Callable[[Authority], Path]
Headers = Iterable[tuple[str, str]]


class Receiver:
    """Where it is, whom to trust to reach it, and what came. Each connection meets the
    next of ``behaviours``; the last one stays."""

    def __init__(
        self,
        listener: socket.socket,
        authority: Authority,
        certificate: Path,
        behaviours: Iterable[Behaviour],
    ) -> None:
        self.host, self.port = listener.getsockname()
        self.ca_file = str(authority.ca_file)
        self.certificate = certificate
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.behaviours = list(behaviours)
        self.received: list[Received] = []
        self.connections = 0
        self.sent_bytes = 0
        self.asked_for: list[str | None] = []  # names, by TLS (SNI)
        self.context.sni_callback = lambda _, name, __: self.asked_for.append(name)
        self.closed = Event()
        self._listener = listener
        self._lock = Lock()

    def url(self, path: str = "/hook", host: str | None = None) -> str:
        """The address of a path here; ``host``: by another name."""
        return f"https://{host or self.host}:{self.port}{path}"

    def serve(self) -> None:
        """Let each visitor in, until the listener is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with self._lock:
                    self.connections += 1
                    behave = self.behaviours[0]
                    if len(self.behaviours) > 1:
                        del self.behaviours[0]
                Thread(target=self._visit, args=(connection, behave)).start()

    def _visit(self, connection: socket.socket, behave: Behaviour) -> None:
        connection.settimeout(IDLE_SECONDS)
        visit = Visit(connection, self)
        # whatever the visitor did is the visitor's to tell
        with suppress(OSError):
            behave(visit)
        with suppress(OSError):
            visit.connection.close()


@contextmanager
def open_receiver(
    folder: Path,
    *behaviours: Behaviour,
    host: str = HOST,
    port: int = 0,
    certificate: Certify | None = None,
) -> Iterator[Receiver]:
    """A receiver with an authority of its own, whose files are in ``folder``. Without
    ``behaviours`` it answers 204 to everything. ``certificate`` makes another one than
    a good one for ``host``, localhost and hooks.example.com."""
    authority = Authority(folder)
    names = (host, "localhost", "hooks.example.com")
    mine = certificate(authority) if certificate else authority.certificate(*names)
    with socket.create_server((host, port), backlog=256) as listener:
        receiver = Receiver(listener, authority, mine, behaviours or [answering(204)])
        thread = Thread(target=receiver.serve)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.closed.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def closing(visit: Visit) -> None:
    """Takes the connection and closes it at once."""


def answering(status: int, headers: Headers = (), body: bytes = b"") -> Behaviour:
    """Takes the request and answers it, as receivers do."""
    lines = [f"HTTP/1.1 {status} As told", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return saying("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


def saying(answer: bytes, then: Behaviour = closing) -> Behaviour:
    """Takes the request and sends these bytes, be they HTTP or not."""

    def behave(visit: Visit) -> None:
        visit.shake_hands()
        visit.read_request()
        visit.send(answer)
        then(visit)

    return behave


def replying(reply: Reply, *, is_plain: bool = False) -> Behaviour:
    """Takes the request and answers what ``reply`` makes of it: a status and a body.
    ``is_plain``: without TLS."""

    def behave(visit: Visit) -> None:
        if not is_plain:
            visit.shake_hands()
        status, body = reply(visit.read_request())
        head = f"HTTP/1.1 {status} As told\r\nContent-Length: {len(body)}\r\n\r\n"
        visit.send(head.encode() + body)

    return behave


def trickling(at_once: bytes, rest: bytes, seconds: float) -> Behaviour:
    """Takes the request and sends ``rest`` byte by byte, ``seconds`` apart."""

    def send_on(visit: Visit) -> None:
        for byte in rest:
            visit.send(bytes([byte]))
            visit.wait(seconds)

    return saying(at_once, send_on)


def flooding(head: bytes, body: bytes, times: int) -> Behaviour:
    """Takes the request and sends ``head``, then ``body`` again and again."""

    def send_on(visit: Visit) -> None:
        for _ in range(times):
            visit.send(body)

    return saying(head, send_on)


def hanging_after_the_handshake(visit: Visit) -> None:
    """Speaks TLS, and neither reads nor answers."""
    visit.shake_hands()
    visit.wait()


def resetting_in_the_answer(visit: Visit) -> None:
    """Resets the connection in the middle of the headers."""
    visit.shake_hands()
    visit.read_request()
    visit.send(b"HTTP/1.1 200 OK\r\nContent-Le")
    visit.wait(0.05)  # else the reset may overtake the bytes
    visit.reset()
