"""Files with a line for each key: Java's properties, INI, TOML."""

from typing import ClassVar

from msgspec import Struct

from locframework import hookimpl
from locframework.ports import Format

from .ini import Ini
from .properties import Properties
from .toml import Toml

__all__ = ["PropertiesPlugin", "PropertiesSettings"]


class PropertiesSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings under ``[plugins.properties]``."""

    utf8: bool = False  # new files are in UTF-8, and not in ASCII with \uXXXX


class PropertiesPlugin:
    """Provides the formats java-properties, ini and toml."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = PropertiesSettings

    def __init__(self, settings: PropertiesSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The formats."""
        return [Properties(utf8=self._settings.utf8), Ini(), Toml()]
