"""Translations of Qt Linguist: ``.ts``."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .ts import Ts

__all__ = ["QtPlugin"]


class QtPlugin:
    """Provides the format qt-ts."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The one format."""
        return [Ts()]
