"""The columns of keys and values, and the rows that main or a branch has of them.

A branch's copy of a key is a row of its own. Its id is ``<key id>@<branch id>``, and
its line is the branch, so that no statement about main meets it.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from locframework.ports import KeyValue, StoredKey, StoredValue, count_words, fold

from .database import Database, SqlFragment, Store, fields, json_text
from .engine import Row

PROJECT = "(SELECT number FROM lines WHERE id = ?)"
"""The number that wide tables name a line by: main, by the id of its project, or a
branch, by its own id."""

IN_PROJECT = f"project + 0 = {PROJECT}"
"""That a key found by its id is the project's. No index is to be walked for it, which
PostgreSQL would do in a table that it has not counted yet."""

KEYS_A_PROJECT = 2**32
"""The number of a key is this times its project's, and its own in the project."""

FOLDED_BREAK = "\x1f"  # between what is folded into one text; nobody types it

KEY = """k.id, k.key, k.description, k.tags, k.is_plural, k.screenshot_url,
    k.screenshot_file_id, k.max_length, k.disabled_checks, k.format_flags, k.file_key,
    k.created_at, k.updated_at"""
_CHANGING = """key, description, is_plural, screenshot_url, screenshot_file_id,
    max_length, file_key, updated_at"""
_changing = fields(" ".join(_CHANGING.split()))
_KEPT = f"{_CHANGING}, tags, disabled_checks, format_flags, folded"
KEY_KEPT = f"{_KEPT}, id, created_at, project, number"
KEY_CHANGED = _KEPT.replace(",", " = ?,") + " = ?"
VALUE = """v.language_code, NULLIF(v.plural_form, ''), v.value, v.status,
    v.is_outdated, v.revision, v.origin, v.approved_value, v.approved_at,
    v.approved_by, v.updated_at, v.updated_by, v.actor_type, v.reason, v.note,
    v.approved_outdated, v.keeps_fresh"""
_REVISION = (
    "language_code, plural_form, value, status, is_outdated, revision, origin,"
    " approved_value, approved_at, approved_by, updated_at, updated_by, actor_type,"
    " reason, note, approved_outdated, keeps_fresh"
)
VALUE_KEPT = f"{_REVISION}, words, folded, key_number"
REVISION_KEPT = f"{_REVISION}, key_number"

OF_PROJECT = f"""BETWEEN {PROJECT} * {KEYS_A_PROJECT}
    AND ({PROJECT} + 1) * {KEYS_A_PROJECT} - 1"""
"""What the number of every key of a project is, also in the trash; asks twice."""

SEARCH_ROWS = 64
"""How many rows a key has at most in SQLite's index for searches: its own, and those of
languages, of which a few share one. They are numbered from this times its number."""

SEARCHED_IN_PROJECT = f"""BETWEEN {PROJECT} * {KEYS_A_PROJECT * SEARCH_ROWS}
    AND ({PROJECT} + 1) * {KEYS_A_PROJECT * SEARCH_ROWS} - 1"""
"""What the number of every such row of a project is; asks twice."""

FILE_KEY_INDEXED = 200  # characters: PostgreSQL indexes no long texts
FILE_KEY_START = f"substr(k.file_key, 1, {FILE_KEY_INDEXED})"

tags_in = msgspec.json.Decoder(tuple[str, ...]).decode


def key_of(
    project_id: str, row: Row, values: list[KeyValue] | UnsetType = UNSET
) -> StoredKey:
    """The record of a row of KEY, with the values."""
    row_id, key, description, tags, *rest = row
    id_, of_branch, _ = row_id.partition("@")
    is_plural, screenshot_url, screenshot_file_id, max_length, *rest = rest
    disabled, flags, file_key, *times = rest
    return StoredKey(
        id=id_,
        project_id=project_id,
        key=key,
        description=description,
        tags=tags_in(tags),
        is_plural=is_plural,
        screenshot_url=screenshot_url,
        screenshot_file_id=screenshot_file_id,
        key_source="branch" if of_branch else "main",
        created_at=times[0],
        updated_at=times[1],
        max_length=max_length,
        disabled_checks=tags_in(disabled),
        file_key=file_key,
        format_flags=tags_in(flags),
        values=values,
    )


