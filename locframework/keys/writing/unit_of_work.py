"""The keys and values of one write: read together, changed in memory, then flushed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field

from locframework.branches.service import BranchScope
from locframework.errors import Unavailable
from locframework.events import Actor, EventLog
from locframework.fields import Timestamp
from locframework.keys.key_fields import ValueRevision, log_change
from locframework.keys.records import Key, Revision, StoredKey, StoredValue, ValueSlot
from locframework.keys.rules import outdated, with_approved_outdated
from locframework.keys.store import KeyStore
from locframework.quality.check import Dismissed

# not a container of its own for each key: they cost the garbage collector time
_NOTHING: Mapping[ValueSlot, int] = MappingProxyType({})


class KeyEdit(Struct, gc=False):
    """A key with its values as the write leaves them, and what it changes."""

    key: StoredKey
    stored: StoredKey | None
    """The key as read; None: the write creates it."""
    values: dict[ValueSlot, StoredValue] = field(default_factory=dict)
    cleared: Mapping[ValueSlot, int] = _NOTHING
    """The last revision of each cleared value."""
    written: dict[ValueSlot, StoredValue | None] = field(default_factory=dict)
    """What is written; None clears a value."""
    read: dict[ValueSlot, StoredValue] = field(default_factory=dict)
    """The values that ``written`` replaces, as read."""
    moved: frozenset[ValueSlot] = frozenset()
    """Values that only moved to another plural form: a new source outdates them."""
    confirmed: frozenset[ValueSlot] = frozenset()
    """Values that a new source text does not outdate."""
    has_findings: bool = True
    """Whether findings of the key may be stored."""
    adds_value: bool = False
    """A value is written where there was none."""
    outdates: bool = False
    """The source text changed: values in other languages become outdated."""

    def changed_languages(self, source_language: str) -> set[str] | None:
        """Return the languages whose texts checks must look at again; None: all."""
        if self.key is not self.stored:
            return None
        codes = set()
        for slot, value in self.written.items():
            old = self.read.get(slot)
            if (old.value if old else "") != (value.value if value else ""):
                if slot[0] == source_language:
                    return None
                codes.add(slot[0])
        return codes

    def changes_counts(self, source_language: str) -> bool:
        """Return whether the write changes what the key counts for in statistics.

        A text that replaces another in the same state does not, unless it is the source
        text, whose words are counted.
        """
        for slot, value in self.written.items():
            old = self.read.get(slot)
            if old is None or value is None or slot[0] == source_language:
                return True
            if (old.status, old.is_outdated) != (value.status, value.is_outdated):
                return True
        return False


class StalePlan(Unavailable):
    """A key has changed since it was read."""

    def __init__(self) -> None:
        super().__init__("somebody else has just changed the same; try again")


class UnitOfWork:
    """The keys and values of a batch. Later writes see what earlier ones changed.

    Keys are read by ``load``, values when a write first needs them.
    """

    def __init__(
        self,
        store: KeyStore,
        project_id: str,
        language_codes: Collection[str] | None = None,
    ) -> None:
        """``language_codes`` leaves out values in other languages. A write that turns
        plurals on or off needs them all."""
        self.store = store
        self._project_id = project_id
        self._language_codes = language_codes
        self.is_whole = language_codes is None
        """Whether values in all languages are read."""
        self.edits: dict[str, KeyEdit] = {}
        """The keys that were read or created, by id, with what changes."""
        self._ids: dict[str, str] = {}  # by name
        self.file_keys: dict[str, list[str]] = {}
        """Ids of the keys that were read, by file key."""
        self._has_values = False
        self._has_cleared = False
        self._revisions: list[Revision] = []
        self._dismissed: Dismissed | None = None
        self.also_dismissed: Dismissed = ()
        """Findings that will be dismissed before the write."""
        self.names_read: Collection[str] = ()

    def load(
        self,
        key_ids: Collection[str],
        names: Collection[str],
        file_keys: Collection[str] = (),
    ) -> None:
        """Read the keys with these ids, names or file keys."""
        self.names_read = names
        store = self.store
        if len(key_ids) == 1 and not names and self.is_whole:
            state = store.find_state(self._project_id, next(iter(key_ids)))
            if state is not None:
                key = state.key
                values = {
                    (row.language_code, row.plural_form): row for row in state.values
                }
                edit = self.edits[key.id] = KeyEdit(key, key, values)
                edit.has_findings = state.has_findings
                self._ids[key.key] = key.id
            self._has_values = True
            return
        found = store.find_keys(
            self._project_id, key_ids, names=names, file_keys=file_keys
        )
        for key in found.values():
            self.edits[key.id] = KeyEdit(key, key)
            self._ids[key.key] = key.id
            if key.file_key is not None:
                self.file_keys.setdefault(key.file_key, []).append(key.id)

    def is_unchanged(self) -> bool:
        """Return whether the keys that were read are stored as they were read.

        Every write to a key or its values changes ``updated_at``. Of a key whose
        values alone are written, ``flush`` finds out.
        """
        if self._only_key is not None:
            return True
        read, names, store = self.read_keys(), self.names_read, self.store
        ids = [id_ for id_, key in read.items() if key.key not in names]
        now = store.find_keys(self._project_id, ids, names=names)
        return now.keys() == read.keys() and all(
            (key.key, key.updated_at) == (read[id_].key, read[id_].updated_at)
            for id_, key in now.items()
        )

    @property
    def _only_key(self) -> StoredKey | None:
        if self.names_read or len(self.edits) != 1:
            return None
        [edit] = self.edits.values()
        return edit.stored if edit.written and edit.key is edit.stored else None

    def load_values(self) -> None:
        """Read the values of the loaded keys, unless that is done."""
        if self._has_values or not self.edits:
            return
        self._has_values = True
        ids, codes = list(self.edits), self._language_codes
        for key_id, rows in self.store.values_of(ids, codes).items():
            self.edits[key_id].values = {
                (row.language_code, row.plural_form): row for row in rows
            }

    def last_revisions(self, edit: KeyEdit) -> Mapping[ValueSlot, int]:
        """Return the last revisions of the cleared values of a key.

        The first call reads those of all keys.
        """
        if edit.stored is not None and not self._has_cleared:
            self._has_cleared = True
            ids, codes = list(self.read_keys()), self._language_codes
            for end in self.store.revisions_of(ids, codes, cleared=True):
                self._note_cleared(end)
        return edit.cleared

    def dismissed(self, created: Iterable[str] = ()) -> Dismissed:
        """Return the dismissed findings of the keys that were read, and of ``created``.

        The first call reads them.
        """
        if self._dismissed is None:
            ids = {*self.edits, *created}
            found = self.store.dismissals_of(self._project_id, ids)
            self._dismissed = {*self.also_dismissed, *(each.finding for each in found)}
        return self._dismissed

    def key(self, key_id: str) -> StoredKey | None:
        edit = self.edits.get(key_id)
        return edit.key if edit is not None else None

    def named(self, name: str) -> StoredKey | None:
        """Return the key that has the name by now."""
        key_id = self._ids.get(name)
        return self.edits[key_id].key if key_id is not None else None

    def of_file(
        self,
        name: str,
        file_key: str | None,
        prefix: str,
        is_elsewhere: Callable[[str], bool],
    ) -> StoredKey | None:
        """Return the key that a file calls ``file_key``, or else that has the name.

        ``prefix``: what keys of the file begin with; without one ``is_elsewhere`` says
        which keys only other files have. A renamed key keeps its file key.
        """
        ids = self.file_keys.get(file_key, ()) if file_key is not None else ()
        keys = [self.edits[id_].key for id_ in ids]
        if prefix:
            keys = [key for key in keys if key.key.startswith(prefix)]
        else:
            keys = [key for key in keys if not is_elsewhere(key.key)]
        return keys[0] if len(keys) == 1 else self.named(name)

    def values(self, key_id: str) -> Mapping[ValueSlot, StoredValue]:
        """Return the values of a key, as the writes so far leave them."""
        self.load_values()
        return self.edits[key_id].values

    def changed(self) -> list[KeyEdit]:
        """Return the keys that are created, or changed in any way."""
        return [
            edit
            for edit in self.edits.values()
            if edit.written or edit.key is not edit.stored or edit.outdates
        ]

    def last_update(self) -> Timestamp:
        """Return when the keys that were read were last written; "" without any."""
        last = ""
        for edit in self.edits.values():
            if edit.stored is not None and edit.stored.updated_at > last:
                last = edit.stored.updated_at
        return last

    def read_keys(self) -> dict[str, StoredKey]:
        """Return the keys as read, by id."""
        edits = self.edits.items()
        return {id_: edit.stored for id_, edit in edits if edit.stored is not None}

    def add(self, key: StoredKey) -> KeyEdit:
        """Create a key."""
        edit = self.edits[key.id] = KeyEdit(key, None)
        self._ids[key.key] = key.id
        return edit

    def save(self, edit: KeyEdit, key: StoredKey) -> None:
        """Change the fields of a key."""
        old = edit.key.key
        if old != key.key:
            if self._ids.get(old) == key.id:  # else another key has taken the name
                del self._ids[old]
            self._ids[key.key] = key.id
        edit.key = key

    def put(self, edit: KeyEdit, slot: ValueSlot, value: StoredValue) -> None:
        """Set a value; the one before becomes a revision."""
        self._end(edit, slot)
        edit.values[slot] = edit.written[slot] = value
        edit.adds_value |= slot not in edit.read

    def clear(self, edit: KeyEdit, end: Revision) -> None:
        """Clear a value; ``end`` is the revision that records this."""
        slot = (end.language_code, end.plural_form)
        self._end(edit, slot)
        self._revisions.append(end)
        self._note_cleared(end)
        edit.written[slot] = None

    def _end(self, edit: KeyEdit, slot: ValueSlot) -> None:
        old = edit.values.pop(slot, None)
        if old is not None:
            if slot not in edit.written:
                edit.read[slot] = old
            self._revisions.append(old)
        if edit.moved:
            edit.moved -= {slot}

    def _note_cleared(self, end: Revision) -> None:
        edit = self.edits[end.key_id]
        slot = (end.language_code, end.plural_form)
        revision = max(edit.cleared.get(slot, 0), end.revision)
        edit.cleared = {**edit.cleared, slot: revision}

    def flush(
        self, edits: Iterable[KeyEdit], source_language: str, at: str
    ) -> list[StoredValue]:
        """Write what changed; return the values that became outdated.

        A number of statements that grows with the keys / 500. Raises StalePlan.
        """
        turned = self._outdate(source_language)
        new: list[StoredKey] = []
        changed: list[StoredKey] = []
        written = dict.fromkeys([each.key_id for each in self._revisions])
        first: list[StoredValue] = []
        values: list[StoredValue] = []
        cleared: list[StoredValue] = []
        counted: list[str] = []
        for edit in edits:
            if edit.stored is None:
                new.append(edit.key)
                first += [value for value in edit.written.values() if value is not None]
                continue
            if edit.key is not edit.stored:
                changed.append(edit.key)
            if edit.written:
                written[edit.key.id] = None
            if edit.changes_counts(source_language):
                counted.append(edit.key.id)
            for slot, value in edit.written.items():
                if value is not None:
                    values.append(value)
                elif slot in edit.read:
                    cleared.append(edit.read[slot])
        store = self.store
        if changed:  # first, because it frees names
            store.save_keys(changed)
        if new:
            store.add_keys(new, first)
        if written and not store.write_values(
            list(written),
            at,
            values,
            cleared,
            self._revisions,
            counted=counted,
            read=self._only_key,
        ):
            raise StalePlan
        return turned

    def _outdate(self, source_language: str) -> list[StoredValue]:
        """Mark what changed source texts outdate, stored and moved values alike."""
        outdating: dict[str, KeyEdit] = {}
        for edit in self.edits.values():
            if edit.outdates and edit.stored is not None:
                outdating[edit.key.id] = edit
        if not outdating:
            return []
        marked = self.store.mark_outdated(list(outdating), source_language)
        for edit in outdating.values():
            for slot in edit.confirmed - edit.written.keys():
                edit.written[slot] = edit.values[slot]
        turned = [
            value
            for value in marked
            if (value.language_code, value.plural_form)
            not in outdating[value.key_id].written
        ]
        for edit in outdating.values():
            for slot, value in edit.written.items():
                if value is None or slot[0] == source_language:
                    continue
                if slot in edit.confirmed:
                    continue
                new = with_approved_outdated(value)
                if slot in edit.moved:
                    new = outdated(value)
                    if new != value:
                        turned.append(new)
                edit.written[slot] = edit.values[slot] = new
        for value in turned:
            slot = (value.language_code, value.plural_form)
            outdating[value.key_id].values[slot] = value
        return turned


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
        self._updates: dict[str, tuple[Key, Key, tuple[ValueRevision, ...]]] = {}
        self._moved: dict[tuple[str, ValueSlot], Item] = {}

    def add_keys(self, type_: str, keys: Iterable[Key]) -> None:
        """``key.created``, ``key.deleted`` or ``key.restored``."""
        for key in keys:
            self._add(type_, {"keyId": key.id, "key": key.key})

    def updated(self, old: Key, new: Key, moved: Sequence[ValueRevision] = ()) -> None:
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

    def value(
        self,
        key: Key,
        old: StoredValue | None,
        new: StoredValue | None,
        place: ValueSlot,
        decision: str = "",
    ) -> None:
        """A value was written; ``new`` None: it was cleared.

        ``decision`` is ``approved`` or ``rejected`` for a review.
        """
        self._moved.pop((key.id, place), None)
        if new is None:
            revision, status = old.revision + 1 if old else 1, "untranslated"
        else:
            revision, status = new.revision, new.status
        done = "submitted" if status == "pending_review" else "updated"
        type_ = f"translation.{decision or done}"
        self._add(type_, _value_item(key, place, status, revision))

    def outdated(self, key: Key, value: StoredValue) -> None:
        """A new source text made the value of the key outdated."""
        place = (value.language_code, value.plural_form)
        item = _value_item(key, place, value.status, value.revision)
        self._add("translation.outdated", item)

    def append(self) -> None:
        """Append the events, with a log of what changed in keys of main (for undo)."""
        for item in self._moved.values():
            self._add("translation.updated", item)
        updated: list[Item] = []
        changes: dict[str, Mapping[str, object]] = {}
        for old, new, moved in self._updates.values():
            updated.append(_updated_item(old, new))
            if self._scope.branch is None:
                changes[new.id] = log_change(old, new, moved)
        self._log.append_all(
            {"key.updated": updated, **self._items},
            organization_id=self._scope.project.organization_id,
            project_id=self._scope.project.id,
            actor=self._actor,
            branch=self._scope.name,
            undo={"key.updated": changes},
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
