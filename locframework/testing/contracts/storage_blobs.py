"""The contract of Storage, part SB: notes about blobs, and which of them may go."""

from msgspec.structs import replace

from locframework.blobs.records import BlobNote
from locframework.delivery.records import Distribution, StoredRelease
from locframework.storage import Storage

from .storage_delivery_records import building, distribution, ready
from .storage_records import add_project, at

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


class StorageBlobsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sb1_expired_notes_are_listed_as_they_were(self, storage: Storage) -> None:
        notes = [note("c", 1), note("a", 2), note("b", 2), note("b", 2, "s3")]

        storage.blobs.note([*reversed(notes), note("d", 3)])

        assert storage.blobs.list_expired(at(3), 10, STORES) == notes
        assert storage.blobs.list_expired(at(3), 2, STORES) == notes[:2]
        assert storage.blobs.list_expired(at(1), 10, STORES) == []

    def test_sb1_notes_of_other_stores_are_passed_over(self, storage: Storage) -> None:
        storage.blobs.note([note("a", 1, "s3"), note("b", 2)])

        assert storage.blobs.list_expired(at(3), 1, ["disk"]) == [note("b", 2)]
        assert storage.blobs.list_expired(at(3), 1, []) == []

    def test_sb2_of_two_notes_the_later_time_stays(self, storage: Storage) -> None:
        early, late = note("a", 1), note("a", 5)

        for each in (early, late, early):
            storage.blobs.note([each])

        assert storage.blobs.list_expired(at(3), 10, STORES) == []
        assert storage.blobs.list_expired(at(6), 10, STORES) == [late]

    def test_sb3_a_blob_that_a_release_names_does_not_expire(
        self, storage: Storage
    ) -> None:
        storage.blobs.note([note(name, 1) for name in "abc"])
        storage.blobs.note([note("a", 1, "s3")])
        of = add_distribution(storage)
        storage.delivery.releases.insert(release(of, 1, "a" * 64))
        storage.delivery.releases.insert(release(of, 2, "b" * 64, "a" * 64))

        found = storage.blobs.list_expired(at(3), 10, STORES)

        assert found == [note("c", 1), note("a", 1, "s3")]  # another store's "a"
        assert storage.blobs.forget(note("a", 1), at(3)) is False
        assert storage.blobs.forget(note("a", 1, "s3"), at(3)) is True

    def test_sb4_a_blob_expires_when_the_last_release_that_names_it_is_purged(
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

    def test_sb5_a_note_is_forgotten_once_and_only_while_it_is_expired(
        self, storage: Storage
    ) -> None:
        listed = note("a", 1)
        storage.blobs.note([listed, note("b", 1)])

        storage.blobs.note([replace(listed, keep_until=at(9))])  # somebody needs it

        assert storage.blobs.forget(listed, at(3)) is False
        assert storage.blobs.forget(listed, at(10)) is True
        assert storage.blobs.forget(listed, at(10)) is False
        assert storage.blobs.list_expired(at(10), 10, STORES) == [note("b", 1)]

    def test_sb6_what_is_named_is_kept_for_longer(self, storage: Storage) -> None:
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
