"""Places where a process can be made to die, for the tests of what survives it."""

import os


class _Armed:
    """The place to die at, and how many passes of it are left."""

    place = ""
    passes_left = 0


def arm(where: str) -> None:
    """Die at this place from now on; ``import.after_batch#3``: at the third pass.

    The environment variable ``LOCFRAMEWORK_CRASH_AT`` does so from the start.
    """
    _Armed.place, _, nth = where.partition("#")
    _Armed.passes_left = int(nth or "1")


def crash_point(place: str) -> None:
    """Die like ``kill -9`` here, if this is the place."""
    if place == _Armed.place:
        _Armed.passes_left -= 1
        if not _Armed.passes_left:
            os._exit(137)


arm(os.environ.get("LOCFRAMEWORK_CRASH_AT", ""))
