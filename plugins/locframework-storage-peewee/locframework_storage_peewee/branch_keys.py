"""Keeps the keys of a branch: copies under its own line, and main's for the rest.

A copy stands in the wide tables as a key of the branch's line. Its row has the id
``<key id>@<branch id>``, so that no question about main ever meets it.
"""

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from locframework.ports import (
    BoundedList,
    BranchKey,
    FileDetail,
    Finding,
    FindingFilter,
    Key,
    KeyFilter,
    KeyFinding,
    KeyLanguage,
    KeyState,
    Page,
    PageRequest,
    Position,
    Revision,
    Selection,
    StoredKey,
    StoredState,
    StoredValue,
    TextRow,
    Timestamp,
    TrashedKey,
)

from .database import Database, Store
from .key_files import all_details
from .key_findings import copy_findings
from .keys import KeyTables
from .sql import chunks

K = TypeVar("K", bound=Key)

_base = msgspec.json.Decoder(KeyState)
_encoder = msgspec.json.Encoder()
_by_name = attrgetter("key")
_Place = tuple[str, str, str | None]
_NEVER = 2**63
_LONG_AGO = "1970-01-01T00:00:00.000Z"


class BranchKeyTables(Store):
    """The keys seen from a branch (locframework/keys/store.py, BranchKeyStore)."""

    def __init__(self, database: Database, project_id: str, branch_id: str) -> None:
        super().__init__(database)
        self._tables = KeyTables(database)  # of any line
        self._project_id = project_id
        self._branch_id = branch_id
        self._mark = f"@{branch_id}"

    # reading

    def find_key(self, project_id: str, key_id: str) -> StoredKey | None:
        return self.find_keys(project_id, [key_id]).get(key_id)

    def find_state(self, project_id: str, key_id: str) -> StoredState | None:
        if not self._mine([key_id]):
            return self._tables.find_state(project_id, key_id)
        state = self.copies([key_id]).get(key_id)
        return None if state is None else StoredState(state.key, state.values)

    def find_key_with_values(self, project_id: str, key_id: str) -> StoredKey | None:
        if not self._mine([key_id]):
            key = self._tables.find_key_with_values(project_id, key_id)
            return key if key is not None and self._visible([key]) else None
        [id_] = self._marked([key_id])
        found = self._tables.find_key_with_values(
            project_id, id_, line_id=self._branch_id
        )
        return next(self._seen([found]), None) if found else None

    def find_keys(
        self, project_id: str, key_ids: Collection[str]
    ) -> dict[str, StoredKey]:
        mine = self._mine(key_ids)
        rest = [id_ for id_ in key_ids if id_ not in mine]
        main = self._tables.find_keys(project_id, rest) if rest else {}
        found = {key.id: key for key in self._visible(main.values())}
        own = self._tables.find_keys(self._branch_id, self._marked(mine))
        return found | {key.id: key for key in self._seen(own.values())}

    def find_keys_by_name(
        self, project_id: str, names: Collection[str]
    ) -> dict[str, StoredKey]:
        found = self._tables.find_keys_by_name(project_id, names)
        mine = self._mine([key.id for key in found.values()])
        own = self._tables.find_keys_by_name(self._branch_id, names)
        main = {name: key for name, key in found.items() if key.id not in mine}
        return main | {key.key: key for key in self._seen(own.values())}

    def trashed(
        self, project_id: str, key_ids: Collection[str]
    ) -> dict[str, StoredKey]:
        found = self._tables.trashed(self._branch_id, self._marked(key_ids))
        return {key.id: key for key in self._seen(found.values())}

    def page_of_trash(
        self, project_id: str, search: str | None, page: PageRequest
    ) -> Page[TrashedKey]:
        found = self._tables.page_of_trash(self._branch_id, search, page)
        items = list(self._seen(found.items))
        return Page(items, found.total, found.page, found.limit)

    def names_of(self, project_id: str, *, prefix: str = "") -> dict[str, str]:
        main = self._tables.names_of(project_id, prefix=prefix)
        mine = self._mine()
        own = self._tables.names_of(self._branch_id, prefix=prefix)
        seen = {name: id_ for name, id_ in main.items() if id_ not in mine}
        return seen | {name: self._plain(id_) for name, id_ in own.items()}

    def list_keys(
        self,
        project_id: str,
        where: KeyFilter,
        sort: str,
        *,
        limit: int,
        offset: int = 0,
        after: Position | None = None,
    ) -> BoundedList[StoredKey]:
        found = self._tables.list_keys(
            project_id,
            where,
            sort,
            limit=limit,
            offset=offset,
            after=after,
            branch_id=self._branch_id,
        )
        items = [
            next(self._seen([key])) if key.id.endswith(self._mark) else key
            for key in found.items
        ]
        return replace(found, items=items)

    def values_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> dict[str, list[StoredValue]]:
        mine = self._mine(key_ids)
        rest = [id_ for id_ in key_ids if id_ not in mine]
        found = self._tables.values_of(rest, language_codes) if rest else {}
        own = self._tables.values_of(self._marked(mine), language_codes)
        for id_, values in own.items():
            plain = self._plain(id_)
            found[plain] = [replace(value, key_id=plain) for value in values]
        return found

    def cleared_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> list[Revision]:
        mine = self._marked(self._mine(key_ids))
        return _joined(
            self._tables.cleared_of(key_ids, language_codes),
            self._tables.cleared_of(mine, language_codes),
            mine,
            self._mark,
        )

    def revisions_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> list[Revision]:
        mine = self._marked(self._mine(key_ids))
        return _joined(
            self._tables.revisions_of(key_ids, language_codes),
            self._tables.revisions_of(mine, language_codes),
            mine,
            self._mark,
        )

    def list_revisions(
        self, project_id: str, key_id: str, language_code: str, page: PageRequest
    ) -> Page[Revision]:
        seen, base = key_id, ""
        if self._mine([key_id]):
            seen, base = key_id + self._mark, key_id
        found = self._tables.list_revisions(
            project_id, seen, language_code, page, base_id=base
        )
        items = [replace(each, key_id=key_id) for each in found.items]
        return replace(found, items=items)

    def text_rows(
        self, project_id: str, language_code: str, which: Selection
    ) -> Iterator[TextRow]:
        with self._database.snapshot():  # the one that ends first must not end it
            mine, names = self._mine(), self._tables.names_of(self._branch_id)
            main = self._tables.text_rows(project_id, language_code, which)
            own = self._tables.text_rows(self._branch_id, language_code, which)
            yield from heapq.merge(
                (r for r in main if r.key_id not in mine and r.key not in names),
                (replace(row, key_id=self._plain(row.key_id)) for row in own),
                key=_by_name,
            )

    def findings_of(self, key_ids: Collection[str]) -> dict[KeyLanguage, list[Finding]]:
        mine = self._mine(key_ids)
        rest = [id_ for id_ in key_ids if id_ not in mine]
        found = self._tables.findings_of(rest) if rest else {}
        own = self._tables.findings_of(self._marked(mine))
        return found | {(self._plain(id_), code): own[id_, code] for id_, code in own}

    def list_findings(
        self, project_id: str, where: FindingFilter, page: PageRequest
    ) -> Page[KeyFinding]:
        found = self._tables.list_findings(
            project_id, where, page, branch_id=self._branch_id
        )
        items = [replace(one, key_id=self._plain(one.key_id)) for one in found.items]
        return Page(items, found.total, found.page, found.limit)

    def details_of(
        self,
        project_id: str,
        family: str,
        language_code: str,
        key_ids: Collection[str] | None = None,
    ) -> Mapping[str, FileDetail]:
        place = family, language_code, key_ids
        main = self._tables.details_of(project_id, *place)
        own = self._tables.details_of(self._branch_id, *place)
        return {**main, **{id_: self._of_project(each) for id_, each in own.items()}}

    def file_detail(
        self, project_id: str, family: str, module: str, language_code: str
    ) -> FileDetail | None:
        own = self._tables.file_detail(self._branch_id, family, module, language_code)
        if own is not None:
            return self._of_project(own)
        return self._tables.file_detail(project_id, family, module, language_code)

    def add_details(self, details: Sequence[FileDetail]) -> None:
        mine = [replace(each, project_id=self._branch_id) for each in details]
        self._tables.add_details(mine)

    def put_details(self, details: Sequence[FileDetail]) -> None:
        mine = [replace(each, project_id=self._branch_id) for each in details]
        self._tables.put_details(mine)

    def own_details(self) -> list[FileDetail]:
        found = all_details(self._database, self._branch_id)
        return [self._of_project(each) for each in found]

    # writing

    def add_keys(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue] = ()
    ) -> None:
        with self._database.transaction():
            self._add(keys, values)
            self.put_overlay([BranchKey(key.id, "own") for key in keys])

    def save_keys(self, keys: Sequence[StoredKey]) -> None:
        with self._database.transaction():
            self._adopt([key.id for key in keys])
            self._tables.save_keys([self._kept(key) for key in keys])

    def touch_keys(self, key_ids: Collection[str], at: Timestamp) -> None:
        with self._database.transaction():
            self._adopt(key_ids)
            self._tables.touch_keys(self._marked(key_ids), at)

    def touch_unchanged(self, key: StoredKey, at: Timestamp) -> bool:
        found = self.find_key(self._project_id, key.id)
        if found is None or found.updated_at != key.updated_at:
            return False
        self.touch_keys([key.id], at)
        return True

    def trash_keys(
        self,
        project_id: str,
        key_ids: Collection[str],
        at: Timestamp,
        by: str | None = None,
    ) -> None:
        with self._database.transaction():
            self._adopt(key_ids)
            self._tables.trash_keys(self._branch_id, self._marked(key_ids), at, by)

    def restore_keys(
        self, project_id: str, key_ids: Collection[str], at: Timestamp
    ) -> None:
        self._tables.restore_keys(self._branch_id, self._marked(key_ids), at)

    def purge_trash(self, before: Timestamp, rows: int) -> int:
        return self._tables.purge_trash(before, rows)

    def put_values(self, values: Sequence[StoredValue]) -> None:
        with self._database.transaction():
            self._adopt({value.key_id for value in values})
            self._tables.put_values([self._kept_value(value) for value in values])

    def remove_values(
        self, values: Sequence[StoredValue], at: Timestamp | None = None
    ) -> None:
        with self._database.transaction():
            self._adopt({value.key_id for value in values})
            kept = [self._kept_value(value) for value in values]
            self._tables.remove_values(kept, at)

    def add_revisions(self, revisions: Sequence[Revision]) -> None:
        with self._database.transaction():
            self._adopt({each.key_id for each in revisions})
            self._tables.add_revisions(
                [replace(each, key_id=each.key_id + self._mark) for each in revisions]
            )

    def mark_outdated(
        self, key_ids: Collection[str], source_language: str
    ) -> list[StoredValue]:
        with self._database.transaction():
            self._adopt(key_ids)
            turned = self._tables.mark_outdated(self._marked(key_ids), source_language)
        return [replace(value, key_id=self._plain(value.key_id)) for value in turned]

    def put_findings(self, found: Mapping[KeyLanguage, Sequence[Finding]]) -> None:
        self._tables.put_findings(
            {(id_ + self._mark, code): each for (id_, code), each in found.items()}
        )

    # the overlay

    def overlay(self, key_ids: Collection[str] | None = None) -> list[BranchKey]:
        sql = "SELECT key_id, kind, base, changes FROM branch_keys WHERE branch_id = ?"
        if key_ids is None:
            rows = self._database.rows(f"{sql} ORDER BY key_id", (self._branch_id,))
        else:
            some = f"{sql} AND {self._database.among('key_id')}"
            rows = [
                row
                for ids in chunks(sorted(key_ids))
                for row in self._database.rows(
                    some, (self._branch_id, self._database.listed(ids))
                )
            ]
            rows.sort(key=itemgetter(0))
        return [
            BranchKey(id_, kind, _base.decode(base) if base else None, changes)
            for id_, kind, base, changes in rows
        ]

    def copies(self, key_ids: Collection[str]) -> dict[str, KeyState]:
        marked = self._marked(key_ids)
        keys = self._tables.find_keys(self._branch_id, marked)
        values = self._tables.values_of(list(keys))
        found: dict[str, KeyState] = {}
        for id_, key in zip(keys, self._seen(keys.values()), strict=True):
            texts = [replace(text, key_id=key.id) for text in values.get(id_, ())]
            found[key.id] = KeyState(key, tuple(texts))
        return found

    def put_overlay(self, keys: Sequence[BranchKey]) -> None:
        self._database.run_many(
            """INSERT INTO branch_keys
                (branch_id, key_id, kind, base, base_updated_at, changes)
                VALUES (?,?,?,?,?,?) ON CONFLICT (branch_id, key_id) DO UPDATE SET
                kind = excluded.kind, base = excluded.base,
                base_updated_at = excluded.base_updated_at,
                changes = excluded.changes""",
            [
                (
                    self._branch_id,
                    key.key_id,
                    key.kind,
                    _encoder.encode(key.base).decode() if key.base else None,
                    key.base.key.updated_at if key.base else None,
                    key.changes,
                )
                for key in keys
            ],
        )

    def drop_overlay(self, key_ids: Collection[str]) -> None:
        with self._database.transaction():
            marked = self._marked(key_ids)
            self._tables.drop_keys(self._branch_id, marked, _LONG_AGO)
            for some in chunks(key_ids):
                self._database.run(
                    f"""DELETE FROM branch_keys
                        WHERE branch_id = ? AND {self._database.among("key_id")}""",
                    (self._branch_id, self._database.listed(some)),
                )

    # below: how

    def _adopt(self, key_ids: Collection[str]) -> None:
        """Copy keys from main that the branch does not have for itself."""
        mine = self._mine(key_ids)
        news = [id_ for id_ in dict.fromkeys(key_ids) if id_ not in mine]
        if not news:
            return
        keys = self._tables.find_keys(self._project_id, news)
        values = self._tables.values_of(list(keys))
        self._add(keys.values(), [text for texts in values.values() for text in texts])
        copy_findings(self._database, list(keys), self._mark)
        self.put_overlay(
            [
                BranchKey(id_, "copy", KeyState(key, tuple(values.get(id_, ()))))
                for id_, key in keys.items()
            ]
        )

    def _add(self, keys: Iterable[StoredKey], values: Iterable[StoredValue]) -> None:
        kept = [self._kept(key) for key in keys]
        self._tables.add_keys(kept, [self._kept_value(value) for value in values])

    def _mine(self, key_ids: Collection[str] | None = None) -> set[str]:
        """Of these keys, or of all, those that the branch has for itself."""
        sql = "SELECT key_id FROM branch_keys WHERE branch_id = ?"
        if key_ids is None:
            rows = self._database.rows(sql, (self._branch_id,))
            return {id_ for (id_,) in rows}
        some = f"{sql} AND {self._database.among('key_id')}"
        found: set[str] = set()
        for ids in chunks(key_ids):
            params = (self._branch_id, self._database.listed(ids))
            found.update(id_ for (id_,) in self._database.rows(some, params))
        return found

    def _visible(self, keys: Iterable[StoredKey]) -> list[StoredKey]:
        """Return those of main's keys whose names no key of the branch has."""
        keys = list(keys)
        names = [key.key for key in keys]
        own = self._tables.find_keys_by_name(self._branch_id, names) if names else {}
        return [key for key in keys if key.key not in own]

    def _marked(self, key_ids: Iterable[str]) -> list[str]:
        return [id_ + self._mark for id_ in key_ids]

    def _plain(self, id_: str) -> str:
        return id_.removesuffix(self._mark)

    def _kept(self, key: StoredKey) -> StoredKey:
        return replace(key, id=key.id + self._mark, project_id=self._branch_id)

    def _kept_value(self, value: StoredValue) -> StoredValue:
        return replace(value, key_id=value.key_id + self._mark)

    def _of_project(self, detail: FileDetail) -> FileDetail:
        return replace(detail, project_id=self._project_id)

    def _seen(self, keys: Iterable[K]) -> Iterator[K]:
        for key in keys:
            yield replace(
                key,
                id=self._plain(key.id),
                project_id=self._project_id,
                key_source="branch",
            )


