"""Purges what was deleted in pieces, so transactions are short."""

from collections.abc import Callable, Iterable
from typing import Any

from locframework.ports import Timestamp

from .database import Database
from .events import drop_events
from .key_columns import OF_PROJECT, PROJECT
from .key_values import lines_of

DELETED = "deleted_at < ? ORDER BY deleted_at LIMIT ?"

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
    ("jobs", "id", "project_id = ?"),
    ("tokens", "id", "project_id = ?"),
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


def purge_each(
    database: Database,
    ended: str,
    before: Timestamp,
    rows: int,
    drop: Callable[[Any, int], int],
) -> int:
    """Drop up to about ``rows`` rows in a transaction; return how many.

    ``ended`` selects the ids to drop, given ``before`` and a limit. ``drop`` drops up
    to so many rows of an id, its own row last, and returns how many.
    """
    gone = 0
    with database.transaction():
        for (id_,) in database.rows(ended, (before, rows)):
            gone += drop(id_, rows - gone)
            if gone >= rows:
                break
    return gone


def purge_project(database: Database, project_id: str, rows: int) -> int:
    """Drop up to ``rows`` rows of the project, itself last; return how many."""
    gone = 0
    for line_id in lines_of(database, project_id):
        gone += purge_line(database, line_id, rows - gone)
        if gone >= rows:
            return gone
    gone += drop_events(database, project_id, rows - gone)
    return gone + _purge(database, _OF_PROJECT, project_id, rows - gone)


def purge_line(database: Database, line_id: str, rows: int) -> int:
    """Drop up to ``rows`` rows of main or a branch; return how many."""
    parts: list[tuple[str, str, str]] = [*_OF_LINE]
    if database.engine.has_trigram_tables:
        parts.insert(0, ("key_search", "rowid", f"rowid {OF_PROJECT}"))
    return _purge(database, parts, line_id, rows)


def purge_distribution(database: Database, distribution_id: str, rows: int) -> int:
    """Drop up to ``rows`` rows of the distribution, itself last; return how many."""
    return _purge(database, _OF_DISTRIBUTION, distribution_id, rows)


def purge_glossary(database: Database, glossary_id: str, rows: int) -> int:
    """Drop up to ``rows`` rows of the glossary, itself last; return how many."""
    return _purge(database, _OF_GLOSSARY, glossary_id, rows)


def _purge(
    database: Database, parts: Iterable[tuple[str, str, str]], id_: str, rows: int
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
