"""A database with one project, and a runner over it that tests drive by hand."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from locframework_storage_peewee import PeeweeProvider, postgres, sqlite
from msgspec.structs import replace

from locframework.access.records import Caller, Grant, Organization
from locframework.access.service import Access
from locframework.access.tokens import Tokens
from locframework.events import Actor, EventLog
from locframework.fields import new_id, timestamp
from locframework.jobs.handler import JobHandler
from locframework.jobs.records import Job, StoredJob
from locframework.jobs.runner import JobRunner
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.storage import Storage

NOW = "2026-11-21T08:00:00.000Z"


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Does:
    """A handler that does what it is given, for jobs of the type ``test``."""

    type = "test"

    def __init__(self, do: Callable[[StoredJob, Work], None]) -> None:
        self._do = do
        self.runs = 0
        self._lock = threading.Lock()

    def run(self, job: StoredJob, work: Work) -> None:
        with self._lock:
            self.runs += 1
        self._do(job, work)


class World:
    """The services around jobs, with one organization and one project."""

    def __init__(self, storage: Storage, clock: HandClock) -> None:
        self.storage = storage
        self.clock = clock
        self.events = EventLog(storage.events, storage, clock)
        access = Access(storage.access, lambda *_: None)
        tokens = Tokens(storage.access, storage, access, clock, ["import_run"])
        self.access = access
        self.projects = Projects(
            storage.projects, storage, access, tokens, self.events, clock, ["length"]
        )
        self.organization_id = new_id()
        self.project = self._project()
        self.caller = self.with_permissions("import_run")

    def with_permissions(self, *permissions: str) -> Caller:
        grant = Grant(self.organization_id, frozenset(permissions))
        return Caller(actor=Actor("user", new_id()), grants=(grant,))

    def runner(self, *handlers: JobHandler, **settings: Any) -> JobRunner:
        return JobRunner(self.storage, handlers, self.events, self.clock, **settings)

    def jobs(self, runner: JobRunner) -> Jobs:
        storage = self.storage
        return Jobs(
            storage.jobs,
            storage,
            self.projects,
            self.access,
            runner,
            self.events,
            self.clock,
        )

    def queue(self, runner: JobRunner, **params: object) -> str:
        """Start a job of the type ``test``; its id."""
        with self.storage.transaction():
            started = self.jobs(runner).start(
                self.caller, self.project, "test", "import_run", params
            )
        return started.job.id

    def job(self, job_id: str) -> Job:
        stored = self.storage.jobs.find(self.project.id, job_id)
        assert stored is not None
        return stored.job

    def event_types(self) -> list[str]:
        return [
            event.type for event in self.storage.events.list_events(self.project.id, 99)
        ]

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

    def rename(self, name: str) -> None:
        """Something to write in a job."""
        project = self.storage.projects.find(self.project.id)
        assert project is not None
        self.storage.projects.update(
            replace(project, name=name, updated_at=timestamp(self.clock()))
        )

    def name(self) -> str:
        project = self.storage.projects.find(self.project.id)
        assert project is not None
        return project.name


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transaction of the ``world`` waits 0.3 s for others, and not 5."""
    settings = postgres.OUTSIDE_SNAPSHOTS.replace("timeout = 5000", "timeout = 300")
    monkeypatch.setattr(postgres, "OUTSIDE_SNAPSHOTS", settings)
    monkeypatch.setattr(sqlite, "LOCK_SECONDS", 0.3)


@pytest.fixture
def world(database_url: str, clock: HandClock) -> Iterator[World]:
    storage = PeeweeProvider(database_url).open()
    yield World(storage, clock)
    storage.close()


@pytest.fixture
def does() -> type[Does]:
    return Does
