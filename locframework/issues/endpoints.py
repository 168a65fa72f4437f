"""What checks found, over HTTP."""

from locframework.access.records import Caller
from locframework.errors import BranchNotOpen, LanguageNotInProject
from locframework.http.operation import operation
from locframework.keys.records import ProjectIssue
from locframework.pagination import Page

from .service import IssueQuery, Issues


class IssueEndpoints:
    """Declares the operations of the issues area."""

    tag = "Quality"

    def __init__(self, issues: Issues) -> None:
        self._issues = issues

    @operation(
        "GET",
        "/projects/{projectId}/issues",
        permission="translation_read",
        errors=(BranchNotOpen, LanguageNotInProject),
    )
    def list_issues(
        self, caller: Caller, project_id: str, query: IssueQuery
    ) -> Page[ProjectIssue]:
        """List what the checks found, by key, language, plural form and check.

        `severity` is what the project says now, without checks that it turned off.
        """
        return self._issues.list_issues(caller, project_id, query)
