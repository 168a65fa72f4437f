"""Clears away what nobody can reach any more, some of it each minute."""

import logging
from datetime import timedelta

from .fields import Clock, timestamp
from .http.idempotency import STORED_FOR as KEYS_KEPT
from .storage import Purgeable, Storage

log = logging.getLogger("locframework")

DELIVERIES_KEPT = timedelta(days=30)  # the log of webhooks, decisions 2.7
JOBS_KEPT = timedelta(days=30)  # decisions 2.6
TRASH_KEPT = timedelta(days=30)  # what was deleted, and branches that ended
LISTENERS_KEPT = timedelta(days=30)  # of plugins that no process has any more
REMOVALS_KNOWN = timedelta(days=30)  # to the indexes of matchers: at most twice that
TRASH: tuple[Purgeable, ...] = (
    *("keys", "projects", "distributions", "glossaries", "branches", "memories"),
)
PURGED_AT_ONCE = 1000
LOG_PURGED_MOST = 50_000  # deliveries a round, in pieces: as many come on a busy day


class Purge:
    """One round: short transactions, one for each kind of thing."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def __call__(self) -> None:
        """Drop up to a thousand rows of each kind, and more of the log of webhooks."""
        trash = self._before(TRASH_KEPT)
        for table in TRASH:
            self._purge(table, trash)
        with self._storage.transaction():
            now, known = timestamp(self._clock()), self._before(REMOVALS_KNOWN)
            self._storage.memories.forget_removals(now, known, PURGED_AT_ONCE)
        self._purge("idempotency_keys", self._before(KEYS_KEPT))
        self._purge("jobs", self._before(JOBS_KEPT))
        self._purge("webhooks", timestamp(self._clock()))
        if gone := self._purge("listeners", self._before(LISTENERS_KEPT)):
            log.warning(
                "%d rows of durable listeners were dropped: no process has had their"
                " plugins for 30 days",
                gone,
            )
        for _ in range(LOG_PURGED_MOST // PURGED_AT_ONCE):
            gone = self._purge("deliveries", self._before(DELIVERIES_KEPT))
            if gone < PURGED_AT_ONCE:
                return

    def _purge(self, table: Purgeable, before: str) -> int:
        with self._storage.transaction():
            return self._storage.purge(table, before, PURGED_AT_ONCE)

    def _before(self, kept: timedelta) -> str:
        return timestamp(self._clock() - kept)
