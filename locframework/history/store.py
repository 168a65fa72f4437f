"""What this area needs of the storage."""

from typing import Protocol

from locframework.access.store import AccessStore
from locframework.events import EventStore
from locframework.jobs.store import JobStore
from locframework.keys.store import KeyStores
from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions


class HistoryStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    access: AccessStore
    events: EventStore
    jobs: JobStore
    projects: ProjectStore
