"""Queues releases, on request and after changes (``auto_publish``)."""

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import BranchNotOpen, LanguageNotInProject, ReleaseInProgress
from locframework.events import SYSTEM, Event, EventFilter
from locframework.fields import Clock, new_id, timestamp
from locframework.jobs.records import Job, JobError
from locframework.jobs.service import Jobs
from locframework.projects.records import Project

from .records import Distribution, Release, StoredRelease
from .rules import changes_content, chosen_of, settings_of
from .store import DeliveryStorage

RELEASE_JOB = "release"
EVENTS_LOOKED_AT = 200
AUTO_PUBLISHER = Caller(actor=SYSTEM)


class ReleaseQueue:
    """Inserts releases and the jobs that build them, in the open transaction."""

    def __init__(self, storage: DeliveryStorage, jobs: Jobs, clock: Clock) -> None:
        self._storage = storage
        self._store = storage.delivery
        self._jobs = jobs
        self._clock = clock

    def queue(
        self, caller: Caller, project: Project, distribution: Distribution, *, note: str
    ) -> tuple[Release, Job]:
        """Queue a new version, with project and distribution locked; return it and its
        job. Raises ReleaseInProgress."""
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
        """Queue the first release if it is missing, or one of changes that were not
        published because the distribution was paused or had no ``auto_publish``.
        Project and distribution are locked. A rollback stays until the next change."""
        current = distribution.current_release
        if current is None:
            if self._store.find_release(distribution.id, status="building") is None:
                self.queue(caller, project, distribution, note="")
            return
        if current.rolled_back_from is not None:
            since = current.created_at
            events = self._storage.events.stream_events(
                project.id, EventFilter(since=since)
            )
            if not any(
                event.created_at > since and changes_content(event, distribution.branch)
                for event in events
            ):
                return
        self.after_build(distribution)

    def require_idle(self, distribution: Distribution) -> None:
        """Raise ReleaseInProgress while a release is being built."""
        if self._store.find_release(distribution.id, status="building") is not None:
            raise ReleaseInProgress("a release is being built; wait for its job")

    def may_differ(self, distribution: Distribution) -> bool:
        """Return whether a new release may differ from the current one."""
        current = distribution.current_release
        stored = self._store.releases.find(current.id) if current else None
        if stored is None or stored.snapshot is None:
            return True
        project_id, name = distribution.project_id, distribution.branch
        branch = self._storage.branches.find_branch(project_id, name) if name else None
        settings = settings_of(distribution, branch.id if branch else None)
        if (stored.snapshot.settings, stored.storage) != (
            settings,
            distribution.storage,
        ):
            return True
        last_event = stored.snapshot.last_event
        events = self._storage.events.stream_events(
            project_id, EventFilter(), latest=EVENTS_LOOKED_AT
        )
        count = 0
        for event in events:
            count += 1
            if event.id == last_event:
                return False
            if changes_content(event, distribution.branch):
                return True
        # more than were looked at; or all there are, of a project that had none then
        return count == EVENTS_LOOKED_AT or last_event is not None

    def on_event(self, event: Event) -> None:
        """Look for changes of content, inside the transaction of the event.

        Releases of ``auto_publish`` are queued at its end, except while one is being
        built: ``after_build`` queues those. One statement in a project without
        ``auto_publish``. The release of a job that failed or was cancelled has failed.
        """
        project_id = event.project_id
        if project_id is None:
            return
        if event.type in ("job.failed", "job.cancelled"):
            for item in event.items:
                self._fail_release_of(project_id, str(item["jobId"]))
        if changes_content(event, event.branch):
            changed = project_id, event.branch
            self._storage.before_commit(
                (ReleaseQueue, *changed),
                lambda: lambda: self._publish_changed(*changed),
            )

    def after_build(self, distribution: Distribution) -> None:
        """Queue what has changed meanwhile, in the transaction that ends a build,
        unless the distribution is paused."""
        is_active = distribution.auto_publish and distribution.status != "paused"
        if is_active and self.may_differ(distribution):
            self._queue_automatic(distribution)

    def _publish_changed(self, project_id: str, branch: str | None) -> None:
        """Queue what shows main, which branches do too, or this branch."""
        for distribution in self._store.list_auto_publish(project_id):
            is_shown = branch is None or branch == distribution.branch
            if is_shown and not self._would_fail_again(distribution):
                self._queue_automatic(distribution)

    def _would_fail_again(self, distribution: Distribution) -> bool:
        """Return whether the newest release failed because its branch has ended, or it
        has no language, and that is still so."""
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

    def _fail_release_of(self, project_id: str, job_id: str) -> None:
        job = self._storage.jobs.find(project_id, job_id)
        if job is None or job.job.type != RELEASE_JOB:
            return
        release = self._store.releases.find(str(job.params["releaseId"]))
        if release is not None and release.release.status == "building":
            error = job.job.error or JobError("cancelled", "its job was cancelled")
            failed = replace(release.release, status="failed", error=error)
            self._store.releases.update(replace(release, release=failed))

    def _queue_automatic(self, distribution: Distribution) -> None:
        """Queue a release, unless one is being built: releases are built in order."""
        self._store.lock(distribution.id)
        if self._store.find_release(distribution.id, status="building") is not None:
            return
        project = self._storage.projects.find(distribution.project_id)
        if project is not None:
            self.queue(AUTO_PUBLISHER, project, distribution, note="")
