"""What others hear of keys and values (decisions 2.7)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from locframework.branches.records import Line
from locframework.events import Actor, EventLog, Trace, Traces

from .records import Key, StoredValue
from .traces import Moved, Part, text_of, trace_of, trace_of_values

Item = Mapping[str, object]
Place = tuple[str, str | None]  # language code and plural form


class KeyEvents:
    """Gathers what a batch did to keys and values, and appends it as events."""

    def __init__(self, log: EventLog, actor: Actor, line: Line) -> None:
        self._log = log
        self._actor = actor
        self._line = line
        self._items: dict[str, list[Item]] = {}
        self._updates: dict[str, tuple[Key, Key, tuple[Moved, ...]]] = {}
        self._moved: dict[tuple[str, Place], Item] = {}

    def created(self, key: Key) -> None:
        self._add("key.created", {"keyId": key.id, "key": key.key})

    def updated(self, old: Key, new: Key, moved: Sequence[Moved] = ()) -> None:
        """``moved``: the revisions that turning plurals made.

        Several changes of one key are told as one.
        """
        first, _, before = self._updates.get(new.id, (old, old, ()))
        self._updates[new.id] = first, new, (*before, *moved)

    def moved(self, key: Key, place: Place, status: str, revision: int) -> None:
        """Turning plurals ended the text of a place, or brought one there.

        Where the batch then writes as well, only that is told.
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
        place: Place,
        verdict: str = "",
    ) -> None:
        """A value was written; ``new`` None: it was cleared.

        ``verdict`` is ``approved`` or ``rejected`` where that is what happened to it.
        """
        self._moved.pop((key.id, place), None)
        if new is None:
            revision = old.revision + 1 if old else 1
            item = _value_item(key, place, "untranslated", revision)
            self._add(f"translation.{verdict or 'updated'}", item)
            return
        pending = new.status == "pending_review"
        done = verdict or ("submitted" if pending else "updated")
        self._add(
            f"translation.{done}", _value_item(key, place, new.status, new.revision)
        )

    def append(
        self,
        keys: Mapping[str, Key],
        outdated: Sequence[StoredValue] = (),
        own: Mapping[str, Collection[Part]] = {},
    ) -> None:
        """Append all that was gathered; ``outdated`` values belong to ``keys``.

        ``own``: of keys of main, what the branch has for itself now.
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
            traces=self._traces(own),
        )
        self._items, self._updates, self._moved = {}, {}, {}

    def _traces(self, own: Mapping[str, Collection[Part]]) -> Traces:
        """What is kept beside, by type of event and key."""
        updated: dict[str, Trace] = {}
        for old, new, moved in self._updates.values():
            mine = own.get(new.id)
            fields = None if mine is None else [field for field, _ in mine]
            updated[new.id] = trace_of(old, new, moved, fields)
        found: dict[str, dict[str, Trace]] = {"key.updated": updated}
        for type_, items in self._items.items() if own else ():
            if type_.startswith("translation.") and type_ != "translation.outdated":
                found[type_] = _traces_of_values(items, own)
        return found

    def _add(self, type_: str, item: Item) -> None:
        self._items.setdefault(type_, []).append(item)


_REVISION = "languageCode", "pluralForm", "revision"


def _traces_of_values(
    items: Iterable[Item], own: Mapping[str, Collection[Part]]
) -> dict[str, Trace]:
    """Of values that say what main does now, which goes for them from then on."""
    follows: dict[str, list[Moved]] = {}
    for item in items:
        key_id, told = str(item["keyId"]), tuple(item[each] for each in _REVISION)
        code, form, _ = row = cast("Moved", told)
        if key_id in own and ("value", text_of((code, form))) not in own[key_id]:
            follows.setdefault(key_id, []).append(row)
    return {key_id: trace_of_values(rows) for key_id, rows in follows.items()}


def _updated_item(old: Key, new: Key) -> Item:
    renamed = {"previousKey": old.key} if old.key != new.key else {}
    return {"keyId": new.id, "key": new.key, **renamed}


def _value_item(key: Key, place: Place, status: str, revision: int) -> Item:
    return {
        "keyId": key.id,
        "key": key.key,
        "languageCode": place[0],
        "pluralForm": place[1],
        "status": status,
        "revision": revision,
    }
