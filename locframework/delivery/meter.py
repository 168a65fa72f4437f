"""Counts what organizations were delivered, and knows who is over quota."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta

from msgspec import Struct

from locframework.access.records import Quota
from locframework.access.store import AccessStore
from locframework.errors import Unavailable
from locframework.fields import Clock
from locframework.transactions import Transactions

from .records import Usage
from .rules import added, month_of
from .store import DeliveryStore

log = logging.getLogger("locframework.delivery")

WRITTEN_EVERY_SECONDS = 10.0
QUOTA_LOOKED_UP_EVERY_SECONDS = 5.0
NOTHING = Usage(0, 0)


class _Standing(Struct):
    """What is known of an organization's quota, for some seconds."""

    quota: Quota | None
    stored: Usage
    looked_up_at: float
    month: str


class Meter:
    """Usage by organization and calendar month (UTC), gathered in memory.

    Written every ten seconds and at the end, so a process that is killed loses ten
    seconds of counts at most; a quota change shows within five.
    """

    def __init__(
        self,
        store: DeliveryStore,
        organizations: AccessStore,
        transactions: Transactions,
        clock: Clock,
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        self._store = store
        self._organizations = organizations
        self._transactions = transactions
        self._clock = clock
        self._later = later
        self._lock = threading.Lock()
        self._gathered: dict[tuple[str, str], Usage] = {}  # (month, organization)
        self._standings: dict[str, _Standing] = {}
        self._written_at = time.monotonic()

    def count(self, organization_id: str, byte_size: int) -> None:
        """One public answer of so many bytes was given."""
        place = (month_of(self._clock()), organization_id)
        now = time.monotonic()
        with self._lock:
            usage = self._gathered.get(place, NOTHING)
            self._gathered[place] = Usage(usage.requests + 1, usage.bytes + byte_size)
            is_due = now - self._written_at > WRITTEN_EVERY_SECONDS
            if is_due:
                self._written_at = now
        if is_due:
            self._later(self.write)

    def is_exceeded(self, organization_id: str) -> bool:
        """Whether the organization was delivered more this month than its quota."""
        standing = self._standing(organization_id)
        if standing.quota is None:
            return False
        with self._lock:
            gathered = self._gathered.get((standing.month, organization_id), NOTHING)
        usage = added(standing.stored, gathered)
        quota = standing.quota
        return usage.requests >= quota.requests or usage.bytes >= quota.bytes

    def seconds_left_of_month(self) -> int:
        """Until the counts start anew."""
        now = self._clock()
        first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        following = (first + timedelta(days=32)).replace(day=1)
        return int((following - now).total_seconds()) + 1

    def write(self) -> None:
        """Add what was gathered to what is stored."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
            self._standings.clear()
        if not gathered:
            return
        by_month: dict[str, list[tuple[str, Usage]]] = {}
        for (month, organization_id), usage in sorted(gathered.items()):
            by_month.setdefault(month, []).append((organization_id, usage))
        try:
            with self._transactions.transaction():
                for month, usages in by_month.items():
                    self._store.add_usage(month, usages)
        except Unavailable:
            log.warning("usage could not be written; it is kept for the next time")
            self._take_back(gathered)

    def _take_back(self, gathered: Mapping[tuple[str, str], Usage]) -> None:
        with self._lock:
            for place, usage in gathered.items():
                now = self._gathered.get(place, NOTHING)
                self._gathered[place] = added(now, usage)

    def _standing(self, organization_id: str) -> _Standing:
        now, month = time.monotonic(), month_of(self._clock())
        known = self._standings.get(organization_id)
        since = now - QUOTA_LOOKED_UP_EVERY_SECONDS
        if known is not None and known.month == month and known.looked_up_at > since:
            return known
        organization = self._organizations.organizations.find(organization_id)
        quota = organization.delivery_quota if organization else None
        stored = NOTHING
        if quota is not None:
            stored = self._store.usage_of(organization_id, month)
        known = _Standing(quota, stored, now, month)
        self._standings[organization_id] = known
        return known
