"""What holds for the tests of the core and of every plugin."""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # nothing fails for being slow
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are CPUs: tests wait for disks, databases and processes."""
    return len(os.sched_getaffinity(0)) + 1
