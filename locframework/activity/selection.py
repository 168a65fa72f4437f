"""Finds the events that a request means."""

from typing import Protocol

from locframework.branches.records import MAIN
from locframework.branches.service import Branches
from locframework.errors import ValidationFailed
from locframework.events import EventFilter, EventLine
from locframework.fields import TimeInput, Timestamp, is_id, parse_given_time, timestamp
from locframework.paging import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage


class Asked(Protocol):
    """What a list of activity and a revert are asked by."""

    @property
    def actor(self) -> str | None: ...

    @property
    def since(self) -> TimeInput | None: ...

    @property
    def until(self) -> TimeInput | None: ...

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

    Raises ValidationFailed for a period that ends before it begins, for a job or a key
    that the project never had and for who cannot have done anything in it,
    BranchNotFound.
    """
    since = _moment(asked.since, f"{path}.since")
    until = _moment(asked.until, f"{path}.until")
    if since is not None and until is not None and since > until:
        message = f"must not be after {path}.until"
        raise ValidationFailed.at(f"{path}.since", "range", message)
    if asked.actor is not None and not _is_actor(storage, project, asked.actor):
        message = (
            "is not the id of a user or token of this organization, or of anyone else"
        )
        message += " who did anything in this project"
        raise ValidationFailed.at(f"{path}.actor", "unknown", message)
    if asked.job_id is not None and not _is_job(storage, project, asked.job_id):
        message = "is not the id of a job of this project"
        raise ValidationFailed.at(f"{path}.jobId", "unknown", message)
    if asked.key_id is not None and not _is_key(storage, project, asked.key_id):
        message = "is not the id of a key of this project"
        raise ValidationFailed.at(f"{path}.keyId", "unknown", message)
    return EventFilter(
        actor_id=asked.actor,
        since=since,
        until=until,
        key_id=asked.key_id,
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


def _is_actor(storage: Storage, project: Project, actor_id: str) -> bool:
    """Who did something is known longer than they belong to the organization."""
    access, home = storage.access, project.organization_id
    if is_id(actor_id):
        token = access.tokens.find(actor_id)
        if token is not None and token.token.project_id == project.id:
            return True
        if home in access.organizations_of(actor_id):
            return True
    return _did_happen(storage, project, EventFilter(actor_id=actor_id))


def _is_job(storage: Storage, project: Project, job_id: str) -> bool:
    """What a job did is known longer than the job itself."""
    if not is_id(job_id):
        return False
    if storage.jobs.find(project.id, job_id) is not None:
        return True
    return _did_happen(storage, project, EventFilter(job_id=job_id))


def _is_key(storage: Storage, project: Project, key_id: str) -> bool:
    """What was done to a key is known longer than the key itself."""
    where = EventFilter(key_id=key_id)
    return is_id(key_id) and _did_happen(storage, project, where)


def _did_happen(storage: Storage, project: Project, where: EventFilter) -> bool:
    one = PageRequest(limit=1)
    return storage.events.page_of_events(project.id, where, one).total > 0


def _moment(given: TimeInput | None, path: str) -> Timestamp | None:
    return None if given is None else timestamp(parse_given_time(given, path))
