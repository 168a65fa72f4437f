"""Distributions and releases over HTTP, for those who manage them."""

from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.errors import (
    AlreadyPaused,
    BranchNotFound,
    BranchNotOpen,
    DistributionNotFound,
    LanguageNotInProject,
    NotPaused,
    ProjectNotFound,
    ReleaseInProgress,
    ReleaseNotFound,
    UnknownFormat,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, Deleted
from locframework.jobs.records import Job
from locframework.pagination import Page

from .distributions import Distributions
from .records import (
    Distribution,
    DistributionChanges,
    DistributionQuery,
    NewDistribution,
    NewRelease,
    Release,
    ReleaseDiff,
    ReleaseQuery,
    RollbackTo,
)
from .releases import Releases

_ALL = "/projects/{projectId}/distributions"
_ONE = "/projects/{projectId}/distributions/{distributionId}"
_FOUND = (ProjectNotFound, DistributionNotFound)
_CHOICES = (
    ProjectNotFound,
    UnknownFormat,
    LanguageNotInProject,
    BranchNotFound,
    BranchNotOpen,
)
_TAG = "Content delivery"
_read = partial(operation, permission="distribution_read", tag=_TAG)
_manage = partial(operation, permission="distribution_manage", tag=_TAG)
_publish = partial(operation, permission="distribution_publish", tag=_TAG)


class DistributionAnswer(Struct, frozen=True):
    """One distribution."""

    distribution: Distribution


class ReleaseAnswer(Struct, frozen=True):
    """One release; ``job`` builds it, null when there is nothing to build.

    ``diff`` is present only in answers to ``dryRun``.
    """

    release: Release | None
    job: Job | None = None
    diff: ReleaseDiff | None = None


class DiffAnswer(Struct, frozen=True):
    """How one release differs from another."""

    diff: ReleaseDiff


class DiffQuery(Struct, frozen=True, rename={"from_version": "from"}):
    """What a release is compared with; left out, the one before it."""

    from_version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None


class DeliveryEndpoints:
    """Declares the operations that manage content delivery."""

    def __init__(self, distributions: Distributions, releases: Releases) -> None:
        self._distributions = distributions
        self._releases = releases

    @_read("GET", _ALL, errors=(ProjectNotFound,))
    def list_distributions(
        self, caller: Caller, project_id: str, query: DistributionQuery
    ) -> Page[Distribution]:
        """List distributions.

        By name.
        """
        return self._distributions.list_distributions(caller, project_id, query)

    @_manage("POST", _ALL, status=201, errors=_CHOICES)
    def create_distribution(
        self, caller: Caller, project_id: str, body: NewDistribution
    ) -> DistributionAnswer:
        """Create a distribution.

        Its first release is queued with it; until that is ready the manifest answers
        202. `languageCodes` null publishes every language of the project.
        """
        made = self._distributions.create_distribution(caller, project_id, body)
        return DistributionAnswer(made)

    @_read("GET", _ONE, errors=_FOUND)
    def get_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Get a distribution."""
        get = self._distributions.get_distribution
        return DistributionAnswer(get(caller, project_id, distribution_id))

    @_manage("PATCH", _ONE, errors=(*_CHOICES, DistributionNotFound), etag=True)
    def update_distribution(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        body: DistributionChanges,
    ) -> DistributionAnswer:
        """Change a distribution.

        What affects the files takes effect with the next release; `name` and `channel`
        take effect at once.
        """
        update = self._distributions.update_distribution
        return DistributionAnswer(update(caller, project_id, distribution_id, body))

    @_manage("DELETE", _ONE, errors=_FOUND)
    def delete_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> Deleted:
        """Delete a distribution with its releases.

        The public key answers 404 at once.
        """
        delete = self._distributions.delete_distribution
        return Deleted(delete(caller, project_id, distribution_id).id)

    @_manage("POST", _ONE + "/pause", errors=(*_FOUND, AlreadyPaused))
    def pause_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Pause a distribution.

        Its public key answers like an unknown one, at once.
        """
        pause = self._distributions.pause
        return DistributionAnswer(pause(caller, project_id, distribution_id))

    @_manage("POST", _ONE + "/resume", errors=(*_FOUND, NotPaused))
    def resume_distribution(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Resume a distribution.

        It shows its last ready release again.
        """
        resume = self._distributions.resume
        return DistributionAnswer(resume(caller, project_id, distribution_id))

    @_manage("POST", _ONE + "/rotate-key", errors=_FOUND)
    def rotate_distribution_key(
        self, caller: Caller, project_id: str, distribution_id: str
    ) -> DistributionAnswer:
        """Give a distribution a new public key.

        The old one answers 404 at once.
        """
        rotate = self._distributions.rotate_key
        return DistributionAnswer(rotate(caller, project_id, distribution_id))

    @_publish(
        "POST",
        _ONE + "/releases",
        errors=(
            *_FOUND,
            BranchNotFound,
            BranchNotOpen,
            LanguageNotInProject,
            ReleaseInProgress,
        ),
    )
    def create_release(
        self, caller: Caller, project_id: str, distribution_id: str, body: NewRelease
    ) -> ReleaseAnswer | Accepted[ReleaseAnswer]:
        """Publish a release.

        Answers 202 with the job that builds it, or 200 with the current release if
        nothing has changed since. `dryRun` answers 200 with what would change, and
        builds nothing.
        """
        if body.dry_run:
            diff = self._releases.preview_release(caller, project_id, distribution_id)
            return ReleaseAnswer(None, diff=diff)
        release, job = self._releases.create_release(
            caller, project_id, distribution_id, body
        )
        if job is None:
            return ReleaseAnswer(release)
        where = f"/projects/{job.job.project_id}/jobs/{job.job.id}"
        return Accepted(ReleaseAnswer(release, job.job), where)

    @_read("GET", _ONE + "/releases", errors=_FOUND)
    def list_releases(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        query: ReleaseQuery,
    ) -> Page[Release]:
        """List releases.

        Newest version first.
        """
        return self._releases.list_releases(caller, project_id, distribution_id, query)

    @_read("GET", _ONE + "/releases/{version}", errors=(*_FOUND, ReleaseNotFound))
    def get_release(
        self, caller: Caller, project_id: str, distribution_id: str, version: str
    ) -> ReleaseAnswer:
        """Get a release by its version."""
        get = self._releases.get_release
        return ReleaseAnswer(get(caller, project_id, distribution_id, version))

    @_read("GET", _ONE + "/releases/{version}/diff", errors=(*_FOUND, ReleaseNotFound))
    def diff_release(
        self,
        caller: Caller,
        project_id: str,
        distribution_id: str,
        version: str,
        query: DiffQuery,
    ) -> DiffAnswer:
        """Compare a release with an older one, file by file."""
        found = self._releases.diff_release(
            caller, project_id, distribution_id, version, query.from_version
        )
        return DiffAnswer(found)

    @_publish(
        "POST",
        _ONE + "/rollback",
        errors=(*_FOUND, ReleaseNotFound, ReleaseInProgress),
    )
    def rollback_distribution(
        self, caller: Caller, project_id: str, distribution_id: str, body: RollbackTo
    ) -> ReleaseAnswer:
        """Publish the files of an older release again, as a new version."""
        rollback = self._releases.rollback
        return ReleaseAnswer(
            rollback(caller, project_id, distribution_id, body.version)
        )
