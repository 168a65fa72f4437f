"""Builds a release as a job: texts to files to blobs to one switch of the pointer."""

import hashlib
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import IO

from msgspec import Struct
from msgspec.structs import replace

from locframework.blobs.service import Blobs
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches
from locframework.errors import (
    DistributionNotFound,
    LanguageNotInProject,
    ProjectNotFound,
    ReleaseNotFound,
    Unavailable,
)
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.formats.records import Catalogue
from locframework.formats.service import Formats
from locframework.jobs.records import StoredJob
from locframework.jobs.work import LOCK_WAIT_SECONDS, Work
from locframework.keys.catalogues import Catalogues, by_module, options_of
from locframework.keys.file_records import Selection
from locframework.projects.records import Language, Project
from locframework.transactions import crash_point

from .queue import RELEASE_JOB, ReleaseQueue
from .records import (
    Distribution,
    Release,
    ReleasedLanguage,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
)
from .rules import chosen_of, content_hash, file_path, in_file_order, settings_of
from .store import DeliveryStorage

NOTED_FOR = timedelta(days=1)  # how long a blob waits for its release to name it
KEPT_IN_MEMORY = 64 * 1024 * 1024
FILES_AT_ONCE = 20  # that are noted in one commit, which waits for the disk
BYTES_AT_ONCE = 4 * 1024 * 1024  # of them, where a single one is not larger
_NO_LANGUAGE = (
    "the project has none of the distribution's languages; nothing was published. "
    "Change languageCodes of the distribution, or pause it"
)


class Draft(Struct, frozen=True):
    """The files of a release, before anything of it is kept."""

    files: tuple[ReleaseFile, ...]
    snapshot: ReleaseSnapshot
    warnings: tuple[str, ...]


