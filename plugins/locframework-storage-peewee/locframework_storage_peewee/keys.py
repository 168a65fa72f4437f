"""The key store of main; its parts are in the other files of keys."""

from collections.abc import Collection, Iterator, Sequence
from operator import attrgetter

from msgspec.structs import replace

from locframework.ports import StoredKey, StoredValue

from .database import SqlFragment, all_of, chunks, json_text, starts_with
from .key_columns import (
    FILE_KEY_INDEXED,
    FILE_KEY_START,
    IN_PROJECT,
    KEY,
    KEY_CHANGED,
    KEY_KEPT,
    KEYS_A_PROJECT,
    key_changes,
    key_of,
    key_row,
    plain_id,
)
from .key_dismissals import KeyDismissals
from .key_files import KeyFiles
from .key_findings import KeyFindings, rename_findings
from .key_lists import KeyLists, replace_tags
from .key_trash import KeyTrash
from .key_values import (
    KeyValues,
    add_values,
    count_new_keys,
    index_keys,
    index_new_keys,
    latest,
)


class KeyTables(KeyLists, KeyValues, KeyFindings, KeyDismissals, KeyFiles, KeyTrash):
    """The key store (locframework/keys/store.py, KeyStore)."""

    def add_keys(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue] = ()
    ) -> None:
        with self._database.transaction():
            for project_id in {key.project_id for key in keys}:
                mine = [key for key in keys if key.project_id == project_id]
                ids = {key.id for key in mine}
                texts = [value for value in values if value.key_id in ids]
                self._add(project_id, mine, texts)

    def find_keys(
        self,
        project_id: str,
        key_ids: Collection[str] = (),
        *,
        names: Collection[str] = (),
        file_keys: Collection[str] = (),
        in_trash: bool = False,
    ) -> dict[str, StoredKey]:
        if in_trash:
            trashed = f"k.{IN_PROJECT} AND k.deleted_at IS NOT NULL"
            shown = SqlFragment(trashed, (self._own_line(project_id),))
            found = self._found(project_id, shown, "k.id", self._marked(key_ids))
            return {key.id: key for key in found}
        keys: list[StoredKey] = []
        for source in self._sources(project_id):
            row_ids = [id_ + source.mark for id_ in key_ids] if source.mark else key_ids
            by_id, by_name = source.shows("k", IN_PROJECT), source.shows("k")
            keys += self._found(project_id, by_id, "k.id", row_ids)
            keys += self._found(project_id, by_name, "k.key", names)
            if file_keys:
                starts = {each[:FILE_KEY_INDEXED] for each in file_keys}
                found = self._found(project_id, by_name, FILE_KEY_START, starts)
                keys += [key for key in found if key.file_key in file_keys]
        return {key.id: key for key in keys}

    def save_keys(self, keys: Sequence[StoredKey]) -> None:
        with self._database.transaction():
            keys = self._rows_of_keys(keys, self._rows_to_write([k.id for k in keys]))
            old = self._stored(keys)
            new = {key.key: key.id for key in keys}
            self._database.run_many(  # keys may take each other's names
                "UPDATE keys SET key = ? WHERE id = ?",
                # no key has a blank in its name
                [(f" {i}", i) for i, (_, name, _) in old.items() if new.get(name) != i],
            )
            self._database.run_many(
                f"""UPDATE keys SET {KEY_CHANGED}
                    WHERE id = ? AND deleted_at IS NULL""",
                [(*key_changes(key), key.id) for key in keys],
            )
            tags: dict[int, Collection[str]] = {}
            names: list[tuple[str, str]] = []
            for key in keys:
                if key.id in old:
                    number, name, old_tags = old[key.id]
                    if old_tags != json_text(key.tags):
                        tags[number] = key.tags
                    if name != key.key:
                        names.append((key.key, key.id))
            replace_tags(self._database, tags)
            rename_findings(self._database, names)
            index_keys(self._database, self._database.listed(old))

    def names_of(self, project_id: str, *, prefix: str = "") -> dict[str, str]:
        start = starts_with("k.key", SqlFragment("?", (prefix,)))
        found: dict[str, str] = {}
        for source in self._sources(project_id):
            where = all_of([source.shows("k"), start])
            rows = self._database.rows(
                f"SELECT k.key, k.id FROM keys k WHERE {where.sql}", where.params
            )
            found |= {name: plain_id(id_) for name, id_ in rows} if self._mark else rows
        return found

    def _found(
        self, project_id: str, shown: SqlFragment, column: str, wanted: Collection[str]
    ) -> Iterator[StoredKey]:
        among = self._database.among(column)
        for some in chunks(wanted):
            rows = self._database.rows(
                f"SELECT {KEY} FROM keys k WHERE {shown.sql} AND {among}",
                (*shown.params, self._database.listed(some)),
            )
            for row in rows:
                yield key_of(project_id, row)

    def _rows_of_keys(
        self, keys: Sequence[StoredKey], row_ids: Collection[str]
    ) -> Sequence[StoredKey]:
        """Return the keys as they are stored: with the ids of their rows."""
        if not self._mark:
            return keys
        return [
            replace(key, id=row_id) for key, row_id in zip(keys, row_ids, strict=True)
        ]

    def _add(
        self, project_id: str, keys: Sequence[StoredKey], values: Sequence[StoredValue]
    ) -> None:
        [(project, last)] = self._database.rows(
            """UPDATE lines SET last_key = last_key + ?, key_count = key_count + ?
                WHERE id = ? RETURNING number, last_key""",
            (len(keys), len(keys), project_id),
        )
        keys = sorted(keys, key=attrgetter("id"))
        first = project * KEYS_A_PROJECT + last - len(keys) + 1
        numbers = {key.id: number for number, key in enumerate(keys, first)}
        self._database.insert_many(
            "keys", KEY_KEPT, [key_row(key, project, numbers[key.id]) for key in keys]
        )
        add_values(self._database, numbers, values)
        replace_tags(
            self._database, {numbers[key.id]: key.tags for key in keys}, are_new=True
        )
        last = first + len(keys) - 1
        times = latest(values)
        count_new_keys(self._database, first, last, times)
        index_new_keys(self._database, first, last)

    def _stored(self, keys: Sequence[StoredKey]) -> dict[str, tuple[int, str, str]]:
        rows = self._database.rows_of(
            [key.id for key in keys],
            f"""SELECT id, number, key, tags FROM keys
                WHERE {self._database.among("id")} AND deleted_at IS NULL""",
        )
        return {id_: (number, key, tags) for id_, number, key, tags in rows}
