"""What one can do with what happened in a project: read it, and undo it."""

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import MAIN, BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import ValidationFailed
from locframework.events import EventFilter
from locframework.fields import Clock, timestamp
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.paging import Page
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.storage import Storage
from locframework.validation import check_record

from .records import ActivityItem, ActivityQuery, RevertRequest, activity_item
from .revert_job import PERMISSION, TYPE, RevertParams
from .selection import Asked, event_filter


class Activity:
    """The event log of a project, as its people see it."""

    def __init__(
        self,
        storage: Storage,
        projects: Projects,
        branches: Branches,
        jobs: Jobs,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._jobs = jobs
        self._clock = clock

    def list_activity(
        self, caller: Caller, project_id: str, query: ActivityQuery
    ) -> Page[ActivityItem]:
        """A page of what happened, newest first.

        Raises ValidationFailed for conditions that nothing can fit, BranchNotFound.
        """
        project = self._projects.require(caller, "audit_read", project_id)
        check_record(query, "query")
        where = self._where(project, query, "query")
        page = self._storage.events.page_of_events(project.id, where, query)
        items = [activity_item(event) for event in page.items]
        return Page(items, page.total, page.page, page.limit)

    def start_revert(
        self, caller: Caller, project_id: str, request: RevertRequest
    ) -> Job:
        """Queue a job that undoes the changes that are meant.

        It puts values back, with key_update also what else keys say, and with
        key_delete moves keys that were created to the trash and brings back those that
        were deleted. What was changed later stays, and is listed. Raises
        ValidationFailed without a condition and for those that nothing can fit,
        BranchNotFound, BranchProtected.
        """
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(request)
        conditions = (
            request.actor,
            request.since,
            request.until,
            request.key_id,
            request.branch,
            request.job_id,
        )
        if conditions == (None,) * len(conditions):
            message = (
                "give at least one condition: without any, everything would be undone"
            )
            raise ValidationFailed.at("$", "required", message)
        where = self._where(project, request, "$")
        if not self._is_open_branch(project, request.branch):
            require_writable(BranchScope(project))
        now = timestamp(self._clock())
        if where.since is not None and where.since > now:
            raise ValidationFailed.at("$.since", "range", "is in the future")
        where = replace(where, until=min(where.until or now, now))
        params = msgspec.to_builtins(RevertParams(where, request.dry_run))
        with self._storage.transaction():
            started = self._jobs.start(caller, project, TYPE, PERMISSION, params)
        return started.job

    def _where(self, project: Project, asked: Asked, path: str) -> EventFilter:
        return event_filter(self._storage, self._branches, project, asked, path)

    def _is_open_branch(self, project: Project, reference: str | None) -> bool:
        if reference in (None, MAIN):
            return False
        return self._branches.find(project, str(reference)).status == "open"
