"""A database with one project, and job runners that tests drive by hand."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from locframework import OPERATOR
from locframework.fields import timestamp
from locframework.jobs.records import Job, StoredJob
from locframework.jobs.runner import JobRunner
from locframework.jobs.service import Jobs
from locframework.jobs.work import JobHandler, Work
from locframework.projects.records import Project
from locframework.testing.contracts.storage_events import latest
from locframework.testing.workspace import Workspace

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
    """A project, and the services around its jobs."""

    def __init__(self, workspace: Workspace, clock: ManualClock) -> None:
        self.framework = workspace.framework
        self.storage = workspace.framework.storage
        self.clock = clock
        self._project_id = workspace.project(name="Shop")["id"]
        self.caller = OPERATOR

    @property
    def project(self) -> Project:
        project = self.storage.projects.find(self._project_id)
        assert project is not None
        return project

    def runner(self, run: Run | JobHandler | None = None, **settings: Any) -> JobRunner:
        """Return a runner whose jobs of the type ``test`` do what is given."""
        handlers = [] if run is None else [Handler(run) if callable(run) else run]
        events = self.framework.events
        return JobRunner(self.storage, handlers, events, self.clock, **settings)

    def jobs(self, runner: JobRunner) -> Jobs:
        framework, storage = self.framework, self.storage
        return Jobs(
            storage.jobs,
            storage,
            framework.projects,
            framework.access,
            runner,
            framework.events,
            self.clock,
        )

    def queue(self, runner: JobRunner, **params: object) -> str:
        """Queue a job of the type ``test``; return its id."""
        with self.storage.transaction():
            started = self.jobs(runner).start(
                self.caller, self.project, "test", "import_run", params
            )
        return started.id

    def run(self, run: Run | JobHandler, **params: object) -> Job:
        """Queue one job, run until idle, and return the job."""
        runner = self.runner(run)
        job_id = self.queue(runner, **params)
        runner.run_until_idle()
        return self.job(job_id)

    def job(self, job_id: str) -> Job:
        stored = self.storage.jobs.find(self._project_id, job_id)
        assert stored is not None
        return stored.job

    def event_types(self) -> list[str]:
        """The types of the events of jobs."""
        events = latest(self.storage.events, self._project_id, 99)
        return [event.type for event in events if event.type.startswith("job.")]

    def rename(self, name: str) -> None:
        """Write something in a job."""
        self.storage.projects.update(
            replace(self.project, name=name, updated_at=timestamp(self.clock()))
        )

    def name(self) -> str:
        return self.project.name
