"""Keeps the registered serving processes."""

from collections.abc import Collection

from locframework.ports import ProcessStore, ServingProcess

from .database import Database


class ProcessTable(ProcessStore):
    """The process store (locframework/processes.py)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, process: ServingProcess) -> None:
        self._database.run(
            """INSERT INTO serving_processes
                (id, host, address, pid, has_own_limits, lease_until)
                VALUES (?,?,?,?,?,?)
                ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until""",
            (
                process.id,
                process.host,
                process.address,
                process.pid,
                process.has_own_limits,
                process.lease_until,
            ),
        )

    def list_all(self) -> list[ServingProcess]:
        rows = self._database.rows(
            """SELECT id, host, address, pid, has_own_limits, lease_until
                FROM serving_processes ORDER BY id"""
        )
        return [
            ServingProcess(id_, host, address, pid, bool(has_own_limits), lease_until)
            for id_, host, address, pid, has_own_limits, lease_until in rows
        ]

    def delete(self, ids: Collection[str]) -> None:
        for id_ in ids:
            self._database.run("DELETE FROM serving_processes WHERE id = ?", (id_,))
