"""Collects what a write did to keys and values, and appends it as events."""

from collections.abc import Mapping, Sequence

from locframework.branches.records import BranchScope
from locframework.events import Actor, EventLog
from locframework.fields import Timestamp
from locframework.keys.key_fields import Moved, log_change
from locframework.keys.records import Key, StoredValue, ValueSlot

Item = Mapping[str, object]


class KeyEvents:
    """The events of one batch of writes (docs/spec/decisions.md 2.7)."""

    def __init__(
        self, log: EventLog, actor: Actor, scope: BranchScope, at: Timestamp
    ) -> None:
        """``at`` is the time of the write, as its records have it."""
        self._at = at
        self._log = log
        self._actor = actor
        self._scope = scope
        self._items: dict[str, list[Item]] = {}
        self._updates: dict[str, tuple[Key, Key, tuple[Moved, ...]]] = {}
        self._moved: dict[tuple[str, ValueSlot], Item] = {}

    def created(self, key: Key) -> None:
        self._add("key.created", {"keyId": key.id, "key": key.key})

    def updated(self, old: Key, new: Key, moved: Sequence[Moved] = ()) -> None:
        """``moved``: the revisions that turning plurals on or off created.

        Several changes of one key become one event.
        """
        first, _, before = self._updates.get(new.id, (old, old, ()))
        self._updates[new.id] = first, new, (*before, *moved)

    def moved(self, key: Key, place: ValueSlot, status: str, revision: int) -> None:
        """Turning plurals ended the value of ``place``, or moved one there.

        A write to the same value in the batch replaces this event.
        """
        self._moved[key.id, place] = _value_item(key, place, status, revision)

    def deleted(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self._add("key.deleted", {"keyId": key.id, "key": key.key})

    def restored(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self._add("key.restored", {"keyId": key.id, "key": key.key})

    def value(
        self,
        key: Key,
        old: StoredValue | None,
        new: StoredValue | None,
        place: ValueSlot,
        verdict: str = "",
    ) -> None:
        """A value was written; ``new`` None: it was cleared.

        ``verdict`` is ``approved`` or ``rejected`` for a review.
        """
        self._moved.pop((key.id, place), None)
        if new is None:
            revision, status = old.revision + 1 if old else 1, "untranslated"
        else:
            revision, status = new.revision, new.status
        done = "submitted" if status == "pending_review" else "updated"
        type_ = f"translation.{verdict or done}"
        self._add(type_, _value_item(key, place, status, revision))

    def append(
        self, keys: Mapping[str, Key], outdated: Sequence[StoredValue] = ()
    ) -> None:
        """Append the events, with a log of what changed in keys of main (for undo).

        ``outdated`` values belong to ``keys``.
        """
        for value in outdated:
            place = (value.language_code, value.plural_form)
            key = keys[value.key_id]
            item = _value_item(key, place, value.status, value.revision)
            self._add("translation.outdated", item)
        for item in self._moved.values():
            self._add("translation.updated", item)
        updates = self._updates.values()
        updated = [_updated_item(old, new) for old, new, _ in updates]
        changes = {}
        if self._scope.branch is None and updates:
            changes["key.updated"] = {
                new.id: log_change(old, new, moved) for old, new, moved in updates
            }
        self._log.append_all(
            {"key.updated": updated, **self._items},
            organization_id=self._scope.project.organization_id,
            project_id=self._scope.project.id,
            actor=self._actor,
            branch=self._scope.name,
            traces=changes,
            at=self._at,
        )

    def _add(self, type_: str, item: Item) -> None:
        self._items.setdefault(type_, []).append(item)


def _updated_item(old: Key, new: Key) -> Item:
    renamed = {"previousKey": old.key} if old.key != new.key else {}
    return {"keyId": new.id, "key": new.key, **renamed}


def _value_item(key: Key, place: ValueSlot, status: str, revision: int) -> Item:
    return {
        "keyId": key.id,
        "key": key.key,
        "languageCode": place[0],
        "pluralForm": place[1],
        "status": status,
        "revision": revision,
    }
