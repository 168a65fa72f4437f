"""What one can do with jobs: start, look at, cancel."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from msgspec.structs import replace

from locframework.access.permissions import PERMISSIONS
from locframework.access.records import Caller, Scope
from locframework.access.service import Access
from locframework.errors import JobNotCancellable, JobNotFound
from locframework.events import EventLog
from locframework.fields import Clock, is_id, new_id, timestamp
from locframework.paging import Page
from locframework.projects.records import Project
from locframework.projects.service import Projects, scope_of
from locframework.transactions import Transactions
from locframework.validation import check_record

from .events import tell_ended
from .records import Job, JobFilter, JobQuery, Progress, StoredJob
from .runner import JobRunner
from .store import JobStore

STORED_FOR = timedelta(days=30)  # decisions 2.6
PRUNED_AT_ONCE = 500

May = Callable[[str], bool]
"""Whether the caller has a permission where the job is."""

_CANCELLED = ("running", "cancelled")  # what a job is after a request to cancel it


class Jobs:
    """Jobs of a project. Whoever may start one of a kind sees and cancels that kind."""

    def __init__(
        self,
        store: JobStore,
        transactions: Transactions,
        projects: Projects,
        access: Access,
        runner: JobRunner,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._projects = projects
        self._access = access
        self._runner = runner
        self._events = events
        self._clock = clock

    def start(
        self,
        caller: Caller,
        project: Project,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> StoredJob:
        """Queue a job, in the transaction that is open; it begins after the commit.

        ``permission`` is the one the caller was let in by; ``params`` are JSON-shaped
        and for the handler of ``type_`` alone.
        """
        where = Scope(project.organization_id, project.id)
        return self._queue(caller, where, None, type_, permission, params)

    def start_once(
        self,
        caller: Caller,
        project: Project,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> None:
        """``start``, unless a job of the type is queued that will see what the open
        transaction has written."""
        if self._store.hold_queued(project.id, type_):
            self._transactions.after_commit(self._runner.wake)  # who passed it over
        else:
            self.start(caller, project, type_, permission, params)

    def start_about(
        self,
        caller: Caller,
        organization_id: str,
        subject_id: str,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> StoredJob:
        """``start`` for a job of no project, about a glossary or a memory."""
        where = Scope(organization_id)
        return self._queue(caller, where, subject_id, type_, permission, params)

    def _queue(
        self,
        caller: Caller,
        where: Scope,
        subject_id: str | None,
        type_: str,
        permission: str,
        params: Mapping[str, object],
    ) -> StoredJob:
        now = timestamp(self._clock())
        job = Job(
            id=new_id(),
            project_id=where.project_id,
            type=type_,
            status="queued",
            progress=Progress(0, 0),
            result=None,
            error=None,
            created_by=caller.actor.id,
            created_at=now,
            started_at=None,
            finished_at=None,
        )
        stored = StoredJob(
            job=job,
            organization_id=where.organization_id,
            permission=permission,
            params=params,
            caller=caller,
            owner=None,
            lease_until=None,
            attempt=0,
            cancel_requested=False,
            subject_id=subject_id,
        )
        self._store.add(stored)
        self._transactions.after_commit(self._runner.wake)
        return stored

    def list_jobs(self, caller: Caller, project_id: str, query: JobQuery) -> Page[Job]:
        """The project's jobs that the caller might have started, newest first."""
        project = self._projects.visible(caller, project_id)
        where = _filter(query, self._judge(caller, project))
        return self._lively(self._store.list_jobs(project.id, where, query))

    def jobs_about(self, subject_id: str, query: JobQuery, may: May) -> Page[Job]:
        """``list_jobs`` for a glossary or a memory; ``may`` says what its area
        allows."""
        where = _filter(query, may)
        return self._lively(self._store.list_jobs_about(subject_id, where, query))

    def get_job(self, caller: Caller, project_id: str, job_id: str) -> Job:
        """Raises ProjectNotFound, and JobNotFound also for a job of a kind that the
        caller could not have started."""
        project = self._projects.visible(caller, project_id)
        return self._live(self._find(project.id, job_id, self._judge(caller, project)))

    def job_about(self, subject_id: str, job_id: str, may: May) -> Job:
        """A job about a glossary or a memory; ``may`` says what its area allows.

        Raises JobNotFound.
        """
        return self._live(self._find(subject_id, job_id, may))

    def cancel_job(self, caller: Caller, project_id: str, job_id: str) -> Job:
        """Stop a job: a queued one at once, a running one as soon as it looks.

        What it has done by then stays. Raises JobNotFound, JobNotCancellable.
        """
        project = self._projects.visible(caller, project_id)
        return self.cancel_about(project.id, job_id, self._judge(caller, project))

    def cancel_about(self, owner_id: str, job_id: str, may: May) -> Job:
        """``cancel_job`` for one that ``job_about`` would find."""
        before = self._find(owner_id, job_id, may)
        if before.finished_at is None:
            self._runner.cancel(before.id)
            with self._transactions.transaction():
                self._request_cancel(owner_id, before)
        job = self._find(owner_id, job_id, may)
        # it may have stopped for the runner's sake before the request was noted
        if before.finished_at is not None or job.status not in _CANCELLED:
            raise JobNotCancellable(f"job {job.id} has ended already")
        return self._live(job)

    def _request_cancel(self, owner_id: str, job: Job) -> None:
        if self._store.request_cancel(job.id, timestamp(self._clock())):
            stored = self._store.find(owner_id, job.id)
            if stored is not None and stored.job.status == "cancelled":
                tell_ended(self._events, stored, "cancelled")

    def prune(self) -> int:
        """Forget jobs that ended 30 days ago, some hundreds a call; how many went."""
        before = timestamp(self._clock() - STORED_FOR)
        with self._transactions.transaction():
            return self._store.prune(before, PRUNED_AT_ONCE)

    def _find(self, owner_id: str, job_id: str, may: May) -> Job:
        stored = self._store.find(owner_id, job_id) if is_id(job_id) else None
        if stored is None or not may(stored.permission):
            raise JobNotFound
        return stored.job

    def _judge(self, caller: Caller, project: Project) -> May:
        return lambda permission: self._may(caller, permission, project)

    def _may(self, caller: Caller, permission: str, project: Project) -> bool:
        return self._access.may(caller, permission, scope_of(project))

    def _lively(self, page: Page[Job]) -> Page[Job]:
        return replace(page, items=[self._live(job) for job in page.items])

    def _live(self, job: Job) -> Job:
        """The job with the progress of this moment, when it is at work here."""
        progress = self._runner.progress_of(job.id)
        if job.status != "running" or progress is None:
            return job
        return replace(job, progress=progress)


def _filter(query: JobQuery, may: May) -> JobFilter:
    check_record(query, "query")
    mine = [key for key in sorted(PERMISSIONS) if may(key)]
    return JobFilter(mine, query.status, query.type)
