"""What a workbook keeps, what is refused, and that LibreOffice reads what we write."""

import csv
import io
import os
import shutil
import subprocess
import sys
import zipfile

import openpyxl
import pytest
from locframework_formats_table import TablePlugin, TableSettings
from openpyxl.styles import Font, PatternFill

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
    write_archive,
)
from locframework.testing.contracts.formats import TEXTS
from tests.empty_databases import REQUIRED_VARIABLE

OPTIONS = FileOptions(".", "en")
XLSX = TablePlugin(TableSettings()).loc_provide_formats()[2]
ROWS = [
    ["key", "comment", "en", "de", "price"],
    ["cart.pay", "A button", "Pay now", "Jetzt zahlen", 12.5],
    ["cart.title", None, "Cart", None, "=E2*2"],
    [None, None, "a heading"],
    ["total", None, "=SUM", "'=Summe", True],
]


def saved(book):
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


@pytest.fixture(scope="module")
def shop():
    """A workbook with a sheet of texts, among others."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active["A1"] = "key"
    book.active["B7"] = "=1+1"
    sheet = book.create_sheet("Texts")
    for row in ROWS:
        sheet.append(row)
    for place in ("C5", "D5"):
        sheet[place].data_type = "s"
    sheet.column_dimensions["C"].width = 55
    sheet["C2"].font = Font(bold=True)
    sheet["C3"].fill = PatternFill("solid", fgColor="FFFF00")
    return saved(book)


def read(content):
    """The entries by language."""
    found = XLSX.read(SourceFile("x.xlsx", content), OPTIONS)
    return {each.language_code: {e.key: e for e in each.entries} for each in found}


def written(texts, template=None):
    """The file of texts by language and key, and its warnings."""
    keys = dict.fromkeys(key for own in texts.values() for key in own)
    catalogues = [
        Catalogue(code, [Entry(k, own.get(k)) for k in keys], template=template)
        for code, own in texts.items()
    ]
    done = XLSX.write(catalogues, OPTIONS)
    return done.content, done.warnings


def texts_in(content):
    return {
        code: {key: entry.value for key, entry in own.items() if entry.value}
        for code, own in read(content).items()
    }


def cells(content, sheet="Texts"):
    """The rows of a sheet, as they are in the file."""
    sheet = openpyxl.load_workbook(io.BytesIO(content))[sheet]
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def test_texts_are_read_from_the_first_sheet_that_is_a_table(shop):
    found = read(shop)

    assert texts_in(shop) == {
        "en": {"cart.pay": "Pay now", "cart.title": "Cart", "total": "=SUM"},
        "de": {"cart.pay": "Jetzt zahlen", "total": "'=Summe"},
    }
    assert found["en"]["cart.pay"].description == "A button"
    assert found["en"]["total"].line == 5


def test_without_a_change_the_same_bytes_come_back(shop):
    assert written(texts_in(shop), shop) == (shop, [])


def test_one_text_changes_one_cell(shop):
    texts = texts_in(shop)
    texts["de"]["cart.title"] = "=Korb"

    made, _ = written(texts, shop)

    expected = [[*row, *[None] * (5 - len(row))] for row in ROWS]
    expected[2][3] = "=Korb"
    assert cells(made) == expected
    assert cells(made, "Notes") == cells(shop, "Notes")
    book = openpyxl.load_workbook(io.BytesIO(made))
    sheet = book["Texts"]
    assert book.sheetnames == ["Notes", "Texts"]
    assert sheet.column_dimensions["C"].width == 55
    assert sheet["C2"].font.b
    assert [sheet[place].data_type for place in ("D3", "C5", "E3")] == ["s", "s", "f"]
    assert texts_in(made) == texts


def test_rows_and_columns_come_and_go(shop):
    texts = {
        "en": {"cart.title": "Cart", "cart.zoom": "Zoom", "total": "=SUM"},
        "fr": {"cart.title": "Panier"},
    }

    made, _ = written(texts, shop)

    assert cells(made) == [
        ["key", "comment", "en", "de", "price", "fr"],
        ["cart.title", None, "Cart", None, "=E2*2", "Panier"],
        ["cart.zoom", None, "Zoom", None, None, None],
        [None, None, "a heading", None, None, None],
        ["total", None, "=SUM", "'=Summe", True, None],
    ]
    sheet = openpyxl.load_workbook(io.BytesIO(made))["Texts"]
    assert sheet["C3"].fill.fgColor.rgb == sheet["C2"].fill.fgColor.rgb == "00FFFF00"
    gone, _ = written({"en": {"total": "1"}, "de": {}}, shop)
    assert [row[0] for row in cells(gone)] == ["key", None, "total"]


def test_new_workbooks_have_the_same_bytes_at_any_time(shop):
    program = """if True:
        import datetime, sys
        import openpyxl.packaging.core as core
        sys.path += ["."]
        from locframework_formats_table.workbook import Xlsx
        from locframework.ports import Catalogue, Entry, FileOptions
        class Later(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                return cls(2040, 1, 1, tzinfo=tz)
        datetime.datetime = Later
        catalogue = Catalogue("en", [Entry("a", "A")])
        made = Xlsx().write([catalogue], FileOptions(".", "en"))
        sys.stdout.buffer.write(made.content)
    """
    command = [sys.executable, "-c", program]
    later = subprocess.run(command, check=True, capture_output=True).stdout

    assert written({"en": {"a": "A"}})[0] == later


def test_texts_that_spreadsheets_may_show_otherwise_are_told():
    texts = {"long": "x" * 40_000, "escape": "_x0041_", "plain": "_x"}

    _, warnings = written({"en": texts})

    assert [each.split()[0] for each in warnings] == ["long", "escape"]


def test_merged_cells_are_left_as_they_are(shop):
    book = openpyxl.load_workbook(io.BytesIO(shop))
    book["Texts"].merge_cells("C3:D3")
    texts = {"en": {"cart.title": "Cart"}, "de": {"cart.title": "Korb"}}

    _, warnings = written(texts, saved(book))

    assert warnings == ["cart.title is left out: its cells are merged"]


def with_sheet(xml, string=b""):
    """A workbook with other XML of its sheet, and one shared string."""
    book = openpyxl.Workbook()
    book.active.append(["key", "en"])
    with zipfile.ZipFile(io.BytesIO(saved(book))) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    names = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    strings = b"<sst %s><si><t>%s</t></si></sst>" % (names, string)
    files["xl/sharedStrings.xml"] = strings
    types, part = "[Content_Types].xml", b'<Override PartName="/xl/sharedStrings.xml" '
    part += b'ContentType="application/vnd.openxmlformats-officedocument.'
    part += b'spreadsheetml.sharedStrings+xml"/></Types>'
    files[types] = files[types].replace(b"</Types>", part)
    head = b"<worksheet %s><sheetData>" % names
    files["xl/worksheets/sheet1.xml"] = head + xml + b"</sheetData></worksheet>"
    return write_archive([SourceFile(name, each) for name, each in files.items()])


CELL = b'<c r="%s" t="inlineStr"><is><t>%s</t></is></c>'
HEAD = b'<row r="1">' + CELL % (b"A1", b"key") + CELL % (b"B1", b"en") + b"</row>"


@pytest.mark.parametrize(
    "xml",
    [
        HEAD + b'<row r="1048576">' + CELL % (b"A1048576", b"a") + b"</row>",
        HEAD + b'<row r="99999999999">' + CELL % (b"A99999999999", b"a") + b"</row>",
        HEAD + b'<row r="2">' + CELL % (b"XFD2", b"a") + b"</row>",
        HEAD + b'<row r="2">' + CELL % (b"A2", b"a" * 22_000_000) + b"</row>",
        HEAD + (b"<row>" + b"<c><v>0</v></c>" * 2 + b"</row>") * 200_001,
        b"<row>" * 100_000,
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + HEAD,
    ],
    ids=["rows", "a far row", "columns", "bytes", "many rows", "depth", "entities"],
)
def test_what_is_too_much_is_refused(xml):
    content = with_sheet(xml)

    with pytest.raises(UnreadableFile):
        read(content)


def test_one_long_text_in_many_cells_is_refused():
    rows = HEAD + b'<row><c t="s"><v>0</v></c></row>' * 60

    with pytest.raises(UnreadableFile, match="characters"):
        read(with_sheet(rows, b"x" * 1_000_000))


@pytest.mark.judge
def test_libreoffice_reads_every_text_and_we_read_what_it_stores(tmp_path):
    office = shutil.which("soffice")
    if office is None:
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail("LibreOffice is not installed")
        pytest.skip("LibreOffice is not installed")
    texts = {f"k{at}": text for at, text in enumerate(TEXTS.values())}
    texts = {key: text[:20_000] for key, text in texts.items() if "\r" not in text}
    made, _ = written({"en": texts, "de": {"k0": "=1+1"}})
    (tmp_path / "in.xlsx").write_bytes(made)

    def convert(kind, name):
        command = [office, f"-env:UserInstallation=file://{tmp_path}/home"]
        command += ["--headless", "--convert-to", kind, "--outdir", tmp_path / "out"]
        subprocess.run([*command, name], check=True, capture_output=True, cwd=tmp_path)

    convert("csv:Text - txt - csv (StarCalc):44,34,76", "in.xlsx")
    convert("xlsx", "in.xlsx")

    content = (tmp_path / "out" / "in.csv").read_text("utf-8")
    rows = list(csv.reader(io.StringIO(content, newline="")))
    assert rows[0] == ["key", "en", "de"]
    assert {row[0]: row[1] for row in rows[1:]} == texts
    assert rows[1][2] == "=1+1"
    stored = (tmp_path / "out" / "in.xlsx").read_bytes()
    assert texts_in(stored) == {"en": texts, "de": {"k0": "=1+1"}}


def test_without_openpyxl_the_format_is_not_offered():
    program = """if True:
        import sys
        sys.modules["openpyxl"] = None
        from locframework_formats_table import TablePlugin, TableSettings
        formats = TablePlugin(TableSettings()).loc_provide_formats()
        print(*[each.info.id for each in formats])
    """
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, check=True, capture_output=True, text=True)

    assert told.stdout.split() == ["csv", "tsv"]
