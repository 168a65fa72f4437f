"""The settings of ``[plugins.rapidfuzz]``."""

from typing import Annotated

from msgspec import Meta, Struct

# a NUL would pass as text and fail in every system call
FolderName = Annotated[str, Meta(min_length=1, pattern=r"^[^\0]+$")]


class MatchingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the indexes are, and how much of the machine a request may take."""

    folder: FolderName = "data/matching"  # may be removed at any time: it is made anew
    threads: Annotated[int, Meta(ge=0, le=64)] = 0  # for one request; 0: one per core
    patience_seconds: Annotated[int, Meta(ge=1, le=600)] = 10  # for another's building
    tail: Annotated[int, Meta(ge=1)] = 2_000  # changes kept in memory, then on disk
    compiled: bool = True  # False: numpy and rapidfuzz only, even with a kernel there
