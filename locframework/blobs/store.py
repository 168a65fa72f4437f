"""The index of the blobs in the blob stores."""

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct

from locframework.fields import Timestamp


class BlobNote(Struct, frozen=True):
    """A blob that was put in one of the blob stores."""

    store: str  # BlobStore.name
    name: str  # SHA-256, hex
    byte_size: int
    keep_until: Timestamp  # may go after this, unless a release or a file names it


class KeptParts(Struct, frozen=True):
    """A file that is stored as several blobs."""

    store: str  # BlobStore.name
    names: Sequence[str]  # SHA-256, hex; in the order of the file


class BlobIndex(Protocol):
    """Which blobs there are and which may go."""

    def note(self, blobs: Sequence[BlobNote]) -> None:
        """Insert; of two notes on one blob the later ``keep_until`` stays."""

    def list_expired(
        self,
        now: Timestamp,
        limit: int,
        stores: Collection[str],
        *,
        look_again: Timestamp,
    ) -> list[BlobNote]:
        """Return the oldest blobs of these stores that are past ``keep_until``, and
        that neither a release nor a file names.

        Some of those that are named, the oldest first, are kept until ``look_again``:
        so it need not read all that is published, each time.
        """

    def forget(self, blob: BlobNote, now: Timestamp) -> bool:
        """Drop the note if it is still expired and unnamed; else False."""
