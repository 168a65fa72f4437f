"""The formats of the plugin keep the contract of the port."""

import io
from collections.abc import Mapping
from typing import ClassVar

import openpyxl
import pytest
from locframework_formats_table import TablePlugin, TableSettings

from locframework.ports import Catalogue, Entry, Format, write_archive
from locframework.testing.contracts.formats import FormatContract, Sample

MARK = b"\xef\xbb\xbf"
PLAIN = '''\
key,en,de,de status
cart.pay,Pay now,Jetzt zahlen,approved
"cart.title","Your ""cart""",Dein Korb,needs review
Sign in,Sign in,,
formula,'=1+1,'=1+1,final
lines,"one
two",eins,

,,a row without a key
'''
EXPECTED = {
    "en": [
        Entry("cart.pay", "Pay now", line=2),
        Entry("cart.title", 'Your "cart"', line=3),
        Entry("Sign in", "Sign in", line=4),
        Entry("formula", "=1+1", line=5),
        Entry("lines", "one\ntwo", line=6),
    ],
    "de": [
        Entry("cart.pay", "Jetzt zahlen", line=2),
        Entry("cart.title", "Dein Korb", needs_review=True, line=3),
        Entry("formula", "=1+1", line=5),
        Entry("lines", "eins", line=6),
    ],
}
REWRITTEN = (
    PLAIN.replace('"cart.title"', "cart.title")
    .replace("approved\n", "\n")
    .replace("final\n", "\n")
    .replace("Sign in,,\n", "Sign in\n")
    .replace("\n,,a row without a key", "")
    .replace("\n\n", "\n")
    .replace("zahlen,\n", "zahlen\n")
    .replace("'=1+1,\n", "'=1+1\n")
    .replace("eins,\n", "eins\n")
)
RICH = """\
sep=;\r
"ID";"Plural form";"Comment";"Picture";"Max length";"German (de)";"Status"\r
"a";"";"A button";"a.png";"12";"Sichern";"Fuzzy"\r
"b";"one";"";"";"";"ein Ding";""\r
"b";"other";"";"b.png";"";"{n} Dinge";"ok"\r
"c";"";"";"";"";"'''-1";""\r
"""
RICH_REWRITTEN = """\
key,form,description,max length,de,de status
a,,A button,12,Sichern,needs review
b,one,,,ein Ding
b,other,,,{n} Dinge
c,,,,'''-1
"""
RICH_EXPECTED = {
    "de": [
        Entry(
            "a",
            "Sichern",
            description="A button",
            needs_review=True,
            max_length=12,
            line=3,
        ),
        Entry("b", {"one": "ein Ding", "other": "{n} Dinge"}, is_plural=True, line=4),
        Entry("c", "''-1", line=6),
    ]
}
UNREADABLE = {
    "empty": (b"\n\n", 1),
    "no language": (b"\nkey,price\na,1\n", 2),
    "a quote is open": (b'key,en\na,b\nc,"d\ne,f\n', 3),
    "a quote too much": (b'key,en\na,"b"c\n', 2),
    "a key twice": (b"key,en\na,x\nb,y\na,z\n", 4),
    "with forms and without": (b"key,form,en\na,,x\na,one,z\n", 3),
    "without forms and with": (b"key,form,en\na,one,x\na,,z\n", 3),
    "no plural form": (b"key,form,en\na,,x\nb,some,z\n", 3),
    "not utf-8": (b"key,en\na,x\nb,\xfc\n", 3),
}


def format_named(name: str, *, spreadsheets: bool = True) -> Format:
    formats = TablePlugin(TableSettings(spreadsheets)).loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


def with_tabs(text: str) -> bytes:
    return text.replace(",", "\t").encode()


class TestCsv(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "plain": Sample(PLAIN.encode(), EXPECTED, MARK + REWRITTEN.encode()),
        "rich": Sample(
            MARK + RICH.encode(), RICH_EXPECTED, MARK + RICH_REWRITTEN.encode()
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("csv")


class TestTsv(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "plain": Sample(with_tabs(PLAIN), EXPECTED, MARK + with_tabs(REWRITTEN))
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        name: (content.replace(b",", b"\t"), line)
        for name, (content, line) in UNREADABLE.items()
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("tsv")


class TestCsvForPrograms(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "a formula": Sample(
            b"key,en\na,=1+1\nb,'=1\n",
            {"en": [Entry("a", "=1+1", line=2), Entry("b", "'=1", line=3)]},
        )
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("csv", spreadsheets=False)


def workbook(rows: list[list[object]]) -> bytes:
    """A workbook of one sheet, after an empty one."""
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Shop")
    for row in rows:
        sheet.append(row)
    for row_of_cells in sheet.iter_rows():
        for cell in row_of_cells:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # no formula
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def rewritten(expected: Mapping[str, list[Entry]]) -> bytes:
    """What is written of entries; test_xlsx.py tests what is in it."""
    keys = [entry.key for some in expected.values() for entry in some]
    catalogues = []
    for code, some in expected.items():
        own = {entry.key: entry for entry in some}
        entries = [own.get(key, Entry(key)) for key in dict.fromkeys(keys)]
        catalogues.append(Catalogue(code, entries))
    return format_named("xlsx").write(catalogues, FormatContract.options).content


PLAIN_ROWS: list[list[object]] = [
    ["key", "en", "de", "de status"],
    ["cart.pay", "Pay now", "Jetzt zahlen", "approved"],
    ["cart.title", 'Your "cart"', "Dein Korb", "needs review"],
    ["Sign in", "Sign in", None, None],
    ["formula", "=1+1", "=1+1", "final"],
    ["lines", "one\ntwo", "eins"],
    [],
    [None, None, "a row without a key"],
]
RICH_ROWS: list[list[object]] = [
    [],
    ["ID", "Plural form", "Comment", "Picture", "Max length", "German (de)", "Status"],
    ["a", None, "A button", "a.png", 12, "Sichern", "Fuzzy"],
    ["b", "one", None, None, None, "ein Ding"],
    ["b", "other", None, "b.png", None, "{n} Dinge", "ok"],
    ["c", None, None, None, None, "''-1", None, None],
]


class TestXlsx(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {
        "template": "lines of a workbook do not tell what changes: see test_xlsx.py"
    }
    samples: ClassVar[Mapping[str, Sample]] = {
        "plain": Sample(workbook(PLAIN_ROWS), EXPECTED, rewritten(EXPECTED)),
        "rich": Sample(workbook(RICH_ROWS), RICH_EXPECTED, rewritten(RICH_EXPECTED)),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "no archive of a workbook": (write_archive([]), 1),
        "empty": (workbook([]), 1),
        "no language": (workbook([[], ["key", "price"], ["a", 1]]), 2),
        "a key twice": (workbook([["key", "en"], ["a", "x"], ["a", "z"]]), 3),
        "no plural form": (workbook([["key", "form", "en"], ["b", "some", "z"]]), 2),
        "too many columns": (workbook([["key", "en"], ["a"] * 1001]), 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("xlsx")

    def test_f33_a_file_is_in_the_charset_of_its_content_type(
        self, format: Format
    ) -> None:
        assert "charset" not in format.info.content_type  # an archive has none
