"""Tables of texts: a row for each key, and a column for each language."""

from importlib.util import find_spec
from typing import ClassVar

from msgspec import Struct

from locframework import hookimpl
from locframework.ports import Format

from .table import Table

HAS_XLSX = find_spec("openpyxl") is not None
if HAS_XLSX:
    from .workbook import Xlsx

__all__ = ["TablePlugin", "TableSettings"]


class TableSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings under ``[plugins.table]``."""

    # for spreadsheets: new files begin with a byte order mark, and a quote mark keeps
    # texts such as "=1+1" from being taken for formulas
    spreadsheets: bool = True


class TablePlugin:
    """Provides the formats csv and tsv, and xlsx where openpyxl is installed."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = TableSettings

    def __init__(self, settings: TableSettings) -> None:
        self._spreadsheets = settings.spreadsheets

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The formats; of csv and tsv only the delimiter differs."""
        tsv = "text/tab-separated-values"
        formats: list[Format] = [
            Table("csv", "text/csv", ",;\t", spreadsheets=self._spreadsheets),
            Table("tsv", tsv, "\t", spreadsheets=self._spreadsheets),
        ]
        return [*formats, Xlsx()] if HAS_XLSX else formats
