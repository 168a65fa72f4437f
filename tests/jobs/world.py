"""A database with one project, and job runners that tests drive by hand."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from locframework.access.records import Caller, Grant, Organization
from locframework.access.service import Access
from locframework.access.tokens import Tokens
from locframework.events import Actor, EventLog
from locframework.fields import new_id, timestamp
from locframework.jobs.records import Job, StoredJob
from locframework.jobs.runner import JobRunner
from locframework.jobs.service import Jobs
from locframework.jobs.work import JobHandler, Work
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.storage import Storage

NOW = "2026-11-21T08:00:00.000Z"

Run = Callable[[StoredJob, Work], object]


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return False


def succeed(job: StoredJob, work: Work) -> None:
    with work.finish() as outcome:
        outcome.result = {"params": dict(job.params)}


class ManualClock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Handler:
    """Runs jobs of the type ``test`` with a function, and counts the runs."""

    type = "test"

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self.runs = 0

    def run(self, job: StoredJob, work: Work) -> None:
        with self._lock:
            self.runs += 1
        self._run(job, work)


class World:
    """The services around jobs, with one organization and one project."""

    def __init__(self, storage: Storage, clock: ManualClock) -> None:
        self.storage = storage
        self.clock = clock
        self.events = EventLog(storage.events, storage, clock)
        self.access = Access(storage.access, lambda *_: None)
        tokens = Tokens(storage.access, storage, self.access, clock, ["import_run"])
        self.projects = Projects(
            storage.projects,
            storage,
            self.access,
            tokens,
            self.events,
            clock,
            ["length"],
        )
        self.organization_id = new_id()
        self.project = self._project()
        grant = Grant(self.organization_id, frozenset({"import_run"}))
        self.caller = Caller(actor=Actor("user", new_id()), grants=(grant,))

    def runner(self, run: Run | JobHandler | None = None, **settings: Any) -> JobRunner:
        """Return a runner whose jobs of the type ``test`` do what is given."""
        handlers = [] if run is None else [Handler(run) if callable(run) else run]
        return JobRunner(self.storage, handlers, self.events, self.clock, **settings)

    def jobs(self, runner: JobRunner) -> Jobs:
        storage, events = self.storage, self.events
        return Jobs(
            storage.jobs,
            storage,
            self.projects,
            self.access,
            runner,
            events,
            self.clock,
        )

    def queue(self, runner: JobRunner, **params: object) -> str:
        """Queue a job of the type ``test``; return its id."""
        with self.storage.transaction():
            started = self.jobs(runner).start(
                self.caller, self.project, "test", "import_run", params
            )
        return started.job.id

    def run(self, run: Run | JobHandler, **params: object) -> Job:
        """Queue one job, run until idle, and return the job."""
        runner = self.runner(run)
        job_id = self.queue(runner, **params)
        runner.run_until_idle()
        return self.job(job_id)

    def job(self, job_id: str) -> Job:
        stored = self.storage.jobs.find(self.project.id, job_id)
        assert stored is not None
        return stored.job

    def event_types(self) -> list[str]:
        return [
            event.type for event in self.storage.events.list_events(self.project.id, 99)
        ]

    def rename(self, name: str) -> None:
        """Write something in a job."""
        project = self.storage.projects.find(self.project.id)
        assert project is not None
        self.storage.projects.update(
            replace(project, name=name, updated_at=timestamp(self.clock()))
        )

    def name(self) -> str:
        project = self.storage.projects.find(self.project.id)
        assert project is not None
        return project.name

    def _project(self) -> Project:
        id_, storage = new_id(), self.storage
        organization = Organization(
            self.organization_id, "acme", "Acme", True, None, NOW, NOW
        )
        project = Project(
            id=id_,
            slug=f"shop-{id_}",
            organization_id=self.organization_id,
            name="Shop",
            description="",
            source_language="en",
            key_separator=".",
            main_protected=False,
            tm_enabled=True,
            blocking_checks=(),
            check_severities={},
            key_count=0,
            created_at=NOW,
            updated_at=NOW,
        )
        with storage.transaction():
            storage.access.organizations.insert(organization)
            storage.projects.insert(project)
        return project
