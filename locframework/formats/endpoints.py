"""File formats over HTTP (decisions 2.6)."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.http.operation import operation

from .records import FormatInfo
from .service import Formats


class FormatList(Struct, frozen=True):
    """All formats."""

    formats: list[FormatInfo]


class FormatEndpoints:
    """``/formats``."""

    tag = "Import and export"

    def __init__(self, formats: Formats) -> None:
        self._formats = formats

    @operation("GET", "/formats", permission=None)
    def list_formats(self, caller: Caller) -> FormatList:
        """List file formats.

        By id, with what each can do and the plugin that provides it.
        """
        return FormatList(self._formats.list_formats())
