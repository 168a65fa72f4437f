"""Translations of Qt Linguist: ``.ts``."""

from locframework import hookimpl
from locframework.ports import Format

from .ts import Ts

__all__ = ["QtPlugin"]


class QtPlugin:
    """Provides the format qt-ts."""

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The one format."""
        return [Ts()]
