"""Files of texts that iOS and macOS apps have."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .strings import Strings
from .stringsdict import Stringsdict
from .xcstrings import Xcstrings

__all__ = ["ApplePlugin"]


class ApplePlugin:
    """Provides apple-strings, apple-stringsdict and apple-xcstrings."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """All formats."""
        return [Strings(), Stringsdict(), Xcstrings()]
