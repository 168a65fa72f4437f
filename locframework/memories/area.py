"""Puts the services of the area together: what Framework has of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .assignments import Assignments
from .checked_concordancer import CheckedConcordancer
from .concordancer import Concordancer
from .entries import Entries
from .files import MemoryFiles
from .import_job import MemoryImportJob
from .import_judging import ImportJudge
from .languages import MemoryLanguages
from .learn_job import HEARD, LearnJob, Relearning
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
        store, clock = storage.memories, framework.clock
        if concordancer is not None:
            concordancer = CheckedConcordancer(concordancer)
        forget = [each.forget for each in (matcher, concordancer) if each is not None]
        self.memories = Memories(
            store, storage, framework.access, linked, framework.projects, clock, forget
        )
        self.entries = Entries(store, storage, self.memories, linked, clock)
        self.matching = Matching(
            store,
            storage.memory_texts,
            storage.access,
            framework.projects,
            matcher,
            concordancer,
        )
        self._build_learning(framework)
        self._build_files(framework)
        self._build_prefill(framework)

    def _build_learning(self, framework: Framework) -> None:
        storage = framework.storage
        store, projects = storage.memories, framework.projects
        learning = Learning(storage, framework.clock)
        self._relearning = relearning = Relearning(storage, framework.jobs)
        framework.events.listen_inside(learning.on_event, subscriber="memories")
        framework.events.listen_inside(relearning.on_event, prefixes=HEARD)
        framework.runner.add_handler(LearnJob(storage, learning))
        self.languages = MemoryLanguages(store, storage, self.memories, relearning)
        self.assignments = Assignments(
            store, storage, projects, self.memories, relearning
        )

    def _build_files(self, framework: Framework) -> None:
        storage, blobs = framework.storage, framework.blobs
        judge = ImportJudge(
            storage.memories, framework.linked_access, self.memories.reach
        )
        self.files = MemoryFiles(storage, self.memories, judge, blobs, framework.jobs)
        framework.runner.add_handler(
            MemoryImportJob(
                storage,
                blobs,
                UnitImport(storage.memories, framework.clock),
                judge,
                self.memories.may,
                framework.tokens.renewed,
                self._relearning,
            )
        )

    def _build_prefill(self, framework: Framework) -> None:
        storage, access = framework.storage, framework.access
        branches = framework.branches
        self.prefill = Prefill(
            storage, access, framework.projects, branches, framework.jobs
        )
        framework.runner.add_handler(
            PrefillJob(
                storage,
                access,
                branches,
                framework.key_writer,
                self.matching,
                framework.tokens.renewed,
            )
        )
