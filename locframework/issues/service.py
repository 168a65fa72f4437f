"""What one can ask of the findings of checks."""

from locframework.access.records import Caller
from locframework.branches.service import Branches
from locframework.fields import is_id
from locframework.jobs.records import Job
from locframework.keys.query import tag_of
from locframework.keys.records import FindingFilter, ProjectIssue
from locframework.keys.store import store_of
from locframework.keys.writing.checks import issue_of
from locframework.pagination import Page, SortedRequest
from locframework.projects.languages import Languages
from locframework.projects.rules import require_checks
from locframework.projects.service import Projects
from locframework.quality.service import Checks
from locframework.validation import check_record

from .recheck_job import PERMISSION, Rechecks
from .records import IssueQuery
from .store import IssueStorage


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
