"""What one can do with distributions, and with what they publish."""

from dataclasses import dataclass
from secrets import token_urlsafe

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.rules import check_name
from locframework.branches.service import Branches
from locframework.errors import (
    AlreadyPaused,
    DistributionNotFound,
    NotPaused,
    ValidationFailed,
    abbreviate,
)
from locframework.events import EventLog
from locframework.fields import Clock, new_id, timestamp
from locframework.formats.service import Formats
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.rules import require_languages
from locframework.projects.service import Projects
from locframework.transactions import get_record
from locframework.validation import check_record, given_fields

from .queue import ReleaseQueue
from .records import Distribution, DistributionChanges, NewDistribution
from .rules import PUBLIC_KEY_BYTES
from .store import DeliveryStorage


@dataclass(eq=False, repr=False)
class Distributions:
    """Distributions: what is published of a project, for whom, and whether."""

    _storage: DeliveryStorage
    _projects: Projects
    _branches: Branches
    _queue: ReleaseQueue
    _formats: Formats
    _blob_stores: list[str]  # names, the one of the settings first
    _events: EventLog
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.delivery

    def find(self, project: Project, reference: str) -> Distribution:
        """Return a distribution of the project. Raises DistributionNotFound."""
        return get_record(self._store, reference, DistributionNotFound, project.id)

    def lock(self, project: Project, reference: str) -> Distribution:
        """Lock the project, then the distribution, and return it as it is now. Raises
        DistributionNotFound."""
        self._projects.lock(project)
        found = self.find(project, reference)
        locked = self._store.lock(found.id)
        if locked is None:
            raise DistributionNotFound
        return locked

    def require_branch(self, project: Project, distribution: Distribution) -> None:
        """Raise BranchNotOpen where it shows a branch that was merged or closed."""
        self._branches.scope(project, distribution.branch)

    def create_distribution(
        self, caller: Caller, project_id: str, new: NewDistribution
    ) -> Distribution:
        """Create a distribution, and queue its first release. Raises UnknownFormat,
        LanguageNotInProject, BranchNotFound, ValidationFailed."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        check_record(new)
        branch = self._branch(project, new.branch)
        languages = self._storage.projects.list_languages(project.id)
        now = timestamp(self._clock())
        distribution = Distribution(
            id=new_id(),
            project_id=project.id,
            public_key=token_urlsafe(PUBLIC_KEY_BYTES),
            name=check_name(new.name),
            channel=new.channel,
            format=self._format(new.format),
            language_codes=require_languages(new.language_codes, languages),
            branch=branch,
            split_by_module=new.split_by_module,
            min_status=new.min_status,
            missing=new.missing,
            auto_publish=new.auto_publish,
            storage=self._storage_name(new.storage),
            status="building",
            current_release=None,
            failed_release=None,
            created_at=now,
            updated_at=now,
        )
        with self._storage.transaction():
            project = self._projects.lock(project)
            self._store.insert(distribution)
            self._queue.queue(caller, project, distribution, note="")
        return distribution

    def list_distributions(
        self, caller: Caller, project_id: str, page: PageRequest = PageRequest()
    ) -> Page[Distribution]:
        """By name. Raises ProjectNotFound, PermissionDenied."""
        project = self._projects.require(caller, "distribution_read", project_id)
        check_record(page, "query")
        return self._store.list_distributions(project.id, page)

    def get_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Distribution:
        """Raises ProjectNotFound, PermissionDenied, DistributionNotFound."""
        project = self._projects.require(caller, "distribution_read", project_id)
        return self.find(project, distribution_id)

    def update_distribution(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        changes: DistributionChanges,
    ) -> Distribution:
        """Change a distribution; its files change with the next release. That is queued
        if the first one failed, or if ``auto_publish`` is on and the files may differ.
        Raises as ``create_distribution`` does, and DistributionNotFound."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        check_record(changes)
        with self._storage.transaction():
            old = self.lock(project, distribution_id)
            new = self._changed(project, old, changes)
            if new is not old:
                self._store.update(new)
            if new.status != "paused":
                self._queue.queue_missed(caller, project, new)
        return new

    def delete_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Distribution:
        """Delete it; the public key answers 404 at once. Its releases and files are
        kept for 30 days (decisions 2.8)."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        with self._storage.transaction():
            distribution = self.lock(project, distribution_id)
            self._store.delete(distribution.id, timestamp(self._clock()))
        return distribution

    def pause(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Distribution:
        """Answer its public key like an unknown one. Raises AlreadyPaused."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        with self._storage.transaction():
            old = self.lock(project, distribution_id)
            if old.status == "paused":
                raise AlreadyPaused(f"distribution {old.id} is paused")
            new = self._touched(old, status="paused")
            self._store.update(new)
            self._emit("distribution.paused", caller, project, new)
        return new

    def resume(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Distribution:
        """Show the last ready release again, or build the first, or what
        ``auto_publish`` missed. Raises NotPaused."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        with self._storage.transaction():
            old = self.lock(project, distribution_id)
            if old.status != "paused":
                raise NotPaused(f"distribution {old.id} is not paused")
            ready = old.current_release is not None
            new = self._touched(old, status="published" if ready else "building")
            self._store.update(new)
            self._queue.queue_missed(caller, project, new)
            self._emit("distribution.resumed", caller, project, new)
        return new

    def rotate_key(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Distribution:
        """Give it a new public key; the old one answers 404 at once."""
        project = self._projects.require(caller, "distribution_manage", project_id)
        with self._storage.transaction():
            old = self.lock(project, distribution_id)
            new = self._touched(old, public_key=token_urlsafe(PUBLIC_KEY_BYTES))
            self._store.update(new)
        return new

    def _touched(self, old: Distribution, **changes: str) -> Distribution:
        return replace(old, updated_at=timestamp(self._clock()), **changes)

    def _changed(
        self, project: Project, old: Distribution, changes: DistributionChanges
    ) -> Distribution:
        """Apply the changes. Present values may stay, although they became invalid."""
        given = given_fields(changes)
        if changes.name is not UNSET:
            given["name"] = check_name(changes.name)
        if changes.format not in (UNSET, old.format):
            given["format"] = self._format(changes.format)
        if changes.language_codes is not UNSET:
            languages = self._storage.projects.list_languages(project.id)
            given["language_codes"] = require_languages(
                changes.language_codes, languages, old.language_codes or ()
            )
        if changes.branch not in (UNSET, old.branch):
            given["branch"] = self._branch(project, changes.branch)
        if changes.storage not in (UNSET, old.storage):
            given["storage"] = self._storage_name(changes.storage)
        new = replace(old, **given)
        return old if new == old else self._touched(new)

    def _format(self, format_id: str) -> str:
        return self._formats.to_write(format_id).id

    def _branch(self, project: Project, reference: str | None) -> str | None:
        """The name of an open branch. Raises BranchNotFound, BranchNotOpen."""
        return self._branches.scope(project, reference).name

    def _storage_name(self, name: str | None) -> str:
        if name is None:
            return self._blob_stores[0]
        if name not in self._blob_stores:
            names = ", ".join(self._blob_stores)
            message = f"{abbreviate(name)!r} is not installed; available: {names}"
            raise ValidationFailed.at("$.storage", "enum", message)
        return name

    def _emit(
        self, type_: str, caller: Caller, project: Project, distribution: Distribution
    ) -> None:
        self._events.append(
            type_,
            organization_id=project.organization_id,
            project_id=project.id,
            actor=caller.actor,
            items=[{"distributionId": distribution.id}],
        )
