"""Apple's strings files, as iOS and macOS apps have them."""

from locframework import hookimpl
from locframework.ports import Format

from .strings import Strings

__all__ = ["ApplePlugin"]


class ApplePlugin:
    """Provides the format apple-strings."""

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The one format."""
        return [Strings()]
