"""Tells whether the process lives, and whether it can serve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from .operation import operation

Check = Callable[[], object]
"""Asks a part that requests need. Raises Unavailable when it does not answer."""


class Health(Struct, frozen=True):
    """The state of the process."""

    status: Literal["ok"] = "ok"


class HealthEndpoints:
    """Declares the two probes; no limit counts them, lest it kill a process."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self._checks = checks

    @operation("GET", "/healthz", public=True, rate=None, head=True, tag="Service")
    def get_health(self) -> Health:
        """Check whether the process is alive."""
        return Health()

    @operation("GET", "/readyz", public=True, rate=None, head=True, tag="Service")
    def get_readiness(self) -> Health:
        """Check whether requests can be served.

        503 while the database, or a shared rate limit storage, does not answer.
        """
        for check in self._checks:
            check()
        return Health()
