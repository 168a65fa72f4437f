"""Contract of distributions, releases and delivered amounts, of blobs and files."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.blobs.store import BlobNote
from locframework.delivery.records import (
    Distribution,
    PublicHead,
    Release,
    ReleasedLanguage,
    ReleaseFile,
    ReleaseSnapshot,
    StoredRelease,
    Usage,
)
from locframework.errors import Unavailable
from locframework.fields import new_id
from locframework.files.records import StoredFile
from locframework.jobs.records import JobError
from locframework.keys.records import FileDetail
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.storage import Need, Storage

from .storage_records import ALL, LANGUAGES, add_branch, add_project, at, key, sample

BLOB, OTHER, THIRD = ("a" * 64, "b" * 64, "c" * 64)
STORES = ("disk", "s3")
Question = Callable[[Storage, Distribution], object]

QUESTIONS: dict[str, Question] = {
    "find_distribution": lambda s, d: s.delivery.find(d.id, d.project_id),
    "list_distributions": lambda s, d: (
        s.delivery.list_distributions(d.project_id, ALL).items
    ),
    "list_auto_publish": lambda s, d: s.delivery.list_auto_publish(d.project_id),
    "find_release": lambda s, d: s.delivery.find_release(d.id, version=1),
    "find_release_by_id": lambda s, d: s.delivery.releases.find(_current(d)),
    "list_releases": lambda s, d: s.delivery.list_releases(d.id, ALL).items,
    "find_ready_before": lambda s, d: s.delivery.find_release(
        d.id, before=2, status="ready"
    ),
    "find_building": lambda s, d: s.delivery.find_release(d.id, status="building"),
    "find_head": lambda s, d: s.delivery.find_head(d.public_key),
    "names_blob": lambda s, d: s.delivery.names_blob(d.id, BLOB),
}


def distribution(of: Project, name: str = "Web", **changes: Any) -> Distribution:
    fields = {"project_id": of.id, "public_key": new_id(), "name": name}
    more = {"channel": "stable", "format": "json-nested", "min_status": "approved"}
    last = {"missing": "omit", "storage": "disk", "status": "building"}
    return sample(Distribution, fields | more | last, changes)


def building(of: Distribution, version: int = 1, **changes: Any) -> StoredRelease:
    """Being built; ``changes`` are of what is shown, or the ``storage``."""
    storage = changes.pop("storage", of.storage)
    fields = {"version": version, "status": "building", "created_by": "u1"}
    return StoredRelease(sample(Release, fields, changes), of.id, storage, None, ())


def ready(release: StoredRelease, *blobs: str) -> StoredRelease:
    """The release, ready, with a file for each blob."""
    files = tuple(
        ReleaseFile(
            language=code,
            module=None if at_ % 2 else "checkout",
            path=f"{code}.json",
            blob=blob,
            byte_size=2**40 + at_,
            content_type="application/json",
        )
        for at_, (code, blob) in enumerate(zip(LANGUAGES, blobs, strict=False))
    )
    snapshot = ReleaseSnapshot(
        project_id="p1",
        source_language="en",
        format_id="json-nested",
        key_separator=".",
        extension=".json",
        languages=(ReleasedLanguage("en", "English", None, "ltr"),),
        last_event="e1",
        settings="[]",
    )
    shown = replace(
        release.release,
        status="ready",
        content_hash="sha256:ab",
        file_count=len(files),
        byte_size=sum(file.byte_size for file in files),
        warnings=("a and a.b clash",),
        published_at=at(2),
    )
    return replace(release, release=shown, snapshot=snapshot, files=files)


def add_distribution(
    storage: Storage, of: Project | None = None, **changes: Any
) -> Distribution:
    made = distribution(of or add_project(storage), **changes)
    storage.delivery.insert(made)
    return made


def add_releases(storage: Storage, *releases: StoredRelease) -> None:
    for each in releases:
        storage.delivery.releases.insert(each)


def note(name: str, minute: int, store: str = "disk") -> BlobNote:
    """A note that is kept until ``minute``."""
    return BlobNote(store, name * 64, 2**40, at(minute))


def file_of(of: Project, **changes: Any) -> StoredFile:
    """A file that no key has named since minute 0."""
    fields = {"project_id": of.id, "content_type": "image/webp", "byte_size": 2**40}
    more = {"blob": BLOB, "store": "disk", "unused_since": at(0)}
    return sample(StoredFile, fields | more, changes)


def add_file(storage: Storage, of: Project, **changes: Any) -> StoredFile:
    made = file_of(of, **changes)
    storage.files.insert(made)
    return made


def unused_since(storage: Storage, *files: StoredFile) -> list[str | None]:
    found = [storage.files.find(each.id, each.project_id) for each in files]
    return [each.unused_since if each else "absent" for each in found]


class StorageDeliveryContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_auto_publish_lists_those_not_paused(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        auto = [
            distribution(of, auto_publish=True, status=status)
            for status in ("building", "published", "paused")
        ]
        for one in [*auto, distribution(of), distribution(other, auto_publish=True)]:
            storage.delivery.insert(one)

        found = storage.delivery.list_auto_publish(of.id)

        assert {one.id for one in found} == {one.id for one in auto[:2]}

    def test_version_is_never_returned_twice(self, storage: Storage) -> None:
        one, other = add_distribution(storage), add_distribution(storage)

        def given(made: Distribution) -> int:
            with storage.transaction():
                return storage.delivery.next_version(made.id)

        assert [given(one), given(one)] == [1, 2]
        last = building(one, 2)
        add_releases(storage, last)
        storage.delivery.releases.delete(last.release.id, at(9))
        storage.delivery.update(one)
        assert [given(one), given(other)] == [3, 1]
        one = add_distribution(storage)  # it shows its newest release, if that failed

        def failed_now(status: str) -> Release | None:
            with storage.transaction():
                version = storage.delivery.next_version(one.id)
            error = JobError("unknown_format", "ä") if status == "failed" else None
            made = building(one, version, status=status, error=error)
            add_releases(storage, made)
            found = storage.delivery.find(one.id, one.project_id)
            [listed] = storage.delivery.list_distributions(one.project_id, ALL).items
            assert found is not None
            assert found == listed
            assert found.failed_release in (None, made.release)
            return found.failed_release

        assert failed_now("failed") is not None
        assert failed_now("failed") is not None
        assert failed_now("building") is None

    def test_releases_are_found_by_version_and_status(self, storage: Storage) -> None:
        one, other = add_distribution(storage), add_distribution(storage)
        first, second, third = (
            ready(building(one, version, note="é", created_by="u9"), BLOB, OTHER, BLOB)
            for version in (10, 2, 9)
        )
        unready = building(one, 11)
        theirs = ready(building(other, 12), THIRD)
        assert storage.delivery.find_release(one.id, status="building") is None
        add_releases(storage, first, second, theirs, unready, third)

        def found(**where: Any) -> StoredRelease | None:
            return storage.delivery.find_release(one.id, **where)

        assert found(version=10) == first
        assert found(version=12) is found(version=3) is None
        assert found(status="building") == unready
        assert found(before=12, status="ready") == first
        assert found(before=10, status="ready") == third
        assert found(before=2, status="ready") is None
        page = storage.delivery.list_releases(one.id, PageRequest(1, 3))
        shown = [unready.release, first.release, third.release]
        assert (page.items, page.total) == (shown, 4)
        storage.delivery.releases.update(ready(unready, BLOB))
        assert found(status="building") is None

    def test_head_is_that_of_the_current_release(self, storage: Storage) -> None:
        one = add_distribution(storage, channel="prerelease")
        shown = ready(building(one, storage="s3"), BLOB)
        waiting = storage.delivery.find_head(one.public_key)
        add_releases(storage, shown, ready(building(one, 2), BLOB))

        storage.delivery.update(
            replace(one, status="paused", storage="disk", current_release=shown.release)
        )

        found = storage.delivery.find(one.id)
        assert found is not None
        assert found.current_release == shown.release
        assert waiting is not None
        assert (waiting.release_id, waiting.is_paused) == (None, False)
        of = storage.projects.find(one.project_id)
        assert of is not None
        assert storage.delivery.find_head(one.public_key) == PublicHead(
            distribution_id=one.id,
            organization_id=of.organization_id,
            name=one.name,
            channel="prerelease",
            storage="s3",
            is_paused=True,
            release_id=shown.release.id,
            version=1,
            content_hash="sha256:ab",
        )
        for key_ in ("", new_id(), one.public_key.upper(), one.public_key[:-1]):
            assert storage.delivery.find_head(key_) is None
        other = add_project(storage)
        with pytest.raises(Unavailable):
            storage.delivery.insert(distribution(other, public_key=one.public_key))
        assert storage.delivery.list_distributions(other.id, ALL).total == 0

    def test_blob_is_named_by_ready_releases(self, storage: Storage) -> None:
        one, other = add_distribution(storage), add_distribution(storage)
        old = ready(building(one, storage="s3"), BLOB, BLOB)
        unready = replace(building(one, 2), files=ready(old, OTHER).files)
        add_releases(storage, old, unready, ready(building(other), THIRD))

        names_blob = storage.delivery.names_blob
        assert names_blob(one.id, BLOB) == ("application/json", "s3")
        for name in (OTHER, THIRD, BLOB[:-1]):
            assert names_blob(one.id, name) is None
        assert names_blob(other.id, THIRD) == ("application/json", "disk")

    @pytest.mark.parametrize("question", QUESTIONS)
    @pytest.mark.parametrize("what", ["project", "distribution"])
    def test_nothing_is_found_of_a_deleted_parent(
        self, storage: Storage, question: str, what: str
    ) -> None:
        one = add_distribution(storage, auto_publish=True)
        current = ready(building(one), BLOB)
        add_releases(storage, current, building(one, 2))
        one = replace(one, current_release=current.release)
        storage.delivery.update(one)
        assert QUESTIONS[question](storage, one)

        if what == "project":
            storage.projects.delete(one.project_id, at(1))
        else:
            storage.delivery.delete(one.id, at(1))

        assert not QUESTIONS[question](storage, one)

    def test_usage_adds_up_by_month(self, storage: Storage) -> None:
        a, b = (add_project(storage).organization_id for _ in range(2))
        usage_of = storage.delivery.usage_of

        storage.delivery.add_usage("2026-11", [(a, Usage(1, 2**52)), (b, Usage(5, 6))])
        storage.delivery.add_usage("2026-11", [(a, Usage(2, 3))])
        storage.delivery.add_usage("2026-12", [(a, Usage(7, 8))])
        storage.delivery.add_usage("2026-12", [])

        assert usage_of(a, "2026-11") == Usage(3, 2**52 + 3)
        assert usage_of(a, "2026-12") == Usage(7, 8)
        assert usage_of(b, "2026-11") == Usage(5, 6)
        assert usage_of(b, "2026-12") == Usage(0, 0)

    def test_data_that_was_not_deleted_needs_its_formats_and_blob_stores(
        self, storage: Storage
    ) -> None:
        of, gone = add_project(storage), add_project(storage)
        web, app = distribution(of), distribution(of, "App")
        old = distribution(of, "Old", format="xliff", storage="tape")
        for each in (web, app, old, distribution(gone, format="xliff")):
            storage.delivery.insert(each)
        current = ready(building(web, storage="s3"), BLOB)
        add_releases(storage, building(app, storage="tape"), current)
        storage.delivery.update(replace(web, current_release=current.release))
        for project in (of, gone):
            add_file(storage, project, store="attic")
            imported = FileDetail(project.id, "po/layout", "", "", "", {})
            storage.keys.put_details([imported])
        storage.delivery.delete(old.id, at(1))
        storage.projects.delete(gone.id, at(1))

        assert storage.needs() == [
            Need("format", "json-nested", 2, f"{of.slug}: App"),
            Need("imported", "po/layout", 1, of.slug),
            Need("next_release", "disk", 2, f"{of.slug}: App"),
            Need("release", "s3", 1, f"{of.slug}: Web"),
            Need("screenshot", "attic", 1, of.slug),
        ]

    def test_expired_notes_are_listed_oldest_first_until_they_are_forgotten(
        self, storage: Storage
    ) -> None:
        notes = [note("c", 1), note("a", 2), note("b", 2), note("b", 2, "s3")]
        expired = partial(storage.blobs.list_expired, look_again=at(59))

        storage.blobs.note([*reversed(notes), note("d", 3)])

        assert expired(at(3), 10, STORES) == notes
        assert expired(at(3), 2, STORES) == notes[:2]
        assert expired(at(3), 9, ["s3"]) == notes[3:]
        assert expired(at(1), 10, STORES) == expired(at(3), 1, []) == []

        listed, other, later = note("e", 1), note("f", 1), note("e", 9)
        storage.blobs.note([listed, other])

        for each in (later, listed):  # somebody needs it until the later time
            storage.blobs.note([each])

        assert expired(at(2), 10, STORES) == [notes[0], other]
        assert storage.blobs.forget(listed, at(3)) is False
        assert expired(at(10), 10, STORES)[-1] == later
        forgotten = [storage.blobs.forget(listed, at(10)) for _ in range(2)]
        assert forgotten == [True, False]
        assert later not in expired(at(10), 10, STORES)

    def test_named_blob_does_not_expire(self, storage: Storage) -> None:
        first, second = add_distribution(storage), add_distribution(storage)
        storage.blobs.note([*(note(name, 1) for name in "abcf"), note("a", 1, "s3")])
        add_file(storage, add_project(storage), blob="f" * 64)
        for of in (first, second):
            add_releases(storage, ready(building(of), "a" * 64))
        add_releases(storage, ready(building(first, 2), "b" * 64, "a" * 64))

        def expired() -> list[BlobNote]:
            return storage.blobs.list_expired(at(3), 10, STORES, look_again=at(1))

        assert expired() == [note("c", 1), note("a", 1, "s3")]  # another store's "a"
        assert storage.blobs.forget(note("a", 1), at(3)) is False
        assert storage.blobs.forget(note("f", 1), at(3)) is False
        assert storage.blobs.forget(note("a", 1, "s3"), at(3)) is True
        assert storage.purge("files", at(3), 9) == 1
        assert expired() == [note("c", 1), note("f", 1)]
        for of in (first, second):
            storage.delivery.delete(of.id, at(1))
            assert note("a", 1) not in expired()  # until it is purged
            assert storage.purge("distributions", at(2), 10) > 0
        assert expired() == [note(name, 1) for name in "abcf"]

    def test_named_blobs_are_kept_longer(self, storage: Storage) -> None:
        storage.blobs.note([note("a", 1), note("b", 2), note("c", 1), note("d", 4)])
        elsewhere = note("a", 1, "s3")
        storage.blobs.note([elsewhere])
        of = add_distribution(storage)
        named = [name * 64 for name in "abd"]
        add_releases(storage, ready(building(of, 1), *named))
        listed = partial(storage.blobs.list_expired, look_again=at(9))

        assert listed(at(3), 10, STORES) == [note("c", 1), elsewhere]

        storage.delivery.delete(of.id, at(3))
        assert storage.purge("distributions", at(4), 10) > 0
        assert listed(at(8), 10, STORES) == [note("c", 1), elsewhere, note("d", 4)]
        assert [each.name[0] for each in listed(at(10), 10, STORES)] == [*"cadab"]

    def test_files_that_no_key_names_are_noted(self, storage: Storage) -> None:
        of = add_project(storage)
        files = [
            add_file(storage, of, unused_since=since)
            for since in (at(0), None, None, at(0), None)
        ]
        shown = [
            key(of, f"k{number}", screenshot_file_id=file.id)
            for number, file in enumerate(files[:3])
        ]
        storage.keys.add_keys(shown[:2])
        storage.keys.trash_keys(of.id, [shown[1].id], at(1))
        made = add_branch(storage, of)
        storage.branch_keys(of.id, made.id).add_keys(shown[2:])

        assert storage.files.look_for_unused(at(5), at(1), 10) == 5
        assert unused_since(storage, *files) == [None, None, None, at(0), at(5)]
        add_file(storage, of, unused_since=None)
        used = add_file(storage, of)
        storage.keys.add_keys([key(of, "used", screenshot_file_id=used.id)])
        assert storage.purge("files", at(5), 9) == 1
        left = [None, None, None, "absent", at(5)]
        assert unused_since(storage, *files, used) == [*left, at(0)]
        with storage.transaction():
            ids = [files[4].id, files[3].id, new_id()]
            assert storage.files.use_files(new_id(), ids) == set()
            assert storage.files.use_files(of.id, ids) == {files[4].id}
        assert unused_since(storage, *files, used) == [*left[:4], None, at(0)]

    def test_files_not_looked_at_for_longest_come_first(self, storage: Storage) -> None:
        of = add_project(storage)
        files = [
            add_file(storage, of, created_at=at(minute), unused_since=None)
            for minute in range(4)
        ]

        look = storage.files.look_for_unused
        assert look(at(9), at(3), 2) == 2
        assert unused_since(storage, *files) == [at(9), at(9), None, None]
        assert [look(at(9), at(3), 2) for _ in range(2)] == [1, 0]
        assert unused_since(storage, *files) == [at(9), at(9), at(9), None]


def _current(of: Distribution) -> str:
    return of.current_release.id if of.current_release else ""
