"""Queues releases: asked for by people, and by changes that publish themselves."""

import threading
from collections.abc import Callable, Mapping
from itertools import dropwhile

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotOpen,
    LanguageNotInProject,
    ReleaseInProgress,
)
from locframework.events import SYSTEM, Event, EventFilter
from locframework.fields import Clock, new_id, timestamp
from locframework.jobs.records import JobError, StoredJob
from locframework.jobs.service import Jobs
from locframework.projects.records import Project

from .records import Distribution, Release, StoredRelease
from .rules import changes_content, chosen_of, settings_of
from .store import DeliveryStorage

RELEASE_JOB = "release"
EVENTS_LOOKED_AT = 200
AUTO_PUBLISHER = Caller(actor=SYSTEM)
_CANCELLED = JobError("cancelled", "its job was cancelled")


class _Changes(threading.local):
    """What the thread's transaction has changed of contents, by project id."""

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {}


class ReleaseQueue:
    """Makes release rows and the jobs that build them, in the open transaction."""

    def __init__(self, storage: DeliveryStorage, jobs: Jobs, clock: Clock) -> None:
        self._storage = storage
        self._store = storage.delivery
        self._jobs = jobs
        self._clock = clock
        self._changes = _Changes()

    def queue(
        self, caller: Caller, project: Project, distribution: Distribution, *, note: str
    ) -> tuple[Release, StoredJob]:
        """A new version, and the job that builds it. Raises ReleaseInProgress.

        The project is locked, and the distribution unless it is new.
        """
        self.require_idle(distribution)
        release = Release(
            id=new_id(),
            version=self._store.next_version(distribution.id),
            status="building",
            content_hash=None,
            file_count=0,
            byte_size=0,
            rolled_back_from=None,
            note=note,
            warnings=(),
            error=None,
            created_by=caller.actor.id,
            created_at=timestamp(self._clock()),
            published_at=None,
        )
        stored = StoredRelease(release, distribution.id, distribution.storage, None, ())
        self._store.releases.insert(stored)
        params = {"distributionId": distribution.id, "releaseId": release.id}
        job = self._jobs.start(
            caller, project, RELEASE_JOB, "distribution_publish", params
        )
        return release, job

    def queue_missed(
        self, caller: Caller, project: Project, distribution: Distribution
    ) -> None:
        """Queue a release that should be there by now: the first one, or with
        ``auto_publish`` one of what changed while it was paused or not switched on.

        Project and distribution are locked. After a rollback, only the next change
        queues one.
        """
        current = distribution.current_release
        if current is None:
            if self._store.find_release(distribution.id, status="building") is None:
                self.queue(caller, project, distribution, note="")
        elif not self._is_as_rolled_back(distribution, current):
            self.after_build(distribution)

    def _is_as_rolled_back(self, distribution: Distribution, current: Release) -> bool:
        """Whether nothing has changed since a rollback to the current release."""
        if current.rolled_back_from is None:
            return False
        events = self._storage.events.stream_events(
            distribution.project_id, EventFilter(since=current.created_at)
        )
        since = dropwhile(lambda event: not _is_of(event, current), events)
        return not any(changes_content(event, distribution.branch) for event in since)

    def require_idle(self, distribution: Distribution) -> None:
        """Raise ReleaseInProgress while a release is being built."""
        if self._store.find_release(distribution.id, status="building") is not None:
            raise ReleaseInProgress("a release is being built; wait for its job")

    def may_differ(self, distribution: Distribution) -> bool:
        """Whether anything was changed since the current release that it may show."""
        current = distribution.current_release
        stored = self._store.releases.find(current.id) if current else None
        snapshot = stored.snapshot if stored else None
        if stored is None or snapshot is None:
            return True
        now = settings_of(distribution, self._branch_id(distribution))
        if snapshot.settings != now:
            return True
        if stored.storage != distribution.storage:
            return True
        events = self._storage.events.list_events(
            distribution.project_id, EVENTS_LOOKED_AT
        )
        for event in events:
            if event.id == snapshot.last_event:
                return False
            if changes_content(event, distribution.branch):
                return True
        # more than were looked at; or all there are, of a project that had none then
        return len(events) == EVENTS_LOOKED_AT or snapshot.last_event is not None

    def _branch_id(self, distribution: Distribution) -> str | None:
        if distribution.branch is None:
            return None
        branches, project_id = self._storage.branches, distribution.project_id
        found = branches.find_branch(project_id, distribution.branch)
        return found.id if found else None

    def on_event(self, event: Event) -> None:
        """Inside the transaction of an event. When a job has ended without its release,
        that has failed, and makes room for another. At the end of the transaction, what
        publishes by itself is queued.

        While a release is being built, ``after_build`` sees the change instead. All
        events of a transaction together cost one statement where nothing publishes by
        itself.
        """
        project_id = event.project_id
        if project_id is None:
            return
        if event.type in ("job.failed", "job.cancelled"):
            for item in event.items:
                self._give_up(project_id, item)
        if changes_content(event, event.branch):
            name = (ReleaseQueue, project_id)
            self._storage.before_commit(name, lambda: self._begin(project_id))
            self._changes.events[project_id].append(event)

    def _begin(self, project_id: str) -> Callable[[], None]:
        self._changes.events[project_id] = []
        return lambda: self._end(project_id)

    def _end(self, project_id: str) -> None:
        events = self._changes.events.pop(project_id)
        for distribution in self._store.list_auto_publish(project_id):
            seen = any(changes_content(event, distribution.branch) for event in events)
            if seen and not self._fails_again(distribution):
                self._queue_by_itself(distribution)

    def _fails_again(self, distribution: Distribution) -> bool:
        """Whether the newest release failed for want of its branch or of a language,
        and nothing has changed in that: a try for each change would tell nothing new.
        """
        failed, project_id = distribution.failed_release, distribution.project_id
        code = failed.error.code if failed and failed.error else None
        if code == BranchNotOpen.code and distribution.branch is not None:
            branches = self._storage.branches
            branch = branches.find_branch(project_id, distribution.branch)
            return branch is None or branch.status != "open"
        if code == LanguageNotInProject.code:
            languages = self._storage.projects.list_languages(project_id)
            return not chosen_of(distribution, languages)
        return False

    def _give_up(self, project_id: str, item: Mapping[str, object]) -> None:
        job = self._storage.jobs.find(project_id, str(item["jobId"]))
        if job is None or job.job.type != RELEASE_JOB:
            return
        release = self._store.releases.find(str(job.params["releaseId"]))
        if release is not None and release.release.status == "building":
            error = job.job.error or _CANCELLED
            failed = replace(release.release, status="failed", error=error)
            self._store.releases.update(replace(release, release=failed))

    def after_build(self, distribution: Distribution) -> None:
        """In the transaction that ends a build: queue what changed meanwhile.

        While it is paused nothing is queued: ``queue_missed`` does, when it is resumed.
        """
        waits = distribution.status == "paused" or not distribution.auto_publish
        if not waits and self.may_differ(distribution):
            self._queue_by_itself(distribution)

    def _queue_by_itself(self, distribution: Distribution) -> None:
        """Unless a release is being built; two never are, so none overtakes."""
        self._store.lock(distribution.id)
        if self._store.find_release(distribution.id, status="building") is not None:
            return
        project = self._storage.projects.find(distribution.project_id)
        if project is not None:
            self.queue(AUTO_PUBLISHER, project, distribution, note="")


def _is_of(event: Event, release: Release) -> bool:
    return any(item.get("releaseId") == release.id for item in event.items)
