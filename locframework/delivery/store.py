"""The store of distributions and releases."""

from collections.abc import Sequence
from typing import Literal, Protocol

from locframework.branches.store import BranchStore
from locframework.events import EventStore
from locframework.jobs.store import JobStore
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.transactions import Repository, Transactions

from .records import Distribution, PublicHead, Release, StoredRelease, Usage


class DeliveryStore(Repository[Distribution], Protocol):
    """Distributions of projects. ``current_release`` is written by its id alone. The
    releases of a deleted distribution keep their blobs until they are purged."""

    @property
    def releases(self) -> Repository[StoredRelease]:
        """Of a distribution."""

    def list_distributions(
        self, project_id: str, page: PageRequest
    ) -> Page[Distribution]:
        """Return distributions by name, then id."""

    def list_auto_publish(self, project_id: str) -> list[Distribution]:
        """Return those with ``auto_publish`` that are not paused."""

    def next_version(self, distribution_id: str) -> int:
        """Return a version never returned before, in a transaction: 1, 2, 3, …"""

    def find_release(
        self,
        distribution_id: str,
        *,
        version: int | None = None,
        before: int | None = None,
        status: Literal["building", "ready"] | None = None,
    ) -> StoredRelease | None:
        """Return the newest release that matches all filters; ``before``: a lower
        version."""

    def list_releases(self, distribution_id: str, page: PageRequest) -> Page[Release]:
        """Return releases, newest version first."""

    def find_head(self, public_key: str) -> PublicHead | None:
        """Return what a public request needs, also of a paused distribution. One
        statement."""

    def names_blob(self, distribution_id: str, blob: str) -> tuple[str, str] | None:
        """Return the content type and the blob store of a released file. None if no
        ready release of the distribution names the blob. One statement."""

    def add_usage(self, month: str, usage: Sequence[tuple[str, Usage]]) -> None:
        """Add to what organizations (by id) were delivered in ``month`` (2026-11)."""

    def usage_of(self, organization_id: str, month: str) -> Usage: ...


class DeliveryStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    delivery: DeliveryStore
    branches: BranchStore
    events: EventStore
    jobs: JobStore
    projects: ProjectStore
