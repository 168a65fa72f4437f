"""Moves keys to the trash and restores them, on every path."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.branches.service import BranchScope
from locframework.errors import KeyExists, LocError, WriteRefused, truncate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.keys.branch_copies import count_changes
from locframework.keys.changes import KeyAction, key_change
from locframework.keys.records import Origin, StoredKey
from locframework.keys.rules import check_key
from locframework.keys.store import KeyStorage, store_of
from locframework.projects.records import Language

from .unit_of_work import KeyEvents
from .writer import KeyWriter


@dataclass(eq=False, repr=False)
class KeyTrash:
    """Trashes and restores keys in a constant number of statements.

    ``check_trash`` and ``check_restore`` only read. The others need a transaction that
    holds the project's lock. The service has checked that the caller may delete keys.
    """

    _storage: KeyStorage
    _writer: KeyWriter
    _events: EventLog
    _clock: Clock

    def check_trash(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[StoredKey],
        *,
        origin: Origin = "human",
    ) -> dict[str, LocError]:
        """Return why keys cannot go to the trash, by id: WriteRefused."""
        return self._vetoed(caller, scope, "delete", keys, origin)

    def check_restore(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[StoredKey],
        *,
        origin: Origin = "human",
        free: Collection[str] = (),
    ) -> dict[str, LocError]:
        """Return why keys of the trash cannot be restored, by id.

        KeyExists where a name is taken, InvalidKey where another key separator made it
        illegal, WriteRefused. ``free``: ids of keys whose names may be taken.
        """
        if not keys:
            return {}
        errors = self._vetoed(caller, scope, "restore", keys, origin)
        names = {key.key for key in keys}
        stored = store_of(self._storage, scope).find_keys(scope.project.id, names=names)
        taken = {key.key: id_ for id_, key in stored.items() if id_ not in free}
        for key in keys:
            try:
                check_key(key.key, scope.project.key_separator)
                if key.key in taken:
                    raise KeyExists(
                        f"key {taken[key.key]} now has the name {truncate(key.key)!r};"
                        f" rename or delete it, and {key.id} can be restored"
                    )
            except LocError as error:
                errors.setdefault(key.id, error)
            if key.id not in errors:
                taken[key.key] = key.id
        return errors

    def trash(
        self, caller: Caller, scope: BranchScope, keys: Sequence[StoredKey]
    ) -> None:
        """Move checked keys to the trash. They can be restored for 30 days."""
        if not keys:
            return
        ids, now = [key.id for key in keys], timestamp(self._clock())
        self._writer.completion.watch(caller.actor, scope)
        store_of(self._storage, scope).trash_keys(
            scope.project.id, ids, now, caller.actor.id
        )
        events = KeyEvents(self._events, caller.actor, scope, now)
        events.add_keys("key.deleted", keys)
        events.append()
        count_changes(self._storage, scope, ids, now)

    def restore(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        keys: Sequence[StoredKey],
    ) -> None:
        """Restore checked keys from the trash, with their values."""
        if not keys:
            return
        ids, now = [key.id for key in keys], timestamp(self._clock())
        self._writer.completion.watch(caller.actor, scope)
        store_of(self._storage, scope).restore_keys(scope.project.id, ids, now)
        self._writer.check_again(scope, languages, ids)
        events = KeyEvents(self._events, caller.actor, scope, now)
        events.add_keys("key.restored", keys)
        events.append()
        count_changes(self._storage, scope, ids, now)

    def trash_each(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[StoredKey],
        *,
        origin: Origin = "human",
        dry_run: bool = False,
    ) -> dict[str, LocError]:
        """Check keys, and trash those that may go; return the errors of others."""
        errors = self.check_trash(caller, scope, keys, origin=origin)
        if not dry_run:
            self.trash(caller, scope, [key for key in keys if key.id not in errors])
        return errors

    def restore_each(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        keys: Sequence[StoredKey],
        *,
        origin: Origin = "human",
        free: Collection[str] = (),
        dry_run: bool = False,
    ) -> dict[str, LocError]:
        """Check keys, and restore those that can be; return the errors of others."""
        errors = self.check_restore(caller, scope, keys, origin=origin, free=free)
        if not dry_run:
            back = [key for key in keys if key.id not in errors]
            self.restore(caller, scope, languages, back)
        return errors

    def _vetoed(
        self,
        caller: Caller,
        scope: BranchScope,
        action: KeyAction,
        keys: Sequence[StoredKey],
        origin: Origin,
    ) -> dict[str, LocError]:
        errors: dict[str, LocError] = {}
        veto, times = self._writer.veto, self._writer.times
        started = times.so_far() if times is not None else {}
        for key in keys if veto is not None else ():
            assert veto is not None
            where = scope.project, scope.name, action, origin
            before, after = (key, None) if action == "delete" else (None, key)
            try:
                veto(caller, key_change(*where, before=before, after=after))
            except WriteRefused as error:
                errors[key.id] = error
        if times is not None:
            times.log_slow(started, f"the {action} of {len(keys)} keys")
        return errors


def raise_first(errors: dict[str, LocError]) -> None:
    """Raise the first error, if there is one."""
    for error in errors.values():
        raise error
