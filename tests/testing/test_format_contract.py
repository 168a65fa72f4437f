"""The contract of formats passes an honest format, and catches each kind of fault."""

import itertools
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from locframework.errors import Problem, UnreadableFile
from locframework.formats.format import Format
from locframework.formats.records import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)
from locframework.testing.contracts.formats import CLASHES, TEXTS, FormatContract

Clause = Callable[[FormatContract, Format], None]


class Row(msgspec.Struct, array_like=True):
    key: str
    value: str | dict[str, str]
    description: str = ""


class Table:
    """An honest format: a JSON array of rows, key, value, description."""

    info = FormatInfo("table", "Table", ".table", "application/json", comments=True)

    def recognizes(self, file: SourceFile) -> bool:
        return file.name.endswith(".table")

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        try:
            rows = msgspec.json.decode(file.content, type=list[Row])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise refused() from None
        keys = [row.key for row in rows]
        if b"u0000" in file.content or len(set(keys)) < len(keys):
            raise refused()
        entries = [
            Entry(row.key, row.value, isinstance(row.value, dict), row.description)
            for row in rows
        ]
        return [Catalogue(None, entries)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        rows = [
            Row(
                entry.key,
                value if isinstance(value, str) else dict(sorted(value.items())),
                entry.description,
            )
            for entry in catalogues[0].entries
            if (value := entry.value)
        ]
        return WrittenFile(msgspec.json.encode(rows))


def refused(message: str = "no table") -> UnreadableFile:
    return UnreadableFile(message, [Problem("line 1", "syntax", message)])


class TestTable(FormatContract):
    samples = {"table": b' [ ["a.b", "x", "about"], ["c", {"one": "1"}] ] '}  # noqa: RUF012
    unreadable = {"a key twice": b'[["a", "x"], ["a", "y"]]'}  # noqa: RUF012

    @pytest.fixture
    def format(self) -> Format:
        return Table()


class BadInfo(Table):
    info = FormatInfo("My Table", "Table", "table", "json")


class Unsteady(Table):
    numbers = itertools.count()

    def write(self, catalogues, options):
        written = super().write(catalogues, options)
        return WrittenFile(written.content + b" " * next(self.numbers))


class InOrderOfForms(Table):
    def write(self, catalogues, options):
        rows = [Row(entry.key, entry.value) for entry in catalogues[0].entries]
        return WrittenFile(msgspec.json.encode(rows))


class Reading(Table):
    """A table whose entries are altered on the way in."""

    def altered(self, entry: Entry) -> Entry | None:
        return entry

    def read(self, file, options):
        (catalogue,) = super().read(file, options)
        altered = (self.altered(entry) for entry in catalogue.entries)
        entries = [entry for entry in altered if entry]
        return [Catalogue(catalogue.language_code, entries)]


class WithoutLastKey(Reading):
    def altered(self, entry):
        return None if entry.key == "save" else entry


class WithoutPlurals(Reading):
    def altered(self, entry):
        return None if entry.is_plural else entry


class WithoutFlag(Reading):
    def altered(self, entry):
        return msgspec.structs.replace(entry, is_plural=False)


class WithoutDescriptions(Reading):
    def altered(self, entry):
        return msgspec.structs.replace(entry, description="")


class Trimming(Reading):
    def altered(self, entry):
        if isinstance(entry.value, dict):
            return entry
        return msgspec.structs.replace(entry, value=entry.value.strip())


class Normalizing(Reading):
    def altered(self, entry):
        if isinstance(entry.value, dict):
            return entry
        value = unicodedata.normalize("NFC", entry.value)
        return msgspec.structs.replace(entry, value=value)


class LowerCase(Reading):
    def altered(self, entry):
        return msgspec.structs.replace(entry, key=entry.key.lower())


class WithoutClashes(Reading):
    def altered(self, entry):
        return None if entry.key == "qa.b" else entry


class WithoutOtherlessPlurals(Reading):
    def altered(self, entry):
        otherless = isinstance(entry.value, dict) and "other" not in entry.value
        return None if otherless else entry


class WithEmptyTexts(Table):
    def write(self, catalogues, options):
        rows = [Row(entry.key, entry.value or "") for entry in catalogues[0].entries]
        return WrittenFile(msgspec.json.encode(rows))


class WrongLines(Reading):
    def altered(self, entry):
        return msgspec.structs.replace(entry, line=0)


class WrongLanguage(Table):
    def read(self, file, options):
        return [Catalogue("en", super().read(file, options)[0].entries)]


class Raising(Table):
    def read(self, file, options):
        return self.read_rows(file)

    def read_rows(self, file):
        rows = msgspec.json.decode(file.content, type=list[Row])
        return [Catalogue(None, [Entry(row.key, row.value) for row in rows])]


class WithoutProblems(Table):
    def read(self, file, options):
        try:
            return super().read(file, options)
        except UnreadableFile:
            raise UnreadableFile("no table") from None


class Garrulous(Table):
    def read(self, file, options):
        try:
            return super().read(file, options)
        except UnreadableFile:
            raise refused("no table: \udcff") from None


class Lenient(Table):
    def read(self, file, options):
        try:
            return super().read(file, options)
        except UnreadableFile:
            return [Catalogue(None, [])]


class WithNul(Table):
    def read(self, file, options):
        return [Catalogue(None, [Entry("a", "\0")])]


class FailingToRecognize(Table):
    def recognizes(self, file):
        return b"row" in file.content or file.content.decode() == ""


class RecognizingAll(Table):
    def recognizes(self, file):
        return True


class RecognizingNothing(Table):
    def recognizes(self, file):
        return False


class Remembering(Table):
    def __init__(self) -> None:
        self.seen: dict[str, Entry] = {}

    def read(self, file, options):
        for entry in super().read(file, options)[0].entries:
            self.seen[entry.key] = entry
        return [Catalogue(None, list(self.seen.values()))]


class WithNewDetail(Reading):
    numbers = itertools.count()

    def altered(self, entry):
        return msgspec.structs.replace(entry, detail={"n": next(self.numbers)})


C = FormatContract
FAULTS: list[tuple[type[Table], Clause]] = [
    (BadInfo, C.test_f1_the_info_is_well_formed_and_stays_the_same),
    (Unsteady, C.test_f2_the_same_catalogue_gives_the_same_bytes),
    (InOrderOfForms, C.test_f2_the_same_catalogue_gives_the_same_bytes),
    (WithoutLastKey, C.test_f3_every_key_and_text_comes_back),
    (WithoutPlurals, lambda c, f: c.test_f4_plural_forms_come_back(f, "ja")),
    (WithoutFlag, lambda c, f: c.test_f4_plural_forms_come_back(f, "en")),
    (WithoutDescriptions, C.test_f5_descriptions_come_back),
    (
        Trimming,
        lambda c, f: c.test_f8_a_text_comes_back_character_for_character(
            f, TEXTS["spaces around"]
        ),
    ),
    (
        Normalizing,
        lambda c, f: c.test_f8_a_text_comes_back_character_for_character(
            f, TEXTS["combining marks"]
        ),
    ),
    (LowerCase, lambda c, f: c.test_f9_every_legal_key_comes_back(f, ".")),
    (WithEmptyTexts, C.test_f11_an_entry_without_a_text_leaves_the_others_alone),
    (
        WithoutOtherlessPlurals,
        lambda c, f: c.test_f12_forms_that_do_not_come_back_are_told(f, ("one",)),
    ),
    (
        WithoutClashes,
        lambda c, f: c.test_f13_keys_that_clash_come_back_or_are_told(
            f, CLASHES["a text above others"]
        ),
    ),
    (Raising, C.test_f15_a_damaged_file_is_refused_with_problems_or_read),
    (WithoutProblems, C.test_f15_a_damaged_file_is_refused_with_problems_or_read),
    (Garrulous, C.test_f15_a_damaged_file_is_refused_with_problems_or_read),
    (WithNul, C.test_f15_a_damaged_file_is_refused_with_problems_or_read),
    (Lenient, C.test_f16_what_the_format_calls_unreadable_is_refused),
    (FailingToRecognize, C.test_f17_recognizing_never_fails),
    (RecognizingNothing, C.test_f18_its_own_files_are_recognized),
    (
        RecognizingAll,
        lambda c, f: c.test_f19_strangers_are_not_recognized(f, "main.py"),
    ),
    (WrongLines, C.test_f20_lines_are_in_the_file),
    (WrongLanguage, C.test_f21_the_language_is_the_one_written_or_not_told),
    (WithNewDetail, C.test_f23_what_was_read_can_be_written_and_reads_the_same),
    (Remembering, C.test_f24_calls_share_nothing),
]


@pytest.mark.parametrize(
    ("fault", "clause"),
    FAULTS,
    ids=[f"{number}-{fault.__name__}" for number, (fault, _) in enumerate(FAULTS)],
)
def test_a_fault_is_caught(fault: type[Table], clause: Clause) -> None:
    contract = TestTable()
    clause(contract, Table())  # the honest one passes

    with pytest.raises((AssertionError, msgspec.MsgspecError, UnicodeDecodeError)):
        clause(contract, fault())


def test_an_ability_declared_missing_has_to_be_missing() -> None:
    contract = type("Modest", (TestTable,), {"cannot": {"recognize": "too modest"}})()

    with pytest.raises(AssertionError):
        contract.test_f18_its_own_files_are_recognized(Table())


def test_the_clauses_are_those_of_the_document() -> None:
    document = Path(__file__).parents[2] / "docs" / "contracts.md"
    told = re.findall(r"^- \*\*F(\d+)\*\*", document.read_text("utf-8"), re.M)
    tests = [name for name in vars(FormatContract) if name.startswith("test_")]

    assert told == [str(number) for number in range(1, len(told) + 1)]
    assert [re.sub(r"test_f(\d+)_.*", r"\1", name) for name in tests] == told
