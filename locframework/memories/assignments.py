"""What one can do with the use of translation memories in projects."""

from locframework.access.records import Caller
from locframework.errors import TmNotFound, ValidationFailed
from locframework.fields import id_from_reference
from locframework.languages import same_language
from locframework.pagination import Page, PageRequest, SortedRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.transactions import Transactions
from locframework.validation import check_record

from .learn_job import Relearning
from .records import (
    AssignedMemory,
    Assignment,
    KeptMemory,
    NewAssignment,
    WriteMode,
)
from .service import Memories
from .store import MemoryStore


class Assignments:
    """Which memories a project reads and writes, and how."""

    def __init__(
        self,
        store: MemoryStore,
        transactions: Transactions,
        projects: Projects,
        memories: Memories,
        relearning: Relearning,
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._projects = projects
        self._memories = memories
        self._relearning = relearning

    def list_assignments(
        self, caller: Caller, project_id: str, page: PageRequest
    ) -> Page[Assignment]:
        """By priority, then as the memories were made, or the other way round.

        Raises ProjectNotFound.
        """
        project = self._projects.require(caller, "project_read", project_id)
        check_record(page, "query")
        found = [each.assignment for each in self._store.list_assigned(project.id)]
        if isinstance(page, SortedRequest) and page.sort.startswith("-"):
            found.reverse()
        part = found[page.offset : page.offset + page.limit]
        return Page(part, len(found), page.page, page.limit)

    def get_assignment(self, caller: Caller, project_id: str, tm_id: str) -> Assignment:
        """Raises ProjectNotFound, and TmNotFound for one that is not assigned."""
        project = self._projects.require(caller, "project_read", project_id)
        return self._find(project, tm_id)

    def assign(
        self, caller: Caller, project_id: str, tm_id: str, new: NewAssignment
    ) -> Assignment:
        """Let the project use the memory, from now on in this way.

        A memory that is to learn gets the project's target languages, and a job
        teaches it what the project says already; one that is to learn no more is left
        by a job. Both must be of one organization and of one source language.
        Raises ProjectNotFound, TmNotFound, ValidationFailed.
        """
        project = self._projects.require(caller, "project_update", project_id)
        check_record(new)
        kept = self._memories.visible(caller, tm_id)
        if kept.organization_id != project.organization_id:
            raise TmNotFound
        assignment = Assignment(
            tm_id=kept.memory.id,
            read=new.read,
            write_mode=new.write_mode,
            priority=new.priority,
            penalty=new.penalty,
        )
        assigned = AssignedMemory(kept.memory, assignment)
        with self._transactions.transaction():
            project = self._projects.lock(project)
            _require_same_language(kept, project)
            self._memories.begin(kept.memory.id)
            before = self._mode(project, kept.memory.id)
            self._store.assign(project.id, assignment)
            if before == "none" and new.write_mode != "none":
                added = self._relearning.add_languages(project, assigned)
                self._relearning.start_others(project.id, kept.memory.id, added)
            if new.write_mode != before:
                self._relearning.start(project, kept.memory.id)
        return assignment

    def unassign(self, caller: Caller, project_id: str, tm_id: str) -> Assignment:
        """The project uses the memory no more; what is in it stays.

        Raises ProjectNotFound, TmNotFound.
        """
        project = self._projects.require(caller, "project_update", project_id)
        with self._transactions.transaction():
            self._projects.lock(project)
            gone = self._find(project, tm_id)
            self._memories.begin(gone.tm_id)
            self._store.unassign(project.id, gone.tm_id)
            if gone.write_mode != "none":
                self._relearning.start(project, gone.tm_id)
        return gone

    def _mode(self, project: Project, tm_id: str) -> WriteMode:
        """What the memory has learned of the project until now."""
        for each in self._store.list_assigned(project.id):
            if each.assignment.tm_id == tm_id:
                return each.assignment.write_mode
        return "none"

    def _find(self, project: Project, reference: str) -> Assignment:
        id_ = id_from_reference(reference)
        for each in self._store.list_assigned(project.id):
            if each.assignment.tm_id == id_:
                return each.assignment
        raise TmNotFound


def _require_same_language(kept: KeptMemory, project: Project) -> None:
    mine, theirs = kept.memory.source_language, project.source_language
    if not same_language(mine, theirs):
        message = f"the memory's source language is {mine}, the project's {theirs}"
        raise ValidationFailed.at("path.tmId", "language", message)
