"""Looks for due work each second, and runs housekeeping each minute."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC
from functools import partial

from apscheduler.executors.pool import (  # type: ignore[import-untyped]
    ThreadPoolExecutor,
)
from apscheduler.schedulers.background import (  # type: ignore[import-untyped]
    BackgroundScheduler,
)

from locframework.errors import Unavailable

log = logging.getLogger("locframework.jobs")

LOOK_SECONDS = 1
HOUSEKEEPING_SECONDS = 60

_POOL = "locframework"


class Ticker:
    """A clock that rings; nothing is kept in it that a restart could lose.

    What is due stands in the store, so a ring that is late or missed loses nothing.
    """

    def __init__(
        self, look: Callable[[], None], housekeeping: Sequence[Callable[[], object]]
    ) -> None:
        # It says "added", "running" and "done" of every ring, each second, at INFO.
        own = logging.getLogger("locframework.jobs.ticker")
        for noisy in (own, logging.getLogger(f"apscheduler.executors.{_POOL}")):
            noisy.setLevel(logging.WARNING)
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={_POOL: ThreadPoolExecutor(2)},
            job_defaults={
                "coalesce": True,
                "max_instances": 1,
                "misfire_grace_time": None,  # the default drops late rings
                "executor": _POOL,
            },
            logger=own,
        )
        self._ring(partial(_do, look, logging.INFO), LOOK_SECONDS)
        for chore in housekeeping:
            self._ring(partial(_do, chore), HOUSEKEEPING_SECONDS)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        """No ring begins any more; one that is on its way is waited for."""
        self._scheduler.shutdown(wait=True)

    def _ring(self, call: Callable[[], object], seconds: int) -> None:
        self._scheduler.add_job(call, "interval", seconds=seconds, executor=_POOL)


def _do(chore: Callable[[], object], level: int = logging.WARNING) -> None:
    try:
        chore()
    except Unavailable as reason:  # the next round does it
        log.log(level, "background work is put off: %s", reason)
