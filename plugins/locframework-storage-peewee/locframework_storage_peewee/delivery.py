"""Keeps distributions, and what organizations were delivered."""

from collections.abc import Sequence

import msgspec

from locframework.ports import (
    Distribution,
    Page,
    PageRequest,
    PublicHead,
    Release,
    StoredRelease,
    Timestamp,
    Usage,
)

from .columns import json_or_null
from .database import Database
from .engine import Row
from .pages import Order, page_of
from .purge import purge_distribution
from .releases import (
    LIVE,
    RELEASE,
    RELEASE_COLUMNS,
    RELEASES,
    ReleaseTables,
    release_of,
)

_OWN = """d.id, d.project_id, d.public_key, d.name, d.channel, d.format,
    d.language_codes, d.branch, d.split_by_module, d.min_status, d.missing,
    d.auto_publish, d.storage, d.status, d.created_at, d.updated_at"""
_OWN_COLUMNS = 16
_FAILED = RELEASE.replace("r.", "f.")
_SELECT = f"{_OWN}, {RELEASE}, {_FAILED}"
_SOURCE = """distributions d JOIN projects p ON p.id = d.project_id
    LEFT JOIN releases r ON r.id = d.current_release_id
    LEFT JOIN releases f ON f.distribution_id = d.id AND f.version = d.last_version
        AND f.status = 'failed'
    WHERE p.deleted_at IS NULL AND d.deleted_at IS NULL"""
_ORDER = Order(
    {"name": "d.name", "createdAt": "d.created_at", "updatedAt": "d.updated_at"},
    tie="d.id",
    default="name",
)

_codes = msgspec.json.Decoder(tuple[str, ...])


