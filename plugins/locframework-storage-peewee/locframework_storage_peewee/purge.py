"""Purges what was deleted in pieces, so transactions are short."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from locframework.ports import Purgeable, Timestamp

from .database import Database
from .events import drop_events
from .key_columns import OF_PROJECT, PROJECT, SEARCHED_IN_PROJECT
from .key_values import lines_of

_DELETED = "deleted_at < ? ORDER BY deleted_at LIMIT ?"
_NUMBERED = f"project = {PROJECT}"
_OF_RELEASES = """release_id IN (SELECT r.id FROM releases r
    JOIN distributions d ON d.id = r.distribution_id WHERE d.project_id = ?)"""
_OF_BRANCHES = "branch_id IN (SELECT id FROM branches WHERE project_id = ?)"

# table, its key, and which of its rows are the line's
_OF_LINE = (
    ("key_tags", "key_number, tag", f"key_number {OF_PROJECT}"),
    ("language_counts", "line, language_code", f"line = {PROJECT}"),
    ("file_details", "project, family, language_code, key_id, module", _NUMBERED),
    ("findings", "key_number, language_code, place", _NUMBERED),
    ("dismissals", "texts_hash, check_name, line", f"line = {PROJECT}"),
    (
        "key_values",
        "key_number, language_code, plural_form",
        f"key_number {OF_PROJECT}",
    ),
    (
        "value_revisions",
        "key_number, language_code, plural_form, revision",
        f"key_number {OF_PROJECT}",
    ),
    ("keys", "number", f"number {OF_PROJECT}"),
)

# the same of the project; children before parents
_OF_PROJECT = (
    ("memory_links", "memory, key_id, plural_form", "project_id = ?"),
    ("ai_usage", "project_id, month, provider, language_code", "project_id = ?"),
    ("jobs", "id", "project_id = ?"),
    ("tokens", "id", "project_id = ?"),
    ("plugin_entries", "space, owner_id, key", "owner_id = ?"),
    ("release_files", "release_id, position", _OF_RELEASES),
    ("distributions", "id", "project_id = ?"),
    ("webhook_deliveries", "id", "project_id = ?"),
    ("webhooks", "id", "project_id = ?"),
    ("files", "id", "project_id = ?"),
    ("languages", "id", "project_id = ?"),
    ("branch_keys", "branch_id, key_id", _OF_BRANCHES),
    ("projects", "id", "id = ?"),  # last: what remains of it goes along
)

_OF_DISTRIBUTION = (
    (
        "release_files",
        "release_id, position",
        "release_id IN (SELECT id FROM releases WHERE distribution_id = ?)",
    ),
    ("releases", "id", "distribution_id = ?"),
    ("distributions", "id", "id = ?"),
)
_OF_GLOSSARY = (("terms", "id", "glossary_id = ?"), ("glossaries", "id", "id = ?"))
_OF_WEBHOOK = (
    ("webhook_deliveries", "id", "webhook_id = ?"),
    ("webhooks", "id", "id = ?"),
)


def purge(database: Database, kind: Purgeable, before: Timestamp, rows: int) -> int:
    """See Storage.purge; keys and files are purged where they are kept."""
    if kind in _BY_AGE:
        return database.run(_BY_AGE[kind], (before, rows))
    ended, drop = _IN_PARTS[kind]
    gone = 0
    with database.transaction():
        for (id_,) in database.rows(ended, (before, rows)):
            gone += drop(database, id_, rows - gone)
            if gone >= rows:
                break
    return gone


def _purge_project(database: Database, project_id: str, rows: int) -> int:
    gone = 0
    for line_id in lines_of(database, project_id):
        gone += _purge_line(database, line_id, rows - gone)
        if gone >= rows:
            return gone
    gone += drop_events(database, project_id, rows - gone)
    return gone + _purge(_OF_PROJECT, database, project_id, rows - gone)


def _purge_line(database: Database, line_id: str, rows: int) -> int:
    parts: list[tuple[str, str, str]] = [*_OF_LINE]
    if database.engine.has_trigram_tables:
        parts.insert(0, ("key_search", "rowid", f"rowid {SEARCHED_IN_PROJECT}"))
    return _purge(parts, database, line_id, rows)


def _purge_branch(database: Database, branch_id: str, rows: int) -> int:
    gone = _purge_line(database, branch_id, rows)
    if gone < rows:
        database.run("DELETE FROM branch_keys WHERE branch_id = ?", (branch_id,))
        # last: rows of the line are found by its number
        gone += database.run("DELETE FROM lines WHERE id = ?", (branch_id,))
    return gone


def _purge_memory(database: Database, memory: int, rows: int) -> int:
    """Drop up to ``rows`` entries and removals of a memory, itself last."""
    some = "SELECT number FROM memory_entries WHERE memory = ? LIMIT ?"
    for sql in (
        f"DELETE FROM memory_translations WHERE entry IN ({some})",
        f"DELETE FROM memory_links WHERE entry IN ({some})",
        f"DELETE FROM memory_entries WHERE number IN ({some})",
    ):
        gone = database.run(sql, (memory, rows))
    if gone < rows:
        gone += database.run(
            """DELETE FROM memory_removals WHERE (memory, revision, entry) IN (
                SELECT memory, revision, entry FROM memory_removals
                WHERE memory = ? LIMIT ?)""",
            (memory, rows - gone),
        )
    if gone < rows:
        gone += database.run("DELETE FROM memories WHERE number = ?", (memory,))
    return gone


def _purge(
    parts: Iterable[tuple[str, str, str]], database: Database, id_: str, rows: int
) -> int:
    gone = 0
    for table, key, mine in parts:
        found = database.rows(
            f"SELECT {key} FROM {table} WHERE {mine} LIMIT ?",
            (*[id_] * mine.count("?"), rows - gone),
        )
        # each by its whole key: of rows that are IN a query SQLite looks up no more
        # than the first column, and read all that a project has on lists
        place = " AND ".join(f"{column} = ?" for column in key.split(", "))
        gone += database.run_many(f"DELETE FROM {table} WHERE {place}", found)
        if gone >= rows:
            break
    return gone


_BY_AGE: dict[Purgeable, str] = {
    "deliveries": """DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries WHERE created_at < ? AND due_at IS NULL
        ORDER BY created_at LIMIT ?)""",
    "idempotency_keys": """DELETE FROM idempotency_keys WHERE (owner, key) IN (
        SELECT owner, key FROM idempotency_keys WHERE created_at < ?
        ORDER BY created_at LIMIT ?)""",
    "jobs": """DELETE FROM jobs WHERE id IN (
        SELECT id FROM jobs WHERE finished_at < ? ORDER BY finished_at LIMIT ?)""",
}
_IN_PARTS: dict[Purgeable, tuple[str, Callable[[Database, Any, int], int]]] = {
    "branches": (
        """SELECT b.id FROM branches b JOIN lines l ON l.id = b.id
            WHERE b.status <> 'open' AND b.updated_at < ?
            ORDER BY b.updated_at LIMIT ?""",
        _purge_branch,
    ),
    "distributions": (
        f"SELECT id FROM distributions WHERE {_DELETED}",
        partial(_purge, _OF_DISTRIBUTION),
    ),
    "glossaries": (
        f"SELECT id FROM glossaries WHERE {_DELETED}",
        partial(_purge, _OF_GLOSSARY),
    ),
    "memories": (f"SELECT number FROM memories WHERE {_DELETED}", _purge_memory),
    "projects": (f"SELECT id FROM projects WHERE {_DELETED}", _purge_project),
    "webhooks": (
        f"SELECT id FROM webhooks WHERE {_DELETED}",
        partial(_purge, _OF_WEBHOOK),
    ),
}
"""What selects the ids of what ended, given a time and a limit, and what drops up to
some rows of one, its own row last."""
