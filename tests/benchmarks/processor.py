"""Processor time that processes have taken, from /proc, which only Linux has."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

_PROC = Path("/proc")
_USER, _SYSTEM = 11, 12  # of what stands behind the name in /proc/PID/stat


def seconds_of(pids: Iterable[int]) -> float:
    """Of these processes so far, in user mode and in the kernel; NaN without /proc."""
    if not _PROC.is_dir():
        return math.nan
    ticks = 0
    for pid in pids:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[_USER]) + int(fields[_SYSTEM])
    return ticks / os.sysconf("SC_CLK_TCK")


def with_children(pid: int) -> list[int]:
    """The process, and those that it has started."""
    found = [pid]
    for children in (_PROC / str(pid) / "task").glob("*/children"):
        for child in children.read_text().split():
            found += with_children(int(child))
    return found


def sessions_of(url: str) -> list[int]:
    """The processes in which PostgreSQL serves clients of the database at ``url``, on
    this machine; none of SQLite."""
    if url.startswith("sqlite:"):
        return []
    name = urlsplit(url).path.removeprefix("/").encode()
    titles = {title.parent.name: _read(title) for title in _PROC.glob("[0-9]*/cmdline")}
    return [
        int(pid)
        for pid, title in titles.items()
        if title.startswith(b"postgres:")
        and name in title.split()
        and b" worker " not in title  # that comes and goes
    ]


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""
