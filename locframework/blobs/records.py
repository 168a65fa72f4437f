"""What is noted about a kept file: how long somebody needs it."""

from collections.abc import Sequence

from msgspec import Struct

from locframework.fields import Timestamp


class BlobNote(Struct, frozen=True):
    """A blob that we put, in one of the blob stores."""

    store: str  # BlobStore.name
    name: str  # SHA-256, hex
    byte_size: int
    keep_until: Timestamp  # may go after this, unless a release or a file names it


class KeptParts(Struct, frozen=True):
    """A file that is kept as several blobs."""

    store: str  # BlobStore.name
    names: Sequence[str]  # SHA-256, hex; in the order of the file
