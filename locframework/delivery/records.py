"""Distributions, releases and their files (decisions 2.8)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.access.records import Name
from locframework.fields import Timestamp
from locframework.jobs.records import JobError
from locframework.pagination import ByNameOrUpdate, ByVersion, SortedRequest

Channel = Literal["stable", "prerelease"]
MinStatus = Literal["approved", "any"]
Missing = Literal["omit", "source", "fallback"]
LanguageCodes = Annotated[list[str], Meta(min_length=1, max_length=500)]


class ReleaseFile(Struct, frozen=True, rename="camel"):
    """One file of a release."""

    language: str
    module: str | None
    path: str  # "de.json", "de/checkout.json"
    blob: str  # SHA-256, hex
    byte_size: int
    content_type: str


class ReleasedLanguage(Struct, frozen=True):
    """A language as it was when the release was made."""

    code: Annotated[str, Meta(examples=["de"])]
    label: Annotated[str, Meta(examples=["German"])]
    icon: str | None
    direction: str


class Release(Struct, frozen=True, rename="camel"):
    """A release as it is shown."""

    id: str
    version: int  # counts up in its distribution and is never used twice
    status: Literal["building", "ready", "failed"]
    content_hash: str | None  # "sha256:…"; null until ready
    file_count: int
    byte_size: int
    rolled_back_from: int | None  # the version whose files it has again
    note: str
    warnings: tuple[str, ...]
    error: JobError | None  # why it failed; null unless it did
    created_by: str
    created_at: Timestamp
    published_at: Timestamp | None


class ReleaseSnapshot(Struct, frozen=True):
    """What of project and distribution a release shows, frozen when it was made."""

    project_id: str
    source_language: str
    format_id: str
    key_separator: str
    extension: str
    languages: tuple[ReleasedLanguage, ...]
    last_event: str | None = None  # id of the project's latest event then
    settings: str = ""  # of the distribution, as rules.settings_of tells them


class StoredRelease(Struct, frozen=True):
    """A release as it is kept."""

    release: Release
    distribution_id: str
    storage: str  # the blob store that has the files
    snapshot: ReleaseSnapshot | None  # None until ready
    files: tuple[ReleaseFile, ...]  # by language, then module; () until ready


class Distribution(Struct, frozen=True, rename="camel"):
    """A distribution."""

    id: str
    project_id: str
    public_key: str  # 32 random bytes, base64url
    name: str
    channel: Channel
    format: str
    language_codes: tuple[str, ...] | None  # None: all of the project's
    branch: str | None  # None: main
    split_by_module: bool
    min_status: MinStatus
    missing: Missing
    auto_publish: bool
    storage: str  # a blob store's name
    status: Literal["building", "published", "paused"]
    current_release: Release | None
    failed_release: Release | None  # the newest one, when it failed; mended by the next
    created_at: Timestamp
    updated_at: Timestamp


class NewDistribution(Struct, frozen=True, rename="camel"):
    """The body that makes a distribution and queues its first release."""

    name: Name
    format: Annotated[str, Meta(max_length=100, examples=["json-nested"])]
    channel: Channel = "stable"
    language_codes: LanguageCodes | None = None
    branch: str | None = None
    split_by_module: bool = False
    min_status: MinStatus = "approved"
    missing: Missing = "omit"
    auto_publish: bool = False
    storage: str | None = None  # left out: the one of the settings


class DistributionChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a distribution may name; it takes effect with the next release."""

    name: Name | UnsetType = UNSET
    format: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    channel: Channel | UnsetType = UNSET
    language_codes: LanguageCodes | UnsetType | None = UNSET
    branch: str | UnsetType | None = UNSET
    split_by_module: bool | UnsetType = UNSET
    min_status: MinStatus | UnsetType = UNSET
    missing: Missing | UnsetType = UNSET
    auto_publish: bool | UnsetType = UNSET
    storage: str | UnsetType = UNSET


class PublicHead(Struct, frozen=True):
    """All that one public request must know, found by the public key in one look."""

    distribution_id: str
    organization_id: str
    name: str
    channel: Channel
    storage: str  # of the current release
    is_paused: bool
    release_id: str | None  # None: the first one is still being built
    version: int
    content_hash: str


class NewRelease(Struct, frozen=True, rename="camel"):
    """The body that makes a release."""

    note: Annotated[str, Meta(max_length=1000)] = ""
    dry_run: bool = False  # true: say what would change, and build nothing


class RollbackTo(Struct, frozen=True):
    """The body of a rollback."""

    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]


class FileChange(Struct, frozen=True, rename="camel"):
    """How one file differs between two releases."""

    change: Literal["added", "updated", "removed"]
    language: str
    module: str | None
    path: str
    byte_size: int  # of the newer file; of the removed one
    previous_byte_size: int | None


class ReleaseDiff(Struct, frozen=True, rename="camel"):
    """How a release differs from another of the same distribution."""

    from_version: int | None  # None: from nothing
    to_version: int | None  # None: a release that is not made yet (dryRun)
    files: list[FileChange]
    unchanged_file_count: int


class Usage(Struct, frozen=True):
    """What an organization was delivered in a month."""

    requests: int
    bytes: int


class DistributionQuery(SortedRequest, frozen=True):
    """What a list of distributions is asked by."""

    sort: ByNameOrUpdate = "name"


class ReleaseQuery(SortedRequest, frozen=True):
    """What a list of releases is asked by."""

    sort: ByVersion = "-version"
