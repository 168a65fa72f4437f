"""The one way in which keys go to the trash and come back, whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.errors import KeyExists, LocError, WriteRefused, truncate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.projects.records import Language
from locframework.storage import Storage

from .changes import WriteVeto, key_change
from .events import KeyEvents
from .records import Key, Origin
from .rules import check_key
from .store import store_of
from .writer import KeyWriter


class KeyTrash:
    """Moves keys between a scope and its trash, in a constant number of statements.

    Every call must stand in a transaction that holds the project's lock. Whether the
    caller may delete keys at all was judged before.
    """

    def __init__(
        self,
        storage: Storage,
        writer: KeyWriter,
        events: EventLog,
        clock: Clock,
        judge: WriteVeto | None = None,
    ) -> None:
        """``judge``: the plugins that have a say in it."""
        self._storage = storage
        self._writer = writer
        self._events = events
        self._clock = clock
        self._judge = judge

    def judge_trash(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[Key],
        *,
        origin: Origin = "human",
    ) -> None:
        """Raise what ``trash`` would: WriteRefused. Needs no transaction."""
        for refusal in self._refused(caller, scope, "delete", origin, keys).values():
            raise refusal

    def trash(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[Key],
        *,
        origin: Origin = "human",
    ) -> None:
        """Move keys to the trash, where they can be restored from for 30 days.

        Raises WriteRefused.
        """
        self.judge_trash(caller, scope, keys, origin=origin)
        self._throw_away(caller, scope, keys)

    def trash_each(
        self,
        caller: Caller,
        scope: BranchScope,
        keys: Sequence[Key],
        *,
        origin: Origin = "human",
        dry_run: bool = False,
    ) -> dict[str, LocError]:
        """Move each key that may go to the trash; return the errors of others, by id.

        ``dry_run``: only return what would be refused.
        """
        refused = self._refused(caller, scope, "delete", origin, keys)
        if not dry_run:
            going = [key for key in keys if key.id not in refused]
            self._throw_away(caller, scope, going)
        return refused

    def restore(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        keys: Sequence[Key],
        *,
        origin: Origin = "human",
    ) -> None:
        """Bring keys back from the trash, with their values.

        Raises KeyExists when a name was taken, InvalidKey when another key separator
        made it none, WriteRefused; nothing of it may be kept then.
        """
        refused = self.restore_each(caller, scope, languages, keys, origin=origin)
        for refusal in refused.values():
            raise refusal

    def restore_each(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        keys: Sequence[Key],
        *,
        origin: Origin = "human",
        free: Collection[str] = (),
        dry_run: bool = False,
    ) -> dict[str, LocError]:
        """Restore each key that can be restored; return the errors of others, by id.

        ``free``: ids of keys whose names may be taken. ``dry_run``: only return what
        would be refused.
        """
        if not keys:
            return {}
        refused = self._refused(caller, scope, "restore", origin, keys)
        names = {key.key for key in keys}
        store = store_of(self._storage, scope)
        there = store.find_keys_by_name(scope.project.id, names)
        taken = {name: key.id for name, key in there.items() if key.id not in free}
        back: list[Key] = []
        for key in keys:
            try:
                _check(key, scope, taken)
            except LocError as refusal:
                refused.setdefault(key.id, refusal)
            if key.id not in refused:
                taken[key.key] = key.id
                back.append(key)
        if not dry_run:
            self._bring_back(caller, scope, languages, back)
        return refused

    def _refused(
        self,
        caller: Caller,
        scope: BranchScope,
        action: Literal["delete", "restore"],
        origin: Origin,
        keys: Sequence[Key],
    ) -> dict[str, LocError]:
        """What plugins refuse, by key id."""
        refused: dict[str, LocError] = {}
        if self._judge is None:
            return refused
        for key in keys:
            where = scope.project, scope.name, action, origin
            before, after = (key, None) if action == "delete" else (None, key)
            try:
                self._judge(caller, key_change(*where, before=before, after=after))
            except WriteRefused as refusal:
                refused[key.id] = refusal
        return refused

    def _throw_away(
        self, caller: Caller, scope: BranchScope, keys: Sequence[Key]
    ) -> None:
        if not keys:
            return
        ids, now = [key.id for key in keys], timestamp(self._clock())
        self._writer.completion.watch(caller.actor, scope)
        store_of(self._storage, scope).trash_keys(
            scope.project.id, ids, now, caller.actor.id
        )
        events = KeyEvents(self._events, caller.actor, scope, now)
        events.deleted(keys)
        events.append({})
        self._writer.copies.count_changes(scope, ids, now)

    def _bring_back(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        keys: Sequence[Key],
    ) -> None:
        if not keys:
            return
        ids, now = [key.id for key in keys], timestamp(self._clock())
        self._writer.completion.watch(caller.actor, scope)
        store_of(self._storage, scope).restore_keys(scope.project.id, ids, now)
        self._writer.findings.rework(scope, languages, ids)
        events = KeyEvents(self._events, caller.actor, scope, now)
        events.restored(keys)
        events.append({})
        self._writer.copies.count_changes(scope, ids, now)


def _check(key: Key, scope: BranchScope, taken: Mapping[str, str]) -> None:
    """``taken``: the ids of keys that are there, by name."""
    check_key(key.key, scope.project.key_separator)
    if key.key in taken:
        raise KeyExists(
            f"key {taken[key.key]} now has the name {truncate(key.key)!r}; rename or"
            f" delete it, and {key.id} can be restored"
        )
