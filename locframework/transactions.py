"""Transactions, and the points around them where tests kill the process."""

import os
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Protocol


class Transactions(Protocol):
    """All or nothing, for the thread that asks."""

    def transaction(self) -> AbstractContextManager[None]:
        """Write: all of it is kept when the block ends, or nothing of it.

        When the outermost block has ended, what was written survives a crash of the
        machine. A block inside a block joins it. Reads inside see what was written.
        Waits up to 5 s for others, then raises Unavailable.
        """
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Read: everything in the block is seen as of one moment. No writes."""
        ...

    def before_commit(
        self, name: Hashable, begin: Callable[[], Callable[[], None]]
    ) -> None:
        """Look at something before a transaction changes it, and once more at its end.

        ``begin`` is called at once, and answers what is called when the outermost block
        ends, still inside it: what that writes is kept with the rest, and what it
        raises lets nothing be kept. A second call with the same ``name`` in one
        transaction does nothing. Outside a transaction: RuntimeError.
        """
        ...

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call once the outermost transaction is committed; never if it is not.

        Outside a transaction: at once. What ``call`` raises is logged and stays
        there.
        """
        ...


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
