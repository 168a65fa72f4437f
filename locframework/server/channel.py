"""One client's connection: how long it may keep the server waiting."""

import socket
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

from .forwarded import plain_address
from .parser import StrictParser
from .refusals import Refusal
from .waitress_parts import Adjustments, HTTPChannel, WSGITask, build_http_date

if TYPE_CHECKING:
    from .listener import Listener

LINGER_SECONDS = 2.0
FORWARDED_FOR = "HTTP_X_FORWARDED_FOR"
# Date has to be added, or not; the others change what waitress does.
RARE_HEADERS = frozenset({"Date", "Server", "Connection"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
JOINED_BYTES = 64 * 1024  # of an answer's first part, which are copied for it


class Task(WSGITask):  # type: ignore[misc]
    """A request on its way to the application."""

    def get_environment(self) -> dict[str, object]:
        environ: dict[str, object] = super().get_environment()
        environ["SERVER_SOFTWARE"] = "locframework"  # waitress: None, not a string
        environ["wsgi.multiprocess"] = self.channel.server.is_one_of_several
        if forwarded := environ.get(FORWARDED_FOR):
            environ[FORWARDED_FOR] = plain_address(str(forwarded))
        return environ

    def build_response_header(self) -> bytes:
        # What most answers have, in a third of the time: unsorted, names from a cache.
        has_body: bool = self.has_body
        if self.version != "1.1" or self.is_asked_to_close or self.close_on_finish:
            return self._whole_header()
        if has_body and self.content_length is None:
            return self._whole_header()
        lines = [f"HTTP/1.1 {self.status}"]
        has_length = not has_body
        for given, value in self.response_headers:
            name = canonical(given)
            if name in RARE_HEADERS:
                return self._whole_header()
            if name == "Content-Length":
                if not has_body:
                    continue
                has_length = True
            lines.append(f"{name}: {value}")
        if not has_length:
            lines.append(f"Content-Length: {self.content_length}")
        lines.append(f"Date: {http_date(int(self.start_time))}\r\n\r\n")
        return "\r\n".join(lines).encode("latin-1")

    def _whole_header(self) -> bytes:
        header: bytes = super().build_response_header()
        return header

    def write(self, data: bytes) -> None:
        # waitress would send the head alone: a packet more, and its reader woken twice
        channel = self.channel
        if self.wrote_header or len(data) > JOINED_BYTES:
            super().write(data)
            return
        channel.held = []
        try:
            super().write(data)
        finally:
            parts, channel.held = channel.held, None
        channel.write_soon(b"".join(parts))

    def set_close_on_finish(self) -> None:
        # waitress would close after every 204 and 304, which have no length to tell:
        # a client that asks for a manifest again would have to connect again
        if self.has_body or self.is_asked_to_close or self.version != "1.1":
            super().set_close_on_finish()

    @property
    def is_asked_to_close(self) -> bool:
        asked: str = self.request.headers.get("CONNECTION", "")
        return asked.lower() == "close"


@lru_cache
def canonical(name: str) -> str:
    """The name of a header as it is usually spelt."""
    return "-".join(part.capitalize() for part in name.split("-"))


@lru_cache(maxsize=1)
def http_date(second: int) -> str:
    """The time, which a head tells by the second."""
    date: str = build_http_date(second)
    return date


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection with deadlines. Times are monotonic seconds."""

    parser_class = StrictParser
    task_class = Task
    error_task_class = Refusal
    close_when_flushed: bool

    def __init__(
        self,
        server: "Listener",
        sock: socket.socket,
        address: tuple[str, int],
        adjustments: Adjustments,
        map: dict[int, object] | None = None,
    ) -> None:
        self._limits = server.limits
        self.waiting_since = monotonic()
        self.is_idle = False  # between two requests; a new connection is not
        self.is_lingering = False
        self._has_arrived = False
        self._is_refused = False
        self._sent = self._sent_before = 0
        self.held: list[bytes] | None = None  # what a task writes, until it is joined
        self._patience = self._limits.answer_seconds
        super().__init__(server, sock, address, adjustments, map=map)

    @property
    def is_busy(self) -> bool:
        """Whether it is our turn: to run, to answer or to close."""
        return bool(self.requests or self.total_outbufs_len or self.close_when_flushed)

    @property
    def may_take_long(self) -> bool:
        """Whether the request to run does more than read."""
        request = self.requests[0]
        return request.error is None and request.command not in SAFE_METHODS

    @property
    def is_in_exchange(self) -> bool:
        """Whether a request has come in part, or a refused client still sends."""
        return self.request is not None or self.is_lingering

    @property
    def deadline(self) -> float:
        """When to give up on a client that is not busy with us."""
        if self.is_lingering:
            return self.waiting_since + LINGER_SECONDS
        if self.is_idle:
            return self.waiting_since + self._limits.idle_seconds
        body = self.request.body_bytes_received if self.request is not None else 0
        earned: float = body / self._limits.body_bytes_per_second
        return self.waiting_since + self._limits.request_seconds + earned

    def is_overdue(self, now: float, elapsed: float) -> bool:
        """Whether the client has used up its time; ``elapsed`` since last asked."""
        if self.is_busy:
            self.waiting_since = now
            return self._reads_too_slowly(elapsed)
        return now > self.deadline

    def _reads_too_slowly(self, elapsed: float) -> bool:
        """Patience runs out while an answer waits; bytes that leave buy it back."""
        limits, sent = self._limits, self._sent
        if not self.total_outbufs_len:
            self._patience = limits.answer_seconds
        else:
            holds_worker = self.total_outbufs_len > limits.buffered_answer_bytes
            rate = (
                limits.waiting_answer_bytes_per_second
                if holds_worker and self.requests
                else limits.answer_bytes_per_second
            )
            bought = (sent - self._sent_before) / rate
            self._patience += min(bought, limits.answer_seconds) - elapsed
            self._patience = min(self._patience, limits.answer_seconds)
        self._sent_before = sent
        return self._patience < 0

    def request_arrived(self) -> None:
        """Told by the server when a whole request is about to be queued."""
        self._has_arrived = True
        self._is_refused = self.requests[0].error is not None
        if self.server.is_stopping:
            self.close_after_answer()

    def close_after_answer(self) -> None:
        """Makes the answers to come say ``Connection: close``."""
        for request in list(self.requests):
            request.headers["CONNECTION"] = "close"

    # What waitress calls

    def write_soon(self, data: bytes) -> int:
        if self.held is None:
            sent: int = super().write_soon(data)
            return sent
        self.held.append(data)
        return len(data)

    def received(self, data: bytes) -> bool:
        if self.is_lingering:
            return False
        if self.is_idle:
            self.is_idle, self.waiting_since = False, monotonic()
        taken: bool = super().received(data)
        if self._has_arrived:  # only then: blank lines must not win time
            self._has_arrived = False
            self.is_idle, self.waiting_since = self.request is None, monotonic()
        return taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close)
        self._sent += sent
        return sent

    def handle_write(self) -> None:
        lingers = self.close_when_flushed and self._is_refused
        if lingers:
            self.close_when_flushed = False
        super().handle_write()
        if lingers and self.connected:
            self._linger_once_flushed()

    def _linger_once_flushed(self) -> None:
        """Ends our side and reads on for a moment.

        A refused client often still sends. Closing with its bytes unread would
        reset the connection, and the reset can overtake the answer.
        """
        if self.total_outbufs_len:
            self.close_when_flushed = True
            return
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self.is_lingering, self.waiting_since = True, monotonic()

    def del_channel(self, map: dict[int, object] | None = None) -> None:
        super().del_channel(map)
        self.server.forget(self)
