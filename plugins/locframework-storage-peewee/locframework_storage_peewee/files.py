"""Files of projects; their content is in a blob store.

``use_files`` runs with writes of keys and the others in bulk: hand-written SQL, 3 µs.
"""

from collections.abc import Collection

from locframework.ports import StoredFile, Timestamp

from .models import FileRow
from .tables import Table

_IS_NAMED = "EXISTS (SELECT 1 FROM keys k WHERE k.screenshot_file_id = files.id)"


class FileTable(Table[StoredFile]):
    """The file store (locframework/files/store.py, FileStore)."""

    model = FileRow
    record = StoredFile
    parent = "project_id"

    def insert(self, record: StoredFile) -> None:
        row = self.values(record)
        self.write(FileRow.insert({**row, "looked_at": record.created_at}))

    def use_files(self, project_id: str, file_ids: Collection[str]) -> set[str]:
        self._database.require_transaction()
        # SQLite would read all files of the project by its index
        project = self._database.engine.without_index("project_id")
        # a write, not a lock: a purge at the same time reads the row again
        used = self._database.run_rows(
            f"""UPDATE files SET unused_since = NULL
                WHERE {self._database.among("id")} AND {project} = ? RETURNING id""",
            (self._database.listed(file_ids), project_id),
        )
        return {id_ for (id_,) in used}

    def look_for_unused(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        return self._database.run(
            f"""UPDATE files SET looked_at = ?, unused_since =
                CASE WHEN {_IS_NAMED} THEN NULL ELSE COALESCE(unused_since, ?) END
                WHERE id IN (SELECT id FROM files WHERE looked_at < ?
                ORDER BY looked_at LIMIT ?)""",
            (now, now, before, rows),
        )

    def purge_files(self, before: Timestamp, rows: int) -> int:
        return self._database.run(
            f"""DELETE FROM files WHERE unused_since < ? AND NOT {_IS_NAMED}
                AND id IN (SELECT id FROM files WHERE unused_since < ?
                ORDER BY unused_since LIMIT ?)""",
            (before, before, rows),
        )
