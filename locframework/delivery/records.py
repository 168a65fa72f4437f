"""Records of distributions and releases, and of the public manifest."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.access.records import Name
from locframework.fields import Timestamp
from locframework.jobs.records import JobError
from locframework.pagination import ByVersion, SortedRequest

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
    """A release as the API shows it."""

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
    """What a release shows of project and distribution, as of its creation."""

    project_id: str
    source_language: str
    format_id: str
    key_separator: str
    extension: str
    languages: tuple[ReleasedLanguage, ...]
    last_event: str | None = None  # id of the project's latest event then
    settings: str = ""  # of the distribution, see rules.settings_of


class StoredRelease(Struct, frozen=True):
    """A release with its files and its snapshot."""

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
    """The body that changes a distribution, from the next release on."""

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
    """What a public request needs, found by the public key in one statement."""

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
    """The deliveries to an organization in a month."""

    requests: int
    bytes: int


class ReleaseQuery(SortedRequest, frozen=True):
    """The query of a list of releases."""

    sort: ByVersion = "-version"


_BLOB = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_KEY = "vFvDqG6nT1rP0cUx3Yw8ZkQ2mJ5sLhB7aEoRtIdXyWM"

PublicKey = Annotated[str, Meta(examples=[_KEY])]
BlobName = Annotated[str, Meta(examples=[_BLOB])]
Sha256 = Annotated[
    str, Meta(pattern=r"^sha256:[0-9a-f]{64}$", examples=[f"sha256:{_BLOB}"])
]


class ManifestDistribution(Struct, frozen=True):
    """Which distribution it is; ``name`` is informational."""

    key: PublicKey
    name: Annotated[str, Meta(examples=["Web"])]
    channel: Literal["stable", "prerelease"]


class ManifestRelease(Struct, frozen=True, rename="camel"):
    """Which release it is."""

    id: str
    version: int
    content_hash: Sha256
    published_at: Timestamp


class ManifestProject(Struct, frozen=True, rename="camel"):
    """Whose texts they are; the source language is meant as the fallback."""

    id: str
    source_language: str | None


class ManifestFormat(Struct, frozen=True, rename="camel"):
    """What the files are."""

    id: Annotated[str, Meta(examples=["json-nested"])]
    key_separator: Annotated[str, Meta(examples=["."])]
    extension: Annotated[str, Meta(examples=[".json"])]


class ManifestFile(Struct, frozen=True, rename="camel"):
    """One published file; a client keys on (language, module)."""

    language: Annotated[str, Meta(examples=["de"])]
    module: Annotated[str | None, Meta(examples=[None])]
    path: Annotated[str, Meta(examples=["de.json"])]
    url: Annotated[
        str, Meta(examples=[f"https://example.com/api/v1/content/{_KEY}/b/{_BLOB}"])
    ]
    content_hash: Sha256
    byte_size: int
    content_type: str


class Manifest(Struct, frozen=True, rename="camel"):
    """The manifest (service.md, Distribution manifest)."""

    schema: Annotated[str, Meta(examples=["locframework.manifest/v1"])]
    distribution: ManifestDistribution
    release: ManifestRelease
    project: ManifestProject
    format: ManifestFormat
    languages: Annotated[list[str], Meta(examples=[["de"]])]
    language_details: list[ReleasedLanguage]
    files: list[ManifestFile]
    min_app_version: None
    max_app_version: None
    bundles: Annotated[list[str], Meta(max_length=0, examples=[[]])]


class BuildingStatus(Struct, frozen=True):
    """The answer while the first release is being built."""

    status: Literal["building"]


class NotThere(Struct, frozen=True):
    """A refusal outside the envelope: there is nothing to read there."""

    error: Literal["not_found"]


class TooMuch(Struct, frozen=True):
    """A refusal outside the envelope: too many requests, or over quota."""

    error: Literal["rate_limited", "quota_exceeded"]