class Spool:
    """Holds the files between the reading and the keeping, in a temporary file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, content: bytes) -> str:
        """Take a file; answers its SHA-256."""
        name = hashlib.sha256(content).hexdigest()
        if name not in self._places:
            self._places[name] = (self._file.seek(0, 2), len(content))
            self._file.write(content)
        return name

    def contents(self) -> Iterator[list[bytes]]:
        """Each different file once, some small ones at a time."""
        some: list[bytes] = []
        for start, size in self._places.values():
            is_much = sum(map(len, some)) + size > BYTES_AT_ONCE
            if some and (is_much or len(some) == FILES_AT_ONCE):
                yield some
                some = []
            self._file.seek(start)
            some.append(self._file.read(size))
        if some:
            yield some


class ReleaseBuilder:
    """Handles jobs of the type ``release``.

    Killed at any point, the manifest is the old one or the new one: files are kept
    under their own digest first, and one transaction then switches the pointer.
    """

    type = RELEASE_JOB

    def __init__(
        self,
        storage: DeliveryStorage,
        formats: Formats,
        catalogues: Catalogues,
        branches: Branches,
        blobs: Blobs,
        queue: ReleaseQueue,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._storage = storage
        self._formats = formats
        self._catalogues = catalogues
        self._branches = branches
        self._blobs = blobs
        self._events = events
        self._clock = clock

    def run(self, job: StoredJob, work: Work) -> None:
        """Build the release that the job's params name, and publish it."""
        store = self._storage.delivery
        distribution_id = str(job.params["distributionId"])
        release = store.releases.find(str(job.params["releaseId"]))
        if release is None:
            raise ReleaseNotFound
        with tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY) as file:
            spool = Spool(file)
            last_event = self._last_event(job.project_id, work)
            draft = self.draft(job.project_id, distribution_id, spool, work, last_event)
            crash_point("release.before_blobs")
            for some in spool.contents():
                self._blobs.put_all(some, keep_for=NOTED_FOR, store=release.storage)
                work.check_cancelled()
        crash_point("release.after_blobs")
        with work.finish() as outcome:
            outcome.result = self._publish(job, distribution_id, release, draft)
            crash_point("release.before_commit")
        crash_point("release.after_commit")

    def _last_event(self, project_id: str, work: Work) -> str | None:
        """The project's latest event, none before it being uncommitted yet.

        Events are numbered before they are committed, so a snapshot may show a later
        one without an earlier one. Who changes content holds the project, so there
        is no such gap while this does. Waits for those who write at length.
        """
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            work.check_cancelled()
            try:
                with self._storage.transaction():
                    self._storage.projects.lock(project_id)
                    latest = self._storage.events.list_events(project_id, 1)
            except Unavailable:
                if time.monotonic() > deadline:
                    raise
            else:
                return latest[0].id if latest else None

    def draft(
        self,
        project_id: str,
        distribution_id: str,
        spool: Spool,
        work: Work | None = None,
        last_event: str | None = None,
    ) -> Draft:
        """The files that a release would have now, all as of one moment.

        Raises LanguageNotInProject when it would have no language: clients keep what
        they have, and who removed the languages learns it.

        ``last_event``: an event, read before, that the files surely show.
        """
        with self._storage.snapshot():
            project = self._storage.projects.find(project_id)
            if project is None:
                raise ProjectNotFound
            distribution = self._distribution(project_id, distribution_id)
            scope = self._branches.scope(project, distribution.branch)
            languages = self._storage.projects.list_languages(project_id)
            chosen = chosen_of(distribution, languages)
            if not chosen:
                raise LanguageNotInProject(_NO_LANGUAGE)
            files: list[ReleaseFile] = []
            warnings = _absent(distribution, chosen)
            for at, language in enumerate(chosen):
                if work is not None:
                    work.report(at, len(chosen))
                    work.check_cancelled()
                made = self._files_of(
                    scope, distribution, languages, language, spool, warnings
                )
                files += made
            if work is not None:
                work.report(len(chosen), len(chosen))
        info = self._formats.to_write(distribution.format)
        snapshot = ReleaseSnapshot(
            project_id=project.id,
            source_language=project.source_language,
            format_id=info.id,
            key_separator=project.key_separator,
            extension=info.extension,
            languages=tuple(_released(language) for language in chosen),
            last_event=last_event,
            settings=settings_of(distribution, scope.branch_id),
        )
        return Draft(in_file_order(files), snapshot, tuple(warnings))

    def lacks(self, release: Release) -> bool:
        """Whether the blob store has lost a file of the release. Raises Unavailable."""
        found = self._storage.delivery.releases.find(release.id)
        if found is None:
            return True
        store = self._blobs.store(found.storage)
        return not all(store.has(file.blob) for file in found.files)

    def _distribution(self, project_id: str, distribution_id: str) -> Distribution:
        store = self._storage.delivery
        distribution = store.find(distribution_id, project_id)
        if distribution is None:
            raise DistributionNotFound
        return distribution

    def _files_of(
        self,
        scope: BranchScope,
        distribution: Distribution,
        languages: list[Language],
        language: Language,
        spool: Spool,
        warnings: list[str],
    ) -> list[ReleaseFile]:
        info = self._formats.to_write(distribution.format)
        code, project = language.language_code, scope.project
        catalogue = self._catalogues.of_language(
            scope,
            languages,
            code,
            info,
            Selection(min_status=distribution.min_status),
            missing=distribution.missing,
        )
        files = []
        for module, part in _parts(project, distribution, catalogue):
            options = options_of(project, code, module=module)
            written = self._formats.write(distribution.format, [part], options)
            path = file_path(code, module, info.extension)
            warnings += [f"{path}: {warning}" for warning in written.warnings]
            files.append(
                ReleaseFile(
                    language=code,
                    module=module,
                    path=path,
                    blob=spool.add(written.content),
                    byte_size=len(written.content),
                    content_type=info.content_type,
                )
            )
        return files

    def _publish(
        self,
        job: StoredJob,
        distribution_id: str,
        building: StoredRelease,
        draft: Draft,
    ) -> dict[str, object]:
        store = self._storage.delivery
        store.lock(distribution_id)
        distribution = self._distribution(job.project_id, distribution_id)
        current = distribution.current_release
        digest = content_hash(draft.files)
        if current is not None and (
            building.release.version < current.version  # it came late
            or self._shows_the_same(current.id, digest, building.storage, draft)
        ):
            store.releases.delete(building.release.id, timestamp(self._clock()))
            self._queue.after_build(distribution)
            return {"version": current.version, "unchanged": True}
        release = self._ready(building, draft, digest)
        store.releases.update(release)
        status = "paused" if distribution.status == "paused" else "published"
        distribution = replace(
            distribution, current_release=release.release, status=status
        )
        store.update(distribution)
        self._queue.after_build(distribution)
        self._tell(job, release)
        return {"version": release.release.version, "unchanged": False}

    def _ready(
        self, building: StoredRelease, draft: Draft, digest: str
    ) -> StoredRelease:
        record = replace(
            building.release,
            status="ready",
            content_hash=digest,
            file_count=len(draft.files),
            byte_size=sum(file.byte_size for file in draft.files),
            warnings=draft.warnings,
            published_at=timestamp(self._clock()),
        )
        return replace(
            building, release=record, snapshot=draft.snapshot, files=draft.files
        )

    def _tell(self, job: StoredJob, release: StoredRelease) -> None:
        self._events.append(
            "distribution.published",
            organization_id=job.organization_id,
            project_id=job.project_id,
            actor=job.caller.actor,
            items=[
                {
                    "distributionId": release.distribution_id,
                    "releaseId": release.release.id,
                    "version": release.release.version,
                }
            ],
        )

    def _shows_the_same(
        self, release_id: str, digest: str, storage: str, draft: Draft
    ) -> bool:
        """Whether a release shows just what the draft would; its note is kept then."""
        current = self._storage.delivery.releases.find(release_id)
        if current is None or current.release.content_hash != digest:
            return False
        if current.storage != storage:
            return False
        if current.snapshot is None or not same_shown(current.snapshot, draft.snapshot):
            return False
        self._storage.delivery.releases.update(
            replace(current, snapshot=draft.snapshot)
        )
        return True


def same_shown(one: ReleaseSnapshot, other: ReleaseSnapshot) -> bool:
    """Whether two snapshots read the same in a manifest."""
    bare = {"last_event": None, "settings": ""}
    return replace(one, **bare) == replace(other, **bare)


def _parts(
    project: Project, distribution: Distribution, catalogue: Catalogue
) -> Iterator[tuple[str | None, Catalogue]]:
    """The catalogue in one piece, or module by module."""
    if not distribution.split_by_module:
        yield None, catalogue
        return
    yield from by_module(catalogue, project.key_separator).items()


def _absent(distribution: Distribution, chosen: list[Language]) -> list[str]:
    """A warning for each language that the distribution names and nobody has."""
    there = {language.language_code for language in chosen}
    return [
        f"{code}: the project no longer has this language"
        for code in distribution.language_codes or ()
        if code not in there
    ]


def _released(language: Language) -> ReleasedLanguage:
    return ReleasedLanguage(
        language.language_code, language.label, language.icon, language.direction
    )
