"""Builds a release as a job: reads the texts, stores the files, then publishes them."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import IO

from msgspec import Struct
from msgspec.structs import replace

from locframework.blobs.service import Blobs
from locframework.branches.service import Branches, BranchScope
from locframework.errors import (
    DistributionNotFound,
    LanguageNotInProject,
    ProjectNotFound,
    ReleaseNotFound,
)
from locframework.events import EventFilter, EventLog
from locframework.fields import Clock, timestamp
from locframework.formats.records import Catalogue
from locframework.formats.service import Formats
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.catalogues import (
    Catalogues,
    by_module,
    options_of,
    without_module,
)
from locframework.keys.records import Selection
from locframework.projects.records import Language
from locframework.transactions import crash_point, get_record

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

KEEP_UNPUBLISHED = timedelta(days=1)  # blobs that no release names yet
SPOOL_MEMORY = 64 * 1024 * 1024  # bytes; more is written to a temporary file
FILES_AT_ONCE = 8  # that are noted in one commit
BYTES_AT_ONCE = 4 * 1024 * 1024  # read until a commit
_NO_LANGUAGE = (
    "the project has none of the distribution's languages; nothing was published. "
    "Change languageCodes of the distribution, or pause it"
)


class Draft(Struct, frozen=True):
    """The files of a release, before any of it is stored."""

    files: tuple[ReleaseFile, ...]
    snapshot: ReleaseSnapshot
    warnings: tuple[str, ...]


class Spool:
    """Holds files of a release in a temporary file, until they are stored."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, content: bytes) -> str:
        """Add a file; return its SHA-256."""
        name = hashlib.sha256(content).hexdigest()
        if name not in self._places:
            self._places[name] = (self._file.seek(0, 2), len(content))
            self._file.write(content)
        return name

    def contents(self) -> Iterator[list[bytes]]:
        """Yield each distinct file once, some at a time."""
        some: list[bytes] = []
        for start, size in self._places.values():
            self._file.seek(start)
            some.append(self._file.read(size))
            if len(some) == FILES_AT_ONCE or sum(map(len, some)) > BYTES_AT_ONCE:
                yield some
                some = []
        if some:
            yield some


