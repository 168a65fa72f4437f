"""The keys and values of one batch, as they become while it is written."""

from collections.abc import Collection, Iterator, Mapping

from .outdated import beside_outdated, outdated
from .records import Key, StoredValue, ValueSlot
from .revisions import Revision, revision_of
from .store import KeyStore


class UnitOfWork:
    """Keys and values read once, changed in memory, and flushed in few statements.

    A batch sees its own earlier items, as if each had been written alone.
    """

    def __init__(self, store: KeyStore, project_id: str) -> None:
        self._store = store
        self._project_id = project_id
        self._keys: dict[str, Key] = {}
        self._ids: dict[str, str] = {}  # by name
        self._renamed: dict[str, None] = {}
        self._left: list[str] = []  # names that keys gave up
        self._values: dict[str, dict[ValueSlot, StoredValue]] = {}
        self._stored: dict[tuple[str, ValueSlot], StoredValue] = {}
        self.is_whole = True  # values in all languages are here
        self._gone: dict[str, dict[ValueSlot, int]] = {}
        self._revisions: list[Revision] = []
        self._new: dict[str, None] = {}
        self._changed: dict[str, None] = {}
        self._touched: dict[str, None] = {}
        self._written: dict[tuple[str, ValueSlot], StoredValue | None] = {}
        self._outdating: dict[str, None] = {}
        self._confirmed: dict[tuple[str, ValueSlot], None] = {}
        self._moved: dict[tuple[str, ValueSlot], None] = {}

    def load(
        self,
        key_ids: Collection[str],
        names: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> None:
        """Read the keys that the batch names, with their values.

        ``language_codes`` leaves out the values in other languages; a batch that
        turns plurals on or off needs them all.
        """
        found = self._store.find_keys(self._project_id, key_ids) if key_ids else {}
        by_name = (
            self._store.find_keys_by_name(self._project_id, names) if names else {}
        )
        for key in (*found.values(), *by_name.values()):
            self._keys[key.id] = key
            self._ids[key.key] = key.id
            self._values[key.id] = {}
        if not self._keys:
            return
        self.is_whole = language_codes is None
        values = self._store.values_of(list(self._keys), language_codes)
        for rows in values.values():
            for row in rows:
                place = (row.language_code, row.plural_form)
                self._values[row.key_id][place] = row
                self._stored[row.key_id, place] = row
        for end in self._store.cleared_of(list(self._keys), language_codes):
            self._note_gone(end)

    def key(self, key_id: str) -> Key | None:
        return self._keys.get(key_id)

    def named(self, name: str) -> Key | None:
        key_id = self._ids.get(name)
        return self._keys[key_id] if key_id is not None else None

    def values(self, key_id: str) -> dict[ValueSlot, StoredValue]:
        """The key's values as they are by now; not to be changed by the reader."""
        return self._values[key_id]

    def gone(self, key_id: str) -> Mapping[ValueSlot, int]:
        """The last revisions of values of the key that were cleared."""
        return self._gone.get(key_id, {})

    def add(self, key: Key) -> None:
        self._new[key.id] = None
        self._keys[key.id] = key
        self._ids[key.key] = key.id
        self._values[key.id] = {}

    def save(self, key: Key) -> None:
        old = self._keys[key.id]
        if old.key != key.key:
            self._renamed[key.id] = None
            self._left.append(old.key)
            if self._ids.get(old.key) == key.id:  # else another took the name over
                del self._ids[old.key]
            self._ids[key.key] = key.id
        self._keys[key.id] = key
        if key.id not in self._new:
            self._changed[key.id] = None

    def put(self, key_id: str, place: ValueSlot, value: StoredValue) -> None:
        """Set a value; the one before becomes history."""
        self._end(key_id, place)
        self._values[key_id][place] = value
        self._write(key_id, place, value)

    def clear(self, end: Revision) -> None:
        """Take a value away; ``end`` is the revision that tells so."""
        place = (end.language_code, end.plural_form)
        self._end(end.key_id, place)
        self._revisions.append(end)
        self._note_gone(end)
        self._write(end.key_id, place, None)

    def _write(self, key_id: str, place: ValueSlot, value: StoredValue | None) -> None:
        self._written[key_id, place] = value
        self._moved.pop((key_id, place), None)
        if key_id not in self._new:
            self._touched[key_id] = None

    def _end(self, key_id: str, place: ValueSlot) -> None:
        old = self._values[key_id].pop(place, None)
        if old is not None:
            self._revisions.append(revision_of(old))

    def _note_gone(self, end: Revision) -> None:
        place = (end.language_code, end.plural_form)
        known = self._gone.setdefault(end.key_id, {})
        known[place] = max(known.get(place, 0), end.revision)

    def move(self, key_id: str, place: ValueSlot, value: StoredValue) -> None:
        """Set a value that only changed its place: a new source text outdates it."""
        self.put(key_id, place, value)
        self._moved[key_id, place] = None

    def keep_fresh(self, key_id: str, place: ValueSlot) -> None:
        """The batch wrote the text that was there, or took one over as it stands: the
        batch itself outdates nothing there."""
        self._confirmed[key_id, place] = None

    def outdate(self, key_id: str) -> None:
        """The key's source text changed: texts in other languages, save those that
        the batch itself writes, become outdated."""
        if key_id not in self._new:
            self._outdating[key_id] = None

    def keys(self) -> dict[str, Key]:
        """Every key of the batch, by id."""
        return self._keys

    def changed(self) -> list[str]:
        """The ids of the keys that the batch changed in any way."""
        kinds = (self._new, self._changed, self._touched, self._outdating)
        return list(dict.fromkeys(id_ for kind in kinds for id_ in kind))

    def outdating(self) -> Collection[str]:
        """The keys whose source text the batch changed, and kept nothing fresh."""
        return self._outdating.keys()

    def is_new(self, key_id: str) -> bool:
        return key_id in self._new

    def texts_changed(self, source_language: str) -> dict[str, set[str] | None]:
        """By key id, the languages whose texts are others than before, or that are to
        be seen in another light: None is all of them."""
        found: dict[str, set[str] | None] = {}
        found.update(dict.fromkeys((*self._new, *self._changed)))
        for where, value in self._written.items():
            key_id, (code, _) = where
            codes = found.setdefault(key_id, set())
            if codes is None or _text(self._stored.get(where)) == _text(value):
                continue
            if code == source_language:
                found[key_id] = None
            else:
                codes.add(code)
        return {id_: codes for id_, codes in found.items() if codes != set()}

    def fills(self) -> bool:
        """Whether a text comes to where there was none."""
        return any(
            value is not None and where not in self._stored
            for where, value in self._written.items()
        )

    def names(self) -> list[str]:
        """The names that keys have newly taken, and those that they gave up."""
        now = [self._keys[id_].key for id_ in (*self._new, *self._renamed)]
        return [*now, *self._left]

    def flush(self, source_language: str, at: str) -> list[StoredValue]:
        """Write what changed; answers the values that became outdated.

        A value that the batch writes is fresh, also where its source changed.
        """
        if self._changed:  # first: it frees names
            self._store.save_keys([self._keys[id_] for id_ in self._changed])
        if self._new:
            first = [value for value in self._kept() if value.key_id in self._new]
            self._store.add_keys([self._keys[id_] for id_ in self._new], first)
        touched = [id_ for id_ in self._touched if id_ not in self._changed]
        if touched:
            self._store.touch_keys(touched, at)
        turned = self._outdate(source_language) if self._outdating else []
        if self._revisions:
            self._store.add_revisions(self._revisions)
        self._flush_values(at)
        return turned

    def _outdate(self, source_language: str) -> list[StoredValue]:
        """Mark what the changed source texts outdate, stored and moved values alike."""
        marked = self._store.mark_outdated(list(self._outdating), source_language)
        for where in self._confirmed:
            if where[0] in self._outdating and where not in self._written:
                self._written[where] = self._values[where[0]][where[1]]
        turned = [value for value in marked if _where(value) not in self._written]
        for where, value in list(self._written.items()):
            key_id, place = where
            if value is None or place[0] == source_language:
                continue
            if key_id not in self._outdating or where in self._confirmed:
                continue
            if where in self._moved and outdated(value) != value:
                turned.append(outdated(value))
            new = outdated(value) if where in self._moved else beside_outdated(value)
            self._written[where] = self._values[key_id][place] = new
        for value in turned:
            self._values[value.key_id][_where(value)[1]] = value
        return turned

    def _flush_values(self, at: str) -> None:
        gone = [
            self._stored[where]
            for where, value in self._written.items()
            if value is None and where in self._stored
        ]
        if gone:
            self._store.remove_values(gone, at)
        kept = [value for value in self._kept() if value.key_id not in self._new]
        if kept:
            self._store.put_values(kept)

    def _kept(self) -> Iterator[StoredValue]:
        return (value for value in self._written.values() if value is not None)


def _text(value: StoredValue | None) -> str:
    return value.value if value is not None else ""


def _where(value: StoredValue) -> tuple[str, ValueSlot]:
    return value.key_id, (value.language_code, value.plural_form)
