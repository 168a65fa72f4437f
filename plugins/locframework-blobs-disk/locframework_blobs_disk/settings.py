"""The settings of ``[plugins.disk]``."""

from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

# a NUL would pass as text and fail in every system call
FolderName = Annotated[str, Meta(min_length=1, pattern=r"^[^\0]+$")]


class DiskSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the files are, and who else hands them out.

    Raises ValueError for a base URL that blobs could not be reached under.
    """

    folder: FolderName = "data/blobs"  # relative to the folder the process starts in
    public_base_url: str | None = None  # a static server or CDN in front of ``folder``

    def __post_init__(self) -> None:
        if self.public_base_url is not None:
            check_base_url(self.public_base_url)


def check_base_url(url: str) -> None:
    """Raise ValueError unless ``url`` is absolute, http(s), and can be extended."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("public_base_url: only printable ASCII without spaces")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("public_base_url: not an absolute http or https URL")
    if "?" in url or "#" in url or "@" in parts.netloc:
        raise ValueError("public_base_url: has a query, a fragment or a user name")
