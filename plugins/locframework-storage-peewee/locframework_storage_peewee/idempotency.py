"""Responses of POSTs with an ``Idempotency-Key``.

Hand-written SQL: it runs with each such request, 5 µs and not 120 as through a model.
"""

from msgspec.structs import astuple

from locframework.ports import StoredPost, Timestamp

from .database import Store, insert_one

_KEPT = "owner, key, fingerprint, created_at, status, location, content"


class IdempotencyTable(Store):
    """The POSTs of a day (locframework/http/idempotency.py, IdempotencyStore)."""

    def claim(
        self, owner: str, key: str, at: Timestamp, since: Timestamp
    ) -> StoredPost | None:
        self._database.require_transaction()
        # the update changes nothing: it makes RETURNING answer the row that is there,
        # and locks it; a row that is new has no status
        [row] = self._database.rows(
            f"""INSERT INTO idempotency_keys (owner, key, fingerprint, created_at)
                VALUES (?,?,'',?)
                ON CONFLICT (owner, key) DO UPDATE SET owner = excluded.owner
                RETURNING {_KEPT}""",
            (owner, key, at),
        )
        post = StoredPost(*row)
        return None if post.status is None or post.created_at < since else post

    def find(self, owner: str, key: str, since: Timestamp) -> StoredPost | None:
        row = self._database.row(
            f"""SELECT {_KEPT} FROM idempotency_keys
                WHERE owner = ? AND key = ? AND created_at >= ?""",
            (owner, key, since),
        )
        return StoredPost(*row) if row is not None else None

    def keep(self, post: StoredPost) -> None:
        self._database.run(
            insert_one("idempotency_keys", _KEPT, key="owner, key"), astuple(post)
        )
