"""Gives locframework the formats ``gettext-po`` and ``gettext-pot``."""

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import (
    Catalogue,
    FileOptions,
    Format,
    FormatInfo,
    SourceFile,
    WrittenFile,
)

from .reading import read_catalogue
from .writing import write_catalogue

__all__ = ["GettextFormat", "GettextPlugin", "GettextSettings"]

PO = FormatInfo(
    id="gettext-po",
    name="gettext PO",
    extension=".po",
    content_type="text/x-gettext-translation; charset=utf-8",
    comments=True,
    source_texts=True,
    marks_unreviewed=True,
    limits=("plural forms that the language needs for fractions alone",),
)
POT = FormatInfo(
    id="gettext-pot",
    name="gettext POT, template",
    extension=".pot",
    content_type="text/x-gettext-translation-template; charset=utf-8",
    comments=True,
    source_texts=True,
    is_template=True,
)
_has_msgid = re.compile(
    rb"(?:^|\A\xef\xbb\xbf)[ \t]*(?:#~[ \t]*)?msg(?:id|ctxt)[ \t]*\"", re.M
).search


class GettextFormat:
    """PO, or POT when ``info`` is that of the template.

    A template has source texts only: reading it gives entries without a value, and
    writing one leaves the values out.
    """

    def __init__(self, info: FormatInfo, wrap_width: int) -> None:
        self._info = info
        self._template = info is POT
        self._wrap_width = wrap_width

    @property
    def info(self) -> FormatInfo:
        """What the format is."""
        return self._info

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends like the format's, whatever the content.

        So a broken file is told its line. One without any name is a PO file when a
        line starts with msgid.
        """
        if file.name:
            return file.name.lower().endswith(self._info.extension)
        return not self._template and _has_msgid(file.content) is not None

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile with a Problem for each fault."""
        return [read_catalogue(file.content, options, template=self._template)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file of the one catalogue; see ``write_catalogue`` for warnings."""
        [catalogue] = catalogues
        return write_catalogue(
            catalogue, options, template=self._template, width=self._wrap_width
        )


class GettextSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of ``[plugins.gettext]``."""

    # where texts are wrapped in new files; 0 breaks them at their own lines only
    wrap_width: Annotated[int, Meta(ge=0, le=1000)] = 79


class GettextPlugin:
    """The plugin ``gettext``."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = GettextSettings

    def __init__(self, settings: GettextSettings) -> None:
        self._settings = settings

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """A translation and a template."""
        width = self._settings.wrap_width
        return [GettextFormat(PO, width), GettextFormat(POT, width)]
