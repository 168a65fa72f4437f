"""The history of values, activity and undo over HTTP."""

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotFound,
    BranchNotOpen,
    BranchProtected,
    InvalidPluralForm,
    LanguageNotAssigned,
    NotOnBranch,
    WriteRefused,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, BranchQuery
from locframework.jobs.endpoints import accepted
from locframework.jobs.records import JobAnswer
from locframework.keys.endpoints import KeyAnswer
from locframework.keys.records import HistoryItem, HistoryQuery, Reversion
from locframework.pagination import Page

from .records import ActivityItem, ActivityQuery, RevertRequest
from .service import Activity
from .values import History


class ActivityEndpoints:
    """Declares the operations of the activity area."""

    tag = "Activity"

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    @operation("GET", "/projects/{projectId}/activity", permission="audit_read")
    def list_activity(
        self, caller: Caller, project_id: str, query: ActivityQuery
    ) -> Page[ActivityItem]:
        """List what happened, newest first.

        All filters must match. `branch`, a name or id, includes what its merges did on
        main; `branch=main` is main alone.
        """
        return self._activity.list_activity(caller, project_id, query)

    @operation(
        "POST",
        "/projects/{projectId}/activity/revert",
        permission="translation_approve",
        errors=(BranchNotFound, BranchProtected, NotOnBranch),
    )
    def revert_activity(
        self, caller: Caller, project_id: str, body: RevertRequest
    ) -> Accepted[JobAnswer]:
        """Undo what a person, a job, a period or a merge changed on main.

        At least one of the list's filters and `mergeOf` (a branch) is needed; all must
        match. The job puts back values and, with `key_update`, fields of keys that
        nobody changed later. With `key_delete`, keys that were created go to the trash,
        and deleted ones come back. `skipped` lists the rest with a reason:
        `changed_later`, `key_exists`, `permission_denied`, `language_not_assigned`,
        `not_revertible`. A protected main accepts only `mergeOf`. `dryRun` changes
        nothing.
        """
        return accepted(self._activity.start_revert(caller, project_id, body))


class HistoryEndpoints:
    """Declares the operations on the revisions of values."""

    tag = "Values"

    def __init__(self, history: History) -> None:
        self._history = history

    @operation(
        "GET",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/history",
        permission="translation_read",
        errors=(BranchNotOpen,),
    )
    def list_revisions(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: HistoryQuery,
    ) -> Page[HistoryItem]:
        """List the history of a value, newest first.

        One item for each change. Each plural form has its own revisions. A value that
        was cleared has an item with the status `untranslated`.
        """
        return self._history.list_revisions(caller, project_id, key_id, lang, query)

    @operation(
        "POST",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/revert",
        permission="translation_write",
        errors=(InvalidPluralForm, LanguageNotAssigned, BranchProtected, WriteRefused),
    )
    def revert_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Reversion,
    ) -> KeyAnswer:
        """Write the text of a revision again, with the origin `revert`.

        `pluralForm` tells apart forms that have the same number; what was written
        before the key had plurals is `other`. With `keepFresh`, a source text makes no
        other language outdated.
        """
        return self._history.revert(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
