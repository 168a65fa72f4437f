"""Gives locframework the matcher and the concordancer ``rapidfuzz``."""

from pathlib import Path
from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Concordancer, Matcher, Settings, SettingsError

from .concordancer import FileConcordancer
from .index import MatchingSettings, require_usable
from .kernel import compiled
from .matcher import RapidfuzzMatcher

__all__ = [
    "FileConcordancer",
    "MatchingSettings",
    "RapidfuzzMatcher",
    "RapidfuzzPlugin",
]


class RapidfuzzPlugin:
    """The plugin ``rapidfuzz``; touches nothing until the first text is looked for."""

    settings_type: ClassVar = MatchingSettings

    def __init__(self, settings: MatchingSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_matchers(self) -> list[Matcher]:
        """One matcher, over the folder of the settings."""
        return [RapidfuzzMatcher(self._settings)]

    @hookimpl
    def loc_provide_concordancers(self) -> list[Concordancer]:
        """One, over the same folder; none where nothing was compiled."""
        kernel = compiled() if self._settings.compiled else None
        return [FileConcordancer(self._settings, kernel)] if kernel else []

    @hookimpl
    def loc_decide_settings(self, settings: Settings) -> None:
        """Refuses a folder that no index can be kept in, where one is to be."""
        if RapidfuzzMatcher.name not in (settings.matcher, settings.concordancer):
            return
        try:
            require_usable(Path(self._settings.folder).absolute())
        except OSError as error:
            reason = f"folder: {Path(error.filename).parent}: {error.strerror}"
            raise SettingsError(reason, "folder") from error
