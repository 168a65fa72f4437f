"""Contract of the delivery store: distributions, releases, delivered amounts."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

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
from locframework.jobs.records import JobError
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import ALL, LANGUAGES, add_project, at

BLOB, OTHER, THIRD = ("a" * 64, "b" * 64, "c" * 64)
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
    made = Distribution(
        id=new_id(),
        project_id=of.id,
        public_key=new_id(),
        name=name,
        channel="stable",
        format="json-nested",
        language_codes=None,
        branch=None,
        split_by_module=False,
        min_status="approved",
        missing="omit",
        auto_publish=False,
        storage="disk",
        status="building",
        current_release=None,
        failed_release=None,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def building(of: Distribution, version: int = 1, **changes: Any) -> StoredRelease:
    """Being built; ``changes`` are of what is shown, or the ``storage``."""
    storage = changes.pop("storage", of.storage)
    shown = Release(
        id=new_id(),
        version=version,
        status="building",
        content_hash=None,
        file_count=0,
        byte_size=0,
        rolled_back_from=None,
        note="",
        warnings=(),
        error=None,
        created_by="u1",
        created_at=at(0),
        published_at=None,
    )
    return StoredRelease(replace(shown, **changes), of.id, storage, None, ())


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

        assert sorted(one.id for one in found) == sorted(one.id for one in auto[:2])

    def test_version_is_never_returned_twice(self, storage: Storage) -> None:
        of = add_project(storage)
        one, other = distribution(of), distribution(of)
        for made in (one, other):
            storage.delivery.insert(made)

        def given(made: Distribution) -> int:
            with storage.transaction():
                return storage.delivery.next_version(made.id)

        assert [given(one), given(one)] == [1, 2]
        last = building(one, 2)
        storage.delivery.releases.insert(last)
        storage.delivery.releases.delete(last.release.id, at(9))
        storage.delivery.update(one)
        assert [given(one), given(other)] == [3, 1]
        with pytest.raises(RuntimeError):
            storage.delivery.next_version(one.id)
        with pytest.raises(RuntimeError):
            storage.delivery.lock(one.id)

    def test_releases_are_found_by_version(self, storage: Storage) -> None:
        of = add_project(storage)
        one, other = distribution(of), distribution(of)
        for made in (one, other):
            storage.delivery.insert(made)
        first = building(one, note="Für alle", created_by="u9")
        second = building(one, 2, rolled_back_from=1)
        theirs = ready(building(other), OTHER)
        for release in (first, second, theirs):
            storage.delivery.releases.insert(release)
        assert storage.delivery.find_release(one.id, version=1) == first

        done = ready(first, BLOB, OTHER, BLOB)
        storage.delivery.releases.update(done)
        storage.delivery.releases.update(done)

        assert storage.delivery.find_release(one.id, version=1) == done
        assert storage.delivery.releases.find(first.release.id) == done
        assert storage.delivery.find_release(one.id, version=2) == second
        assert storage.delivery.find_release(one.id, version=3) is None
        assert storage.delivery.releases.find(new_id()) is None
        assert storage.delivery.find_release(other.id, version=1) == theirs

    def test_releases_are_listed_newest_version_first(self, storage: Storage) -> None:
        of = add_project(storage)
        one, other = distribution(of), distribution(of)
        for made in (one, other):
            storage.delivery.insert(made)
            storage.delivery.releases.insert(building(made, 1))
        made_in_order = [building(one, version) for version in (10, 9, 2)]
        for release in (made_in_order[1], made_in_order[2], made_in_order[0]):
            storage.delivery.releases.insert(release)

        found = storage.delivery.list_releases(one.id, PageRequest(1, 3))

        assert found.items == [release.release for release in made_in_order]
        assert found.total == 4

    def test_release_is_found_by_status(self, storage: Storage) -> None:
        of = add_project(storage)
        one = distribution(of)
        storage.delivery.insert(one)
        assert storage.delivery.find_release(one.id, status="building") is None
        release = building(one)
        storage.delivery.releases.insert(release)

        assert storage.delivery.find_release(one.id, status="building") == release

        storage.delivery.releases.update(ready(release, BLOB))
        assert storage.delivery.find_release(one.id, status="building") is None

    def test_head_is_that_of_the_current_release(self, storage: Storage) -> None:
        of = add_project(storage)
        one = distribution(of, channel="prerelease")
        storage.delivery.insert(one)
        shown = ready(building(one, storage="s3"), BLOB)
        newer = ready(building(one, 2), BLOB)
        waiting = storage.delivery.find_head(one.public_key)
        for release in (shown, newer):
            storage.delivery.releases.insert(release)

        storage.delivery.update(
            replace(one, status="paused", storage="disk", current_release=shown.release)
        )

        found = storage.delivery.find(one.id)
        assert found is not None
        assert found.current_release == shown.release
        assert waiting is not None
        assert (waiting.release_id, waiting.is_paused) == (None, False)
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
        for key in ("", new_id(), one.public_key.upper(), one.public_key[:-1]):
            assert storage.delivery.find_head(key) is None

    def test_public_key_in_use_is_refused(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        one = distribution(of)
        storage.delivery.insert(one)

        with pytest.raises(Unavailable):
            storage.delivery.insert(distribution(other, public_key=one.public_key))

        assert storage.delivery.list_distributions(other.id, ALL).total == 0

    def test_blob_is_named_by_ready_releases_of_its_distribution(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        one, other = distribution(of), distribution(of)
        for made in (one, other):
            storage.delivery.insert(made)
        old = ready(building(one, storage="s3"), BLOB, BLOB)
        unready = replace(building(one, 2), files=ready(old, OTHER).files)
        for release in (old, unready, ready(building(other), THIRD)):
            storage.delivery.releases.insert(release)

        names_blob = storage.delivery.names_blob
        assert names_blob(one.id, BLOB) == ("application/json", "s3")
        assert names_blob(one.id, OTHER) is None
        assert names_blob(one.id, THIRD) is None
        assert names_blob(other.id, THIRD) == ("application/json", "disk")
        assert names_blob(one.id, BLOB[:-1]) is None

    @pytest.mark.parametrize("question", QUESTIONS)
    @pytest.mark.parametrize("what", ["project", "distribution"])
    def test_nothing_is_found_of_a_deleted_parent(
        self, storage: Storage, question: str, what: str
    ) -> None:
        of = add_project(storage)
        one = distribution(of, auto_publish=True)
        storage.delivery.insert(one)
        current = ready(building(one), BLOB)
        for release in (current, building(one, 2)):
            storage.delivery.releases.insert(release)
        one = replace(one, current_release=current.release)
        storage.delivery.update(one)
        assert QUESTIONS[question](storage, one)

        if what == "project":
            storage.projects.delete(of.id, at(1))
        else:
            storage.delivery.delete(one.id, at(1))

        assert not QUESTIONS[question](storage, one)

    def test_usage_adds_up_by_month(self, storage: Storage) -> None:
        a, b = (add_project(storage).organization_id for _ in range(2))

        storage.delivery.add_usage("2026-11", [(a, Usage(1, 2**52)), (b, Usage(5, 6))])
        storage.delivery.add_usage("2026-11", [(a, Usage(2, 3))])
        storage.delivery.add_usage("2026-12", [(a, Usage(7, 8))])
        storage.delivery.add_usage("2026-12", [])

        usage_of = storage.delivery.usage_of
        assert usage_of(a, "2026-11") == Usage(3, 2**52 + 3)
        assert usage_of(a, "2026-12") == Usage(7, 8)
        assert usage_of(b, "2026-11") == Usage(5, 6)
        assert usage_of(b, "2026-12") == Usage(0, 0)

    def test_newest_release_is_shown_if_it_failed(self, storage: Storage) -> None:
        one = distribution(add_project(storage))
        storage.delivery.insert(one)

        def failed_now(status: str) -> Release | None:
            with storage.transaction():
                version = storage.delivery.next_version(one.id)
            made = building(one, version)
            error = JobError("unknown_format", "ä") if status == "failed" else None
            shown = replace(made.release, status=status, error=error)
            storage.delivery.releases.insert(replace(made, release=shown))
            found = storage.delivery.find(one.id, one.project_id)
            [listed] = storage.delivery.list_distributions(one.project_id, ALL).items
            assert found is not None
            assert found == listed
            assert found.failed_release in (None, shown)
            return found.failed_release

        assert failed_now("failed") is not None
        assert failed_now("failed") is not None
        assert failed_now("building") is None

    def test_newest_ready_release_before_a_version_is_found(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        one, other = distribution(of), distribution(of)
        for each in (one, other):
            storage.delivery.insert(each)
        old, new = ready(building(one), BLOB), ready(building(one, 2), BLOB)
        for release in (old, new, building(one, 3), ready(building(other, 3), BLOB)):
            storage.delivery.releases.insert(release)

        def before(version: int) -> StoredRelease | None:
            return storage.delivery.find_release(one.id, before=version, status="ready")

        assert before(4) == before(3) == new
        assert before(2) == old
        assert before(1) is None

    def test_deleted_distribution_is_purged_in_pieces(self, storage: Storage) -> None:
        of = add_project(storage)
        first, second, other = (distribution(of) for _ in range(3))
        kept = ready(building(other), BLOB)
        for each in (first, second, other):
            storage.delivery.insert(each)
        for release in (ready(building(first), BLOB, OTHER), building(first, 2), kept):
            storage.delivery.releases.insert(release)
        storage.delivery.delete(second.id, at(2))
        storage.delivery.delete(first.id, at(1))

        assert storage.purge("distributions", at(1), 10) == 0
        gone = [storage.purge("distributions", at(3), 2) for _ in range(4)]
        assert gone == [2, 2, 2, 0]
        assert storage.delivery.find_release(other.id, version=1) == kept


def _current(of: Distribution) -> str:
    return of.current_release.id if of.current_release else ""
