"""Resources of .NET and of Windows apps: ``.resx`` and ``.resw``."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .resx import Resx

__all__ = ["DotnetPlugin"]


class DotnetPlugin:
    """Provides the formats resx and resw."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """Both formats; only the extension differs."""
        return [
            Resx("resx", ".NET resources (RESX)"),
            Resx("resw", "Windows app resources (RESW)"),
        ]
