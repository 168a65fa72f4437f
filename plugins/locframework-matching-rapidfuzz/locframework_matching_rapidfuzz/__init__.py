"""Gives locframework the matcher ``rapidfuzz``: exact, from an index on disk."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Matcher

from .matcher import RapidfuzzMatcher
from .settings import MatchingSettings

__all__ = ["MatchingSettings", "RapidfuzzMatcher", "RapidfuzzPlugin"]


class RapidfuzzPlugin:
    """The plugin ``rapidfuzz``; touches nothing until the first text is looked for."""

    settings_type: ClassVar = MatchingSettings

    def __init__(self, settings: MatchingSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_matchers(self) -> list[Matcher]:
        """One matcher, over the folder of the settings."""
        return [RapidfuzzMatcher(self._settings)]
