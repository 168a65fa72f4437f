"""What jobs of the tests do, and how a test waits for it."""

import time
from collections.abc import Callable

from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work


def wait_until(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.005)
    return False


def succeeds(job: StoredJob, work: Work) -> None:
    with work.finish() as outcome:
        outcome.result = {"got": dict(job.params)}
