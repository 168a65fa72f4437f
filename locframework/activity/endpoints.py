"""What happened in a project, over HTTP."""

from locframework.access.records import Caller
from locframework.errors import BranchNotFound, ProjectNotFound
from locframework.http.operation import operation
from locframework.paging import Page

from .records import ActivityItem, ActivityQuery
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
        all must hold. A branch is named by name or id and brings along what its
        merges did on main; `branch=main` is main alone.
        """
        return self._activity.list_activity(caller, project_id, query)
