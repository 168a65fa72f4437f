"""Polls for due work each second, and runs housekeeping each minute."""

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

POLL_SECONDS = 1
HOUSEKEEPING_SECONDS = 60

_POOL = "locframework"


class Ticker:
    """Calls functions at intervals, from two threads; a late or missed call loses
    nothing."""

    def __init__(
        self, poll: Callable[[], None], housekeeping: Sequence[Callable[[], object]]
    ) -> None:
        # APScheduler logs three lines for every call at INFO
        own = logging.getLogger("locframework.jobs.ticker")
        for noisy in (own, logging.getLogger(f"apscheduler.executors.{_POOL}")):
            noisy.setLevel(logging.WARNING)
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={_POOL: ThreadPoolExecutor(2)},
            job_defaults={
                "coalesce": True,
                "max_instances": 1,
                "misfire_grace_time": None,  # the default drops late calls
                "executor": _POOL,
            },
            logger=own,
        )
        self._add(partial(_call, poll, logging.INFO), POLL_SECONDS)
        for task in housekeeping:
            self._add(partial(_call, task, logging.WARNING), HOUSEKEEPING_SECONDS)

    def start(self) -> None:
        """Start the threads."""
        self._scheduler.start()

    def stop(self) -> None:
        """Start no more calls, and wait for running ones."""
        self._scheduler.shutdown(wait=True)

    def _add(self, call: Callable[[], object], seconds: int) -> None:
        self._scheduler.add_job(call, "interval", seconds=seconds, executor=_POOL)


def _call(task: Callable[[], object], unavailable_level: int) -> None:
    try:
        task()
    except Unavailable as reason:  # the next call does it
        log.log(unavailable_level, "background work is postponed: %s", reason)
