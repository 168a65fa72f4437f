"""The activity of a project: lists what happened, and starts undo jobs."""

from dataclasses import dataclass

import msgspec

from locframework.access.records import Caller
from locframework.branches.records import MAIN
from locframework.branches.service import Branches
from locframework.errors import BranchProtected, NotOnBranch, ValidationFailed
from locframework.events import EventFilter, EventScope
from locframework.fields import (
    Clock,
    TimeInput,
    Timestamp,
    is_id,
    parse_given_time,
    timestamp,
)
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .records import ActivityItem, ActivityQuery, RevertRequest, activity_item
from .store import HistoryStorage
from .undo import PERMISSION, TYPE, UndoParams

Filters = ActivityQuery | RevertRequest


@dataclass(eq=False, repr=False)
class Activity:
    """The event log of a project, as its members see it."""

    _storage: HistoryStorage
    _projects: Projects
    _branches: Branches
    _jobs: Jobs
    _clock: Clock

    def list_activity(
        self, caller: Caller, project_id: str, query: ActivityQuery = ActivityQuery()
    ) -> Page[ActivityItem]:
        """List what happened, newest first. Raises ValidationFailed, BranchNotFound."""
        project = self._projects.require(caller, "audit_read", project_id)
        check_record(query, "query")
        where = self._filter(project, query, "query")
        if query.branch is not None:
            where = msgspec.structs.replace(
                where, scope=self._scope(project, query.branch)
            )
        page = self._storage.events.page_of_events(project.id, where, query)
        items = [activity_item(event) for event in page.items]
        return Page(items, page.total, page.page, page.limit)

    def start_revert(
        self, caller: Caller, project_id: str, request: RevertRequest
    ) -> Job:
        """Queue a job that undoes the selected changes on main. Raises
        ValidationFailed, also without a filter, BranchNotFound, NotOnBranch for a
        branch, and BranchProtected for a protected main without ``merge_of``."""
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(request)
        filters = msgspec.structs.asdict(request)
        if all(filters[name] is None for name in filters if name != "dry_run"):
            message = (
                "give at least one filter; without one, everything would be undone"
            )
            raise ValidationFailed.at("$", "required", message)
        if request.branch not in (None, MAIN):
            branch = self._branches.find(project, str(request.branch))
            raise NotOnBranch(
                f"branch {branch.name!r} has no undo: close the branch, revert a value"
                " in its history, or undo its merge with mergeOf"
            )
        where = self._filter(project, request, "$")
        merge_of = None
        if request.merge_of is not None:
            merge_of = self._branches.find(project, request.merge_of).id
        if project.main_protected:
            if merge_of is None:
                raise BranchProtected
            self._projects.require_also(caller, "branch_merge", project)
        now = timestamp(self._clock())
        if where.since is not None and where.since > now:
            raise ValidationFailed.at("$.since", "range", "is in the future")
        where = msgspec.structs.replace(
            where,
            until=min(where.until or now, now),
            scope=EventScope(None),
            merge_of=merge_of,
        )
        params = msgspec.to_builtins(UndoParams(where, request.dry_run))
        with self._storage.transaction():
            return self._jobs.start(caller, project, TYPE, PERMISSION, params)

    def _filter(self, project: Project, asked: Filters, path: str) -> EventFilter:
        """Return the filter that list and undo share. ``path`` is where the request has
        the fields: ``query`` or ``$``. Raises ValidationFailed."""
        since = _time(asked.since, f"{path}.since")
        until = _time(asked.until, f"{path}.until")
        if since is not None and until is not None and since > until:
            message = f"must not be after {path}.until"
            raise ValidationFailed.at(f"{path}.since", "range", message)
        where = EventFilter(actor_id=asked.actor)
        if asked.actor and not (
            self._is_member(project, asked.actor) or self._has_events(project, where)
        ):
            message = "is not the id of a user or token that acts in this project"
            raise ValidationFailed.at(f"{path}.actor", "unknown", message)
        where = EventFilter(job_id=asked.job_id)
        if asked.job_id and not (
            self._is_job(project, asked.job_id) or self._has_events(project, where)
        ):
            message = "is not the id of a job of this project"
            raise ValidationFailed.at(f"{path}.jobId", "unknown", message)
        where = EventFilter(key_id=asked.key_id)
        if asked.key_id and not self._has_events(project, where):
            message = "is not the id of a key of this project"
            raise ValidationFailed.at(f"{path}.keyId", "unknown", message)
        return EventFilter(
            actor_id=asked.actor,
            since=since,
            until=until,
            key_id=asked.key_id,
            job_id=asked.job_id,
        )

    def _scope(self, project: Project, reference: str) -> EventScope:
        if reference == MAIN:
            return EventScope(None)
        branch = self._branches.find(project, reference)
        return EventScope(
            branch=branch.name,
            branch_id=branch.id,
            since=branch.created_at,
            until=None if branch.status == "open" else branch.updated_at,
        )

    def _is_member(self, project: Project, actor_id: str) -> bool:
        if not is_id(actor_id):
            return False
        access = self._storage.access
        token = access.tokens.find(actor_id)
        if token is not None and token.token.project_id == project.id:
            return True
        return project.organization_id in access.organizations_of(actor_id)

    def _is_job(self, project: Project, job_id: str) -> bool:
        return is_id(job_id) and self._storage.jobs.find(project.id, job_id) is not None

    def _has_events(self, project: Project, where: EventFilter) -> bool:
        one = PageRequest(limit=1)
        return self._storage.events.page_of_events(project.id, where, one).total > 0


def _time(given: TimeInput | None, path: str) -> Timestamp | None:
    return None if given is None else timestamp(parse_given_time(given, path))
