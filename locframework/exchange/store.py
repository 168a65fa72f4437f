"""What this area needs of the storage."""

from typing import Protocol

from locframework.keys.store import KeyStores
from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions


class ImportStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    projects: ProjectStore
