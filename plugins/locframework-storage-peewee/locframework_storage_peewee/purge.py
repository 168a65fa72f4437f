"""Drops what a deleted project held, in pieces that keep transactions short."""

from .database import Database
from .key_columns import OF_PROJECT, PROJECT

_NUMBERED = f"project = {PROJECT}"
_OF_RELEASES = """release_id IN (SELECT r.id FROM releases r
    JOIN distributions d ON d.id = r.distribution_id WHERE d.project_id = ?)"""

# table, its key, and which of its rows are the project's; children before parents
_PARTS = (
    ("events", "seq", "project_id = ?"),
    ("jobs", "id", "project_id = ?"),
    ("tokens", "id", "project_id = ?"),
    ("key_lists", "project, list, key", _NUMBERED),
    ("key_list_lengths", "project, list", _NUMBERED),
    ("file_details", "project, family, language_code, key_id, module", _NUMBERED),
    (
        "key_values",
        "key_number, language_code, plural_form",
        f"key_number {OF_PROJECT}",
    ),
    ("keys", "number", f"number {OF_PROJECT}"),
    ("release_files", "release_id, position", _OF_RELEASES),
    ("distributions", "id", "project_id = ?"),
    ("languages", "id", "project_id = ?"),
    ("projects", "id", "id = ?"),  # last: what remains of it goes along
)


def purge_project(database: Database, project_id: str, rows: int) -> int:
    """Drop up to ``rows`` rows of the project, itself last; how many went."""
    gone = 0
    for table, key, mine in _PARTS:
        gone += database.run(
            f"""DELETE FROM {table} WHERE ({key}) IN (
                SELECT {key} FROM {table} WHERE {mine} LIMIT ?)""",
            (*[project_id] * mine.count("?"), rows - gone),
        )
        if gone >= rows:
            break
    return gone
