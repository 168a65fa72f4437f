"""A key-value store for a plugin, in the database of the application."""

from dataclasses import dataclass

import msgspec

from locframework.errors import PluginDataFull, ProjectNotFound, ValidationFailed
from locframework.fields import id_from_reference
from locframework.pagination import Page, PageRequest
from locframework.validation import check_record

from .records import StoredItem
from .rules import ENTRIES_LIMIT, check_key, stored_json
from .store import EVERYWHERE, PluginEntry, PluginStorage


@dataclass(eq=False)
class PluginData:
    """JSON values of one plugin, by key, for a project, for an organization, or for the
    whole application. No other plugin sees them.

    Keys have 1 to 200 characters, values up to 64 KiB of JSON, and there are up to
    10,000 keys. A value is never None. Methods raise ValidationFailed for others, and
    Unavailable. In an open transaction they write with it, or not at all.
    """

    _storage: PluginStorage
    plugin: str
    owner: str | None

    def get(self, key: str) -> object:
        """Return the value; None if there is none."""
        check_key(key)
        found = self._storage.plugin_entries.find(self.plugin, self._owner_id, key)
        return None if found is None else msgspec.json.decode(found.value)

    def set(self, key: str, value: object) -> None:
        """Store a value, instead of the one that is there. Raises ProjectNotFound if
        there is no such project or organization, and PluginDataFull."""
        entry = self._entry(key, value)
        with self._storage.transaction():
            self._require_room(entry)
            self._storage.plugin_entries.write(entry)

    def replace(self, key: str, old: object, new: object) -> bool:
        """Store ``new`` if the value is ``old``, None for no value; return whether it
        was. Of several processes that replace the same value at once, one does. Raises
        as ``set``."""
        check_key(key)
        expected = None if old is None else stored_json(old, "old")
        entry = self._entry(key, new)
        with self._storage.transaction():
            if expected is None:
                self._require_room(entry)
            return self._storage.plugin_entries.write(entry, expected)

    def delete(self, key: str) -> bool:
        """Delete a value; return whether there was one."""
        check_key(key)
        return self._storage.plugin_entries.delete(self.plugin, self._owner_id, key)

    def list_items(
        self, prefix: str = "", page: PageRequest = PageRequest()
    ) -> Page[StoredItem]:
        """Return the values whose keys begin with ``prefix``, by key."""
        check_key(prefix, "prefix", least=0)
        check_record(page, "page")
        found = self._storage.plugin_entries.list_entries(
            self.plugin, self._owner_id, prefix, page
        )
        items = [
            StoredItem(each.key, msgspec.json.decode(each.value))
            for each in found.items
        ]
        return Page(items, found.total, found.page, found.limit)

    @property
    def _owner_id(self) -> str:
        if self.owner is None:
            return EVERYWHERE
        owner_id = id_from_reference(self.owner)
        if owner_id is None:
            raise ProjectNotFound("project or organization")
        return owner_id

    def _entry(self, key: str, value: object) -> PluginEntry:
        check_key(key)
        if value is None:
            message = "cannot be None; delete the key instead"
            raise ValidationFailed.at("value", "type", message)
        text, owner_id = stored_json(value, "value"), self._owner_id
        return PluginEntry(self.plugin, owner_id, self._organization(), key, text)

    def _organization(self) -> str | None:
        owner_id = self._owner_id
        if owner_id == EVERYWHERE:
            return None
        project = self._storage.projects.find(owner_id)
        if project is not None:
            return project.organization_id
        organization = self._storage.access.organizations.find(owner_id)
        if organization is None:
            raise ProjectNotFound("project or organization")
        return organization.id

    def _require_room(self, entry: PluginEntry) -> None:
        store = self._storage.plugin_entries
        if store.find(entry.space, entry.owner_id, entry.key) is None:
            few = PageRequest(limit=1)
            there = store.list_entries(entry.space, entry.owner_id, "", few).total
            if there >= ENTRIES_LIMIT:
                raise PluginDataFull(
                    f"plugin {self.plugin} has {there} values here, the most that there"
                    " may be; delete some"
                )
