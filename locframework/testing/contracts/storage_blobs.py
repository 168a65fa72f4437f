"""Contract of the file store and the blob index."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.blobs.records import BlobNote
from locframework.delivery.records import Distribution, StoredRelease
from locframework.fields import new_id
from locframework.files.records import StoredFile
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_delivery import building, distribution, ready
from .storage_records import add_branch, add_project, at, key

BLOB = "a" * 64
STORES = ("disk", "s3")


def note(name: str, minute: int, store: str = "disk") -> BlobNote:
    """A note that is kept until ``minute``."""
    return BlobNote(store, name * 64, 2**40, at(minute))


def add_distribution(storage: Storage, store: str = "disk") -> Distribution:
    made = distribution(add_project(storage), storage=store)
    storage.delivery.insert(made)
    return made


def release(of: Distribution, version: int, *blobs: str) -> StoredRelease:
    """A ready release with a file for each blob."""
    return ready(building(of, version), *blobs)


def file_of(of: Project, **changes: Any) -> StoredFile:
    """A file that no key has named since minute 0."""
    made = StoredFile(
        id=new_id(),
        project_id=of.id,
        content_type="image/webp",
        byte_size=2**40,
        blob=BLOB,
        store="disk",
        created_at=at(0),
        unused_since=at(0),
    )
    return replace(made, **changes)


def add_file(storage: Storage, of: Project, **changes: Any) -> StoredFile:
    made = file_of(of, **changes)
    storage.files.insert(made)
    return made


def unused_since(storage: Storage, file: StoredFile) -> str | None:
    found = storage.files.find(file.id, file.project_id)
    assert found is not None
    return found.unused_since


class StorageBlobsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_expired_notes_are_listed_oldest_first(self, storage: Storage) -> None:
        notes = [note("c", 1), note("a", 2), note("b", 2), note("b", 2, "s3")]

        storage.blobs.note([*reversed(notes), note("d", 3)])

        assert storage.blobs.list_expired(at(3), 10, STORES) == notes
        assert storage.blobs.list_expired(at(3), 2, STORES) == notes[:2]
        assert storage.blobs.list_expired(at(1), 10, STORES) == []

    def test_expired_notes_are_listed_by_store(self, storage: Storage) -> None:
        storage.blobs.note([note("a", 1, "s3"), note("b", 2)])

        assert storage.blobs.list_expired(at(3), 1, ["disk"]) == [note("b", 2)]
        assert storage.blobs.list_expired(at(3), 1, []) == []

    def test_later_of_two_times_is_kept(self, storage: Storage) -> None:
        early, late = note("a", 1), note("a", 5)

        for each in (early, late, early):
            storage.blobs.note([each])

        assert storage.blobs.list_expired(at(3), 10, STORES) == []
        assert storage.blobs.list_expired(at(6), 10, STORES) == [late]

    def test_blob_named_by_a_release_does_not_expire(self, storage: Storage) -> None:
        storage.blobs.note([note(name, 1) for name in "abc"])
        storage.blobs.note([note("a", 1, "s3")])
        of = add_distribution(storage)
        storage.delivery.releases.insert(release(of, 1, "a" * 64))
        storage.delivery.releases.insert(release(of, 2, "b" * 64, "a" * 64))

        found = storage.blobs.list_expired(at(3), 10, STORES)

        assert found == [note("c", 1), note("a", 1, "s3")]  # another store's "a"
        assert storage.blobs.forget(note("a", 1), at(3)) is False
        assert storage.blobs.forget(note("a", 1, "s3"), at(3)) is True

    def test_blob_expires_when_the_last_release_naming_it_is_purged(
        self, storage: Storage
    ) -> None:
        storage.blobs.note([note("a", 1)])
        first, second = add_distribution(storage), add_distribution(storage)
        for of in (first, second):
            storage.delivery.releases.insert(release(of, 1, "a" * 64))

        storage.delivery.delete(first.id, at(1))
        assert storage.purge("distributions", at(2), 10) == 3
        assert storage.blobs.list_expired(at(3), 10, STORES) == []
        storage.delivery.delete(second.id, at(2))
        assert storage.blobs.list_expired(at(3), 10, STORES) == []
        assert storage.purge("distributions", at(3), 10) == 3

        assert storage.blobs.list_expired(at(3), 10, STORES) == [note("a", 1)]

    def test_note_is_forgotten_only_while_it_is_expired(self, storage: Storage) -> None:
        listed = note("a", 1)
        storage.blobs.note([listed, note("b", 1)])

        storage.blobs.note([replace(listed, keep_until=at(9))])  # somebody needs it

        assert storage.blobs.forget(listed, at(3)) is False
        assert storage.blobs.forget(listed, at(10)) is True
        assert storage.blobs.forget(listed, at(10)) is False
        assert storage.blobs.list_expired(at(10), 10, STORES) == [note("b", 1)]

    def test_named_blobs_are_kept_longer(self, storage: Storage) -> None:
        storage.blobs.note([note("a", 1), note("b", 2), note("c", 1), note("d", 4)])
        of = add_distribution(storage)
        named = [name * 64 for name in "abd"]
        storage.delivery.releases.insert(release(of, 1, *named))

        kept = [storage.blobs.keep_named(at(3), at(9), 1) for _ in range(3)]

        assert kept == [1, 1, 0]
        storage.delivery.delete(of.id, at(3))
        assert storage.purge("distributions", at(4), 10) > 0
        listed = storage.blobs.list_expired
        assert listed(at(8), 10, STORES) == [note("c", 1), note("d", 4)]
        assert [each.name[0] for each in listed(at(10), 10, STORES)] == [*"cdab"]


class StorageProjectFilesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_used_file_is_not_unused_any_more(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        file, neighbour = add_file(storage, of), add_file(storage, of)

        with storage.transaction():
            ids = [file.id, new_id()]
            assert storage.files.use_files(of.id, ids) == {file.id}
            assert storage.files.use_files(other.id, ids) == set()
        with pytest.raises(RuntimeError):  # outside a transaction
            storage.files.use_files(of.id, ids)

        assert unused_since(storage, file) is None
        assert unused_since(storage, neighbour) == at(0)

    def test_files_that_no_key_names_are_noted(self, storage: Storage) -> None:
        of = add_project(storage)
        named, trashed, branched, old, fresh = (
            add_file(storage, of, unused_since=since)
            for since in (at(0), None, None, at(0), None)
        )
        shown = [
            key(of, f"k{number}", screenshot_file_id=file.id)
            for number, file in enumerate((named, trashed, branched))
        ]
        storage.keys.add_keys(shown[:2])
        storage.keys.trash_keys(of.id, [shown[1].id], at(1))
        made = add_branch(storage, of)
        storage.branch_keys(of.id, made.id).add_keys(shown[2:])

        looked = storage.files.look_for_unused(at(5), at(1), 10)

        assert looked == 5
        for file in (named, trashed, branched):
            assert unused_since(storage, file) is None
        assert unused_since(storage, old) == at(0)
        assert unused_since(storage, fresh) == at(5)

    def test_files_not_looked_at_for_longest_come_first(self, storage: Storage) -> None:
        of = add_project(storage)
        files = [
            add_file(storage, of, created_at=at(minute), unused_since=None)
            for minute in range(4)
        ]

        looked = [
            storage.files.look_for_unused(at(9), at(3), rows) for rows in (2, 2, 2)
        ]

        assert looked == [2, 1, 0]
        found = [unused_since(storage, file) for file in files]
        assert found == [at(9), at(9), at(9), None]

    def test_unused_files_are_purged_in_pieces(self, storage: Storage) -> None:
        of = add_project(storage)
        files = [add_file(storage, of, unused_since=at(minute)) for minute in range(4)]
        shown = add_file(storage, of, unused_since=at(0))
        used = add_file(storage, of, unused_since=None)
        storage.keys.add_keys([key(of, "k", screenshot_file_id=shown.id)])

        gone = [storage.purge("files", at(3), rows) for rows in (1, 9, 9)]

        assert sum(gone) == 3
        left = [file for file in files if storage.files.find(file.id, of.id)]
        assert left == files[3:]
        for file in (shown, used):
            assert storage.files.find(file.id, of.id) is not None

    def test_blob_named_by_a_file_does_not_expire(self, storage: Storage) -> None:
        of = add_project(storage)
        stores = ("disk", "s3")
        notes = [BlobNote(store, BLOB, 1, at(1)) for store in stores]
        storage.blobs.note(notes)
        add_file(storage, of)

        assert storage.blobs.list_expired(at(3), 10, stores) == notes[1:]
        assert storage.blobs.forget(notes[0], at(3)) is False
        storage.purge("files", at(3), 9)
        assert storage.blobs.list_expired(at(3), 10, stores) == notes