class DeliveryTables:
    """The delivery store (locframework/delivery/store.py, DeliveryStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._releases = ReleaseTables(database)

    def add_distribution(self, distribution: Distribution) -> None:
        self._database.run(
            """INSERT INTO distributions (id, project_id, created_at, last_version,
                public_key, name, channel, format, language_codes, branch,
                split_by_module, min_status, missing, auto_publish, storage, status,
                current_release_id, updated_at)
                VALUES (?,?,?,0,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
            (
                distribution.id,
                distribution.project_id,
                distribution.created_at,
                *_changing(distribution),
            ),
        )

    def find_distribution(
        self, project_id: str, distribution_id: str
    ) -> Distribution | None:
        row = self._database.row(
            f"SELECT {_SELECT} FROM {_SOURCE} AND d.id = ? AND d.project_id = ?",
            (distribution_id, project_id),
        )
        return _distribution(row) if row else None

    def save_distribution(self, distribution: Distribution) -> None:
        self._database.run(
            """UPDATE distributions SET public_key = ?, name = ?, channel = ?,
                format = ?, language_codes = ?, branch = ?, split_by_module = ?,
                min_status = ?, missing = ?, auto_publish = ?, storage = ?,
                status = ?, current_release_id = ?, updated_at = ? WHERE id = ?""",
            (*_changing(distribution), distribution.id),
        )

    def lock_distribution(self, distribution_id: str) -> None:
        self._database.lock_row("distributions", distribution_id)

    def delete_distribution(self, distribution_id: str, at: Timestamp) -> None:
        self._database.run(
            "UPDATE distributions SET deleted_at = ? WHERE id = ?",
            (at, distribution_id),
        )

    def purge_distributions(self, before: Timestamp, rows: int) -> int:
        gone = 0
        with self._database.transaction():
            dead = self._database.rows(
                """SELECT id FROM distributions WHERE deleted_at < ?
                    ORDER BY deleted_at LIMIT ?""",
                (before, rows),
            )
            for (id_,) in dead:
                gone += purge_distribution(self._database, id_, rows - gone)
                if gone >= rows:
                    break
        return gone

    def list_distributions(
        self, project_id: str, page: PageRequest
    ) -> Page[Distribution]:
        return page_of(
            self._database,
            _distribution,
            page,
            select=_SELECT,
            source=f"{_SOURCE} AND d.project_id = ?",
            order=_ORDER,
            params=(project_id,),
        )

    def list_auto_publish(self, project_id: str) -> list[Distribution]:
        rows = self._database.rows(
            f"""SELECT {_SELECT} FROM {_SOURCE} AND d.project_id = ?
                AND d.auto_publish AND d.status <> 'paused' ORDER BY d.id""",
            (project_id,),
        )
        return [_distribution(row) for row in rows]

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

    def add_release(self, release: StoredRelease) -> None:
        self._releases.add(release)

    def save_release(self, release: StoredRelease) -> None:
        self._releases.save(release)

    def remove_release(self, release_id: str) -> None:
        self._releases.remove(release_id)

    def find_release(self, distribution_id: str, version: int) -> StoredRelease | None:
        return self._releases.find(distribution_id, version)

    def find_release_by_id(self, release_id: str) -> StoredRelease | None:
        return self._releases.find_by_id(release_id)

    def list_releases(self, distribution_id: str, page: PageRequest) -> Page[Release]:
        return self._releases.list_releases(distribution_id, page)

    def find_ready_before(
        self, distribution_id: str, version: int
    ) -> StoredRelease | None:
        return self._releases.find_ready_before(distribution_id, version)

    def find_building(self, distribution_id: str) -> StoredRelease | None:
        return self._releases.find_building(distribution_id)

    def find_head(self, public_key: str) -> PublicHead | None:
        row = self._database.row(
            """SELECT d.id, p.organization_id, d.name, d.channel,
                COALESCE(r.storage, d.storage), d.status, r.id,
                COALESCE(r.version, 0), COALESCE(r.content_hash, '')
                FROM distributions d JOIN projects p ON p.id = d.project_id
                LEFT JOIN releases r ON r.id = d.current_release_id
                WHERE d.public_key = ? AND p.deleted_at IS NULL
                AND d.deleted_at IS NULL""",
            (public_key,),
        )
        if row is None:
            return None
        id_, organization_id, name, channel, storage, status, *release = row
        is_paused = status == "paused"
        return PublicHead(
            id_, organization_id, name, channel, storage, is_paused, *release
        )

    def names_blob(self, distribution_id: str, blob: str) -> tuple[str, str] | None:
        # SQLite keeps the order of CROSS JOIN: of the releases of the distribution each
        # is looked up among those that name the blob (n). Any number of others may name
        # it too, such as the file of a language without texts.
        row = self._database.row(
            f"""SELECT f.content_type, r.storage
                FROM {RELEASES} CROSS JOIN release_files n CROSS JOIN release_files f
                WHERE r.distribution_id = ? AND r.status = 'ready' AND {LIVE}
                AND n.blob = ? AND n.release_id = r.id
                AND f.release_id = n.release_id AND f.position = n.position
                ORDER BY r.version DESC LIMIT 1""",
            (distribution_id, blob),
        )
        return (row[0], row[1]) if row else None

    def add_usage(self, month: str, usage: Sequence[tuple[str, Usage]]) -> None:
        self._database.run_many(
            """INSERT INTO delivery_usage (organization_id, month, requests, bytes)
                VALUES (?,?,?,?) ON CONFLICT (organization_id, month) DO UPDATE SET
                requests = delivery_usage.requests + excluded.requests,
                bytes = delivery_usage.bytes + excluded.bytes""",
            # one order for everybody, so that two who add cannot deadlock
            sorted((id_, month, used.requests, used.bytes) for id_, used in usage),
        )

    def usage_of(self, organization_id: str, month: str) -> Usage:
        row = self._database.row(
            """SELECT requests, bytes FROM delivery_usage
                WHERE organization_id = ? AND month = ?""",
            (organization_id, month),
        )
        return Usage(*row) if row else Usage(0, 0)


def _changing(distribution: Distribution) -> tuple[object, ...]:
    """What a distribution may have anew, in the order that both writers name it."""
    current = distribution.current_release
    return (
        distribution.public_key,
        distribution.name,
        distribution.channel,
        distribution.format,
        json_or_null(distribution.language_codes),
        distribution.branch,
        distribution.split_by_module,
        distribution.min_status,
        distribution.missing,
        distribution.auto_publish,
        distribution.storage,
        distribution.status,
        current.id if current else None,
        distribution.updated_at,
    )


def _distribution(row: Row) -> Distribution:
    id_, project_id, public_key, name, channel, format_, codes, branch, *more = row[
        :_OWN_COLUMNS
    ]
    split, min_status, missing, auto_publish, storage, status, *at = more
    release = row[_OWN_COLUMNS : _OWN_COLUMNS + RELEASE_COLUMNS]
    failed = row[_OWN_COLUMNS + RELEASE_COLUMNS :]
    return Distribution(
        id=id_,
        project_id=project_id,
        public_key=public_key,
        name=name,
        channel=channel,
        format=format_,
        language_codes=None if codes is None else _codes.decode(codes),
        branch=branch,
        split_by_module=split,
        min_status=min_status,
        missing=missing,
        auto_publish=auto_publish,
        storage=storage,
        status=status,
        current_release=None if release[0] is None else release_of(release),
        failed_release=None if failed[0] is None else release_of(failed),
        created_at=at[0],
        updated_at=at[1],
    )