def key_changes(key: StoredKey) -> Row:
    """Return the values of KEY_CHANGED."""
    parts = (key.key, key.description, key.file_key)
    folded = FOLDED_BREAK.join(fold(part) for part in parts if part is not None)
    texts = map(json_text, (key.tags, key.disabled_checks, key.format_flags))
    return *_changing(key), *texts, folded


def key_row(key: StoredKey, project: int, number: int) -> Row:
    """Return the row of KEY_KEPT, by the numbers of its project and itself."""
    return *key_changes(key), key.id, key.created_at, project, number


def value_row(value: StoredValue, number: int) -> Row:
    """Return the row of VALUE_KEPT of a record, of the key with this number."""
    _, language_code, plural_form, *rest = astuple(value)
    text = value.value if value.approved_value is None else value.approved_value
    added = count_words(text), fold(value.value), number
    return language_code, plural_form or "", *rest, *added


_NOT_ON_BRANCH = f"""NOT EXISTS (SELECT 1 FROM branch_keys b
        WHERE b.branch_id = ? AND b.key_id = {{k}}.id)
    AND NOT EXISTS (SELECT 1 FROM keys o
        WHERE o.project = {PROJECT} AND o.key = {{k}}.key AND o.deleted_at IS NULL)"""
"""That a branch neither copied main's key nor has a key of its name."""


class Source(NamedTuple):
    """Keys of main or of a branch; with ``branch_id``, main's as the branch shows them.

    ``mark`` is the end of the ids of a branch's rows.
    """

    line_id: str
    branch_id: str | None = None
    mark: str = ""

    def shows(self, table: str, of_line: str = f"project = {PROJECT}") -> SqlFragment:
        """Return the condition that a row of ``keys`` belongs to the source.

        ``of_line``: ``IN_PROJECT`` where another index finds the rows.
        """
        sql = f"{table}.{of_line} AND {table}.deleted_at IS NULL"
        if self.branch_id is None:
            return SqlFragment(sql, (self.line_id,))
        hidden = _NOT_ON_BRANCH.format(k=table)
        branch = (self.branch_id, self.branch_id)
        return SqlFragment(f"{sql} AND {hidden}", (self.line_id, *branch))


class ScopedStore(Store):
    """Base of the parts of the key store: the keys of main, or those of a branch.

    A branch shows main's keys, overlaid with its own rows.
    """

    def __init__(self, database: Database, branch_id: str | None = None) -> None:
        super().__init__(database)
        self._branch_id = branch_id
        self._mark = f"@{branch_id}" if branch_id is not None else ""

    def _sources(self, project_id: str) -> list[Source]:
        """Return main alone, or what a branch shows of main and its own keys."""
        if self._branch_id is None:
            return [Source(project_id)]
        branch = Source(self._branch_id, mark=self._mark)
        return [Source(project_id, self._branch_id), branch]

    def _own_line(self, project_id: str) -> str:
        return project_id if self._branch_id is None else self._branch_id

    def _marked(self, key_ids: Iterable[str]) -> list[str]:
        """Return the ids of the line's own rows."""
        return [key_id + self._mark for key_id in key_ids]

    def _rows_to_read(self, key_ids: Collection[str]) -> Collection[str]:
        """Return the ids of the rows of these keys, main's or those of the branch."""
        copied = self._copied(key_ids) if self._mark else ()
        if not copied:
            return key_ids
        return [id_ + self._mark if id_ in copied else id_ for id_ in key_ids]

    def _rows_to_write(self, key_ids: Collection[str]) -> Collection[str]:
        """Return the ids of the line's own rows, copied from main where they are not
        there yet."""
        if not self._mark:
            return key_ids
        self._copy_from_main(key_ids)
        return self._marked(key_ids)

    def _copied(self, key_ids: Collection[str]) -> set[str]:
        """Return those of the keys that the branch has for itself."""
        among = self._database.among("key_id")
        sql = f"SELECT key_id FROM branch_keys WHERE {among} AND branch_id = ?"
        rows = self._database.rows_of(key_ids, sql, self._branch_id)
        return {id_ for (id_,) in rows}

    def _copy_from_main(self, key_ids: Iterable[str]) -> None:
        """Copy keys that the branch does not have for itself yet."""
        raise NotImplementedError  # by the whole store of a branch


def plain_id(row_id: str) -> str:
    """Return the id of the key of a row."""
    return row_id.partition("@")[0]
