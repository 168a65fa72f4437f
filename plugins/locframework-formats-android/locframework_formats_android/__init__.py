"""String resources of Android and of Compose Multiplatform: ``strings.xml``."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .contents import AndroidContents, ComposeContents
from .strings_xml import StringsXml

__all__ = ["AndroidPlugin"]


class AndroidPlugin:
    """Provides the formats android-xml and compose-xml."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """Both formats; only what texts look like in the file differs."""
        return [
            StringsXml("android-xml", "Android strings.xml", AndroidContents()),
            StringsXml(
                "compose-xml", "Compose Multiplatform strings.xml", ComposeContents()
            ),
        ]
