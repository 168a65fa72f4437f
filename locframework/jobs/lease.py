"""Lease owners: names the process that holds a lease, and tells whether it ended."""

import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path


def _pid_namespace() -> str:
    """Return the host, boot and container in which process ids are unique.

    Containers often share a host name, and each has a process 1. Where there is no
    /proc there are no containers either, and the host's name is enough.
    """
    parts = [socket.gethostname()]
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        parts += [boot[:8], f"{Path('/proc/self/ns/pid').stat().st_ino:x}"]
    return ".".join(parts).replace(":", "-")


PID_NAMESPACE = _pid_namespace()
_PROCESS = secrets.token_hex(4)  # tells this process from an earlier one of its pid


def new_owner() -> str:
    """Return ``namespace:pid:nonce``, a name for one runner of this process."""
    return f"{PID_NAMESPACE}:{os.getpid()}:{_PROCESS}.{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """Return whether the owner's process has certainly ended; False if unknown."""
    namespace, pid, nonce = owner.rsplit(":", 2)
    if namespace != PID_NAMESPACE or os.name != "posix":
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