@dataclass(eq=False, repr=False)
class ReleaseBuilder:
    """Handles jobs of the type ``release``. The files are stored under their digests
    first, and one transaction then switches the pointer: killed at any point, the
    manifest is the old one or the new one."""

    type = RELEASE_JOB

    _storage: DeliveryStorage
    _formats: Formats
    _catalogues: Catalogues
    _branches: Branches
    _blobs: Blobs
    _queue: ReleaseQueue
    _events: EventLog
    _clock: Clock

    def run(self, job: StoredJob, work: Work) -> None:
        """Build the release that the job's params name, and publish it."""
        store = self._storage.delivery
        distribution_id = str(job.params["distributionId"])
        release_id = str(job.params["releaseId"])
        release = get_record(store.releases, release_id, ReleaseNotFound)
        # Events are numbered before they are committed. Who changes content locks the
        # project, so that no earlier event than this one is uncommitted now.
        with work.transaction():
            latest = self._storage.events.stream_events(
                job.project_id, EventFilter(), latest=1
            )
            last_event = next((event.id for event in latest), None)
        with tempfile.SpooledTemporaryFile(SPOOL_MEMORY) as file:
            spool = Spool(file)
            draft = self.draft(job.project_id, distribution_id, spool, work, last_event)
            crash_point("release.before_blobs")
            for some in spool.contents():
                self._blobs.put_all(
                    some, keep_for=KEEP_UNPUBLISHED, store=release.storage
                )
                work.check_cancelled()
        crash_point("release.after_blobs")
        with work.finish() as outcome:
            outcome.result = self._publish(job, distribution_id, release, draft)
            crash_point("release.before_commit")
        crash_point("release.after_commit")

    def draft(
        self,
        project_id: str,
        distribution_id: str,
        spool: Spool,
        work: Work | None = None,
        last_event: str | None = None,
    ) -> Draft:
        """Return the files that a release would have now, in one snapshot.

        ``last_event`` is an event whose changes the files contain. Raises
        LanguageNotInProject for a release without any language: clients keep what they
        have, and who removed the languages sees the error.
        """
        with self._storage.snapshot():
            projects, distributions = self._storage.projects, self._storage.delivery
            project = get_record(projects, project_id, ProjectNotFound)
            distribution = get_record(
                distributions, distribution_id, DistributionNotFound, project_id
            )
            scope = self._branches.scope(project, distribution.branch)
            languages = self._storage.projects.list_languages(project_id)
            chosen = chosen_of(distribution, languages)
            if not chosen:
                raise LanguageNotInProject(_NO_LANGUAGE)
            files: list[ReleaseFile] = []
            present = {language.language_code for language in chosen}
            warnings = [
                f"{code}: the project no longer has this language"
                for code in distribution.language_codes or ()
                if code not in present
            ]
            for at, language in enumerate(chosen):
                if work is not None:
                    work.report(at, len(chosen))
                    work.check_cancelled()
                code = language.language_code
                files += self._files_of(
                    scope, distribution, languages, code, spool, warnings
                )
            if work is not None:
                work.report(len(chosen), len(chosen))
        info = self._formats.to_write(distribution.format)
        snapshot = ReleaseSnapshot(
            project_id=project.id,
            source_language=project.source_language,
            format_id=info.id,
            key_separator=project.key_separator,
            extension=info.extension,
            languages=tuple(
                ReleasedLanguage(
                    each.language_code, each.label, each.icon, each.direction
                )
                for each in chosen
            ),
            last_event=last_event,
            settings=settings_of(distribution, scope.branch_id),
        )
        return Draft(in_file_order(files), snapshot, tuple(warnings))

    def lacks(self, release: Release) -> bool:
        """Return whether the blob store has lost a file. Raises Unavailable."""
        found = self._storage.delivery.releases.find(release.id)
        if found is None:
            return True
        with self._blobs.store(found.storage) as store:
            return not all(store.has(file.blob) for file in found.files)

    def _files_of(
        self,
        scope: BranchScope,
        distribution: Distribution,
        languages: list[Language],
        code: str,
        spool: Spool,
        warnings: list[str],
    ) -> Iterator[ReleaseFile]:
        """Yield the files of a language; in a multilingual format with the source
        texts."""
        info = self._formats.to_write(distribution.format)
        source, separator = scope.project.source_language, scope.project.key_separator
        codes = [source, code] if info.multilingual and code != source else [code]
        of_file = [
            self._catalogues.of_language(
                scope,
                languages,
                each,
                info,
                Selection(min_status=distribution.min_status),
                missing=distribution.missing,
                is_whole=not distribution.split_by_module,
            )
            for each in codes
        ]
        warnings += [f"{code}: {warning}" for warning in of_file[-1].warnings]
        parts: dict[str | None, list[Catalogue]] = {None: of_file}
        modules: Mapping[str, bool] = {}
        if distribution.split_by_module:
            split = [by_module(each, separator) for each in of_file]  # of the same keys
            parts = {module: [each[module] for each in split] for module in split[0]}
            modules = self._catalogues.modules(scope)
        for module, part in parts.items():
            if module is not None and modules.get(module) is False:
                part = [_without_module(each, module, separator) for each in part]
            options = options_of(scope.project, code, module=module)
            written = self._formats.write(distribution.format, part, options)
            path = file_path(code, module, info.extension)
            warnings += [f"{path}: {warning}" for warning in written.warnings]
            yield ReleaseFile(
                language=code,
                module=module,
                path=path,
                blob=spool.add(written.content),
                byte_size=len(written.content),
                content_type=info.content_type,
            )

    def _publish(
        self,
        job: StoredJob,
        distribution_id: str,
        building: StoredRelease,
        draft: Draft,
    ) -> dict[str, object]:
        """Make the draft the current release, unless the current one is the same."""
        store = self._storage.delivery
        distribution = store.lock(distribution_id)
        if distribution is None:
            raise DistributionNotFound
        current = distribution.current_release
        digest, now = content_hash(draft.files), timestamp(self._clock())
        if current is not None and (
            building.release.version < current.version  # it came late
            or self._is_unchanged(current, digest, building.storage, draft)
        ):
            store.releases.delete(building.release.id, now)
            self._queue.after_build(distribution)
            return {"version": current.version, "unchanged": True}
        release = replace(
            building.release,
            status="ready",
            content_hash=digest,
            file_count=len(draft.files),
            byte_size=sum(file.byte_size for file in draft.files),
            warnings=draft.warnings,
            published_at=now,
        )
        store.releases.update(
            replace(
                building, release=release, snapshot=draft.snapshot, files=draft.files
            )
        )
        status = "paused" if distribution.status == "paused" else "published"
        distribution = replace(distribution, current_release=release, status=status)
        store.update(distribution)
        self._queue.after_build(distribution)
        self._events.append(
            "distribution.published",
            organization_id=job.organization_id,
            project_id=job.project_id,
            actor=job.caller.actor,
            items=[
                {
                    "distributionId": distribution_id,
                    "releaseId": release.id,
                    "version": release.version,
                }
            ],
        )
        return {"version": release.version, "unchanged": False}

    def _is_unchanged(
        self, release: Release, digest: str, storage: str, draft: Draft
    ) -> bool:
        """Return whether a release equals the draft; it gets the draft's snapshot."""
        releases = self._storage.delivery.releases
        current = releases.find(release.id)
        if current is None or current.snapshot is None:
            return False
        bare = {"last_event": None, "settings": ""}  # not in the manifest
        if (
            current.release.content_hash != digest
            or current.storage != storage
            or replace(current.snapshot, **bare) != replace(draft.snapshot, **bare)
        ):
            return False
        releases.update(replace(current, snapshot=draft.snapshot))
        return True


def _without_module(catalogue: Catalogue, module: str, separator: str) -> Catalogue:
    entries = [without_module(each, module, separator) for each in catalogue.entries]
    return replace(catalogue, entries=entries)
