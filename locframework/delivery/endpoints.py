"""Distributions and releases over HTTP, and their public content."""

from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.errors import (
    AlreadyPaused,
    BranchNotFound,
    BranchNotOpen,
    FormatFailed,
    LanguageNotInProject,
    NotPaused,
    ReleaseInProgress,
    ReleaseNotFound,
    UnknownFormat,
)
from locframework.http.operation import RawResponse, operation
from locframework.http.records import Accepted, Deleted, Raw, RequestInfo, Wrapped
from locframework.jobs.records import Job
from locframework.pagination import NamedRequest, Page

from .distributions import Distributions
from .public import PublicContent
from .records import (
    BlobName,
    BuildingStatus,
    Distribution,
    DistributionChanges,
    Manifest,
    NewDistribution,
    NewRelease,
    NotThere,
    PublicKey,
    Release,
    ReleaseDiff,
    ReleaseQuery,
    RollbackTo,
    TooMuch,
)
from .releases import Releases

_ALL = "/projects/{projectId}/distributions"
_ONE = "/projects/{projectId}/distributions/{distributionId}"
_CHOICES = (UnknownFormat, LanguageNotInProject, BranchNotFound, BranchNotOpen)
_read = partial(operation, permission="distribution_read")
_manage = partial(operation, permission="distribution_manage")
_publish = partial(operation, permission="distribution_publish")


DistributionAnswer = Annotated[Distribution, Wrapped("distribution")]


class ReleaseAnswer(Struct, frozen=True):
    """A release, and the job that builds it, if any; ``diff`` only with ``dryRun``."""

    release: Release | None
    job: Job | None = None
    diff: ReleaseDiff | None = None


DiffAnswer = Annotated[ReleaseDiff, Wrapped("diff")]


class DiffQuery(Struct, frozen=True, rename={"from_version": "from"}):
    """What a release is compared with; left out, the one before it."""

    from_version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None


class DeliveryEndpoints:
    """Declares the operations that manage content delivery."""

    tag = "Content delivery"

    def __init__(self, distributions: Distributions, releases: Releases) -> None:
        self._distributions = distributions
        self._releases = releases

    @_read("GET", _ALL)
    def list_distributions(
        self, caller: Caller, project_id: str, query: NamedRequest
    ) -> Page[Distribution]:
        """List distributions, by name."""
        return self._distributions.list_distributions(caller, project_id, query)

    @_manage("POST", _ALL, status=201, errors=_CHOICES)
    def create_distribution(
        self, caller: Caller, project_id: str, body: NewDistribution
    ) -> DistributionAnswer:
        """Create a distribution, and queue its first release.

        Until that is ready the manifest answers 202. `languageCodes` null: every
        language.
        """
        return self._distributions.create_distribution(caller, project_id, body)

    @_read("GET", _ONE)
    def get_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Get a distribution."""
        get = self._distributions.get_distribution
        return get(caller, project_id, distribution_id)

    @_manage("PATCH", _ONE, errors=_CHOICES, etag=True)
    def update_distribution(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        body: DistributionChanges,
    ) -> DistributionAnswer:
        """Change a distribution, and its files with the next release."""
        update = self._distributions.update_distribution
        return update(caller, project_id, distribution_id, body)

    @_manage("DELETE", _ONE)
    def delete_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Deleted:
        """Delete a distribution with its releases; its key answers 404 at once."""
        delete = self._distributions.delete_distribution
        return Deleted(delete(caller, project_id, distribution_id).id)

    @_manage("POST", _ONE + "/pause", errors=(AlreadyPaused,))
    def pause_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Pause a distribution: its key answers like an unknown one, at once."""
        pause = self._distributions.pause
        return pause(caller, project_id, distribution_id)

    @_manage("POST", _ONE + "/resume", errors=(NotPaused,))
    def resume_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Resume a distribution: it shows its last ready release again."""
        resume = self._distributions.resume
        return resume(caller, project_id, distribution_id)

    @_manage("POST", _ONE + "/rotate-key")
    def rotate_distribution_key(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Give a distribution a new public key; the old one answers 404 at once."""
        rotate = self._distributions.rotate_key
        return rotate(caller, project_id, distribution_id)

    @_publish(
        "POST",
        _ONE + "/releases",
        errors=(
            BranchNotFound,
            BranchNotOpen,
            FormatFailed,
            LanguageNotInProject,
            ReleaseInProgress,
        ),
    )
    def create_release(
        self, caller: Caller, project_id: str, distribution_id: str, body: NewRelease
    ) -> ReleaseAnswer | Accepted[ReleaseAnswer]:
        """Publish a release.

        Answers 202 with the job that builds it, or 200 with the current release if
        nothing has changed since. `dryRun` answers 200 with what would change.
        """
        if body.dry_run:
            diff = self._releases.preview_release(caller, project_id, distribution_id)
            return ReleaseAnswer(None, diff=diff)
        release, job = self._releases.create_release(
            caller, project_id, distribution_id, body
        )
        if job is None:
            return ReleaseAnswer(release)
        where = f"/projects/{job.project_id}/jobs/{job.id}"
        return Accepted(ReleaseAnswer(release, job), where)

    @_read("GET", _ONE + "/releases")
    def list_releases(
        self, caller: Caller, project_id: str, distribution_id: str, query: ReleaseQuery
    ) -> Page[Release]:
        """List releases, newest version first."""
        return self._releases.list_releases(caller, project_id, distribution_id, query)

    @_read("GET", _ONE + "/releases/{version}")
    def get_release(
        self, caller: Caller, project_id: str, distribution_id: str, version: str
    ) -> ReleaseAnswer:
        """Get a release by its version."""
        get = self._releases.get_release
        return ReleaseAnswer(get(caller, project_id, distribution_id, version))

    @_read("GET", _ONE + "/releases/{version}/diff")
    def diff_release(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        version: str,
        query: DiffQuery,
    ) -> DiffAnswer:
        """Compare a release with an older one, file by file."""
        return self._releases.diff_release(
            caller, project_id, distribution_id, version, query.from_version
        )

    @_publish("POST", _ONE + "/rollback", errors=(ReleaseNotFound, ReleaseInProgress))
    def rollback_distribution(
        self, caller: Caller, project_id: str, distribution_id: str, body: RollbackTo
    ) -> ReleaseAnswer:
        """Publish the files of an older release again, as a new version."""
        rollback = self._releases.rollback
        return ReleaseAnswer(
            rollback(caller, project_id, distribution_id, body.version)
        )


