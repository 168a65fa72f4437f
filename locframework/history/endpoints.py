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

        Filters by `actor` (its id), `since`, `until`, `keyId`, `branch` and `jobId`;
        all must hold. A branch is given by name or id, and includes what its merges did
        on main; `branch=main` is main alone.
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

        Takes the filters of the list, and `mergeOf` (a branch, for what its merge
        brought); at least one, and all must match. The job puts back values and, with
        `key_update`, the fields of keys that nobody changed later. With `key_delete`,
        keys that were created and not changed later go to the trash, and deleted keys
        come back if their name is free. The rest is listed in `skipped` with a reason:
        `changed_later`, `key_exists`, `permission_denied`, `language_not_assigned`,
        `not_revertible`. A protected main accepts only `mergeOf`. Branches have no
        undo. `dryRun` reports the same, and changes nothing.
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

        One item for each change: writes, approvals and rejections, imports, merges,
        reverts. Each plural form has its own revisions. A value that was cleared has an
        item with the status `untranslated`.
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
        """Write the text of a revision again.

        Makes a new revision with the origin `revert`; without `translation_approve` it
        waits for review. `pluralForm` tells apart forms that have the same number; what
        was written before the key had plurals is `other`. With `keepFresh`, a source
        text that comes back makes no other language outdated.
        """
        return self._history.revert(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
