"""How the answers to POSTs with an ``Idempotency-Key`` are kept."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from locframework.fields import Timestamp


class KeptPost(Struct, frozen=True):
    """A POST that was done, and what it answered."""

    owner: str  # whose keys they are: a token, or an embedder's caller
    key: str  # 1 to 255 visible ASCII characters, as they came
    fingerprint: str  # SHA-256 of what was asked, hex
    created_at: Timestamp
    status: int
    location: str | None
    content: str | None  # None: it showed a secret, which is kept nowhere


class IdempotencyStore(Protocol):
    """The POSTs of the last 24 hours that came with a key."""

    def claim(
        self, owner: str, key: str, at: Timestamp, since: Timestamp
    ) -> KeptPost | None:
        """In a transaction: the POST that has this key, or None: it is yours now.

        What was kept before ``since`` has no key any more. Who claims the same key
        waits for the end of this transaction, and finds what it kept. Yours must be
        kept before the end. One statement. RuntimeError without a transaction.
        """
        ...

    def find(self, owner: str, key: str, since: Timestamp) -> KeptPost | None:
        """The POST that has this key, or None; never one of an open transaction."""
        ...

    def keep(self, post: KeptPost) -> None:
        """In the transaction that claimed its key."""
        ...

    def purge(self, before: Timestamp, rows: int) -> int:
        """Drop up to ``rows`` that were kept before then; how many went."""
        ...
