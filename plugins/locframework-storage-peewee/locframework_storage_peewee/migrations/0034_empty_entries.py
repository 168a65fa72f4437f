"""Entries of memories that keys made and that say nothing any more, swept.

They go with their last text now; languages that were taken away left them behind
once. They are noted as removed, so that matchers forget them.
"""

import peewee
from locframework_storage_peewee.ddl import run

_EMPTY = """e.is_learned AND NOT EXISTS (
    SELECT 1 FROM memory_translations t WHERE t.entry = e.number)"""
_NUMBERS = f"SELECT e.number FROM memory_entries e WHERE {_EMPTY}"


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        f"""UPDATE memories SET revision = revision + 1, entry_count = entry_count - (
                SELECT count(*) FROM memory_entries e
                WHERE e.memory = memories.number AND {_EMPTY})
            WHERE number IN (SELECT e.memory FROM memory_entries e WHERE {_EMPTY})""",
        f"""INSERT INTO memory_removals (memory, revision, entry, entry_id)
            SELECT e.memory, m.revision, e.number, e.id FROM memory_entries e
            JOIN memories m ON m.number = e.memory WHERE {_EMPTY}""",
        f"DELETE FROM memory_links WHERE entry IN ({_NUMBERS})",
        f"DELETE FROM memory_entries WHERE number IN ({_NUMBERS})",
    )
