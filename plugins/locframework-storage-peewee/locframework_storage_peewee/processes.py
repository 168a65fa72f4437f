"""Keeps the registered serving processes."""

from collections.abc import Collection

from msgspec.structs import astuple

from locframework.ports import ServingProcess

from .database import Store, insert_one

_PROCESS = "id, host, address, pid, has_own_limits, lease_until"


class ProcessTable(Store):
    """The process store (locframework/processes.py)."""

    def save(self, process: ServingProcess) -> None:
        sql = insert_one("serving_processes", _PROCESS, key="id")
        self._database.run(sql, astuple(process))

    def list_all(self) -> list[ServingProcess]:
        sql = f"SELECT {_PROCESS} FROM serving_processes ORDER BY id"
        return [ServingProcess(*row) for row in self._database.rows(sql)]

    def delete(self, ids: Collection[str]) -> None:
        for id_ in ids:
            self._database.run("DELETE FROM serving_processes WHERE id = ?", (id_,))
