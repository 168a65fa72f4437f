"""Lists what checks found, and runs the checks again after they have changed."""

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.branches.service import Branches, BranchScope
from locframework.branches.store import BranchStore
from locframework.errors import KeyNotFound, ProjectNotFound
from locframework.events import SYSTEM, Event
from locframework.fields import is_id
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.keys.query import tag_of
from locframework.keys.records import (
    FindingFilter,
    KeyFinding,
    ProjectIssue,
    ValueText,
)
from locframework.keys.rules import check_texts, tag_in_project, texts_by_form
from locframework.keys.store import KeyStores, store_of
from locframework.keys.writing.checks import issue_of
from locframework.keys.writing.writer import KeyWriter, order_of
from locframework.pagination import ByKey, Page, SortedRequest, all_pages
from locframework.projects.records import CheckName, LanguageTag, Project
from locframework.projects.rules import require_checks
from locframework.projects.service import Languages, Projects
from locframework.projects.store import ProjectStore
from locframework.quality.check import Checks
from locframework.transactions import Transactions, get_record
from locframework.validation import check_record

TYPE = "recheck"
PERMISSION = "project_update"
KEYS_AT_ONCE = 500
_CHECKED_BY = frozenset(("pluralForms", "sourceLanguage"))
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
    """The query of a list of issues."""

    branch: str | None = None
    check: CheckName | None = None
    language_code: LanguageTag | None = None
    severity: Literal["error", "warning"] | None = None
    key_id: Annotated[str, Meta(max_length=100)] | None = None
    sort: ByKey = "key"


class CheckPreview(Struct, frozen=True, rename="camel"):
    """A text to check, or texts by plural form, before it is written."""

    key_id: str
    language_code: str
    value: ValueText


class IssueStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    branches: BranchStore
    projects: ProjectStore


@dataclass(eq=False, repr=False)
class Rechecks:
    """Starts jobs that check all texts again, and runs them. They start on request, and
    when a language or a glossary of the project changes. A job that was interrupted
    begins again."""

    type = TYPE

    _storage: IssueStorage
    _jobs: Jobs
    _writer: KeyWriter

    def start(self, caller: Caller, project: Project) -> Job:
        """Start a job in the open transaction."""
        return self._jobs.start(caller, project, TYPE, PERMISSION, {})

    def on_event(self, event: Event) -> None:
        """Start a job, in the transaction of an event that concerns checks."""
        project = self._storage.projects.find(event.project_id or "")
        if project is None:
            return
        if event.type.startswith(_OF_GLOSSARIES):
            # a queued job sees this change, too
            self._jobs.start_unless_queued(_CALLER, project, TYPE, PERMISSION, {})
        elif event.type in ("language.updated", "project.updated"):
            fields = [item.get("fields") for item in event.items]
            if any(isinstance(each, list) and _CHECKED_BY & {*each} for each in fields):
                self.start(_CALLER, project)

    def run(self, job: StoredJob, work: Work) -> None:
        """Check all keys of main, and those that open branches have for themselves. 500
        keys a step, so that writers have their turn in between. Keys that are created
        meanwhile need no second check."""
        project_id = job.project_id
        self._writer.prepare_checks(project_id)
        with work.step():  # all who write by the former terms have committed by now
            project = self._project(project_id)
            keys = self._storage.keys.names_of(project_id).values()
            parts = [(BranchScope(project), sorted(keys))]
            list_branches = self._storage.branches.list_branches
            for branch in all_pages(lambda page: list_branches(project_id, page)):
                if branch.status == "open":
                    copies = self._storage.branch_keys(project_id, branch.id).overlay()
                    ids = [each.key_id for each in copies]
                    parts.append((BranchScope(project, branch), ids))
        total, done = sum(len(ids) for _, ids in parts), 0
        for scope, ids in parts:
            for at in range(0, len(ids), KEYS_AT_ONCE):
                some = ids[at : at + KEYS_AT_ONCE]
                work.check_cancelled()
                self._writer.prepare_checks(project_id)
                with work.step() as step:
                    now = BranchScope(self._project(project_id), scope.branch)
                    languages = self._storage.projects.list_languages(project_id)
                    self._writer.check_again(now, languages, some)
                    done += len(some)
                    step.progress = Progress(done, total)
        with work.finish() as outcome:
            outcome.result = {"keys": total}

    def _project(self, project_id: str) -> Project:
        return get_record(self._storage.projects, project_id, ProjectNotFound)


@dataclass(eq=False, repr=False)
class Issues:
    """What checks found in a project."""

    _storage: IssueStorage
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _checks: Checks
    _rechecks: Rechecks
    _writer: KeyWriter

    def list_issues(
        self, caller: Caller, project_id: str, query: IssueQuery = IssueQuery()
    ) -> Page[ProjectIssue]:
        """Return issues by key, language in project order, plural form, check.

        Severities are those of the project now; checks that it turned off are left out.
        Raises LanguageNotInProject, ValidationFailed, BranchNotFound, BranchNotOpen. A
        constant number of statements.
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

    def preview(
        self,
        caller: Caller,
        project_id: str,
        text: CheckPreview,
        *,
        branch: str | None = None,
    ) -> list[ProjectIssue]:
        """Return what the checks would find in a value if this text was written;
        nothing is stored. Needs translation_read.

        Plural forms that are not named stay as they are stored. Raises KeyNotFound,
        LanguageNotInProject, PluralMismatch, InvalidPluralForm, ValidationFailed. A
        constant number of statements.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(text)
        check_texts(text.value, "$.value")
        scope = self._branches.scope(project, branch)
        languages = self._languages.of(project)
        codes = order_of(languages)
        tag = tag_in_project(text.language_code, codes, "$.languageCode")
        if not is_id(text.key_id):
            raise KeyNotFound
        shown = self._checks.shown(project)
        with self._storage.snapshot():
            store = store_of(self._storage, scope)
            key = store.find_keys(project.id, [text.key_id]).get(text.key_id)
            if key is None:
                raise KeyNotFound
            texts = texts_by_form(text.value, is_plural=key.is_plural, path="$.value")
            found = self._writer.preview_findings(scope, languages, key, tag, texts)
        return [
            issue_of(KeyFinding(key.id, key.key, tag, each), shown[each.check])
            for each in found
            if each.check in shown
        ]

    def start_recheck(self, caller: Caller, project_id: str) -> Job:
        """Queue a job that checks all texts again, on main and on open branches. Texts
        are checked when they are written; this is for checks that were added or changed
        since. Needs project_update."""
        project = self._projects.require(caller, PERMISSION, project_id)
        with self._storage.transaction():
            return self._rechecks.start(caller, project)
