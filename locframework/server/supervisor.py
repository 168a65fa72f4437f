"""Keeps several serving processes alive on one port, and stops them together."""

import logging
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from time import monotonic
from types import FrameType

from locframework.errors import PluginError, SettingsError

from .limits import ServerError
from .process import STOP_SIGNALS, Serving, StopRequest, stop_signals
from .share import Share, Tally

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 30.0
CALM_SECONDS = 10.0  # who lived so long did not die of its start
MARGIN_SECONDS = 2.0  # between a child's own limit for stopping and our patience
# A signal that comes just before we begin to wait does not end the waiting.
WAIT_SECONDS = 1.0

_READY, _STOP = b"r", b"s"


@dataclass
class _Seat:
    """A place for one serving process; it keeps its CPU over the processes."""

    number: int
    cpu: int | None
    process: ForkProcess | None = None
    started_at: float = 0.0
    pause_seconds: float = FIRST_PAUSE_SECONDS
    start_at: float = 0.0


class Supervisor:
    """The parent: starts, replaces and stops serving processes. It serves nothing.

    All children accept from one inherited socket: the port can be 0, the one that
    is free takes the next connection, and none is lost when a child dies.
    """

    def __init__(
        self,
        serving: Serving,
        listening: socket.socket,
        *,
        cpus: list[int | None],
        on_ready: Callable[[], None],
    ) -> None:
        self._serving = serving
        self._listening = listening
        self._on_ready = on_ready
        self._seats = [_Seat(number, cpu) for number, cpu in enumerate(cpus)]
        self._tally = Tally(len(cpus))
        self._ready_count = 0
        self._is_ready = False
        self._is_stopping = False
        # One byte a message: a child serves, or a signal wants us to stop.
        self._mailbox, self._letter_slot = os.pipe()

    def run(self) -> None:
        """Serves until SIGTERM or SIGINT; a second one kills at once.

        Raises ServerError when a child ends before all have served.
        """
        with stop_signals(self._on_signal):
            try:
                while not self._is_stopping:
                    self._fill_seats()
                    self._wait()
            finally:
                self._stop_all()
                os.close(self._mailbox)
                os.close(self._letter_slot)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if self._is_stopping:
            for process in self._processes():
                process.kill()
            os._exit(128 + number)
        self._is_stopping = True
        os.write(self._letter_slot, _STOP)

    def _processes(self) -> list[ForkProcess]:
        return [seat.process for seat in self._seats if seat.process is not None]

    def _fill_seats(self) -> None:
        for seat in self._seats:
            if seat.process is None and seat.start_at <= monotonic():
                seat.process, seat.started_at = self._start(seat), monotonic()

    def _start(self, seat: _Seat) -> ForkProcess:
        process = multiprocessing.get_context("fork").Process(
            target=_child,
            args=(
                self._serving,
                self._listening,
                seat.cpu,
                self._tally.share(seat.number),
                os.getpid(),
                self._letter_slot,
            ),
            name="locframework-server",
        )
        # A signal between the fork and the child's own handlers would run ours there.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        return process

    def _wait(self) -> None:
        """Sleeps until there is a letter, a death, or an empty seat to fill."""
        due = [seat.start_at for seat in self._seats if seat.process is None]
        now = monotonic()
        timeout = max(0.0, min([*due, now + WAIT_SECONDS]) - now)
        ends = [process.sentinel for process in self._processes()]
        happened = wait([self._mailbox, *ends], timeout)
        if self._mailbox in happened:
            self._ready_count += os.read(self._mailbox, 1024).count(_READY)
        if not self._is_ready and self._ready_count >= len(self._seats):
            self._is_ready = True
            self._on_ready()
        for seat in self._seats:
            if seat.process is not None and seat.process.sentinel in happened:
                self._clear(seat, seat.process)

    def _clear(self, seat: _Seat, ended: ForkProcess) -> None:
        ended.join()
        seat.process = None
        self._tally.clear(seat.number)
        if self._is_stopping:
            return
        if not self._is_ready:
            raise ServerError("a serving process ended before it could serve")
        if monotonic() - seat.started_at >= CALM_SECONDS:
            seat.pause_seconds = FIRST_PAUSE_SECONDS
        log.error(
            "serving process %s ended with %s; the next one starts in %.1f s",
            ended.pid,
            ended.exitcode,
            seat.pause_seconds,
        )
        seat.start_at = monotonic() + seat.pause_seconds
        seat.pause_seconds = min(seat.pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    def _stop_all(self) -> None:
        self._is_stopping = True
        self._listening.close()  # or clients would queue where nobody accepts
        limits = self._serving.limits
        most = limits.stop_seconds + limits.on_stop_seconds + MARGIN_SECONDS
        until = monotonic() + most
        for process in self._processes():
            process.terminate()
        for process in self._processes():
            process.join(max(0.0, until - monotonic()))
            if process.is_alive():
                log.error("serving process %s did not stop and is killed", process.pid)
                process.kill()
                process.join()


def _child(
    serving: Serving,
    listening: socket.socket,
    cpu: int | None,
    share: Share,
    parent: int,
    letter_slot: int,
) -> None:
    """Serves until SIGTERM, or until the parent is gone.

    SIGINT is the parent's to pass on: a terminal sends it to all of us. SIGTERM may
    come twice for the same reason, so it never kills here.
    """
    stop = StopRequest()
    signal.signal(signal.SIGTERM, lambda *_: stop.ask())
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def on_listening(wake: Callable[[], None]) -> None:
        stop.wake = wake
        os.write(letter_slot, _READY)

    try:
        serving.run(
            listening,
            cpu=cpu,
            share=share,
            is_asked_to_stop=lambda: stop.is_asked or os.getppid() != parent,
            on_listening=on_listening,
        )
    except (PluginError, SettingsError) as error:  # one line says it all
        raise SystemExit(str(error)) from error
