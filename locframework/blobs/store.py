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
        ...

    def keep_named(self, now: Timestamp, until: Timestamp, limit: int) -> int:
        """Keep until then those past ``keep_until`` that a release or a file names.

        The oldest ``limit`` of them; how many they were. So ``list_expired`` need not
        look at all that is published, each time.
        """
        ...

    def list_expired(
        self, now: Timestamp, limit: int, stores: Collection[str]
    ) -> list[BlobNote]:
        """Those of these stores past ``keep_until`` that neither a release nor a file
        names."""
        ...

    def forget(self, blob: BlobNote, now: Timestamp) -> bool:
        """Drop the note if it is still expired and unnamed; else False."""
        ...
