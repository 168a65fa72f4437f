"""Gives locframework the matcher ``postgres``: exact, from an index in PostgreSQL."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Matcher

from .matcher import PostgresMatcher
from .tables import MatchingSettings

__all__ = ["MatchingSettings", "PostgresMatcher", "PostgresPlugin"]


class PostgresPlugin:
    """The plugin ``postgres``; touches nothing until the first text is looked for."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = MatchingSettings

    def __init__(self, settings: MatchingSettings) -> None:
        self._matcher = PostgresMatcher(settings)

    @hookimpl
    def loc_provide_matchers(self) -> list[Matcher]:
        """One matcher, over the database of the settings."""
        return [self._matcher]

    @hookimpl
    def loc_on_close(self) -> None:
        """Close the matcher's connections."""
        self._matcher.close()
