"""Moves keys to the trash, back out of it, and away for good."""

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import asdict

from locframework.ports import Page, PageRequest, Timestamp, TrashedKey, public_key

from .database import Database, Order, SqlFragment, all_of, chunks, contains
from .engine import Row
from .events import forget_traces
from .key_columns import IN_PROJECT, KEY, PROJECT, SEARCH_ROWS, ScopedStore, key_of
from .key_dismissals import drop_dismissals
from .key_findings import drop_findings
from .key_values import add_key_count, counts_of_keys, update_counts

_ORDER = Order(
    {"deletedAt": "k.deleted_at", "key": "k.key"}, tie="k.id", default="-deletedAt"
)

_TRASHED = f"{KEY}, k.deleted_at, k.deleted_by"
_LONG_AGO = "1970-01-01T00:00:00.000Z"


class KeyTrash(ScopedStore):
    """Keys in the trash."""

    def page_of_trash(
        self, project_id: str, search: str | None, page: PageRequest
    ) -> Page[TrashedKey]:
        in_trash = f"k.project = {PROJECT} AND k.deleted_at IS NOT NULL"
        asked = [SqlFragment(in_trash, (self._own_line(project_id),))]
        if search is not None:
            asked.append(contains("k.folded", search))
        where = all_of(asked)
        with self._database.snapshot():
            make, source = partial(_trashed, project_id), f"keys k WHERE {where.sql}"
            return self._page(page, make, _TRASHED, source, where.params, _ORDER)

    def trash_keys(
        self,
        project_id: str,
        key_ids: Collection[str],
        at: Timestamp,
        by: str | None = None,
    ) -> None:
        with self._database.transaction():
            rows, line_id = self._rows_to_write(key_ids), self._own_line(project_id)
            self._trash_rows(line_id, rows, at, by)

    def _trash_rows(
        self, line_id: str, row_ids: Collection[str], at: Timestamp, by: str | None
    ) -> None:
        for some in chunks(row_ids):
            ids = self._database.listed(some)
            counts = counts_of_keys(self._database, [ids])
            gone = self._database.run(
                f"""UPDATE keys SET deleted_at = ?, deleted_by = ?
                    WHERE {self._database.among("id")}
                    AND {IN_PROJECT} AND deleted_at IS NULL""",
                (at, by, ids, line_id),
            )
            if gone:
                update_counts(self._database, [ids], counts)
                add_key_count(self._database, line_id, -gone, at)
            drop_findings(self._database, line_id, some)

    def restore_keys(
        self, project_id: str, key_ids: Collection[str], at: Timestamp
    ) -> None:
        line_id = self._own_line(project_id)
        with self._database.transaction():
            for some in chunks(self._marked(key_ids)):
                ids = self._database.listed(some)
                counts = counts_of_keys(self._database, [ids])
                back = self._database.run(
                    f"""UPDATE keys
                        SET deleted_at = NULL, deleted_by = NULL, updated_at = ?
                        WHERE {self._database.among("id")}
                        AND {IN_PROJECT} AND deleted_at IS NOT NULL""",
                    (at, ids, line_id),
                )
                if back:
                    update_counts(self._database, [ids], counts)
                    add_key_count(self._database, line_id, back)

    def purge_trash(self, before: Timestamp, rows: int) -> int:
        gone = 0
        with self._database.transaction():
            found = self._database.rows(
                "SELECT id FROM keys WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?",
                (before, rows),
            )
            for some in chunks([row[0] for row in found]):
                # what was restored meanwhile is not in the trash any more
                dropped = self._database.rows(
                    f"""DELETE FROM keys
                        WHERE {self._database.among("id")} AND deleted_at < ?
                        RETURNING number, id""",
                    (self._database.listed(some), before),
                )
                _drop_values(self._database, [(number,) for number, _ in dropped])
                drop_dismissals(self._database, dropped)
                self._database.run(
                    f"DELETE FROM file_details WHERE {self._database.among('key_id')}",
                    (self._database.listed([id_ for _, id_ in dropped]),),
                )
                forget_traces(self._database, [id_ for _, id_ in dropped])
                gone += len(dropped)
        return gone

    def _drop_rows(self, line_id: str, row_ids: Collection[str]) -> None:
        """Delete keys with their values, whether they are in the trash or not."""
        self._trash_rows(line_id, row_ids, _LONG_AGO, None)
        for some in chunks(row_ids):
            gone = self._database.rows(
                f"""DELETE FROM keys
                    WHERE {self._database.among("id")} AND {IN_PROJECT}
                    RETURNING number""",
                (self._database.listed(some), line_id),
            )
            _drop_values(self._database, gone)


def _trashed(project_id: str, row: Row) -> TrashedKey:
    *of_key, deleted_at, deleted_by = row
    key = asdict(public_key(key_of(project_id, tuple(of_key))))
    return TrashedKey(**key, deleted_at=deleted_at, deleted_by=deleted_by)


def _drop_values(database: Database, numbers: Sequence[Row]) -> None:
    for table in ("key_values", "value_revisions", "key_tags"):
        database.run_many(f"DELETE FROM {table} WHERE key_number = ?", numbers)
    if database.engine.has_trigram_tables:
        rows = [(number * SEARCH_ROWS,) * 2 for (number,) in numbers]
        database.run_many(
            f"""DELETE FROM key_search
                WHERE rowid BETWEEN ? AND ? + {SEARCH_ROWS - 1}""",
            rows,
        )
