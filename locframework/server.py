"""Serves a WSGI application with waitress, and stops without losing requests."""

import importlib.util
import logging
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from wsgiref.types import WSGIApplication

from locframework.http.access_log import logged
from locframework.http.forwarded import forwarded

KIB, MIB, GIB = 1024, 1024**2, 1024**3
WAITRESS: dict[str, object] = {
    "connection_limit": 1000,
    "channel_timeout": 30,  # seconds without a byte from or to a client
    "cleanup_interval": 5,
    "asyncore_use_poll": True,
    "max_request_header_size": 16 * KIB,
    "max_request_body_size": 51 * MIB,  # uploads have 50 MiB, and multipart framing
    # A worker thread would wait for the client while more than this is unsent.
    # Answers over 1 MiB are spooled to disk.
    "outbuf_high_watermark": 2 * GIB,
    "ident": None,  # no Server header
    "expose_tracebacks": False,
}
"""The options of waitress; docs/how-to/serve.md says what they bound."""

BACKLOG = 1024
STOP_SECONDS = 10.0  # for requests that run when the server is stopped
LAST_REQUEST_SECONDS = 0.3  # for a request that is on its way by then
_FILES_PER_CONNECTION = 3  # the socket, and a temporary file each way
_OTHER_FILES = 512
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ServerError(Exception):
    """The server cannot start. The message is one line."""


class StopRequest:
    """Whether SIGTERM or SIGINT came. Unlike an Event, safe in a signal handler."""

    def __init__(self) -> None:
        self.is_set = False
        self.on_set: Callable[[], None] = lambda: None

    def wait(self) -> None:
        """Return soon after the signal."""
        while not self.is_set:
            time.sleep(0.1)


@contextmanager
def stop_signals() -> Iterator[StopRequest]:
    """Handle SIGTERM and SIGINT in the block: the first sets the StopRequest, the
    second ends the process at once, with the exit code 128 + its number."""
    stop = StopRequest()

    def handle(number: int, _: FrameType | None) -> None:
        if stop.is_set:
            os._exit(128 + number)
        stop.is_set = True
        stop.on_set()

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def require_waitress() -> None:
    """Raise ServerError if waitress is not installed."""
    if importlib.util.find_spec("waitress") is None:
        raise ServerError("serving needs waitress: pip install 'locframework[serve]'")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket listening on the first address of ``host``, IPv4 before IPv6;
    port 0 picks a free one. Raises ServerError."""
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        is_for_both = host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(
            address[:2], family=family, backlog=BACKLOG, dualstack_ipv6=is_for_both
        )
    except OSError as error:
        # create_server() repeats the address in its own words
        reason = str(error.strerror).partition(" (while attempting")[0]
        raise ServerError(f"cannot listen on {host} port {port}: {reason}") from error


def serve(
    app: WSGIApplication,
    listening: socket.socket,
    stop: StopRequest,
    *,
    threads: int = 4,
    trusted_proxy: str | None = None,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until ``stop`` is set, then finish running requests, and return.

    ``trusted_proxy`` is the IP address whose X-Forwarded-For and X-Forwarded-Proto
    are trusted, or "*". ``on_ready`` is called once, when requests are accepted.
    Raises ServerError if waitress is missing.
    """
    require_waitress()
    from waitress import create_server, wasyncore  # type: ignore[import-untyped]

    _raise_file_limit(1000 * _FILES_PER_CONNECTION + _OTHER_FILES)
    # It warns of every request that waits for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    sockets: dict[int, Any] = {}
    server = create_server(
        forwarded(logged(app), trusted_proxy),
        map=sockets,
        sockets=[listening],
        threads=threads,
        backlog=BACKLOG,
        clear_untrusted_proxy_headers=trusted_proxy is None,  # else forwarded() does
        **WAITRESS,
    )

    def poll(seconds: float) -> None:
        wasyncore.loop(timeout=seconds, use_poll=True, map=sockets, count=1)

    stop.on_set = server.pull_trigger
    on_ready()
    while not stop.is_set:
        poll(1.0)
    stop.on_set = lambda: None
    _finish_requests(server, poll)
    wasyncore.close_all(sockets, ignore_all=True)


def _finish_requests(server: Any, poll: Callable[[float], None]) -> None:
    """Accept what is in the backlog and no more, and answer what was asked."""
    while select.select([server.socket], [], [], 0)[0]:
        server.handle_accept()
    server.del_channel()
    server.socket.close()
    now = time.monotonic()
    deadline, last_request_at = now + STOP_SECONDS, now + LAST_REQUEST_SECONDS
    while now < deadline:
        channels = list(server.active_channels.values())
        for channel in channels:
            for request in list(channel.requests):
                request.headers["CONNECTION"] = "close"  # so that the answer says it
        if now > last_request_at and not any(map(_is_busy, channels)):
            break
        poll(0.02)
        now = time.monotonic()
    server.task_dispatcher.shutdown(timeout=0.1)


def _is_busy(channel: Any) -> bool:
    """Return whether a connection has a request to answer, or to read the body of."""
    received = channel.request
    is_reading = received is not None and received.headers_finished
    return bool(channel.requests or channel.total_outbufs_len or is_reading)


def _raise_file_limit(count: int) -> None:
    """Raise the soft limit of open files as far as the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
