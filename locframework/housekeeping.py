"""Clears away what nobody can reach any more, some of it each minute."""

from datetime import timedelta

from .fields import Clock, timestamp
from .http.idempotency import STORED_FOR as KEYS_KEPT
from .storage import Storage

DELIVERIES_KEPT = timedelta(days=30)  # the log of webhooks, decisions 2.7
TRASH_KEPT = timedelta(days=30)  # what was deleted, and branches that ended
REMOVALS_KNOWN = timedelta(days=30)  # to the indexes of matchers: at most twice that
PURGED_AT_ONCE = 1000
LOG_PURGED_MOST = 50_000  # deliveries a round, in pieces: as many come on a busy day


class Purge:
    """One round: short transactions, one for each kind of thing."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def __call__(self) -> None:
        """Drop up to a thousand rows of each kind, and more of the log of webhooks."""
        storage, trash = self._storage, self._before(TRASH_KEPT)
        with storage.transaction():
            storage.keys.purge_trash(trash, PURGED_AT_ONCE)
        with storage.transaction():
            storage.projects.purge_projects(trash, PURGED_AT_ONCE)
        with storage.transaction():
            storage.delivery.purge_distributions(trash, PURGED_AT_ONCE)
        with storage.transaction():
            storage.glossaries.purge_glossaries(trash, PURGED_AT_ONCE)
        with storage.transaction():
            storage.branches.purge_branches(trash, PURGED_AT_ONCE)
        with storage.transaction():
            storage.memories.purge_memories(trash, PURGED_AT_ONCE)
        with storage.transaction():
            now, known = timestamp(self._clock()), self._before(REMOVALS_KNOWN)
            storage.memories.forget_removals(now, known, PURGED_AT_ONCE)
        with storage.transaction():
            storage.idempotency.purge(self._before(KEYS_KEPT), PURGED_AT_ONCE)
        with storage.transaction():
            storage.webhooks.purge_webhooks(PURGED_AT_ONCE)
        self._purge_log(self._before(DELIVERIES_KEPT))

    def _purge_log(self, before: str) -> None:
        for _ in range(LOG_PURGED_MOST // PURGED_AT_ONCE):
            with self._storage.transaction():
                gone = self._storage.webhooks.prune(before, PURGED_AT_ONCE)
            if gone < PURGED_AT_ONCE:
                return

    def _before(self, kept: timedelta) -> str:
        return timestamp(self._clock() - kept)
