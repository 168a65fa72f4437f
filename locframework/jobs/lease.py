"""Who holds a job, whether they still live, and how a lease is kept."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .records import StoredJob
from .work import Work

log = logging.getLogger("locframework.jobs")


def _place() -> str:
    """Names where process numbers mean the same: host, its boot, and container.

    Containers often share a host name, and each has a process 1. Where there is no
    /proc there are no containers either, and the host's name is all.
    """
    parts = [socket.gethostname()]
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        parts += [boot[:8], f"{Path('/proc/self/ns/pid').stat().st_ino:x}"]
    return ".".join(parts).replace(":", "-")


PLACE = _place()
_PROCESS = secrets.token_hex(4)  # tells this process from an earlier one of its pid


def new_owner() -> str:
    """``place:pid:nonce``, a name for one runner of this process."""
    return f"{PLACE}:{os.getpid()}:{_PROCESS}.{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """Whether a runner of this place surely lives no more; else False."""
    place, pid, nonce = owner.rsplit(":", 2)
    if place != PLACE or os.name != "posix":
        return False
    if int(pid) == os.getpid():
        return not nonce.startswith(f"{_PROCESS}.")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


class Heartbeat:
    """Calls ``beat`` for each job at work every so often, from one thread beside.

    The thread ends by itself when nothing is at work.
    """

    def __init__(
        self, beat: Callable[[StoredJob, Work], None], every_seconds: float
    ) -> None:
        self._beat = beat
        self._every_seconds = every_seconds
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, int], tuple[StoredJob, Work]] = {}
        self._runs = False

    @contextmanager
    def keep(self, job: StoredJob, work: Work) -> Iterator[None]:
        """Beat for the job for as long as the block takes.

        A job that was taken over by a runner of this process is at work twice for a
        while: each attempt has a beat of its own.
        """
        attempt = job.job.id, job.attempt
        with self._lock:
            self._kept[attempt] = job, work
            if not self._runs:
                self._runs = True
                threading.Thread(
                    target=self._run, name="locframework-lease", daemon=True
                ).start()
        try:
            yield
        finally:
            with self._lock:
                del self._kept[attempt]

    def _run(self) -> None:
        while True:
            time.sleep(self._every_seconds)
            with self._lock:
                kept = list(self._kept.values())
                if not kept:
                    self._runs = False
                    return
            for job, work in kept:
                try:
                    self._beat(job, work)
                except Exception:
                    log.exception("the heartbeat of job %s failed", job.job.id)
