"""Gives locframework the matcher ``rapidfuzz``."""

from pathlib import Path
from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Matcher, Settings, SettingsError

from .index import MatchingSettings, require_usable
from .matcher import RapidfuzzMatcher

__all__ = ["MatchingSettings", "RapidfuzzMatcher", "RapidfuzzPlugin"]


class RapidfuzzPlugin:
    """The plugin ``rapidfuzz``; touches nothing until the first text is looked for."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = MatchingSettings

    def __init__(self, settings: MatchingSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_matchers(self) -> list[Matcher]:
        """One matcher, over the folder of the settings."""
        return [RapidfuzzMatcher(self._settings)]

    @hookimpl
    def loc_decide_settings(self, settings: Settings) -> None:
        """Refuses a folder that no index can be kept in, where one is to be."""
        if settings.matcher != RapidfuzzMatcher.name:
            return
        try:
            require_usable(Path(self._settings.folder).absolute())
        except OSError as error:
            reason = f"folder: {Path(error.filename).parent}: {error.strerror}"
            raise SettingsError(reason, "folder") from error
