"""How distributions and releases are kept."""

from collections.abc import Sequence
from typing import Protocol

from locframework.fields import Timestamp
from locframework.paging import Page, PageRequest

from .records import Distribution, PublicHead, Release, StoredRelease, Usage


class DeliveryStore(Protocol):
    """Questions that delivery asks; those of a deleted project find nothing."""

    def add_distribution(self, distribution: Distribution) -> None: ...

    def find_distribution(
        self, project_id: str, distribution_id: str
    ) -> Distribution | None:
        """With its current release, if it has one."""
        ...

    def save_distribution(self, distribution: Distribution) -> None:
        """``current_release`` names what manifests show from now on (its id)."""
        ...

    def lock_distribution(self, distribution_id: str) -> None:
        """Until the transaction ends, let nobody else lock it."""
        ...

    def delete_distribution(self, distribution_id: str, at: Timestamp) -> None:
        """It is found no more, nor are its releases, which keep their blobs until
        ``purge_distributions`` drops them."""
        ...

    def purge_distributions(self, before: Timestamp, rows: int) -> int:
        """Drop up to ``rows`` rows of distributions deleted before then; how many
        went. Deleted first, dropped first; a blob that no release names then ages out.
        """
        ...

    def list_distributions(
        self, project_id: str, page: PageRequest
    ) -> Page[Distribution]:
        """By name, equal names by id."""
        ...

    def list_auto_publish(self, project_id: str) -> list[Distribution]:
        """Those of the project with ``auto_publish``, not paused."""
        ...

    def next_version(self, distribution_id: str) -> int:
        """A version never given before, in the open transaction: 1, 2, 3, …"""
        ...

    def add_release(self, release: StoredRelease) -> None: ...

    def save_release(self, release: StoredRelease) -> None: ...

    def remove_release(self, release_id: str) -> None: ...

    def find_release(
        self, distribution_id: str, version: int
    ) -> StoredRelease | None: ...

    def find_release_by_id(self, release_id: str) -> StoredRelease | None: ...

    def list_releases(self, distribution_id: str, page: PageRequest) -> Page[Release]:
        """Newest version first."""
        ...

    def find_ready_before(
        self, distribution_id: str, version: int
    ) -> StoredRelease | None:
        """The newest ready release of a lower version."""
        ...

    def find_building(self, distribution_id: str) -> StoredRelease | None:
        """The release being built, if one is."""
        ...

    def find_head(self, public_key: str) -> PublicHead | None:
        """One statement on a unique index. A key of a paused one is found too."""
        ...

    def names_blob(self, distribution_id: str, blob: str) -> tuple[str, str] | None:
        """The content type that a release of this distribution names the blob with,
        and the blob store that has it.

        None when no ready release of the distribution names it. One statement.
        """
        ...

    def add_usage(self, month: str, usage: Sequence[tuple[str, Usage]]) -> None:
        """Add to what organizations (by id) were delivered in ``month`` (2026-11)."""
        ...

    def usage_of(self, organization_id: str, month: str) -> Usage: ...
