"""Puts the services of the area together: what Framework has of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .assignments import Assignments
from .concordancer import Concordancer
from .entries import Entries
from .files import MemoryFiles
from .import_job import MemoryImportJob
from .import_judging import ImportJudge
from .languages import MemoryLanguages
from .learn_job import LearnJob, Relearning
from .learning import Learning
from .matcher import Matcher
from .matching import Matching
from .prefill import Prefill
from .prefill_job import PrefillJob
from .service import Memories
from .unit_import import UnitImport

if TYPE_CHECKING:
    from locframework.app import Framework


class MemoryArea:
    """The services of translation memories, over one storage."""

    def __init__(
        self,
        framework: Framework,
        matcher: Matcher,
        concordancer: Concordancer | None,
    ) -> None:
        """Of what is built before: access, projects, jobs, blobs and keys."""
        storage, linked = framework.storage, framework.linked_access
        store, clock, jobs = storage.memories, framework.clock, framework.jobs
        forget = [each.forget for each in (matcher, concordancer) if each is not None]
        self.memories = Memories(
            store, storage, framework.access, linked, framework.projects, clock, forget
        )
        self.entries = Entries(store, storage, self.memories, linked, clock)
        learning, relearning = Learning(storage, clock), Relearning(storage, jobs)
        framework.events.listen_inside(learning.on_event)
        framework.events.listen_inside(relearning.on_event)
        framework.runner.handle(LearnJob(storage, learning))
        self.languages = MemoryLanguages(store, storage, self.memories, relearning)
        self.assignments = Assignments(
            store, storage, framework.projects, self.memories, relearning
        )
        self.matching = Matching(
            store,
            storage.memory_texts,
            storage.access,
            framework.projects,
            matcher,
            concordancer,
        )
        judge = ImportJudge(store, linked, self.memories.reach)
        framework.runner.handle(
            MemoryImportJob(
                storage,
                framework.blobs,
                UnitImport(store, clock),
                judge,
                self.memories.may,
                framework.tokens.renewed,
            )
        )
        self.files = MemoryFiles(storage, self.memories, judge, framework.blobs, jobs)
        framework.runner.handle(
            PrefillJob(
                storage,
                framework.access,
                framework.branches,
                framework.key_writer,
                self.matching,
                framework.tokens.renewed,
            )
        )
        self.prefill = Prefill(
            storage, framework.access, framework.projects, framework.branches, jobs
        )
