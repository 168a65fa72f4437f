"""What others hear of keys and values (decisions 2.7)."""

from collections.abc import Mapping, Sequence

from locframework.branches.records import Line
from locframework.events import Actor, EventLog

from .records import Key, StoredValue

Item = Mapping[str, object]


class KeyEvents:
    """Gathers what a batch did to keys and values, and appends it as events."""

    def __init__(self, log: EventLog, actor: Actor, line: Line) -> None:
        self._log = log
        self._actor = actor
        self._line = line
        self._items: dict[str, list[Item]] = {}

    def created(self, key: Key) -> None:
        self._add("key.created", {"keyId": key.id, "key": key.key})

    def updated(self, key: Key, previous: str) -> None:
        renamed = {"previousKey": previous} if previous != key.key else {}
        self._add("key.updated", {"keyId": key.id, "key": key.key, **renamed})

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
        place: tuple[str, str | None],
        verdict: str = "",
    ) -> None:
        """A value was written; ``new`` None: it was cleared.

        ``verdict`` is ``approved`` or ``rejected`` where that is what happened to it.
        """
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
        self, keys: Mapping[str, Key], outdated: Sequence[StoredValue] = ()
    ) -> None:
        """Append all that was gathered; ``outdated`` values belong to ``keys``."""
        for value in outdated:
            place = (value.language_code, value.plural_form)
            key = keys[value.key_id]
            item = _value_item(key, place, value.status, value.revision)
            self._add("translation.outdated", item)
        for type_, items in self._items.items():
            self._log.append(
                type_,
                organization_id=self._line.project.organization_id,
                project_id=self._line.project.id,
                actor=self._actor,
                items=items,
                branch=self._line.name,
            )
        self._items = {}

    def _add(self, type_: str, item: Item) -> None:
        self._items.setdefault(type_, []).append(item)


def _value_item(
    key: Key, place: tuple[str, str | None], status: str, revision: int
) -> Item:
    return {
        "keyId": key.id,
        "key": key.key,
        "languageCode": place[0],
        "pluralForm": place[1],
        "status": status,
        "revision": revision,
    }
