"""Teaches memories all that a project says: when it begins to use them, and when its
languages are not what they were."""

from collections.abc import Collection, Iterable, Sequence

from locframework.access.records import Caller
from locframework.errors import MemoriesAssigned, ProjectNotFound
from locframework.events import SYSTEM, Event
from locframework.fields import new_id
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.languages import language_info, same_language
from locframework.projects.records import Project

from .learning import KEYS_AT_ONCE, Learning, writing_of
from .records import AssignedMemory, MemoryLanguage
from .store import MemoryStorage

TYPE = "tm_learn"
PERMISSION = "project_update"
NAMED_MOST = 5  # memories in a refusal
_CALLER = Caller(actor=SYSTEM)
HEARD = ("language.added", "language.removed", "project.updated")


class Relearning:
    """Starts such jobs, and gives memories the languages of their projects."""

    def __init__(self, storage: MemoryStorage, jobs: Jobs) -> None:
        self._storage = storage
        self._store = storage.memories
        self._jobs = jobs

    def start(self, project: Project, tm_id: str | None = None) -> None:
        """In the transaction that is open, for one memory or all that learn."""
        if project.key_count or self._store.linked_keys(project.id):
            params = {} if tm_id is None else {"tmId": tm_id}
            self._jobs.start(_CALLER, project, TYPE, PERMISSION, params)

    def start_again(self, project_id: str, tm_id: str) -> None:
        """``start``, where the project teaches the memory."""
        writing = writing_of(self._store.list_assigned(project_id))
        project = self._storage.projects.find(project_id)
        if project is not None and any(one.memory.id == tm_id for one in writing):
            self.start(project, tm_id)

    def start_others(
        self, project_id: str | None, tm_id: str, codes: Collection[str]
    ) -> None:
        """``start`` where another project than this teaches the memory, and may say
        something in languages that it has again.

        In the transaction that gives it these: one without the other would leave what
        is there unlearned for ever.
        """
        for other in self._store.projects_of(tm_id) if codes else ():
            there = self._storage.projects.list_languages(other)
            if other != project_id and any(one.language_code in codes for one in there):
                self.start_again(other, tm_id)

    def add_languages(self, project: Project, assigned: AssignedMemory) -> list[str]:
        """Let a memory that is locked have the target languages of a project.

        Answers those that it has not had.
        """
        there = self._storage.projects.list_languages(project.id)
        return self._add(project, assigned, [each.language_code for each in there])

    def _add(
        self, project: Project, assigned: AssignedMemory, codes: Iterable[str]
    ) -> list[str]:
        memory = assigned.memory
        there = {each.language_code for each in self._store.list_languages(memory.id)}
        there |= {memory.source_language, project.source_language}
        new = [code for code in codes if code not in there]
        self._store.add_languages(
            [
                MemoryLanguage(new_id(), memory.id, code, language_info(code).label)
                for code in new
            ]
        )
        return new

    def on_event(self, event: Event) -> None:
        """Inside the transaction of every event.

        Raises MemoriesAssigned for a source language that memories cannot follow.
        """
        if event.type not in HEARD or event.project_id is None:
            return
        if event.type == "project.updated" and not _moves_source(event):
            return
        assigned = self._store.list_assigned(event.project_id)
        project = self._storage.projects.find(event.project_id)
        if project is None or not assigned:
            return
        if event.type == "project.updated":
            _require_same_language(project, assigned)
        writing = writing_of(assigned)
        for each in writing:
            self._store.lock(each.memory.id)
            added = self._add(project, each, self._new_languages(event, each))
            self.start_others(project.id, each.memory.id, added)
        if writing and event.type != "language.added":  # a new one has no values yet
            self.start(project)

    def _new_languages(self, event: Event, assigned: AssignedMemory) -> list[str]:
        """The target languages that the project has by what the event tells."""
        if event.type == "language.added":
            return [str(item["languageCode"]) for item in event.items]
        if event.type == "language.removed":
            return []
        # what was the source language is of the memory's, whatever the region
        there = self._storage.projects.list_languages(str(event.project_id))
        source = assigned.memory.source_language
        codes = [each.language_code for each in there]
        return [code for code in codes if same_language(code, source)]


class LearnJob:
    """The handler of these jobs. One that is cut off begins again: it does no harm."""

    type = TYPE

    def __init__(self, storage: MemoryStorage, learning: Learning) -> None:
        self._storage = storage
        self._learning = learning

    def run(self, job: StoredJob, work: Work) -> None:
        """500 keys a step, so that writers have their turn in between.

        Also those that went while the project taught nothing: what they taught goes.
        A memory that it is about, and the project teaches no more, is left.
        """
        tm_id = job.params.get("tmId")
        if isinstance(tm_id, str) and not self._memories(job):
            self._leave(job, tm_id, work)
            return
        there = self._storage.keys.names_of(job.project_id).values()
        gone = self._storage.memories.linked_keys(job.project_id)
        ids, done = sorted({*there, *gone}), 0
        while done < len(ids):
            work.check_cancelled()
            with work.step() as step:
                some = ids[done : done + KEYS_AT_ONCE]
                project = self._project(job)
                self._learning.learn(project, self._memories(job), some)
                done += len(some)
                step.progress = Progress(done, len(ids))
        with work.finish() as outcome:
            outcome.result = {"keys": len(ids)}

    def _leave(self, job: StoredJob, tm_id: str, work: Work) -> None:
        """500 entries a step, unless the project teaches the memory again."""
        shared = self._storage.memories.shared_entries(tm_id, job.project_id)
        done = 0
        while done < len(shared):
            work.check_cancelled()
            with work.step() as step:
                project = self._project(job)
                some = shared[done : done + KEYS_AT_ONCE]
                if not self._memories(job):
                    self._learning.let_go(project, tm_id, some)
                done += len(some)
                step.progress = Progress(done, len(shared))
        with work.finish() as outcome:
            outcome.result = {"keys": 0}

    def _project(self, job: StoredJob) -> Project:
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        return project

    def _memories(self, job: StoredJob) -> Sequence[AssignedMemory]:
        """As they are assigned by now."""
        assigned = writing_of(self._storage.memories.list_assigned(job.project_id))
        tm_id = job.params.get("tmId")
        return [each for each in assigned if tm_id in (None, each.memory.id)]


def _require_same_language(
    project: Project, assigned: Iterable[AssignedMemory]
) -> None:
    """As it is asked of a memory that is to be assigned."""
    tag = project.source_language
    ids = [
        each.memory.id
        for each in assigned
        if not same_language(each.memory.source_language, tag)
    ]
    if ids:
        named = ", ".join(ids[:NAMED_MOST]) + (" and others" * (len(ids) > NAMED_MOST))
        raise MemoriesAssigned(
            f"the source language of translation memories that the project uses is not"
            f" {tag}: unassign {named} first"
        )


def _moves_source(event: Event) -> bool:
    fields = [item.get("fields") for item in event.items]
    return any(isinstance(each, list) and "sourceLanguage" in each for each in fields)
