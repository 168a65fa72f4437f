"""Keeps keys; their values, lists and texts stand in the files beside."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import attrgetter

from locframework.ports import (
    BoundedList,
    FileDetail,
    Finding,
    FindingFilter,
    KeyFilter,
    KeyFinding,
    KeyLanguage,
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

from . import (
    key_details,
    key_findings,
    key_history,
    key_lists,
    key_reads,
    key_texts,
    key_trash,
    key_values,
)
from .columns import json_text
from .counts import count_new_keys, latest
from .database import Database
from .engine import Row
from .key_columns import (
    IN_PROJECT,
    KEY,
    KEY_KEPT,
    KEYS_A_PROJECT,
    PROJECT,
    folded_key,
    key_of,
    key_row,
    words_of,
)
from .key_scopes import sources_of
from .sql import SqlFragment, chunks, starts_with

_BY_NAME = f"k.project = {PROJECT} AND k.deleted_at IS NULL"
_BY_ID = f"k.{IN_PROJECT} AND k.deleted_at IS NULL"


class KeyTables:
    """The key store (locframework/keys/store.py, KeyStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_keys(
        self, keys: Sequence[StoredKey], values: Sequence[StoredValue] = ()
    ) -> None:
        with self._database.transaction():
            for project_id in {key.project_id for key in keys}:
                mine = [key for key in keys if key.project_id == project_id]
                ids = {key.id for key in mine}
                texts = [value for value in values if value.key_id in ids]
                self._add(project_id, mine, texts)

    def find_key(self, project_id: str, key_id: str) -> StoredKey | None:
        row = self._database.row(
            f"SELECT {KEY} FROM keys k WHERE {_BY_ID} AND k.id = ?",
            (project_id, key_id),
        )
        return key_of(project_id, row) if row else None

    def find_state(self, project_id: str, key_id: str) -> StoredState | None:
        return key_reads.find_state(self._database, project_id, key_id)

    def find_key_with_values(self, project_id: str, key_id: str) -> StoredKey | None:
        return key_reads.find_key_with_values(self._database, project_id, key_id)

    def find_keys(
        self, project_id: str, key_ids: Collection[str]
    ) -> dict[str, StoredKey]:
        found = self._found(
            project_id, f"{_BY_ID} AND {self._database.among('k.id')}", key_ids
        )
        return {key.id: key for key in found}

    def find_keys_by_name(
        self, project_id: str, names: Collection[str]
    ) -> dict[str, StoredKey]:
        found = self._found(
            project_id, f"{_BY_NAME} AND {self._database.among('k.key')}", names
        )
        return {key.key: key for key in found}

    def trashed(
        self, project_id: str, key_ids: Collection[str]
    ) -> dict[str, StoredKey]:
        return key_trash.trashed(self._database, project_id, key_ids)

    def page_of_trash(
        self, project_id: str, search: str | None, page: PageRequest
    ) -> Page[TrashedKey]:
        return key_trash.page_of_trash(self._database, project_id, search, page)

    def save_keys(self, keys: Sequence[StoredKey]) -> None:
        with self._database.transaction():
            old = self._stored(keys)
            new = {key.key: key.id for key in keys}
            self._database.run_many(  # keys may take each other's names
                "UPDATE keys SET key = ? WHERE id = ?",
                # no key has a blank in its name
                [(f" {i}", i) for i, (_, name, _) in old.items() if new.get(name) != i],
            )
            self._database.run_many(
                """UPDATE keys SET key = ?, description = ?, tags = ?, is_plural = ?,
                    screenshot_url = ?, screenshot_file_id = ?, max_length = ?,
                    updated_at = ?, folded = ? WHERE id = ? AND deleted_at IS NULL""",
                [_changed(key) for key in keys],
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
            key_lists.replace_tags(self._database, tags)
            key_findings.rename_findings(self._database, names)
            key_lists.index_texts(self._database, list(old))

    def touch_keys(self, key_ids: Collection[str], at: Timestamp) -> None:
        mine = f"{self._database.among('id')} AND deleted_at IS NULL"
        with self._database.transaction():
            for some in chunks(key_ids):
                touched = self._database.run_rows(
                    f"UPDATE keys SET updated_at = ? WHERE {mine} RETURNING id, number",
                    (at, self._database.listed(some)),
                )
                self._database.key_numbers.update(touched)

    def touch_unchanged(self, key: StoredKey, at: Timestamp) -> bool:
        touched = self._database.run_rows(
            """UPDATE keys SET updated_at = ? WHERE id = ? AND deleted_at IS NULL
                AND updated_at = ? RETURNING id, number""",
            (at, key.id, key.updated_at),
        )
        self._database.key_numbers.update(touched)
        return bool(touched)

    def trash_keys(
        self,
        project_id: str,
        key_ids: Collection[str],
        at: Timestamp,
        by: str | None = None,
    ) -> None:
        key_trash.trash_keys(self._database, project_id, key_ids, at, by)

    def restore_keys(
        self, project_id: str, key_ids: Collection[str], at: Timestamp
    ) -> None:
        key_trash.restore_keys(self._database, project_id, key_ids, at)

    def purge_trash(self, before: Timestamp, rows: int) -> int:
        return key_trash.purge_trash(self._database, before, rows)

    def names_of(self, project_id: str, *, prefix: str = "") -> dict[str, str]:
        start = starts_with("k.key", SqlFragment("?", (prefix,)))
        rows = self._database.rows(
            f"SELECT k.key, k.id FROM keys k WHERE {_BY_NAME} AND {start.sql}",
            (project_id, *start.params),
        )
        return dict(rows)

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
        return key_lists.list_keys(
            self._database,
            project_id,
            where,
            sort,
            sources_of(project_id, None),
            limit=limit,
            offset=offset,
            after=after,
        )

    def values_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> dict[str, list[StoredValue]]:
        return key_values.values_of(self._database, key_ids, language_codes)

    def put_values(self, values: Sequence[StoredValue]) -> None:
        key_values.put_values(self._database, values)

    def remove_values(
        self, values: Sequence[StoredValue], at: Timestamp | None = None
    ) -> None:
        key_values.remove_values(self._database, values, at)

    def mark_outdated(
        self, key_ids: Collection[str], source_language: str
    ) -> list[StoredValue]:
        return key_values.mark_outdated(self._database, key_ids, source_language)

    def add_revisions(self, revisions: Sequence[Revision]) -> None:
        key_history.add_revisions(self._database, revisions)

    def cleared_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> list[Revision]:
        return key_history.cleared_of(self._database, key_ids, language_codes)

    def revisions_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> list[Revision]:
        return key_history.revisions_of(self._database, key_ids, language_codes)

    def list_revisions(
        self, project_id: str, key_id: str, language_code: str, page: PageRequest
    ) -> Page[Revision]:
        return key_history.list_revisions(
            self._database, key_id, "", language_code, page
        )

    def text_rows(
        self, project_id: str, language_code: str, which: Selection
    ) -> Iterator[TextRow]:
        return key_texts.text_rows(self._database, project_id, language_code, which)

    def add_details(self, details: Sequence[FileDetail]) -> None:
        key_details.add_details(self._database, details)

    def put_details(self, details: Sequence[FileDetail]) -> None:
        key_details.put_details(self._database, details)

    def details_of(
        self,
        project_id: str,
        family: str,
        language_code: str,
        key_ids: Collection[str] | None = None,
    ) -> Mapping[str, FileDetail]:
        place = project_id, family, language_code
        return key_details.details_of(self._database, *place, key_ids)

    def file_detail(
        self, project_id: str, family: str, module: str, language_code: str
    ) -> FileDetail | None:
        return key_details.file_detail(
            self._database, project_id, family, module, language_code
        )

    def findings_of(self, key_ids: Collection[str]) -> dict[KeyLanguage, list[Finding]]:
        return key_findings.findings_of(self._database, key_ids)

    def put_findings(self, found: Mapping[KeyLanguage, Sequence[Finding]]) -> None:
        key_findings.put_findings(self._database, found)

    def list_findings(
        self, project_id: str, where: FindingFilter, page: PageRequest
    ) -> Page[KeyFinding]:
        sources = sources_of(project_id, None)
        return key_findings.list_findings(
            self._database, project_id, where, page, sources
        )

    # below: how

    def _found(
        self, project_id: str, condition: str, wanted: Collection[str]
    ) -> Iterator[StoredKey]:
        for some in chunks(wanted):
            rows = self._database.rows(
                f"SELECT {KEY} FROM keys k WHERE {condition}",
                (project_id, self._database.listed(some)),
            )
            for row in rows:
                yield key_of(project_id, row)

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
            "keys",
            KEY_KEPT,
            [key_row(key, project, numbers[key.id]) for key in keys],
        )
        words = [words_of(value) for value in values]
        key_values.add_values(self._database, numbers, values, words)
        key_lists.replace_tags(
            self._database, {numbers[key.id]: key.tags for key in keys}, are_new=True
        )
        last = first + len(keys) - 1
        times = latest((value.language_code, value.updated_at) for value in values)
        count_new_keys(self._database, first, last, times)
        key_lists.index_new_texts(self._database, first, last)

    def _stored(self, keys: Sequence[StoredKey]) -> dict[str, tuple[int, str, str]]:
        """Return number, name and tags of keys as they are stored, by id."""
        found: dict[str, tuple[int, str, str]] = {}
        for ids in chunks([key.id for key in keys]):
            rows = self._database.rows(
                f"""SELECT id, number, key, tags FROM keys
                    WHERE {self._database.among("id")} AND deleted_at IS NULL""",
                (self._database.listed(ids),),
            )
            found |= {id_: (number, key, tags) for id_, number, key, tags in rows}
        return found


def _changed(key: StoredKey) -> Row:
    return (
        key.key,
        key.description,
        json_text(key.tags),
        key.is_plural,
        key.screenshot_url,
        key.screenshot_file_id,
        key.max_length,
        key.updated_at,
        folded_key(key),
        key.id,
    )
