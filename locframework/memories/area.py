"""Puts the services of the area together: what Framework has of it."""

from locframework.access.linked import LinkedAccess
from locframework.access.service import Access
from locframework.clock import Clock
from locframework.events import EventLog
from locframework.jobs.runner import JobRunner
from locframework.jobs.service import Jobs
from locframework.projects.service import Projects
from locframework.storage import Storage

from .assignments import Assignments
from .entries import Entries
from .languages import MemoryLanguages
from .learn_job import LearnJob, Relearning
from .learning import Learning
from .matcher import Matcher
from .matching import Matching
from .service import Memories


class MemoryArea:
    """The services of translation memories, over one storage."""

    def __init__(
        self,
        storage: Storage,
        access: Access,
        linked: LinkedAccess,
        projects: Projects,
        jobs: Jobs,
        runner: JobRunner,
        events: EventLog,
        clock: Clock,
        matcher: Matcher,
    ) -> None:
        store = storage.memories
        self.memories = Memories(store, storage, access, linked, clock)
        self.entries = Entries(store, storage, self.memories, linked, clock)
        learning = Learning(storage, clock)
        events.listen_inside(learning.on_event)
        relearning = Relearning(storage, jobs)
        events.listen_inside(relearning.on_event)
        runner.handle(LearnJob(storage, learning))
        self.languages = MemoryLanguages(store, storage, self.memories, relearning)
        self.assignments = Assignments(
            store, storage, projects, self.memories, relearning
        )
        self.matching = Matching(
            store, storage.memory_texts, storage.access, projects, matcher
        )