_JSON = "application/json"
_MANIFEST = (
    RawResponse(
        200,
        "The manifest of the current release",
        _JSON,
        Manifest,
        ("ETag", "Cache-Control", "X-Service-Release", "X-Service-Quota"),
    ),
    RawResponse(
        202,
        "The first release is still being built",
        _JSON,
        BuildingStatus,
        ("Retry-After", "Cache-Control"),
    ),
)
_FILE = RawResponse(
    200,
    "The file, with the `contentType` that the manifest names",
    "application/octet-stream",
    headers=("ETag", "Cache-Control", "X-Service-Quota"),
)
_OTHERS = (
    RawResponse(
        304, "Unchanged since the ETag given", headers=("ETag", "Cache-Control")
    ),
    RawResponse(
        404,
        "`not_found`: unknown key, or the distribution is paused; cacheable for 60 s",
        _JSON,
        NotThere,
        ("Cache-Control",),
    ),
    RawResponse(
        429,
        "`rate_limited`, or `quota_exceeded`: over the organization's quota",
        _JSON,
        TooMuch,
        ("Retry-After", "X-Service-Quota"),
    ),
)
_public = partial(operation, public=True, rate="content")


class ContentEndpoints:
    """Declares the public operations; the URL is itself the credential."""

    tag = "Content"

    def __init__(self, content: PublicContent) -> None:
        self._content = content

    @_public("GET", "/content/{publicKey}/manifest.json", raw=(*_MANIFEST, *_OTHERS))
    def read_manifest(self, public_key: PublicKey, request: RequestInfo) -> Raw:
        """Read the manifest of a distribution.

        Plain JSON, without a token, from any origin. `If-None-Match` with the `ETag` of
        an earlier answer gives 304.
        """
        return self._content.read_manifest(public_key, request)

    @_public("GET", "/content/{publicKey}/b/{blob}", raw=(_FILE, *_OTHERS))
    def read_file(
        self, public_key: PublicKey, blob: BlobName, request: RequestInfo
    ) -> Raw:
        """Read a published file.

        Take the address from `files[].url` of the manifest. It never changes: a
        changed file has another address.
        """
        return self._content.read_file(public_key, blob, request)
