"""Gives locframework the matcher and the concordancer ``rapidfuzz``."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Concordancer, Matcher

from .concordancer import FileConcordancer
from .kernel import compiled
from .matcher import RapidfuzzMatcher
from .settings import MatchingSettings

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
