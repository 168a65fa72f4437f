"""Releases: creating, reading, comparing and rolling back."""

import re
import tempfile
from dataclasses import dataclass

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import ReleaseNotFound
from locframework.events import EventLog
from locframework.fields import Clock, new_id, timestamp
from locframework.jobs.records import Job
from locframework.pagination import Page, PageRequest
from locframework.projects.service import Projects
from locframework.validation import check_record

from .builder import SPOOL_MEMORY, ReleaseBuilder, Spool
from .distributions import Distributions
from .queue import ReleaseQueue
from .records import Distribution, NewRelease, Release, ReleaseDiff, StoredRelease
from .rules import release_diff
from .store import DeliveryStorage

_VERSION = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)  # "02" names no release


@dataclass(eq=False, repr=False)
class Releases:
    """Releases of distributions. Files and versions are immutable."""

    _storage: DeliveryStorage
    _projects: Projects
    _distributions: Distributions
    _queue: ReleaseQueue
    _builder: ReleaseBuilder
    _events: EventLog
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.delivery

    def create_release(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        new: NewRelease = NewRelease(),
    ) -> tuple[Release, Job | None]:
        """Queue a release, or return the current one if nothing has changed since and
        no file was lost. Raises DistributionNotFound, ReleaseInProgress, BranchNotOpen.
        """
        project = self._projects.require(caller, "distribution_publish", project_id)
        check_record(new)
        damaged = None
        while True:
            with self._storage.transaction():
                distribution = self._distributions.lock(project, distribution_id)
                self._distributions.require_branch(project, distribution)
                self._queue.require_idle(distribution)
                current = distribution.current_release
                if (
                    current is None
                    or current.id == damaged
                    or self._queue.may_differ(distribution)
                ):
                    return self._queue.queue(
                        caller, project, distribution, note=new.note
                    )
            # outside of the transaction: it may take a request for each file
            if not self._builder.lacks(current):
                return current, None
            damaged = current.id

    def preview_release(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> ReleaseDiff:
        """Return what a release would change now (``dryRun``); nothing is stored."""
        project = self._projects.require(caller, "distribution_publish", project_id)
        distribution = self._distributions.find(project, distribution_id)
        with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as file:
            draft = self._builder.draft(project.id, distribution.id, Spool(file))
        return release_diff(self._current(distribution), draft.files, None)

    def list_releases(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        page: PageRequest = PageRequest(),
    ) -> Page[Release]:
        """Newest version first."""
        project = self._projects.require(caller, "distribution_read", project_id)
        check_record(page, "query")
        distribution = self._distributions.find(project, distribution_id)
        return self._store.list_releases(distribution.id, page)

    def get_release(
        self, caller: Caller, project_id: str, distribution_id: str, version: str
    ) -> Release:
        """Raises ReleaseNotFound."""
        project = self._projects.require(caller, "distribution_read", project_id)
        distribution = self._distributions.find(project, distribution_id)
        return self._release(distribution, version).release

    def current_release(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> StoredRelease | None:
        """Return the release of the manifest with its files, even of a paused one."""
        project = self._projects.require(caller, "distribution_read", project_id)
        return self._current(self._distributions.find(project, distribution_id))

    def diff_release(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        version: str,
        from_version: int | None,
    ) -> ReleaseDiff:
        """Compare a release with an older one; without ``from_version``, the previous.
        Raises ReleaseNotFound, also for one that is not ready."""
        project = self._projects.require(caller, "distribution_read", project_id)
        distribution = self._distributions.find(project, distribution_id)
        release = self._ready(distribution, version)
        number = release.release.version
        if from_version is not None:
            old: StoredRelease | None = self._ready(distribution, str(from_version))
        else:
            old = self._store.find_release(
                distribution.id, before=number, status="ready"
            )
        return release_diff(old, release.files, number)

    def rollback(
        self, caller: Caller, project_id: str, distribution_id: str, version: int
    ) -> Release:
        """Publish the files of an older release as a new version. Raises
        ReleaseNotFound, also for one that is not ready, ReleaseInProgress."""
        project = self._projects.require(caller, "distribution_publish", project_id)
        with self._storage.transaction():
            distribution = self._distributions.lock(project, distribution_id)
            old = self._ready(distribution, str(version))
            self._queue.require_idle(distribution)
            now = timestamp(self._clock())
            again = replace(
                old.release,
                id=new_id(),
                version=self._store.next_version(distribution.id),
                rolled_back_from=old.release.version,
                note="",
                created_by=caller.actor.id,
                created_at=now,
                published_at=now,
            )
            self._store.releases.insert(replace(old, release=again))
            status = "paused" if distribution.status == "paused" else "published"
            self._store.update(
                replace(distribution, current_release=again, status=status)
            )
            self._events.append(
                "distribution.rolled_back",
                organization_id=project.organization_id,
                project_id=project.id,
                actor=caller.actor,
                items=[
                    {
                        "distributionId": distribution.id,
                        "releaseId": again.id,
                        "version": again.version,
                        "rolledBackFrom": again.rolled_back_from,
                    }
                ],
            )
        return again

    def _current(self, distribution: Distribution) -> StoredRelease | None:
        current = distribution.current_release
        return self._store.releases.find(current.id) if current else None

    def _release(self, distribution: Distribution, version: str) -> StoredRelease:
        found = None
        if _VERSION.fullmatch(version) and int(version) < 2**31:
            found = self._store.find_release(distribution.id, version=int(version))
        if found is None:
            raise ReleaseNotFound
        return found

    def _ready(self, distribution: Distribution, version: str) -> StoredRelease:
        found = self._release(distribution, version)
        if found.release.status != "ready":
            raise ReleaseNotFound
        return found
