"""Contract of the store of POSTs with an Idempotency-Key."""

# ruff: noqa: PT012 - what a whole block does is the subject here

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from msgspec.structs import replace

from locframework.http.idempotency import StoredPost
from locframework.storage import Storage

from .storage_records import TEXTS, at

OWNER = "token:1"
CLAIMERS = 8


def post(key: str = "k", minute: int = 1, **changes: object) -> StoredPost:
    """A POST that was done at the minute."""
    made = StoredPost(OWNER, key, "f" * 64, at(minute), 202, "/jobs/1", "{}")
    return replace(made, **changes)


def keep(storage: Storage, kept: StoredPost) -> None:
    """Claim its key and keep it, as a first request does."""
    with storage.transaction():
        found = storage.idempotency.claim(
            kept.owner, kept.key, kept.created_at, kept.created_at
        )
        assert found is None
        storage.idempotency.keep(kept)


class StorageIdempotencyContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_stored_post_is_found_as_it_was(self, storage: Storage) -> None:
        whole = post("whole", content="".join(TEXTS), location="/jobs/é")
        secret = post("secret", content=None, location=None, status=201)

        for each in (whole, secret):
            keep(storage, each)

            with storage.transaction():
                claimed = storage.idempotency.claim(OWNER, each.key, at(2), at(0))
            assert claimed == each
            assert storage.idempotency.find(OWNER, each.key, at(0)) == each

    def test_keys_are_compared_exactly_and_by_owner(self, storage: Storage) -> None:
        keep(storage, post("k"))

        for owner, key in ((OWNER, "K"), (OWNER, "k "), ("token:2", "k")):
            assert storage.idempotency.find(owner, key, at(0)) is None
            keep(storage, post(key, owner=owner, content="other"))
        assert storage.idempotency.find(OWNER, "k", at(0)) == post("k")

    def test_expired_key_can_be_claimed(self, storage: Storage) -> None:
        keep(storage, post(minute=1))
        later = post(minute=9, content="later", status=200, fingerprint="e" * 64)

        assert storage.idempotency.find(OWNER, "k", at(2)) is None
        with storage.transaction():
            assert storage.idempotency.claim(OWNER, "k", at(9), at(2)) is None
            storage.idempotency.keep(later)

        assert storage.idempotency.find(OWNER, "k", at(2)) == later

    def test_claim_is_rolled_back_with_its_transaction(self, storage: Storage) -> None:
        with pytest.raises(KeyError), storage.transaction():
            storage.idempotency.claim(OWNER, "k", at(1), at(0))
            storage.idempotency.keep(post())
            raise KeyError

        assert storage.idempotency.find(OWNER, "k", at(0)) is None
        keep(storage, post())

    def test_concurrent_claims_store_one_post(self, storage: Storage) -> None:
        barrier = Barrier(CLAIMERS)

        def claim(number: int) -> StoredPost | None:
            barrier.wait()
            with storage.transaction():
                found = storage.idempotency.claim(OWNER, "k", at(1), at(0))
                if found is None:
                    storage.idempotency.keep(post(content=str(number)))
                return found

        with ThreadPoolExecutor(CLAIMERS) as threads:
            found = list(threads.map(claim, range(CLAIMERS)))

        assert found.count(None) == 1
        done = post(content=str(found.index(None)))
        assert [each for each in found if each is not None] == [done] * (CLAIMERS - 1)

    def test_claim_needs_a_transaction(self, storage: Storage) -> None:
        with pytest.raises(RuntimeError):
            storage.idempotency.claim(OWNER, "k", at(1), at(0))

    def test_oldest_posts_are_purged_first(self, storage: Storage) -> None:
        for minute in range(4):
            keep(storage, post(f"k{minute}", minute))

        gone = [storage.purge("idempotency_keys", at(3), 2) for _ in range(3)]

        assert gone == [2, 1, 0]
        assert storage.idempotency.find(OWNER, "k3", at(0)) is not None
