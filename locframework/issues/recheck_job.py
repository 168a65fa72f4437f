"""Judges all texts of a project anew: after checks or languages have changed."""

from collections.abc import Iterator

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.errors import ProjectNotFound
from locframework.events import SYSTEM, Event
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.keys.writing.writer import KeyWriter
from locframework.pagination import all_pages
from locframework.projects.records import Project

from .store import IssueStorage

TYPE = "recheck"
PERMISSION = "project_update"
KEYS_AT_ONCE = 500
_JUDGED_BY = frozenset(("pluralForms", "sourceLanguage"))
_OF_GLOSSARIES = (
    "glossary.attached",
    "glossary.detached",
    "glossary.updated",
    "glossary.term.",
    "glossary.translation.updated",
    "glossary.translation.approved",
)
_CALLER = Caller(actor=SYSTEM)


class Rechecks:
    """Starts such jobs: when asked to, and when a language or a glossary of the
    project is not what it was."""

    def __init__(self, storage: IssueStorage, jobs: Jobs) -> None:
        self._storage = storage
        self._jobs = jobs

    def start(self, caller: Caller, project: Project) -> StoredJob:
        """In the transaction that is open."""
        return self._jobs.start(caller, project, TYPE, PERMISSION, {})

    def on_event(self, event: Event) -> None:
        """Inside the transaction of every event."""
        if event.type.startswith(_OF_GLOSSARIES):
            self._start_once(event.project_id or "")
            return
        if event.type not in ("language.updated", "project.updated"):
            return
        fields = [item.get("fields") for item in event.items]
        if not any(isinstance(each, list) and _JUDGED_BY & {*each} for each in fields):
            return
        project = self._storage.projects.find(event.project_id or "")
        if project is not None:
            self.start(_CALLER, project)

    def _start_once(self, project_id: str) -> None:
        """One that waits will see this change as well."""
        project = self._storage.projects.find(project_id)
        if project is not None:
            self._jobs.start_unless_queued(_CALLER, project, TYPE, PERMISSION, {})


class RecheckJob:
    """The handler of these jobs. One that is cut off begins again: it does no harm."""

    type = TYPE

    def __init__(self, storage: IssueStorage, writer: KeyWriter) -> None:
        self._storage = storage
        self._writer = writer

    def run(self, job: StoredJob, work: Work) -> None:
        """500 keys a step, so that writers have their turn in between."""
        project_id = job.project_id
        self._writer.prepare_checks(project_id)
        with work.step():  # so whoever writes by the terms of before is done by now
            parts = list(self._parts(self._project(project_id)))
        total = sum(len(ids) for _, ids in parts)
        done = 0
        for scope, ids in parts:
            work.check_cancelled()
            with work.step() as step:
                now = BranchScope(self._project(project_id), scope.branch)
                languages = self._storage.projects.list_languages(project_id)
                self._writer.check_again(now, languages, ids)
                done += len(ids)
                step.progress = Progress(done, total)
        with work.finish() as outcome:
            outcome.result = {"keys": total}

    def _project(self, project_id: str) -> Project:
        project = self._storage.projects.find(project_id)
        if project is None:
            raise ProjectNotFound
        return project

    def _parts(self, project: Project) -> Iterator[tuple[BranchScope, list[str]]]:
        """All keys of main, and those that open branches have for themselves.

        Keys made meanwhile need no second look.
        """
        keys = self._storage.keys.names_of(project.id).values()
        yield from _in_parts(BranchScope(project), sorted(keys))
        for scope in self._branches(project):
            assert scope.branch is not None  # made so
            store = self._storage.branch_keys(project.id, scope.branch.id)
            yield from _in_parts(scope, [each.key_id for each in store.overlay()])

    def _branches(self, project: Project) -> Iterator[BranchScope]:
        list_branches = self._storage.branches.list_branches
        for branch in all_pages(lambda page: list_branches(project.id, page)):
            if branch.status == "open":
                yield BranchScope(project, branch)


def _in_parts(
    scope: BranchScope, ids: list[str]
) -> Iterator[tuple[BranchScope, list[str]]]:
    for at in range(0, len(ids), KEYS_AT_ONCE):
        yield scope, ids[at : at + KEYS_AT_ONCE]
