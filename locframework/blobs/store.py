"""How notes about blobs are kept."""

from collections.abc import Collection, Sequence
from typing import Protocol

from locframework.clock import Timestamp

from .records import BlobNote


class BlobIndex(Protocol):
    """Which blobs there are and which may go."""

    def note(self, blobs: Sequence[BlobNote]) -> None:
        """Insert; of two notes on one blob the later ``keep_until`` stays."""
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
