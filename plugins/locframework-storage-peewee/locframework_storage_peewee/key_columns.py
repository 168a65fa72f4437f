"""How keys and values stand in their tables."""

from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from locframework.ports import Key, KeyValue, StoredKey, StoredValue, count_words, fold

from .columns import json_text
from .engine import Row
from .sql import SqlFragment

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
    k.screenshot_file_id, k.max_length, k.created_at, k.updated_at"""
KEY_KEPT = """id, key, description, tags, is_plural, screenshot_url,
    screenshot_file_id, max_length, created_at, updated_at, folded, project, number"""
VALUE = """v.language_code, NULLIF(v.plural_form, ''), v.value, v.status,
    v.is_outdated, v.revision, v.origin, v.approved_value, v.approved_at,
    v.approved_by, v.updated_at, v.updated_by, v.actor_type, v.reason, v.note,
    v.approved_outdated, v.keeps_fresh"""
VALUE_KEPT = """language_code, plural_form, value, status, is_outdated, revision,
    origin, approved_value, approved_at, approved_by, updated_at, updated_by,
    actor_type, reason, note, approved_outdated, keeps_fresh, words, folded,
    key_number"""
REVISION_KEPT = """language_code, plural_form, value, status, is_outdated, revision,
    origin, approved_value, approved_at, approved_by, updated_at, updated_by,
    actor_type, reason, note, approved_outdated, keeps_fresh, key_number"""

OF_PROJECT = f"""BETWEEN {PROJECT} * {KEYS_A_PROJECT}
    AND ({PROJECT} + 1) * {KEYS_A_PROJECT} - 1"""
"""What the number of every key of a project is, also in the trash; asks twice."""

tags_in = msgspec.json.Decoder(tuple[str, ...]).decode


def key_of(
    project_id: str, row: Row, values: list[KeyValue] | UnsetType = UNSET
) -> StoredKey:
    """The record of a row of KEY, with the values."""
    id_, key, description, tags, *rest = row
    is_plural, screenshot_url, screenshot_file_id, max_length, *times = rest
    return StoredKey(
        id=id_,
        project_id=project_id,
        key=key,
        description=description,
        tags=tags_in(tags),
        is_plural=is_plural,
        screenshot_url=screenshot_url,
        screenshot_file_id=screenshot_file_id,
        key_source="main",
        created_at=times[0],
        updated_at=times[1],
        max_length=max_length,
        values=values,
    )


def key_row(key: StoredKey, project: int, number: int) -> Row:
    """The row of KEY_KEPT of a record, by the numbers of its project and itself."""
    return (
        key.id,
        key.key,
        key.description,
        json_text(key.tags),
        key.is_plural,
        key.screenshot_url,
        key.screenshot_file_id,
        key.max_length,
        key.created_at,
        key.updated_at,
        folded_key(key),
        project,
        number,
    )


def folded_key(key: Key) -> str:
    """What a search for a key looks in, apart from the values."""
    return fold(key.key) + FOLDED_BREAK + fold(key.description)


def value_row(value: StoredValue, words: int, number: int) -> Row:
    """The row of VALUE_KEPT of a record, of the key with this number."""
    _, language_code, plural_form, *rest = astuple(value)
    beside = words, fold(value.value), number
    return language_code, plural_form or "", *rest, *beside


def words_of(value: StoredValue) -> int:
    """The words of the text that counts: the approved one, or the only one."""
    text = value.approved_value
    return count_words(value.value if text is None else text)


_NOT_ON_BRANCH = f"""NOT EXISTS (SELECT 1 FROM branch_keys b
        WHERE b.branch_id = ? AND b.key_id = {{k}}.id)
    AND NOT EXISTS (SELECT 1 FROM keys o
        WHERE o.project = {PROJECT} AND o.key = {{k}}.key AND o.deleted_at IS NULL)"""
"""That a branch neither copied main's key nor has a key of its name."""


class Source(NamedTuple):
    """Keys of main or of a branch; with ``branch_id``, main's as the branch shows them.

    ``mark`` is what the ids of a branch's rows end with.
    """

    line_id: str
    branch_id: str | None = None
    mark: str = ""

    def shows(self, table: str) -> SqlFragment:
        """Return the condition that a row of ``keys`` belongs to the source."""
        sql = f"{table}.project = {PROJECT} AND {table}.deleted_at IS NULL"
        if self.branch_id is None:
            return SqlFragment(sql, (self.line_id,))
        hidden = _NOT_ON_BRANCH.format(k=table)
        branch = (self.branch_id, self.branch_id)
        return SqlFragment(f"{sql} AND {hidden}", (self.line_id, *branch))


def sources_of(project_id: str, branch_id: str | None) -> list[Source]:
    """Return main alone, or what a branch shows of main and its own keys."""
    if branch_id is None:
        return [Source(project_id)]
    return [Source(project_id, branch_id), Source(branch_id, mark=f"@{branch_id}")]
