"""Counts requests: never more than so many accepted in any 60 seconds, per key.

The window moves with every request. Fixed windows, sliding counters and leaky buckets
let more through in some minute, which decisions 2.2 rules out.
"""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from limits import RateLimitItemPerMinute
from limits.errors import ConfigurationError, StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from msgspec import Struct

from locframework.errors import RateLimited, SettingsError, Unavailable

from .operation import Rate
from .records import Principal

log = logging.getLogger("locframework.http")

WINDOW_SECONDS = 60
API_LIMIT = 600  # requests a minute; service.md, Limits
CONTENT_LIMIT = 6000  # requests a minute and address; decisions 2.8
STORAGE_TIMEOUT_SECONDS = 1


class Window(Struct, frozen=True):
    """What became of a request, and how much of the minute is left."""

    is_accepted: bool
    limit: int
    remaining: int
    frees_in_seconds: float  # until the oldest request leaves the window

    @property
    def retry_after_seconds(self) -> int:
        """Whole seconds after which a refused request would be accepted."""
        return int(self.frees_in_seconds) + 1

    def headers(self, now: float) -> list[tuple[str, str]]:
        """The three headers of decisions 2.2; ``now`` is in unix seconds."""
        return [
            ("X-RateLimit-Limit", str(self.limit)),
            ("X-RateLimit-Remaining", str(self.remaining)),
            ("X-RateLimit-Reset", str(math.ceil(now + self.frees_in_seconds))),
        ]


class Windows(Protocol):
    """Where accepted requests are remembered for a minute."""

    def take(self, key: str, limit: int) -> Window:
        """Count a request if fewer than ``limit`` were accepted in the last minute.

        A refused one is not counted. Raises Unavailable.
        """

    def ping(self) -> None:
        """Raise Unavailable when what remembers does not answer."""


class MemoryWindows:
    """Remembers in this process. Keys without a request for a minute are forgotten.

    Own code: limits 5.8 takes 8 µs for our 1.6, and reads the wall clock, so that 1,200
    requests passed in a minute in which the clock was set forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._taken: OrderedDict[str, array[float]] = OrderedDict()  # latest at the end

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, key: str, limit: int) -> Window:
        with self._lock:
            now = self._clock()
            left = now - WINDOW_SECONDS
            while self._taken:  # those without a request in the last minute
                oldest, times = next(iter(self._taken.items()))
                if times and times[-1] >= left:
                    break
                del self._taken[oldest]
            taken = self._taken.get(key)
            if taken is None:
                taken = self._taken[key] = array("d")
            if taken and taken[0] < left:
                del taken[: bisect_left(taken, left)]
            is_accepted = len(taken) < limit
            if is_accepted:
                taken.append(now)
                self._taken.move_to_end(key)
            frees_in_seconds = taken[0] - left if taken else 0.0
            return Window(is_accepted, limit, limit - len(taken), frees_in_seconds)

    def ping(self) -> None:
        """Always there."""


def memory_limit(limit: int, label: str) -> Callable[[str], None]:
    """Return a function that counts a key, in this process.

    It raises RateLimited, which names ``label``, beyond ``limit`` in a minute.
    """
    windows = MemoryWindows()

    def count(key: str) -> None:
        window = windows.take(key, limit)
        if not window.is_accepted:
            raise RateLimited(window.retry_after_seconds, label)

    return count


_SHARED = re.compile(r"(redis|valkey)s?(\+(cluster|sentinel|unix))?://")


class SharedWindows:
    """Remembers in a server that several processes share: Redis or Valkey."""

    def __init__(self, uri: str) -> None:
        """``uri`` as limits reads it. Raises SettingsError when it cannot be used.

        No message repeats the address, which may hold a password.
        """
        if not _SHARED.match(uri):
            raise _unusable("must be memory:// or begin with redis:// or valkey://")
        try:
            self._storage = storage_from_string(
                uri,
                wrap_exceptions=True,
                socket_timeout=STORAGE_TIMEOUT_SECONDS,
                socket_connect_timeout=STORAGE_TIMEOUT_SECONDS,
            )
            self._limiter = MovingWindowRateLimiter(self._storage)
        except ConfigurationError as error:  # the extra is missing
            raise _unusable(str(error)) from error
        except ValueError as error:
            wanted = "redis://:password@host:6379/0, with %2F for a / of the password"
            raise _unusable(f"is not an address such as {wanted}") from error
        self._answers = True

    def ping(self) -> None:
        if not self._storage.check():  # it keeps the reason to itself
            raise self._away("no answer to a ping")
        self._there()

    def take(self, key: str, limit: int) -> Window:
        per_minute = RateLimitItemPerMinute(limit)
        try:
            is_accepted = self._limiter.hit(per_minute, key)
            stats = self._limiter.get_window_stats(per_minute, key)
        except StorageError as error:
            raise self._away(error.storage_error) from error
        self._there()
        frees_in_seconds = max(0.0, stats.reset_time - time.time())
        return Window(is_accepted, limit, max(0, stats.remaining), frees_in_seconds)

    def _away(self, reason: object) -> Unavailable:
        """To be raised. Logged once, and not with each request that is refused."""
        if self._answers:
            self._answers = False
            log.error("the rate limit storage does not answer: %s", reason)
        return Unavailable("the rate limit storage does not answer")

    def _there(self) -> None:
        if not self._answers:
            self._answers = True
            log.warning("the rate limit storage answers again")


class RateLimiter:
    """Knows the limits of each class of requests."""

    def __init__(
        self,
        windows: Windows,
        *,
        api_limit: int = API_LIMIT,
        content_limit: int = CONTENT_LIMIT,
    ) -> None:
        self._windows = windows
        self._limits: dict[Rate, int] = {"api": api_limit, "content": content_limit}

    def take(self, rate: Rate, key: str) -> Window:
        """Count one request of ``key`` in its class. Raises Unavailable."""
        return self._windows.take(f"{rate}:{key}", self._limits[rate])

    def ping(self) -> None:
        """Raise Unavailable when no request can be counted, and so none served."""
        self._windows.ping()


def _unusable(reason: str) -> SettingsError:
    setting = "rate_limit_storage"
    return SettingsError(f"settings: {setting}: {reason}", setting)


def open_windows(uri: str) -> Windows:
    """``memory://``: this process only; ``redis://…``, ``valkey://…``: shared.

    Raises SettingsError when the URI is of no kind there is.
    """
    return MemoryWindows() if uri == "memory://" else SharedWindows(uri)


def principal_key(caller: Principal) -> str:
    """What one caller is told from another by, from request to request."""
    if caller.token is not None:
        return f"token:{caller.token.id}"
    return f"token:{caller.actor.type}:{caller.actor.id}"
