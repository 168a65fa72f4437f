"""Fluent, Mozilla's format of messages: ``.ftl``."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .fluent import Fluent

__all__ = ["FluentPlugin"]


class FluentPlugin:
    """Provides the format fluent."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The one format."""
        return [Fluent()]
