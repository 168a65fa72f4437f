"""Serves a WSGI application on waitress: hardened, pinned, in one or more processes."""

import importlib.util
import os
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from wsgiref.types import WSGIApplication

from .limits import ServerError, ServerLimits
from .process import Serving, serve_here, usable_cpus
from .supervisor import Supervisor

__all__ = [
    "ServerError",
    "ServerLimits",
    "require_address",
    "require_waitress",
    "serve",
]

_FILES_PER_CONNECTION = 3  # the socket, and a temporary file each way
_OTHER_FILES = 512


def serve(
    make_app: Callable[[], WSGIApplication],
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    threads: int = 4,
    processes: int = 1,
    trusted_proxy: str | None = None,
    is_pinned: bool = True,
    limits: ServerLimits | None = None,
    on_ready: Callable[[str, int], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> None:
    """Serves until SIGTERM or SIGINT, then lets running requests end and returns.

    ``make_app`` is called in each serving process, after the fork: what it starts
    (threads, connections) is the process's own. ``on_stop`` is called in the same
    process when it has answered its last request. ``on_ready`` is called once, in
    the calling process, with the address and port (also when ``port`` is 0) as soon
    as all processes serve.

    ``processes`` is how many serve: 1 is the calling process, more are its children
    (a dead one is replaced), 0 is one per CPU. ``is_pinned`` keeps each on one CPU,
    where the platform can; see docs/serve.md for when not to.

    ``trusted_proxy`` is the one address (or ``"*"``) whose X-Forwarded-For and
    X-Forwarded-Proto are believed; without it REMOTE_ADDR is the peer's address.

    A second signal kills at once. The signal handlers of the caller are back when
    it returns. Raises ServerError when waitress is missing, the address cannot be
    used, or a child does not come up; and whatever ``make_app`` raises. Main thread
    only. Source: decisions 2.2 (sizes); the deadlines are CHOSEN, see ServerLimits.
    """
    require_waitress()
    if threading.current_thread() is not threading.main_thread():
        raise ServerError("serve() handles signals and needs the main thread")
    limits = limits or ServerLimits()
    cpus = _seats(processes, is_pinned=is_pinned)
    serving = Serving(
        make_app=make_app,
        on_stop=on_stop,
        threads=threads,
        trusted_proxy=trusted_proxy,
        limits=limits,
        is_one_of_several=len(cpus) > 1,
    )
    _allow_files(limits.connections * _FILES_PER_CONNECTION + _OTHER_FILES)
    with closing(_listen(host, port)) as listening:
        address = listening.getsockname()

        def tell_ready() -> None:
            if on_ready is not None:
                on_ready(address[0], address[1])

        if len(cpus) == 1:
            serve_here(serving, listening, cpu=cpus[0], on_ready=tell_ready)
        else:
            Supervisor(serving, listening, cpus=cpus, on_ready=tell_ready).run()


def require_waitress() -> None:
    """Raises ServerError when waitress, which serves, is not installed."""
    if importlib.util.find_spec("waitress") is None:
        raise ServerError("serving needs waitress: pip install 'locframework[serve]'")


def require_address(host: str, port: int) -> None:
    """Raises ServerError as ``serve`` would for an address that it cannot have now.

    Nothing listens there when it returns. For a caller that works before it serves.
    """
    _listen(host, port).close()


def _seats(processes: int, *, is_pinned: bool) -> list[int | None]:
    """The CPU of each serving process; None is any.

    They start at a CPU that differs from server to server, or several on one
    machine would share the first and leave the others idle.
    """
    cpus = usable_cpus()
    count = processes or len(cpus) or os.cpu_count() or 1
    if count > 1 and not hasattr(os, "fork"):
        raise ServerError("several processes need fork(), which this system lacks")
    if not is_pinned or len(cpus) < 2:
        return [None] * count
    return [cpus[(os.getpid() + number) % len(cpus)] for number in range(count)]


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket on the first address of ``host``, IPv4 before IPv6."""
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, *_, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        is_for_both = host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(
            address[:2], family=family, backlog=1024, dualstack_ipv6=is_for_both
        )
    except OSError as error:
        # create_server() says the address once more, in words of its own
        reason = str(error.strerror).partition(" (while attempting")[0]
        raise ServerError(f"cannot listen on {host} port {port}: {reason}") from error


def _allow_files(count: int) -> None:
    """Lifts the limit of open files as far as it may be; 1024 is the usual one."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
