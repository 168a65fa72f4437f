"""What one can do with what happened in a project: read it."""

from locframework.access.records import Caller
from locframework.branches.service import Branches
from locframework.paging import Page
from locframework.projects.service import Projects
from locframework.storage import Storage

from .records import ActivityItem, ActivityQuery, activity_item
from .selection import event_filter


class Activity:
    """The event log of a project, as its people see it."""

    def __init__(
        self, storage: Storage, projects: Projects, branches: Branches
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches

    def list_activity(
        self, caller: Caller, project_id: str, query: ActivityQuery
    ) -> Page[ActivityItem]:
        """A page of what happened, newest first. Raises BranchNotFound."""
        project = self._projects.require(caller, "audit_read", project_id)
        where = event_filter(self._branches, project, query, "query")
        page = self._storage.events.page_of_events(project.id, where, query)
        items = [activity_item(event) for event in page.items]
        return Page(items, page.total, page.page, page.limit)
