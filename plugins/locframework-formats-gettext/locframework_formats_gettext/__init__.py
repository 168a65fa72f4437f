"""Gives locframework the formats ``gettext-po`` and ``gettext-pot``."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import Format

from .gettext_format import PO, POT, GettextFormat

__all__ = ["GettextFormat", "GettextPlugin", "GettextSettings"]


class GettextSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of ``[plugins.gettext]``."""

    # where texts are wrapped in written files; 0 breaks them at their own lines only
    wrap_width: Annotated[int, Meta(ge=0, le=1000)] = 79


class GettextPlugin:
    """The plugin ``gettext``."""

    settings_type: ClassVar = GettextSettings

    def __init__(self, settings: GettextSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """A translation and a template."""
        width = self._settings.wrap_width
        return [GettextFormat(PO, width), GettextFormat(POT, width)]
