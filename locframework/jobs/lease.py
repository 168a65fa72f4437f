"""Lease owners: processes that hold leases on jobs and deliveries."""

import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from locframework.errors import Unavailable
from locframework.fields import Clock, Timestamp, timestamp
from locframework.processes import is_running
from locframework.transactions import Transactions

from .records import Queues

log = logging.getLogger("locframework.jobs")


class LeaseStorage(Transactions, Protocol):
    """The jobs and deliveries in a storage, and the leases on them."""

    def release_leases(
        self, is_over: Callable[[str], bool], now: Timestamp
    ) -> None: ...

    def queues(self, now: Timestamp) -> Queues: ...


def _pid_namespace() -> str:
    """Return the host, boot and container in which process ids are unique: containers
    often share a host name, and each has a process 1."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        parts += [boot[:8], f"{Path('/proc/self/ns/pid').stat().st_ino:x}"]
    return ".".join(parts).replace(":", "-")


PID_NAMESPACE = _pid_namespace()
_PROCESS = secrets.token_hex(4)  # differs from an earlier process with its pid


def new_owner() -> str:
    """Return ``namespace:pid:nonce``, a name for one runner of this process."""
    return f"{PID_NAMESPACE}:{os.getpid()}:{_PROCESS}.{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """Return whether the owner's process has certainly ended; False if unknown."""
    namespace, pid, nonce = owner.rsplit(":", 2)
    if namespace != PID_NAMESPACE:
        return False
    if int(pid) == os.getpid():
        return not nonce.startswith(f"{_PROCESS}.")
    return not is_running(int(pid))


def release_leases(
    storage: LeaseStorage, clock: Clock, owner: str | None = None
) -> None:
    """Release the leases of an owner, or those of this host's dead processes. If the
    storage is unavailable they expire."""
    try:
        storage.release_leases(
            is_dead if owner is None else owner.__eq__, timestamp(clock())
        )
    except Unavailable as error:
        whose = "dead processes" if owner is None else owner
        log.warning("the leases of %s are not released: %s", whose, error)
