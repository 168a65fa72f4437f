"""JSON file formats: nested, flat, i18next v4, Flutter's ARB, and messages."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import Format

from .arb import Arb
from .messages import ChromeJson, FormatjsJson
from .objects import FlatJson, I18nextJson, NestedJson

__all__ = ["JsonPlugin", "JsonSettings"]


class JsonSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings under ``[plugins.json]``."""

    indent: Annotated[int, Meta(ge=0, le=8)] = 2  # spaces a level; 0: all on one line


class JsonPlugin:
    """Provides arb, and json-nested, -flat, -i18next, -chrome and -formatjs."""

    settings_type: ClassVar = JsonSettings

    def __init__(self, settings: JsonSettings) -> None:
        self._indent = settings.indent

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The formats, all written with the same indent."""
        return [
            NestedJson(self._indent),
            FlatJson(self._indent),
            I18nextJson(self._indent),
            Arb(self._indent),
            ChromeJson(self._indent),
            FormatjsJson(self._indent),
        ]
