"""Lists what checks found, and runs the checks again after they have changed."""

from collections.abc import Iterator
from typing import Annotated, Literal, Protocol

from msgspec import Meta

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches
from locframework.branches.store import BranchStore
from locframework.errors import ProjectNotFound
from locframework.events import SYSTEM, Event
from locframework.fields import is_id
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.keys.query import tag_of
from locframework.keys.records import FindingFilter, ProjectIssue
from locframework.keys.store import KeyStores, store_of
from locframework.keys.writing.checks import issue_of
from locframework.keys.writing.writer import KeyWriter
from locframework.pagination import ByKey, Page, SortedRequest, all_pages
from locframework.projects.languages import Languages
from locframework.projects.records import CheckName, LanguageTag, Project
from locframework.projects.rules import require_checks
from locframework.projects.service import Projects
from locframework.projects.store import ProjectStore
from locframework.quality.service import Checks
from locframework.transactions import Transactions
from locframework.validation import check_record

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


class IssueQuery(SortedRequest, frozen=True, rename="camel"):
    """What a list of issues is asked by."""

    branch: str | None = None
    check: CheckName | None = None
    language_code: LanguageTag | None = None
    severity: Literal["error", "warning"] | None = None
    key_id: Annotated[str, Meta(max_length=100)] | None = None
    sort: ByKey = "key"


class IssueStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    branches: BranchStore
    projects: ProjectStore


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


class Issues:
    """What checks found in a project."""

    def __init__(
        self,
        storage: IssueStorage,
        projects: Projects,
        branches: Branches,
        languages: Languages,
        checks: Checks,
        rechecks: Rechecks,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._languages = languages
        self._checks = checks
        self._rechecks = rechecks

    def list_issues(
        self, caller: Caller, project_id: str, query: IssueQuery
    ) -> Page[ProjectIssue]:
        """By key, language in project order, plural form, check.

        Their severity is what the project says now, and checks that it turned off are
        left out. Raises LanguageNotInProject, ValidationFailed, BranchNotFound,
        BranchNotOpen. A constant number of statements.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        if query.check is not None:
            require_checks([query.check], self._checks.names, "check", "query")
        severities = {
            check: severity
            for check, severity in self._checks.shown(project).items()
            if query.check in (None, check) and query.severity in (None, severity)
        }
        codes = [each.language_code for each in self._languages.of(project)]
        where = FindingFilter(
            checks=tuple(severities),
            language_code=tag_of(query.language_code, codes),
            key_id=query.key_id,
        )
        store = store_of(self._storage, self._branches.scope(project, query.branch))
        page = SortedRequest(query.page, query.limit, query.sort)
        if query.key_id is not None and not is_id(query.key_id):
            return Page([], 0, query.page, query.limit)
        found = store.list_findings(project.id, where, page)
        items = [issue_of(one, severities[one.finding.check]) for one in found.items]
        return Page(items, found.total, found.page, found.limit)

    def start_recheck(self, caller: Caller, project_id: str) -> Job:
        """A job that judges all texts anew, on main and on open branches.

        What is written is judged at once; this is for checks that were added or
        changed since. Needs project_update.
        """
        project = self._projects.require(caller, PERMISSION, project_id)
        with self._storage.transaction():
            return self._rechecks.start(caller, project).job
