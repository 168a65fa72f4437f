"""What one can do with jobs: start, read, wait, cancel."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.errors import JobNotCancellable, JobNotFound, JobNotRetryable
from locframework.events import EventLog
from locframework.fields import Clock, is_id, new_id, timestamp
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects, scope_of
from locframework.transactions import Transactions
from locframework.validation import check_record

from .records import Job, JobFilter, JobQuery, Progress, StoredJob
from .runner import JobRunner, append_ended
from .store import JobStore

HasPermission = Callable[[str], bool]
"""Returns whether the caller has a permission where the job is."""


class Subject(Protocol):
    """A project, glossary or memory: what a job is about."""

    @property
    def id(self) -> str: ...

    @property
    def organization_id(self) -> str: ...


WAIT_POLL_SECONDS = 0.05
_CANCELLED = ("running", "cancelled")  # the status after a request to cancel


@dataclass(eq=False, repr=False)
class Jobs:
    """Jobs of a project, glossary or memory. Whoever has the permission that starts a
    type of job may read and cancel it."""

    _store: JobStore
    _transactions: Transactions
    _projects: Projects
    _access: Access
    _runner: JobRunner
    _events: EventLog
    _clock: Clock

    def start(
        self,
        caller: Caller,
        subject: Subject,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> Job:
        """Queue a job in the open transaction; it starts after the commit.
        ``permission`` allowed the request; ``params`` are JSON for the handler of
        ``type_``."""
        is_project = isinstance(subject, Project)
        stored = self._new(
            caller,
            subject.id if is_project else None,
            None if is_project else subject.id,
            subject.organization_id,
            type_,
            permission,
            params,
        )
        self._store.add(stored)
        self._transactions.after_commit(self._runner.wake)
        return stored.job

    def start_in_projects(
        self,
        caller: Caller,
        organizations: Mapping[str, str],
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> None:
        """Call ``start`` for many projects: ``organizations`` are theirs, by project
        id."""
        self._store.add(
            *(
                self._new(caller, id_, None, owner, type_, permission, params)
                for id_, owner in organizations.items()
            )
        )
        self._transactions.after_commit(self._runner.wake)

    def start_unless_queued(
        self,
        caller: Caller,
        project: Project,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> None:
        """Call ``start``, unless a job of the type is queued: it will see what the open
        transaction has written."""
        if self._store.hold_queued(project.id, type_):
            self._transactions.after_commit(self._runner.wake)  # it was locked for them
        else:
            self.start(caller, project, type_, permission, params)

    def list_jobs(
        self, caller: Caller, project_id: str, query: JobQuery = JobQuery()
    ) -> Page[Job]:
        """Return the project's jobs that the caller may start, newest first. Raises
        ProjectNotFound."""
        project = self._projects.visible(caller, project_id)
        where = self._filter(query, self._permissions(caller, project))
        return self._with_progress(self._store.list_jobs(project.id, where, query))

    def page_of_items(self, job: Job, page: PageRequest) -> Page[Mapping[str, object]]:
        """Return a page of what a job lists beside its result."""
        return self._store.page_of_items(job.id, page)

    def list_subject_jobs(
        self, subject_id: str, query: JobQuery, may: HasPermission
    ) -> Page[Job]:
        """Return the jobs of a glossary or memory, newest first."""
        where = self._filter(query, may)
        page = self._store.list_jobs(subject_id, where, query, of_subject=True)
        return self._with_progress(page)

    def list_every_job(
        self, project_id: str | None = None, query: JobQuery = JobQuery()
    ) -> Page[Job]:
        """Return the jobs of a project, or all, newest first, for the operator."""
        where = self._filter(query, lambda _: True)
        where = replace(where, permissions=None)
        return self._with_progress(self._store.list_jobs(project_id, where, query))

    def find_job(self, job_id: str) -> Job:
        """Return any job, for the operator. Raises JobNotFound."""
        return self.get_subject_job(None, job_id, lambda _: True)

    def retry_job(self, job_id: str) -> Job:
        """Queue a failed or cancelled job again, as a new one with the same parameters,
        for the operator. Raises JobNotFound, JobNotRetryable."""
        old = self._find(None, job_id, lambda _: True)
        if old.job.status not in ("failed", "cancelled"):
            message = (
                f"job {job_id} is {old.job.status}: only failed and cancelled jobs"
            )
            raise JobNotRetryable(f"{message} are started again")
        instead = self._runner.instead_of_retry.get(
            old.job.type, "install the plugin that runs such jobs"
        )
        if instead:
            message = f"jobs of the type {old.job.type} are not started again"
            raise JobNotRetryable(f"{message}: {instead}")
        job = replace(
            old.job,
            id=new_id(),
            status="queued",
            progress=Progress(0, 0),
            result=None,
            error=None,
            created_at=timestamp(self._clock()),
            started_at=None,
            finished_at=None,
        )
        new = replace(old, job=job, attempt=0, cancel_requested=False, step_attempt=0)
        with self._transactions.transaction():
            self._store.add(new)
            self._transactions.after_commit(self._runner.wake)
        return job

    def get_job(self, caller: Caller, project_id: str, job_id: str) -> Job:
        """Return a job. Raises ProjectNotFound, and JobNotFound also for one that the
        caller could not have started."""
        project = self._projects.visible(caller, project_id)
        may = self._permissions(caller, project)
        return self.get_subject_job(project.id, job_id, may)

    def get_subject_job(
        self, subject_id: str | None, job_id: str, may: HasPermission
    ) -> Job:
        """Return a job of a project, glossary or memory. Raises JobNotFound."""
        return self._current(self._find(subject_id, job_id, may).job)

    def wait(self, job: Job, timeout_seconds: float = 60) -> Job:
        """Return the job, of a project, glossary or memory, once it has ended: read its
        ``status``, ``result`` and ``error``. Raises JobNotFound, and TimeoutError.

        It is run by this process after ``framework.start()``, or else by another one,
        such as ``locframework worker``.
        """
        deadline = time.monotonic() + timeout_seconds
        while job.finished_at is None:
            if time.monotonic() >= deadline:
                raise TimeoutError(self._why_unfinished(job, timeout_seconds))
            if job.status == "queued":
                self._runner.wake()
            time.sleep(WAIT_POLL_SECONDS)
            stored = self._store.find(None, job.id)
            if stored is None:
                raise JobNotFound
            job = stored.job
        return job

    def _why_unfinished(self, job: Job, waited_seconds: float) -> str:
        reason = f"job {job.id} ({job.type}) is {job.status} after {waited_seconds:g} s"
        if job.status == "running" or self._runner.is_started:
            return reason
        return (
            f"{reason}, and nothing in this process runs jobs: call framework.start()"
            " before, or framework.runner.run_until_idle() instead of waiting, or run"
            " `locframework worker`"
        )

    def cancel_job(self, caller: Caller, project_id: str, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one at its next check. Raises
        ProjectNotFound, JobNotFound, JobNotCancellable."""
        project = self._projects.visible(caller, project_id)
        may = self._permissions(caller, project)
        return self.cancel_subject_job(project.id, job_id, may)

    def cancel_subject_job(
        self, subject_id: str | None, job_id: str, may: HasPermission
    ) -> Job:
        """Cancel a job of a project, glossary or memory (None: any); see
        ``cancel_job``."""
        before = self._find(subject_id, job_id, may).job
        if before.finished_at is None:
            self._runner.cancel(before.id)
            with self._transactions.transaction():
                if self._store.request_cancel(before.id, timestamp(self._clock())):
                    stored = self._store.find(subject_id, before.id)
                    if stored is not None and stored.job.status == "cancelled":
                        append_ended(self._events, stored, "cancelled")
        job = self._find(subject_id, job_id, may).job
        # the runner may have cancelled it before the request was stored
        if before.finished_at is not None or job.status not in _CANCELLED:
            raise JobNotCancellable(f"job {job.id} has ended already")
        return self._current(job)

    def _new(
        self,
        caller: Caller,
        project_id: str | None,
        subject_id: str | None,
        organization_id: str,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> StoredJob:
        job = Job(
            id=new_id(),
            project_id=project_id,
            type=type_,
            status="queued",
            progress=Progress(0, 0),
            result=None,
            error=None,
            created_by=caller.actor.id,
            created_at=timestamp(self._clock()),
            started_at=None,
            finished_at=None,
        )
        return StoredJob(
            job=job,
            organization_id=organization_id,
            permission=permission,
            params=params,
            caller=caller,
            owner=None,
            lease_until=None,
            attempt=0,
            cancel_requested=False,
            subject_id=subject_id,
        )

    def _find(
        self, subject_id: str | None, job_id: str, may: HasPermission
    ) -> StoredJob:
        stored = self._store.find(subject_id, job_id) if is_id(job_id) else None
        if stored is None or not may(stored.permission):
            raise JobNotFound
        return stored

    def _permissions(self, caller: Caller, project: Project) -> HasPermission:
        scope = scope_of(project)
        return lambda permission: self._access.may(caller, permission, scope)

    def _with_progress(self, page: Page[Job]) -> Page[Job]:
        return replace(page, items=[self._current(job) for job in page.items])

    def _current(self, job: Job) -> Job:
        """Return the job with its present progress if it runs in this process."""
        progress = self._runner.progress_of(job.id)
        if job.status != "running" or progress is None:
            return job
        return replace(job, progress=progress)

    def _filter(self, query: JobQuery, may: HasPermission) -> JobFilter:
        check_record(query, "query")
        there = sorted(self._access.permissions.by_key)
        return JobFilter([key for key in there if may(key)], query.status, query.type)