def _joined(
    main: Sequence[Revision],
    own: Sequence[Revision],
    copies: Collection[str],
    mark: str,
) -> list[Revision]:
    """Main's revisions before those of the branch, and the branch's own.

    ``copies`` are the ids of the branch's copies; of a form that one never had, what
    main has written since it was cleared came after the copy.
    """
    mine = [replace(each, key_id=each.key_id.removesuffix(mark)) for each in own]
    copied = {each.key_id for each in mine} | {id_.removesuffix(mark) for id_ in copies}
    before = _ends(main, copied)
    for place, first in _firsts(mine).items():
        before[place] = first
    return [
        *(each for each in main if each.revision < before.get(_place(each), _NEVER)),
        *mine,
    ]


def _ends(main: Sequence[Revision], copied: Collection[str]) -> dict[_Place, int]:
    """After the last clearing of values of copied keys."""
    found: dict[_Place, int] = {}
    for each in main:
        if each.key_id in copied:
            ended = each.revision + 1 if each.status == "untranslated" else 0
            found[_place(each)] = max(found.get(_place(each), 0), ended)
    return found


def _firsts(own: Sequence[Revision]) -> dict[_Place, int]:
    found: dict[_Place, int] = {}
    for each in own:
        found[_place(each)] = min(found.get(_place(each), _NEVER), each.revision)
    return found


def _place(revision: Revision) -> _Place:
    return revision.key_id, revision.language_code, revision.plural_form
