"""Durable listeners, and the events that wait for each.

Hand-written SQL: events wait from their commit on, and 100 are read at once.
"""

from collections.abc import Collection, Sequence

from locframework.ports import Claimed, ListenerState, Timestamp

from .database import Database, Store
from .events import EVENT, event_of

WAITS = """EXISTS (SELECT 1 FROM waiting_events w
    WHERE w.plugin = event_listeners.plugin)"""
IS_LISTENER_DUE = f"""EXISTS (SELECT 1 FROM event_listeners
    WHERE due_at <= ? AND {WAITS} AND """

_IS_GONE = """EXISTS (SELECT 1 FROM projects p
    WHERE p.id = events.project_id AND p.deleted_at IS NOT NULL)"""

_STATES = """SELECT l.plugin, (SELECT count(*) FROM waiting_events w
        WHERE w.plugin = l.plugin),
    l.failures, l.due_at, l.seen_at, l.owner, e.seq, e.id, e.type, e.created_at
    FROM event_listeners l LEFT JOIN events e ON e.seq = (
        SELECT min(w.seq) FROM waiting_events w WHERE w.plugin = l.plugin)
    ORDER BY l.plugin"""


class ListenerTables(Store):
    """The store of durable listeners (locframework/listeners.py, ListenerStore)."""

    def register(self, plugins: Collection[str], at: Timestamp) -> None:
        self._database.run_many(
            """INSERT INTO event_listeners (plugin, due_at, failures, seen_at)
                VALUES (?, ?, 0, ?)
                ON CONFLICT (plugin) DO UPDATE SET seen_at = excluded.seen_at""",
            [(plugin, at, at) for plugin in plugins],
        )

    def claim(
        self,
        plugin: str,
        owner: str,
        now: Timestamp,
        lease_until: Timestamp,
        most: int,
    ) -> Claimed | None:
        self._database.require_transaction()
        due = (now,) if most else ()
        leased = self._database.run_rows(
            f"""UPDATE event_listeners SET owner = ?, due_at = ? WHERE plugin = ?
                AND (owner = ?{" OR due_at <= ?" if most else ""}) AND {WAITS}
                RETURNING failures""",
            (owner, lease_until, plugin, owner, *due),
        )
        if not leased:
            return None
        rows = self._database.rows(
            f"""SELECT w.seq, {_IS_GONE}, {EVENT} FROM waiting_events w
                JOIN events ON events.seq = w.seq
                WHERE w.plugin = ? ORDER BY w.seq LIMIT ?""",
            (plugin, most),
        )
        events = [(row[0], None if row[1] else event_of(row[2:])) for row in rows]
        return Claimed(events, leased[0][0])

    def settle(
        self,
        plugin: str,
        owner: str,
        numbers: Sequence[int],
        due_at: Timestamp,
        failures: int,
    ) -> None:
        with self._database.transaction():
            self._database.run_many(
                "DELETE FROM waiting_events WHERE plugin = ? AND seq = ?",
                [(plugin, number) for number in numbers],
            )
            self._database.run(
                """UPDATE event_listeners SET owner = NULL, due_at = ?, failures = ?
                    WHERE plugin = ? AND (owner = ? OR owner IS NULL)""",
                (due_at, failures, plugin, owner),
            )

    def states(self) -> list[ListenerState]:
        return [ListenerState(*row) for row in self._database.rows(_STATES)]


def purge_listeners(database: Database, before: Timestamp, rows: int) -> int:
    """Drop listeners that no process has had since then, last the listener itself."""
    gone = 0
    for (plugin,) in database.rows(
        "SELECT plugin FROM event_listeners WHERE seen_at < ?", (before,)
    ):
        gone += database.run(
            """DELETE FROM waiting_events WHERE (plugin, seq) IN (
                SELECT plugin, seq FROM waiting_events WHERE plugin = ? LIMIT ?)""",
            (plugin, rows - gone),
        )
        if gone < rows:
            sql = "DELETE FROM event_listeners WHERE plugin = ?"
            gone += database.run(sql, (plugin,))
    return gone
