"""How long the hooks of plugins take: counted for ``/metrics``, logged where slow."""

import logging
import threading
from collections.abc import Hashable, Mapping
from time import monotonic, perf_counter

from msgspec import Struct
from msgspec.structs import replace

SLOW_SECONDS = 0.1
LOG_INTERVAL_SECONDS = 60.0

log = logging.getLogger("locframework.plugins")

Hook = tuple[str, str]
"""The name of a plugin, and that of a hook; ``check:NAME`` for one of its checks."""


class HookCount(Struct):
    """What the calls of one hook of a plugin came to."""

    calls: int = 0
    seconds: float = 0.0
    failures: int = 0


class _Here(threading.local):
    def __init__(self) -> None:
        self.seconds: dict[Hook, float] = {}


class HookTimes:
    """Counts the calls of hooks, and logs slow ones; threads may share it."""

    def __init__(self) -> None:
        self._counts: dict[Hook, HookCount] = {}
        self._here = _Here()
        self._logged: dict[Hashable, float] = {}
        self._lock = threading.Lock()

    def add(self, hook: Hook, began: float, *, failed: bool = False) -> float:
        """Count a call that began at ``perf_counter()``; return its seconds."""
        seconds = perf_counter() - began
        here = self._here.seconds
        here[hook] = here.get(hook, 0.0) + seconds
        with self._lock:
            count = self._counts.get(hook)
            if count is None:
                count = self._counts[hook] = HookCount()
            count.calls += 1
            count.seconds += seconds
            count.failures += failed
        return seconds

    def counts(self) -> dict[Hook, HookCount]:
        """Return the counts of this process."""
        with self._lock:
            return {hook: replace(count) for hook, count in self._counts.items()}

    def so_far(self) -> Mapping[Hook, float]:
        """Return the seconds of each hook in this thread: what ``log_slow`` takes."""
        return {**self._here.seconds}

    def log_slow(self, before: Mapping[Hook, float], during: str) -> None:
        """Log each hook that took more than 100 ms in this thread since ``before``,
        once a minute at most."""
        for hook, seconds in self._here.seconds.items():
            taken = seconds - before.get(hook, 0.0)
            if taken > SLOW_SECONDS and self.may_log(hook):
                log.warning(
                    "plugin %s is slow: %s took %.0f ms during %s",
                    *(*hook, taken * 1000, during),
                )

    def may_log(self, what: Hashable) -> bool:
        """Return True once a minute for ``what``."""
        now = monotonic()
        with self._lock:
            if now - self._logged.get(what, -LOG_INTERVAL_SECONDS) < (
                LOG_INTERVAL_SECONDS
            ):
                return False
            self._logged[what] = now
            return True
