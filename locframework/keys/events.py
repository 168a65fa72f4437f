"""What others hear of keys and values (decisions 2.7)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from locframework.branches.records import BranchScope
from locframework.events import Actor, EventLog, Trace, Traces
from locframework.fields import Timestamp

from .records import Key, StoredValue, ValueSlot
from .traces import Followed, Moved, text_of, trace_of, trace_of_values

Item = Mapping[str, object]


class KeyEvents:
    """Gathers what a batch did to keys and values, and appends it as events."""

    def __init__(
        self, log: EventLog, actor: Actor, scope: BranchScope, at: Timestamp
    ) -> None:
        """``at``: what is written says the same."""
        self._at = at
        self._log = log
        self._actor = actor
        self._line = scope
        self._items: dict[str, list[Item]] = {}
        self._updates: dict[str, tuple[Key, Key, tuple[Moved, ...]]] = {}
        self._moved: dict[tuple[str, ValueSlot], Item] = {}
        self._texts: list[_Told] = []

    def created(self, key: Key) -> None:
        self._add("key.created", {"keyId": key.id, "key": key.key})

    def updated(self, old: Key, new: Key, moved: Sequence[Moved] = ()) -> None:
        """``moved``: the revisions that turning plurals made.

        Several changes of one key are told as one.
        """
        first, _, before = self._updates.get(new.id, (old, old, ()))
        self._updates[new.id] = first, new, (*before, *moved)

    def moved(
        self,
        key: Key,
        place: ValueSlot,
        status: str,
        revision: int,
        ended: StoredValue | None = None,
    ) -> None:
        """Turning plurals ended the text of a place, or brought one there.

        Where the batch then writes as well, only that is told.
        """
        self._moved[key.id, place] = _value_item(key, place, status, revision)
        if ended is not None:
            row = (*place, revision)
            self._texts.append(_Told("translation.updated", key.id, row, _said(ended)))

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

        ``verdict`` is ``approved`` or ``rejected`` where that is what happened to it.
        """
        self._moved.pop((key.id, place), None)
        if new is None:
            revision, status = old.revision + 1 if old else 1, "untranslated"
        else:
            revision, status = new.revision, new.status
        done = "submitted" if status == "pending_review" else "updated"
        type_ = f"translation.{verdict or done}"
        self._add(type_, _value_item(key, place, status, revision))
        before = None if old is None else _said(old)
        self._texts.append(_Told(type_, key.id, (*place, revision), before))

    def append(
        self,
        keys: Mapping[str, Key],
        outdated: Sequence[StoredValue] = (),
        followed: Followed | None = None,
    ) -> None:
        """Append all that was gathered; ``outdated`` values belong to ``keys``.

        ``followed``: what became of the keys on a branch.
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
        self._log.append_all(
            {"key.updated": updated, **self._items},
            organization_id=self._line.project.organization_id,
            project_id=self._line.project.id,
            actor=self._actor,
            branch=self._line.name,
            traces=self._traces(followed or Followed()),
            at=self._at,
        )
        self._items, self._updates, self._moved, self._texts = {}, {}, {}, []

    def _traces(self, followed: Followed) -> Traces:
        """What is kept beside, by type of event and key."""
        bases, read = followed.bases, followed.moved
        updated: dict[str, Trace] = {
            id_: trace_of(old, new, read.get(id_, new), moved, bases.get(id_))
            for id_, (old, new, moved) in self._updates.items()
        }
        mains = {id_: _texts_of(base.values) for id_, base in bases.items()}
        left: dict[str, dict[str, list[Moved]]] = {}
        for told in self._texts:
            key_id, (code, form, _) = told.key_id, told.row
            if key_id not in mains:
                continue
            if mains[key_id].get(text_of((code, form))) == told.before:
                left.setdefault(told.type, {}).setdefault(key_id, []).append(told.row)
        found: dict[str, dict[str, Trace]] = {
            type_: {id_: trace_of_values(rows) for id_, rows in by_key.items()}
            for type_, by_key in left.items()
        }
        return {"key.updated": updated, **found}

    def _add(self, type_: str, item: Item) -> None:
        self._items.setdefault(type_, []).append(item)


Said = tuple[str, str, str | None]
"""What a value says: its text, where that stands in review, and what is approved."""


class _Told(NamedTuple):
    """A revision that an event tells of, and what stood there before."""

    type: str
    key_id: str
    row: Moved
    before: Said | None


def _texts_of(values: Sequence[StoredValue]) -> dict[ValueSlot, Said]:
    """What values say, whether their key has plurals or not."""
    return {text_of((row.language_code, row.plural_form)): _said(row) for row in values}


def _said(row: StoredValue) -> Said:
    return row.value, row.status, row.approved_value


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
