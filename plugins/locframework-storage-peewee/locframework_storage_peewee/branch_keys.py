"""The key store of a branch: what it adds to that of main."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from locframework.ports import (
    BranchKey,
    KeyState,
    Revision,
    StoredKey,
    StoredValue,
    Timestamp,
)

from .database import Database, chunks, insert_one, json_or_null
from .key_columns import plain_id
from .key_findings import copy_findings
from .keys import KeyTables

_PUT = insert_one(
    "branch_keys",
    "branch_id, key_id, kind, base, base_updated_at, changes",
    key="branch_id, key_id",
)
_base = msgspec.json.Decoder(KeyState)
_Place = tuple[str, str, str | None]
_NEVER = 2**63


class BranchKeyTables(KeyTables):
    """The keys seen from a branch (locframework/keys/store.py, BranchKeyStore)."""

    def __init__(self, database: Database, project_id: str, branch_id: str) -> None:
        super().__init__(database, branch_id)
        self._project_id = project_id
        self._line_id = branch_id

    def add_keys(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue] = ()
    ) -> None:
        with self._database.transaction():
            self._add_rows(keys, values)
            self.put_overlay([BranchKey(key.id, "own") for key in keys])

    def write_values(
        self,
        key_ids: Collection[str],
        at: Timestamp,
        values: Sequence[StoredValue] = (),
        cleared: Sequence[StoredValue] = (),
        revisions: Sequence[Revision] = (),
        *,
        counted: Collection[str] | None = None,
        read: StoredKey | None = None,
    ) -> bool:
        if read is not None:  # which may be main's, until it is copied
            found = self.find_keys(self._project_id, [read.id]).get(read.id)
            if found is None or found.updated_at != read.updated_at:
                return False
        return super().write_values(
            key_ids, at, values, cleared, revisions, counted=counted
        )

    def revisions_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
        *,
        cleared: bool = False,
    ) -> list[Revision]:
        """Main's revisions until the branch had the value for itself, then its own."""
        copied = self._copied(key_ids)
        rows = [*key_ids, *self._marked(copied)]
        main: list[Revision] = []
        own: list[Revision] = []
        for each in super().revisions_of(rows, language_codes, cleared=cleared):
            key_id = plain_id(each.key_id)
            if key_id == each.key_id:
                main.append(each)
            else:
                own.append(msgspec.structs.replace(each, key_id=key_id))
        before: dict[_Place, int] = {}
        for each in main:
            if each.key_id in copied:
                # of a form that the copy never had, what main wrote since it was
                # cleared came after the copy
                ended = each.revision + 1 if each.status == "untranslated" else 0
                before[_place(each)] = max(before.get(_place(each), 0), ended)
        first: dict[_Place, int] = {}
        for each in own:
            first[_place(each)] = min(first.get(_place(each), _NEVER), each.revision)
        before |= first
        inherited = (e for e in main if e.revision < before.get(_place(e), _NEVER))
        return [*inherited, *own]

    def overlay(self, key_ids: Collection[str] | None = None) -> list[BranchKey]:
        sql = "SELECT key_id, kind, base, changes FROM branch_keys WHERE"
        mine = "branch_id = ?"
        if key_ids is None:
            rows = self._database.rows(f"{sql} {mine}", (self._branch_id,))
        else:
            sql = f"{sql} {self._database.among('key_id')} AND {mine}"
            rows = self._database.rows_of(key_ids, sql, self._branch_id)
        return [
            BranchKey(id_, kind, _base.decode(base) if base else None, changes)
            for id_, kind, base, changes in sorted(rows)
        ]

    def put_overlay(
        self, keys: Sequence[BranchKey], at: Timestamp | None = None
    ) -> None:
        if at is not None:
            self._database.run(
                "UPDATE branches SET updated_at = ? WHERE id = ?", (at, self._branch_id)
            )
        self._database.run_many(
            _PUT,
            [
                (
                    self._branch_id,
                    key.key_id,
                    key.kind,
                    json_or_null(key.base),
                    key.base.key.updated_at if key.base else None,
                    key.changes,
                )
                for key in keys
            ],
        )

    def drop_overlay(self, key_ids: Collection[str]) -> None:
        with self._database.transaction():
            self._drop_rows(self._line_id, self._marked(key_ids))
            for some in chunks(key_ids):
                self._database.run(
                    f"""DELETE FROM branch_keys
                        WHERE branch_id = ? AND {self._database.among("key_id")}""",
                    (self._branch_id, self._database.listed(some)),
                )

    def _copy_from_main(self, key_ids: Iterable[str]) -> None:
        ids = dict.fromkeys(key_ids)
        copied = self._copied(ids)
        missing = [id_ for id_ in ids if id_ not in copied]
        if not missing:
            return
        main = KeyTables(self._database)
        keys = main.find_keys(self._project_id, missing)
        values = main.values_of(list(keys))
        with self._database.transaction():
            self._add_rows(
                list(keys.values()),
                [text for texts in values.values() for text in texts],
            )
            copy_findings(self._database, list(keys), self._mark)
            self.put_overlay(
                [
                    BranchKey(id_, "copy", KeyState(key, tuple(values.get(id_, ()))))
                    for id_, key in keys.items()
                ]
            )

    def _add_rows(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue]
    ) -> None:
        rows = self._rows_of_keys(keys, self._marked(key.id for key in keys))
        texts = [
            msgspec.structs.replace(each, key_id=each.key_id + self._mark)
            for each in values
        ]
        self._add(self._line_id, rows, texts)


def _place(revision: Revision) -> _Place:
    return revision.key_id, revision.language_code, revision.plural_form
