"""Puts the services of the area together: what Framework has of it."""

from locframework.access.linked import LinkedAccess
from locframework.access.service import Access
from locframework.clock import Clock
from locframework.projects.service import Projects
from locframework.storage import Storage

from .assignments import Assignments
from .entries import Entries
from .languages import MemoryLanguages
from .service import Memories


class MemoryArea:
    """The services of translation memories, over one storage."""

    def __init__(
        self,
        storage: Storage,
        access: Access,
        linked: LinkedAccess,
        projects: Projects,
        clock: Clock,
    ) -> None:
        store = storage.memories
        self.memories = Memories(store, storage, access, linked, clock)
        self.languages = MemoryLanguages(store, storage, self.memories)
        self.entries = Entries(store, storage, self.memories, linked, clock)
        self.assignments = Assignments(store, storage, projects, self.memories)
