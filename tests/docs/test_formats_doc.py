"""docs/formats.md: the table is what is installed, the examples read as they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from locframework.formats.records import Catalogue, FileOptions, SourceFile
from locframework.plugins import PluginHost

PAGE = "formats.md"
FORMATS = PluginHost.discover({}).formats
SHIPPED = ("json", "gettext")
EXAMPLES = {
    "JSON, nested": "json-nested",
    "JSON, flat": "json-flat",
    "JSON, i18next v4": "json-i18next",
    "ARB": "arb",
    "gettext": "gettext-po",
}
OPTIONS = FileOptions(key_separator=".", source_language="en", language_code="de")


def read(page: Any, section: str) -> tuple[str, Catalogue]:
    text = page.sections()[section]
    [example] = page.blocks("po", text) or page.blocks("json", text)
    format_ = FORMATS[EXAMPLES[section]]
    file = SourceFile(f"x{format_.info.extension}", example.encode())
    [catalogue] = format_.read(file, OPTIONS)
    return example, catalogue


def test_the_table_is_what_the_formats_say_of_themselves(page: Any) -> None:
    rows = [row for row in page.rows(page.sections()["File formats"]) if len(row) == 7]

    host = PluginHost.discover({})
    assert {id_: row for id_, *row in rows} == {
        id_: [
            each.info.name,
            each.info.extension,
            "✓" if each.info.plurals else "",
            "✓" if each.info.comments else "",
            "✓" if each.info.source_texts else "",
            host.plugin_of_format(id_),
        ]
        for id_, each in host.formats.items()
        if host.plugin_of_format(id_) in SHIPPED
    }
    assert all(
        FORMATS[row[0]].info.can_import and FORMATS[row[0]].info.can_export
        for row in rows
    )


@pytest.mark.parametrize("section", EXAMPLES)
def test_the_example_reads_as_the_table_below_it(page: Any, section: str) -> None:
    _, catalogue = read(page, section)

    found = []
    for entry in catalogue.entries:
        value = entry.value
        forms = value if isinstance(value, Mapping) else {"": value}
        found += [(entry.key, form, text) for form, text in forms.items()]
    rows = page.rows(page.sections()[section])
    assert found == [(key, *parts(text)) for key, text in rows]


def parts(cell: str) -> tuple[str, str]:
    """Plural form and text of a cell: ``one: `…` ``, or the text alone."""
    form, found, text = cell.partition(": `")
    return (form, text) if found else ("", cell)


@pytest.mark.parametrize("section", EXAMPLES)
def test_the_example_is_written_as_it_stands(page: Any, section: str) -> None:
    example, catalogue = read(page, section)

    written = FORMATS[EXAMPLES[section]].write([catalogue], OPTIONS)

    assert written.content.decode() == example
    assert written.warnings == []


@pytest.mark.parametrize("section", EXAMPLES)
def test_the_example_is_known_for_what_it_is(page: Any, section: str) -> None:
    example, _ = read(page, section)
    extension = FORMATS[EXAMPLES[section]].info.extension

    file = SourceFile(f"de{extension}", example.encode())

    known = [id_ for id_, each in FORMATS.items() if each.recognizes(file)]
    assert known == [EXAMPLES[section]]
