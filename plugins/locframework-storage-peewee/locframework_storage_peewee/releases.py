"""Keeps releases with their files; for the delivery store."""

import msgspec

from locframework.ports import (
    JobError,
    Page,
    PageRequest,
    Release,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
)

from .columns import json_or_null, json_text
from .database import Database
from .engine import Row
from .pages import Order, page_of

RELEASE = """r.id, r.version, r.status, r.content_hash, r.file_count, r.byte_size,
    r.rolled_back_from, r.note, r.warnings, r.error, r.created_by,
    r.created_at, r.published_at"""
RELEASE_COLUMNS = 13
_STORED = f"{RELEASE}, r.distribution_id, r.storage, r.snapshot"
RELEASES = """releases r JOIN distributions d ON d.id = r.distribution_id
    JOIN projects p ON p.id = d.project_id"""
LIVE = "p.deleted_at IS NULL AND d.deleted_at IS NULL"
_FILE = "language, module, path, blob, byte_size, content_type"
_ORDER = Order({"version": "r.version"}, tie="r.version", default="-version")

_texts = msgspec.json.Decoder(tuple[str, ...])
_error = msgspec.json.Decoder(JobError)
_snapshot = msgspec.json.Decoder(ReleaseSnapshot)


class ReleaseTables:
    """The part of the delivery store that is about releases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, release: StoredRelease) -> None:
        with self._database.transaction():
            self._database.run(
                """INSERT INTO releases (id, distribution_id, version, status,
                    content_hash, file_count, byte_size, rolled_back_from, note,
                    warnings, error, created_by, created_at, published_at, storage,
                    snapshot) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
                (
                    release.release.id,
                    release.distribution_id,
                    release.release.version,
                    *_changing(release),
                ),
            )
            self._put_files(release)

    def save(self, release: StoredRelease) -> None:
        with self._database.transaction():
            self._database.run(
                """UPDATE releases SET status = ?, content_hash = ?, file_count = ?,
                    byte_size = ?, rolled_back_from = ?, note = ?, warnings = ?,
                    error = ?, created_by = ?, created_at = ?, published_at = ?,
                    storage = ?, snapshot = ? WHERE id = ?""",
                (*_changing(release), release.release.id),
            )
            id_ = release.release.id
            if self._files(id_) != release.files:  # thousands, and mostly as they were
                self._database.run(
                    "DELETE FROM release_files WHERE release_id = ?", (id_,)
                )
                self._put_files(release)

    def remove(self, release_id: str) -> None:
        self._database.run("DELETE FROM releases WHERE id = ?", (release_id,))

    def find(self, distribution_id: str, version: int) -> StoredRelease | None:
        return self._find(
            "r.distribution_id = ? AND r.version = ?", distribution_id, version
        )

    def find_by_id(self, release_id: str) -> StoredRelease | None:
        return self._find("r.id = ?", release_id)

    def find_ready_before(
        self, distribution_id: str, version: int
    ) -> StoredRelease | None:
        return self._find(
            """r.distribution_id = ? AND r.version < ? AND r.status = 'ready'
            ORDER BY r.version DESC LIMIT 1""",
            distribution_id,
            version,
        )

    def find_building(self, distribution_id: str) -> StoredRelease | None:
        return self._find(
            "r.distribution_id = ? AND r.status = 'building'", distribution_id
        )

    def list_releases(self, distribution_id: str, page: PageRequest) -> Page[Release]:
        return page_of(
            self._database,
            release_of,
            page,
            select=RELEASE,
            source=f"{RELEASES} WHERE {LIVE} AND r.distribution_id = ?",
            order=_ORDER,
            params=(distribution_id,),
        )

    def _find(self, condition: str, *params: object) -> StoredRelease | None:
        row = self._database.row(
            f"SELECT {_STORED} FROM {RELEASES} WHERE {LIVE} AND {condition}", params
        )
        if row is None:
            return None
        distribution_id, storage, snapshot = row[RELEASE_COLUMNS:]
        release = release_of(row[:RELEASE_COLUMNS])
        return StoredRelease(
            release=release,
            distribution_id=distribution_id,
            storage=storage,
            snapshot=None if snapshot is None else _snapshot.decode(snapshot),
            files=self._files(release.id),
        )

    def _files(self, release_id: str) -> tuple[ReleaseFile, ...]:
        rows = self._database.rows(
            f"SELECT {_FILE} FROM release_files WHERE release_id = ? ORDER BY position",
            (release_id,),
        )
        return tuple(ReleaseFile(*row) for row in rows)

    def _put_files(self, release: StoredRelease) -> None:
        self._database.insert_many(
            "release_files",
            f"release_id, position, {_FILE}",
            [
                (release.release.id, at, *msgspec.structs.astuple(file))
                for at, file in enumerate(release.files)
            ],
        )


def release_of(row: Row) -> Release:
    """A release of the columns RELEASE."""
    id_, version, status, content_hash, file_count, byte_size, *rest = row
    rolled_back_from, note, warnings, error, created_by, *times = rest
    created_at, published_at = times
    return Release(
        id=id_,
        version=version,
        status=status,
        content_hash=content_hash,
        file_count=file_count,
        byte_size=byte_size,
        rolled_back_from=rolled_back_from,
        note=note,
        warnings=_texts.decode(warnings),
        error=None if error is None else _error.decode(error),
        created_by=created_by,
        created_at=created_at,
        published_at=published_at,
    )


def _changing(release: StoredRelease) -> tuple[object, ...]:
    """What a release may have anew, in the order that both writers name it."""
    record = release.release
    return (
        record.status,
        record.content_hash,
        record.file_count,
        record.byte_size,
        record.rolled_back_from,
        record.note,
        json_text(record.warnings),
        json_or_null(record.error),
        record.created_by,
        record.created_at,
        record.published_at,
        release.storage,
        json_or_null(release.snapshot),
    )
