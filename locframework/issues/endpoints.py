"""What checks found, over HTTP."""

from typing import Annotated

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotOpen,
    InvalidPluralForm,
    KeyNotFound,
    LanguageNotInProject,
    PluralMismatch,
)
from locframework.http.operation import operation
from locframework.http.records import BranchQuery, Wrapped
from locframework.keys.records import ProjectIssue
from locframework.pagination import Page

from .service import CheckPreview, IssueQuery, Issues

FindingsAnswer = Annotated[list[ProjectIssue], Wrapped("findings")]


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

    @operation(
        "POST",
        "/projects/{projectId}/checks/preview",
        permission="translation_read",
        errors=(
            BranchNotOpen,
            InvalidPluralForm,
            KeyNotFound,
            LanguageNotInProject,
            PluralMismatch,
        ),
    )
    def preview_checks(
        self, caller: Caller, project_id: str, query: BranchQuery, body: CheckPreview
    ) -> FindingsAnswer:
        """Check a text before it is written.

        Stores nothing, and returns what `GET /projects/{projectId}/issues` would list
        of this value: without what is off in the project, or was dismissed. Plural
        forms that are not named stay as they are.
        """
        return self._issues.preview(caller, project_id, body, branch=query.branch)
