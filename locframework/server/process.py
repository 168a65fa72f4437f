"""One serving process: makes the application, serves it, and ends when asked."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from wsgiref.types import WSGIApplication

from .limits import ServerLimits
from .share import Share, Tally

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
SignalHandler = Callable[[int, FrameType | None], None]


class StopRequest:
    """Carries the wish to stop from a signal handler to the loop."""

    def __init__(self) -> None:
        self.is_asked = False
        self.wake: Callable[[], None] = lambda: None

    def ask(self) -> None:
        self.is_asked = True
        self.wake()


@dataclass(frozen=True, kw_only=True)
class Serving:
    """What each serving process of one ``serve()`` does."""

    make_app: Callable[[], WSGIApplication]
    on_stop: Callable[[], None] | None
    threads: int
    trusted_proxy: str | None
    limits: ServerLimits
    is_one_of_several: bool

    def run(
        self,
        listening: socket.socket,
        *,
        cpu: int | None,
        share: Share,
        is_asked_to_stop: Callable[[], bool],
        on_listening: Callable[[Callable[[], None]], None],
    ) -> None:
        """Serves until asked to stop. ``on_listening`` is given what wakes the loop.

        The threads that the application starts are pinned with those that serve: a
        job of pure Python on another CPU held them up to 37 times as long.
        """
        from .listener import Listener

        with pinned_to(cpu):
            app = self.make_app()
            try:
                listener = Listener(
                    app,
                    listening,
                    threads=self.threads,
                    trusted_proxy=self.trusted_proxy,
                    limits=self.limits,
                    is_one_of_several=self.is_one_of_several,
                    share=share,
                )
                on_listening(listener.wake_all)
                listener.run_until(is_asked_to_stop)
            finally:
                if self.on_stop is not None:
                    self.on_stop()


def serve_here(
    serving: Serving,
    listening: socket.socket,
    *,
    cpu: int | None,
    on_ready: Callable[[], None],
) -> None:
    """Serves in the calling process until SIGTERM or SIGINT; a second one kills it."""
    stop = StopRequest()

    def on_signal(number: int, _: FrameType | None) -> None:
        if stop.is_asked:
            os._exit(128 + number)
        stop.ask()

    def on_listening(wake: Callable[[], None]) -> None:
        stop.wake = wake
        on_ready()

    with stop_signals(on_signal):
        serving.run(
            listening,
            cpu=cpu,
            share=Tally(1).share(0),
            is_asked_to_stop=lambda: stop.is_asked,
            on_listening=on_listening,
        )


@contextmanager
def stop_signals(handler: SignalHandler) -> Iterator[None]:
    """``handler`` has SIGTERM and SIGINT for a while; main thread only."""
    before = {number: signal.signal(number, handler) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def usable_cpus() -> list[int]:
    """The CPUs this process may run on; empty where it cannot choose among them."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    return sorted(os.sched_getaffinity(0))


@contextmanager
def pinned_to(cpu: int | None) -> Iterator[None]:
    """Keeps the calling thread, and those it starts meanwhile, on one CPU.

    Threads that pass the interpreter's lock from CPU to CPU spend their time with
    that (docs/serve.md has figures). Native code that could use several CPUs has one,
    too.
    """
    if cpu is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
