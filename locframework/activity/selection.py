"""Finds the events that a request means."""

from typing import Protocol

from locframework.branches.records import MAIN
from locframework.branches.service import Branches
from locframework.clock import GivenTime, Timestamp, given_moment, timestamp
from locframework.errors import ValidationFailed
from locframework.events import EventFilter, EventLine
from locframework.ids import is_id
from locframework.paging import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage


class Asked(Protocol):
    """What a list of activity and a revert are asked by."""

    @property
    def actor(self) -> str | None: ...

    @property
    def since(self) -> GivenTime | None: ...

    @property
    def until(self) -> GivenTime | None: ...

    @property
    def key_id(self) -> str | None: ...

    @property
    def branch(self) -> str | None: ...

    @property
    def job_id(self) -> str | None: ...


def event_filter(
    storage: Storage, branches: Branches, project: Project, asked: Asked, path: str
) -> EventFilter:
    """``path`` is where the request has the conditions: ``query`` or ``$``.

    Raises ValidationFailed for a period that ends before it begins and for a job that
    the project never had, BranchNotFound.
    """
    since = _moment(asked.since, f"{path}.since")
    until = _moment(asked.until, f"{path}.until")
    if since is not None and until is not None and since > until:
        message = f"must not be after {path}.until"
        raise ValidationFailed.at(f"{path}.since", "range", message)
    if asked.job_id is not None and not _is_job(storage, project, asked.job_id):
        message = "is the id of no job of this project"
        raise ValidationFailed.at(f"{path}.jobId", "unknown", message)
    return EventFilter(
        actor_id=asked.actor,
        since=since,
        until=until,
        key_id=_key_id(asked.key_id),
        job_id=asked.job_id,
        line=None if asked.branch is None else _line(branches, project, asked.branch),
    )


def _line(branches: Branches, project: Project, reference: str) -> EventLine:
    if reference == MAIN:
        return EventLine(None)
    branch = branches.find(project, reference)
    return EventLine(
        branch=branch.name,
        branch_id=branch.id,
        since=branch.created_at,
        until=None if branch.status == "open" else branch.updated_at,
    )


def _is_job(storage: Storage, project: Project, job_id: str) -> bool:
    """What a job did is known longer than the job itself."""
    if not is_id(job_id):
        return False
    if storage.jobs.find(project.id, job_id) is not None:
        return True
    did = EventFilter(job_id=job_id)
    return storage.events.page_of_events(project.id, did, PageRequest()).total > 0


def _key_id(given: str | None) -> str | None:
    """A text that is no id is that of no key."""
    return given if given is None or is_id(given) else "none"


def _moment(given: GivenTime | None, path: str) -> Timestamp | None:
    return None if given is None else timestamp(given_moment(given, path))
