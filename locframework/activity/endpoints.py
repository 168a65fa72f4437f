"""What happened in a project, over HTTP."""

from locframework.access.records import Caller
from locframework.errors import BranchNotFound, BranchProtected, ProjectNotFound
from locframework.http.operation import operation
from locframework.http.records import Accepted
from locframework.jobs.records import JobAnswer
from locframework.paging import Page

from .records import ActivityItem, ActivityQuery, RevertRequest
from .service import Activity


class ActivityEndpoints:
    """Declares the operations of the activity area."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    @operation(
        "GET",
        "/projects/{projectId}/activity",
        permission="audit_read",
        errors=(ProjectNotFound, BranchNotFound),
        tag="Activity",
    )
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
        errors=(ProjectNotFound, BranchNotFound, BranchProtected),
        tag="Activity",
    )
    def revert_activity(
        self, caller: Caller, project_id: str, body: RevertRequest
    ) -> Accepted[JobAnswer]:
        """Undo what a person, a job, a period or a merge changed.

        Takes the conditions of the list, at least one; all must hold. Without `branch`
        it covers main and all open branches. Answers 202 with a job that puts values
        back as they were, all in one transaction, and with `key_update` also names,
        descriptions, tags, plurals and screenshots. With `key_delete`, keys that were
        created go to the trash, and keys that were deleted come back. What was changed
        later stays, and is listed in the result: `reverted`, `keysUpdated`,
        `keysDeleted`, `keysRestored`, `skippedCount`, and the first 1000 of `skipped`,
        each with its `branch`. `dryRun` reports the same, and changes nothing.
        """
        job = self._activity.start_revert(caller, project_id, body)
        where = f"/projects/{job.project_id}/jobs/{job.id}"
        return Accepted(JobAnswer(job), where)
