"""Keeps what plugins keep."""

from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from locframework.ports import Page, PageRequest, PluginEntry

from .database import Order, SqlFragment, Store, insert_one, starts_with
from .engine import Row

_COLUMNS = "space, owner_id, organization_id, key, value"
_KEY = "space, owner_id, key"
_PLACE = "space = ? AND owner_id = ? AND key = ?"
_ORDER = Order({"key": "key"}, tie="key", default="key")


class PluginTable(Store):
    """The store of plugins (locframework/plugin_services/store.py, PluginStore)."""

    def find(self, space: str, owner_id: str, key: str) -> PluginEntry | None:
        row = self._database.row(
            f"SELECT {_COLUMNS} FROM plugin_entries WHERE {_PLACE}",
            (space, owner_id, key),
        )
        return None if row is None else _entry(row)

    def list_entries(
        self, space: str, owner_id: str, prefix: str, page: PageRequest
    ) -> Page[PluginEntry]:
        begins = starts_with("key", SqlFragment("CAST(? AS TEXT)", (prefix,)))
        mine = f"plugin_entries WHERE space = ? AND owner_id = ? AND {begins.sql}"
        params = (space, owner_id, *begins.params)
        return self._page(page, _entry, _COLUMNS, mine, params, _ORDER)

    def list_of_projects(self, space: str) -> list[PluginEntry]:
        rows = self._database.rows(
            """SELECT space, owner_id, e.organization_id, key, value
                FROM plugin_entries e JOIN projects p ON p.id = e.owner_id
                WHERE space = ? AND p.deleted_at IS NULL ORDER BY owner_id, key""",
            (space,),
        )
        return list(map(_entry, rows))

    def write(
        self, entry: PluginEntry, expected: str | UnsetType | None = UNSET
    ) -> bool:
        if expected is UNSET:
            sql = insert_one("plugin_entries", _COLUMNS, key=_KEY)
            return self._database.run(sql, astuple(entry)) == 1
        if expected is None:
            sql = f"{insert_one('plugin_entries', _COLUMNS)} ON CONFLICT DO NOTHING"
            return self._database.run(sql, astuple(entry)) == 1
        place = (entry.space, entry.owner_id, entry.key)
        return (
            self._database.run(
                f"UPDATE plugin_entries SET value = ? WHERE {_PLACE} AND value = ?",
                (entry.value, *place, expected),
            )
            == 1
        )

    def delete(self, space: str, owner_id: str, key: str) -> bool:
        sql = f"DELETE FROM plugin_entries WHERE {_PLACE}"
        return self._database.run(sql, (space, owner_id, key)) == 1


def _entry(row: Row) -> PluginEntry:
    return PluginEntry(*row)
