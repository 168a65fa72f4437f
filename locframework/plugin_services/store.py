"""The storage of what plugins keep: JSON values by key."""

from typing import Protocol

from msgspec import UNSET, Struct, UnsetType

from locframework.access.store import AccessStore
from locframework.jobs.store import JobStore
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions

EVERYWHERE = ""
"""The ``owner_id`` of what belongs to no project and no organization."""


class PluginEntry(Struct, frozen=True):
    """A value that is kept under a key."""

    space: str  # the plugin's name, or "@…" for what the framework keeps for it
    owner_id: str  # a project, an organization, or EVERYWHERE
    organization_id: str | None  # of the owner; None: EVERYWHERE
    key: str
    value: str  # JSON text


class PluginStore(Protocol):
    """Entries by space, owner and key. Those of a project are purged with it, all of an
    organization are deleted with it."""

    def find(self, space: str, owner_id: str, key: str) -> PluginEntry | None: ...

    def list_entries(
        self, space: str, owner_id: str, prefix: str, page: PageRequest
    ) -> Page[PluginEntry]:
        """Return the entries whose keys begin with ``prefix``, by key."""

    def list_of_projects(self, space: str) -> list[PluginEntry]:
        """Return the entries of all projects that are not deleted, by owner, then
        key. One statement."""

    def write(
        self, entry: PluginEntry, expected: str | UnsetType | None = UNSET
    ) -> bool:
        """Insert the entry, or replace the one in its place. With ``expected``, only if
        that has this value; None: if there is none. Return whether it was written; of
        several that expect the same at once, one is."""

    def delete(self, space: str, owner_id: str, key: str) -> bool:
        """Return whether there was such an entry."""


class PluginStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    access: AccessStore
    projects: ProjectStore
    jobs: JobStore
    plugin_entries: PluginStore
