"""Gives locframework the blob store ``disk``: files in a folder."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import BlobStore

from .settings import DiskSettings
from .store import DiskBlobStore

__all__ = ["DiskBlobStore", "DiskPlugin", "DiskSettings"]


class DiskPlugin:
    """The plugin ``disk``; touches nothing until the first blob is put."""

    settings_type: ClassVar = DiskSettings

    def __init__(self, settings: DiskSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_blob_stores(self) -> list[BlobStore]:
        """One store, over the folder of the settings."""
        return [DiskBlobStore(self._settings)]
