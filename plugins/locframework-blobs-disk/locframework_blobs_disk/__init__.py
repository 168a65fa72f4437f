"""Gives locframework the blob store ``disk``: files in a folder."""

from pathlib import Path
from typing import ClassVar

from locframework import hookimpl
from locframework.ports import BlobStore, Settings, SettingsError

from .store import DiskBlobStore, DiskSettings

__all__ = ["DiskBlobStore", "DiskPlugin", "DiskSettings"]


class DiskPlugin:
    """The plugin ``disk``; touches nothing until the first blob is put."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = DiskSettings

    def __init__(self, settings: DiskSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_blob_stores(self) -> list[BlobStore]:
        """One store, over the folder of the settings."""
        return [DiskBlobStore(self._settings)]

    @hookimpl
    def loc_decide_settings(self, settings: Settings) -> None:
        """Refuses a folder that cannot be written to, where new files go there."""
        if settings.blob_store != DiskBlobStore.name:
            return
        try:
            DiskBlobStore(self._settings).require_usable()
        except OSError as error:
            reason = f"folder: {Path(error.filename).parent}: {error.strerror}"
            raise SettingsError(reason, "folder") from error
