"""Keeps which files projects have; their bytes are in a blob store."""

from collections.abc import Collection

from locframework.ports import StoredFile, Timestamp

from .database import Database

_FILE = """id, project_id, content_type, byte_size, blob, store, created_at,
    unused_since"""
_NAMED = "EXISTS (SELECT 1 FROM keys k WHERE k.screenshot_file_id = files.id)"


class FileTable:
    """The files (locframework/files/store.py, FileStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_file(self, file: StoredFile) -> None:
        self._database.run(
            f"INSERT INTO files ({_FILE}, looked_at) VALUES (?,?,?,?,?,?,?,?,?)",
            (
                file.id,
                file.project_id,
                file.content_type,
                file.byte_size,
                file.blob,
                file.store,
                file.created_at,
                file.unused_since,
                file.created_at,
            ),
        )

    def find_file(self, project_id: str, file_id: str) -> StoredFile | None:
        row = self._database.row(
            f"SELECT {_FILE} FROM files WHERE id = ? AND project_id = ?",
            (file_id, project_id),
        )
        return StoredFile(*row) if row is not None else None

    def use_files(self, project_id: str, file_ids: Collection[str]) -> set[str]:
        self._database.require_transaction()
        project = self._database.engine.without_index(
            "project_id"
        )  # SQLite would walk it all
        # a write, not a lock: who purges it meanwhile looks at the row anew
        used = self._database.run_rows(
            f"""UPDATE files SET unused_since = NULL
                WHERE {self._database.among("id")} AND {project} = ? RETURNING id""",
            (self._database.listed(file_ids), project_id),
        )
        return {id_ for (id_,) in used}

    def look_for_unused(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        return self._database.run(
            f"""UPDATE files SET looked_at = ?, unused_since =
                CASE WHEN {_NAMED} THEN NULL ELSE COALESCE(unused_since, ?) END
                WHERE id IN (SELECT id FROM files WHERE looked_at < ?
                ORDER BY looked_at LIMIT ?)""",
            (now, now, before, rows),
        )

    def purge_files(self, before: Timestamp, rows: int) -> int:
        return self._database.run(
            f"""DELETE FROM files WHERE unused_since < ? AND NOT {_NAMED}
                AND id IN (SELECT id FROM files WHERE unused_since < ?
                ORDER BY unused_since LIMIT ?)""",
            (before, before, rows),
        )
