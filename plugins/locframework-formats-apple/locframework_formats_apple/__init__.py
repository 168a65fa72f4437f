"""Files of texts that iOS and macOS apps have."""

from locframework import hookimpl
from locframework.ports import Format

from .strings import Strings
from .stringsdict import Stringsdict

__all__ = ["ApplePlugin"]


class ApplePlugin:
    """Provides the formats apple-strings and apple-stringsdict."""

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """All formats."""
        return [Strings(), Stringsdict()]
