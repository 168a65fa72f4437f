"""Registers serving processes, so that no two of them count requests apart."""

import logging
import os
import socket
from collections.abc import Collection
from datetime import timedelta
from threading import Event, Thread
from typing import Protocol, Self

from msgspec import Struct
from msgspec.structs import replace

from .errors import LocError, SettingsError
from .fields import Clock, Timestamp, new_id, timestamp

LEASE = timedelta(seconds=30)
RENEW_SECONDS = 10.0
MEMORY = "memory://"

log = logging.getLogger("locframework.processes")


class ServingProcess(Struct, frozen=True):
    """A process that serves the API."""

    id: str
    host: str
    address: str  # "127.0.0.1:8080"; "" if another server listens for it
    pid: int
    has_own_limits: bool  # counts requests in its memory
    lease_until: Timestamp


class ProcessStore(Protocol):
    """The registered serving processes; a handful."""

    def save(self, process: ServingProcess) -> None:
        """Insert the process, or replace the one with its id."""

    def list_all(self) -> list[ServingProcess]:
        """Return them in the order of their ids."""

    def delete(self, ids: Collection[str]) -> None: ...


class Registration:
    """The registration of this process; a context manager."""

    def __init__(
        self,
        store: ProcessStore,
        clock: Clock,
        rate_limit_storage: str,
        address: str = "",
    ) -> None:
        self._store, self._clock = store, clock
        self._own = ServingProcess(
            new_id(),
            socket.gethostname(),
            address,
            os.getpid(),
            rate_limit_storage == MEMORY,
            "",
        )
        self._is_over = Event()
        self._renewer = Thread(target=self._renew, name="locframework-registration")
        self._renewer.daemon = True

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> Self:
        """Register, and renew the lease from now on. Raises SettingsError if another
        process is registered, and either of both counts requests in its memory: a
        client would have 600 a minute of each."""
        self._save()  # before reading: of two that start at once, one sees the other
        others = [each for each in self._store.list_all() if each.id != self._own.id]
        now = timestamp(self._clock())
        replaced = [each for each in others if is_replaced(each, self._own, now)]
        self._store.delete([each.id for each in replaced])
        for other in others:
            apart = self._own.has_own_limits or other.has_own_limits
            if apart and other not in replaced:
                self._store.delete([self._own.id])
                raise SettingsError(_refusal(other), "rate_limit_storage")
        self._renewer.start()
        return self

    def end(self) -> None:
        """Remove the registration."""
        self._is_over.set()
        self._renewer.join()
        try:
            self._store.delete([self._own.id])
        except LocError as error:  # its lease ends by itself
            log.warning("cannot remove the registration of this process: %s", error)

    def _renew(self) -> None:
        while not self._is_over.wait(RENEW_SECONDS):
            try:
                self._save()
            except LocError as error:
                log.warning("cannot renew the registration of this process: %s", error)

    def _save(self) -> None:
        lease_until = timestamp(self._clock() + LEASE)
        self._store.save(replace(self._own, lease_until=lease_until))


def is_replaced(other: ServingProcess, own: ServingProcess, now: Timestamp) -> bool:
    """Return whether another process serves no more: its lease has ended, or on this
    host, ``own`` has its address or pid, or nothing has its pid."""
    if other.lease_until <= now:
        return True
    if other.host != own.host:
        return False
    has_same_address = bool(own.address) and other.address == own.address
    return has_same_address or other.pid == own.pid or not is_running(other.pid)


def is_running(pid: int) -> bool:
    """Return whether a process of this host has the pid; True if unknown."""
    if os.name != "posix":  # there, signal 0 is Ctrl+C
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _refusal(other: ServingProcess) -> str:
    where = f" at {other.address}" if other.address else ""
    return (
        f'settings: rate_limit_storage: "{MEMORY}" counts requests in each process, and'
        f" process {other.pid} on {other.host} serves too{where};"
        " set it to redis://HOST:6379/0 in both"
    )
