"""Fluent, Mozilla's format of messages: ``.ftl``."""

from locframework import hookimpl
from locframework.ports import Format

from .fluent import Fluent

__all__ = ["FluentPlugin"]


class FluentPlugin:
    """Provides the format fluent."""

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The one format."""
        return [Fluent()]
