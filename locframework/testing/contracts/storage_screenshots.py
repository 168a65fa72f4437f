"""The contract of Storage, part SS: files that keys show as screenshots."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.blobs.records import BlobNote
from locframework.fields import new_id
from locframework.files.records import StoredFile
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_key_records import key
from .storage_records import add_branch, add_project, at

BLOB = "a" * 64


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


class StorageScreenshotsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_ss1_a_file_comes_back_as_it_was_in_its_project_only(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)

        used, unused = add_file(storage, of, unused_since=None), add_file(storage, of)

        assert storage.files.find(used.id, of.id) == used
        assert storage.files.find(unused.id, of.id) == unused
        assert storage.files.find(used.id, other.id) is None

    def test_ss2_a_file_that_is_used_is_not_unused_any_more(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        file, neighbour = add_file(storage, of), add_file(storage, of)

        with storage.transaction():
            ids = [file.id, new_id()]
            assert storage.files.use_files(of.id, ids) == {file.id}
            assert storage.files.use_files(other.id, ids) == set()

        assert unused_since(storage, file) is None
        assert unused_since(storage, neighbour) == at(0)

    def test_ss3_to_use_a_file_needs_a_transaction(self, storage: Storage) -> None:
        of = add_project(storage)

        with pytest.raises(RuntimeError):
            storage.files.use_files(of.id, [add_file(storage, of).id])

    def test_ss4_who_looks_notes_which_files_no_key_names_and_since_when(
        self, storage: Storage
    ) -> None:
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

    def test_ss5_those_not_looked_at_for_longest_come_first(
        self, storage: Storage
    ) -> None:
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

    def test_ss6_files_unused_for_long_are_purged_in_pieces(
        self, storage: Storage
    ) -> None:
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

    def test_ss7_a_blob_that_a_file_names_does_not_expire(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        stores = ("disk", "s3")
        notes = [BlobNote(store, BLOB, 1, at(1)) for store in stores]
        storage.blobs.note(notes)
        add_file(storage, of)

        assert storage.blobs.list_expired(at(3), 10, stores) == notes[1:]
        assert storage.blobs.forget(notes[0], at(3)) is False
        storage.purge("files", at(3), 9)
        assert storage.blobs.list_expired(at(3), 10, stores) == notes

    def test_ss8_files_go_with_their_project(self, storage: Storage) -> None:
        gone, left = add_project(storage), add_project(storage)
        files = [add_file(storage, of) for of in (gone, left)]
        with storage.transaction():
            storage.projects.delete(gone.id, at(1))

        while storage.purge("projects", at(2), 1):
            pass

        assert storage.files.find(files[0].id, gone.id) is None
        assert storage.files.find(files[1].id, left.id) == files[1]
