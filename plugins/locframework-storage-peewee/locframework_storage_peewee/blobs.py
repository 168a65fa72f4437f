"""The blob index: how long files in blob stores are kept.

Hand-written SQL: a release notes thousands of files, 3 µs each and not 120 µs as
through a model.
"""

from collections.abc import Collection, Sequence

from locframework.ports import BlobNote, Timestamp

from .database import Store

LOOK_LIMIT = 1000  # named blobs that are looked at together
_NOTE = "store, name, byte_size, keep_until"
# no join: PostgreSQL would read hundreds of releases for each note, to merge the two
_IN_RELEASE = """EXISTS (
    SELECT 1 FROM release_files f WHERE f.blob = blob_notes.name
    AND (SELECT r.storage FROM releases r WHERE r.id = f.release_id) = blob_notes.store)
    """
_IN_FILE = """EXISTS (
    SELECT 1 FROM files i
    WHERE i.blob = blob_notes.name AND i.store = blob_notes.store)"""
_MAY_GO = f"keep_until < ? AND NOT {_IN_RELEASE} AND NOT {_IN_FILE}"


class BlobNotes(Store):
    """The blob index (locframework/blobs/store.py, BlobIndex)."""

    def note(self, blobs: Sequence[BlobNote]) -> None:
        # one order for everybody, so that two who note the same cannot deadlock
        rows = sorted((b.store, b.name, b.byte_size, b.keep_until) for b in blobs)
        self._database.run_many(
            f"""INSERT INTO blob_notes ({_NOTE}) VALUES (?,?,?,?)
                ON CONFLICT (store, name) DO UPDATE
                SET byte_size = excluded.byte_size, keep_until = excluded.keep_until
                WHERE excluded.keep_until > blob_notes.keep_until""",
            rows,
        )

    def list_expired(
        self,
        now: Timestamp,
        limit: int,
        stores: Collection[str],
        *,
        look_again: Timestamp,
    ) -> list[BlobNote]:
        named = self._database.rows(
            f"""SELECT store, name FROM blob_notes WHERE keep_until < ?
                AND ({_IN_RELEASE} OR {_IN_FILE})
                ORDER BY keep_until, store, name LIMIT ?""",
            (now, LOOK_LIMIT),
        )
        self._database.run_many(
            """UPDATE blob_notes SET keep_until = ?
                WHERE store = ? AND name = ? AND keep_until < ?""",
            [(look_again, store, name, now) for store, name in sorted(named)],
        )
        rows = self._database.rows(
            f"""SELECT {_NOTE} FROM blob_notes
                WHERE {_MAY_GO} AND ({self._database.among("store")}) IS TRUE
                ORDER BY keep_until, store, name LIMIT ?""",  # by age, not by store
            (now, self._database.listed(stores), limit),
        )
        return [BlobNote(*row) for row in rows]

    def forget(self, blob: BlobNote, now: Timestamp) -> bool:
        gone = self._database.run(
            f"DELETE FROM blob_notes WHERE store = ? AND name = ? AND {_MAY_GO}",
            (blob.store, blob.name, now),
        )
        return gone == 1
