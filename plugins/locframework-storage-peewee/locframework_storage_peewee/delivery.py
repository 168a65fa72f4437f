"""Distributions, releases and their files, and what organizations were delivered.

Management goes through peewee models. ``find_head``, ``names_blob`` and ``add_usage``
run with public requests and ``list_auto_publish`` with writes: hand-written SQL, 5 µs,
not 300 µs. So are files of releases, of which there are thousands.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace
from peewee import JOIN

from locframework.ports import (
    Distribution,
    Page,
    PageRequest,
    PublicHead,
    Release,
    ReleaseFile,
    StoredRelease,
    Usage,
)

from .database import Database
from .models import DistributionRow, ReleaseRow
from .tables import Condition, Table, build, map_page, project_is_live

_FILE = "language, module, path, blob, byte_size, content_type"
_LIVE = "p.deleted_at IS NULL AND d.deleted_at IS NULL"
_AUTO_PUBLISH = f"""SELECT d.id FROM distributions d JOIN projects p
    ON p.id = d.project_id WHERE d.project_id = ? AND d.auto_publish
    AND d.status <> 'paused' AND {_LIVE}"""
_HEAD = f"""SELECT d.id, p.organization_id, d.name, d.channel,
    COALESCE(r.storage, d.storage), d.status = 'paused', r.id,
    COALESCE(r.version, 0), COALESCE(r.content_hash, '')
    FROM distributions d JOIN projects p ON p.id = d.project_id
    LEFT JOIN releases r ON r.id = d.current_release_id
    WHERE d.public_key = ? AND {_LIVE}"""
# SQLite keeps the order of CROSS JOIN: each release of the distribution is looked up
# among those that name the blob (n). Any number of others may name it, such as the
# file of a language without texts.
_BLOB = f"""SELECT f.content_type, r.storage
    FROM releases r JOIN distributions d ON d.id = r.distribution_id
    JOIN projects p ON p.id = d.project_id
    CROSS JOIN release_files n CROSS JOIN release_files f
    WHERE r.distribution_id = ? AND r.status = 'ready' AND {_LIVE}
    AND n.blob = ? AND n.release_id = r.id
    AND f.release_id = n.release_id AND f.position = n.position
    ORDER BY r.version DESC LIMIT 1"""

_RELEASE_FIELDS = msgspec.structs.fields(Release)
_Current = ReleaseRow.alias()
_Failed = ReleaseRow.alias()


class ReleaseTable(Table[StoredRelease]):
    model = ReleaseRow
    record = StoredRelease
    parent = "distribution_id"
    constant = frozenset({"id", "distribution_id", "version"})
    sorts = ("version",)
    sort = "-version"

    def insert(self, record: StoredRelease) -> None:
        with self._database.transaction():
            super().insert(record)
            self._insert_files(record)

    def update(self, record: StoredRelease) -> None:
        id_ = record.release.id
        with self._database.transaction():
            old = self.find(id_)
            super().update(record)
            if old and old.files != record.files:  # thousands, and mostly unchanged
                self._database.run(
                    "DELETE FROM release_files WHERE release_id = ?", (id_,)
                )
                self._insert_files(record)

    def find(
        self, record_id: str, parent_id: str | None = None
    ) -> StoredRelease | None:
        return self.with_files(super().find(record_id, parent_id))

    def with_files(self, found: StoredRelease | None) -> StoredRelease | None:
        return found and replace(found, files=self._files(found.release.id))

    def live(self) -> list[Condition]:
        distributions = DistributionRow.select(DistributionRow.id).where(
            DistributionRow.id == ReleaseRow.distribution_id,
            DistributionRow.deleted_at.is_null(),
            project_is_live(DistributionRow.project_id),
        )
        return [ReleaseRow.distribution_id.in_(distributions)]

    def read(self, row: dict[str, Any]) -> StoredRelease:
        return super().read({**row, "files": ()})

    def _files(self, release_id: str) -> tuple[ReleaseFile, ...]:
        rows = self._database.rows(
            f"SELECT {_FILE} FROM release_files WHERE release_id = ? ORDER BY position",
            (release_id,),
        )
        return tuple(ReleaseFile(*row) for row in rows)

    def _insert_files(self, release: StoredRelease) -> None:
        self._database.insert_many(
            "release_files",
            f"release_id, position, {_FILE}",
            [
                (release.release.id, position, *msgspec.structs.astuple(file))
                for position, file in enumerate(release.files)
            ],
        )


class DeliveryTables(Table[Distribution]):
    """The delivery store (locframework/delivery/store.py, DeliveryStore)."""

    model = DistributionRow
    record = Distribution
    parent = "project_id"
    counters = ("last_version",)

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.releases = ReleaseTable(database)

    def values(self, record: Distribution) -> dict[str, object]:
        current = record.current_release
        current_id = current.id if current else None
        return {**super().values(record), "current_release_id": current_id}

    def select(self) -> Any:
        query = super().select()
        for prefix, release in (("current_", _Current), ("failed_", _Failed)):
            query = query.select_extend(
                *(
                    getattr(release, field.name).alias(prefix + field.name)
                    for field in _RELEASE_FIELDS
                )
            )
        is_failed = (
            (_Failed.distribution_id == DistributionRow.id)
            & (_Failed.version == DistributionRow.last_version)
            & (_Failed.status == "failed")
        )
        is_current = _Current.id == DistributionRow.current_release_id
        query = query.join(_Current, JOIN.LEFT_OUTER, on=is_current)
        return query.join_from(DistributionRow, _Failed, JOIN.LEFT_OUTER, on=is_failed)

    def read(self, row: dict[str, Any]) -> Distribution:
        for prefix in ("current_", "failed_"):
            release = {
                field.name: row.pop(prefix + field.name) for field in _RELEASE_FIELDS
            }
            row[f"{prefix}release"] = release["id"] and build(Release, release)
        return super().read(row)

    def list_distributions(
        self, project_id: str, page: PageRequest
    ) -> Page[Distribution]:
        query = self.select().where(DistributionRow.project_id == project_id)
        return self.page(query, page)

    def list_auto_publish(self, project_id: str) -> list[Distribution]:
        if not self._database.row(f"{_AUTO_PUBLISH} LIMIT 1", (project_id,)):
            return []
        query = self.select().where(
            DistributionRow.project_id == project_id,
            DistributionRow.auto_publish,
            DistributionRow.status != "paused",
        )
        return self.fetch(query.order_by(DistributionRow.id))

    def next_version(self, distribution_id: str) -> int:
        self._database.require_transaction()
        row = self._database.row(
            """UPDATE distributions SET last_version = last_version + 1
                WHERE id = ? RETURNING last_version""",
            (distribution_id,),
        )
        if row is None:
            raise LookupError(f"no distribution {distribution_id}")
        version: int = row[0]
        return version

    def find_release(
        self,
        distribution_id: str,
        *,
        version: int | None = None,
        before: int | None = None,
        status: str | None = None,
    ) -> StoredRelease | None:
        conditions = [ReleaseRow.distribution_id == distribution_id]
        if version is not None:
            conditions.append(ReleaseRow.version == version)
        if before is not None:
            conditions.append(ReleaseRow.version < before)
        if status is not None:
            conditions.append(ReleaseRow.status == status)
        query = self.releases.select().where(*conditions)
        found = self.releases.fetch(query.order_by(ReleaseRow.version.desc()).limit(1))
        return self.releases.with_files(found[0]) if found else None

    def list_releases(self, distribution_id: str, page: PageRequest) -> Page[Release]:
        query = self.releases.select()
        query = query.where(ReleaseRow.distribution_id == distribution_id)
        found = self.releases.page(query, page)
        return map_page(found, lambda stored: stored.release)

    def find_head(self, public_key: str) -> PublicHead | None:
        row = self._database.row(_HEAD, (public_key,))
        if row is None:
            return None
        *head, is_paused, release_id, version, content_hash = row
        return PublicHead(*[*head, bool(is_paused), release_id, version, content_hash])

    def names_blob(self, distribution_id: str, blob: str) -> tuple[str, str] | None:
        row = self._database.row(_BLOB, (distribution_id, blob))
        return (row[0], row[1]) if row else None

    def add_usage(self, month: str, usage: Sequence[tuple[str, Usage]]) -> None:
        self._database.run_many(
            """INSERT INTO delivery_usage (organization_id, month, requests, bytes)
                VALUES (?,?,?,?) ON CONFLICT (organization_id, month) DO UPDATE SET
                requests = delivery_usage.requests + excluded.requests,
                bytes = delivery_usage.bytes + excluded.bytes""",
            # sorted, so that two transactions cannot deadlock
            sorted((id_, month, used.requests, used.bytes) for id_, used in usage),
        )

    def usage_of(self, organization_id: str, month: str) -> Usage:
        row = self._database.row(
            """SELECT requests, bytes FROM delivery_usage
                WHERE organization_id = ? AND month = ?""",
            (organization_id, month),
        )
        return Usage(*row) if row else Usage(0, 0)
