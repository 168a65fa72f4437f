"""The contract of formats passes an honest format, and catches each kind of fault."""

import itertools
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from locframework.errors import Problem, UnreadableFile
from locframework.formats.format import Format
from locframework.formats.records import Catalogue, Entry, FormatInfo, WrittenFile
from locframework.testing.contracts.formats import CLASHES, TEXTS, FormatContract

Clause = Callable[[FormatContract, Format], None]


class Row(msgspec.Struct, array_like=True):
    key: str
    value: str | dict[str, str]
    description: str = ""


class Table:
    """An honest format: a JSON array of rows, key, value, description."""

    info = FormatInfo("table", "Table", ".table", "application/json", comments=True)

    def recognizes(self, file):
        return file.name.endswith(".table")

    def read(self, file, options):
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

    def write(self, catalogues, options):
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


def refused(message="no table"):
    return UnreadableFile(message, [Problem("line 1", "syntax", message)])


class TestTable(FormatContract):
    samples = {"table": b' [ ["a.b", "x", "about"], ["c", {"one": "1"}] ] '}  # noqa: RUF012
    unreadable = {"a key twice": b'[["a", "x"], ["a", "y"]]'}  # noqa: RUF012

    @pytest.fixture
    def format(self):
        return Table()


class Faulty(Table):
    """A table some of whose attributes are replaced."""

    def __init__(self, **attributes):
        for name, attribute in attributes.items():
            setattr(self, name, attribute)


def altering(alter):
    """A table whose entries are altered, or lost, on the way in."""

    def read(file, options):
        (catalogue,) = Table().read(file, options)
        entries = [new for entry in catalogue.entries if (new := alter(entry))]
        return [Catalogue(catalogue.language_code, entries)]

    return Faulty(read=read)


def setting(**changes):
    """A table that gives entries other fields than the file has."""

    def alter(entry):
        fields = {name: change(entry) for name, change in changes.items()}
        return msgspec.structs.replace(entry, **fields)

    return altering(alter)


def texts(change):
    """A table that changes texts that are no plurals."""
    return setting(
        value=lambda e: change(e.value) if isinstance(e.value, str) else e.value
    )


def refusing(refuse):
    """A table that answers a file that is none in its own way."""

    def read(file, options):
        try:
            return Table().read(file, options)
        except UnreadableFile:
            return refuse()

    return Faulty(read=read)


def failing(error):
    raise error


def writing(rows_of, end=""):
    """A table with other rows; ``end`` is repeated one time more at each writing."""
    numbers = itertools.count()

    def write(catalogues, options):
        content = msgspec.json.encode(rows_of(catalogues[0].entries))
        return WrittenFile(content + end.encode() * next(numbers))

    return Faulty(write=write)


def remembering():
    """A table that gives all that it has ever read."""
    seen = {}

    def read(file, options):
        seen.update((e.key, e) for e in Table().read(file, options)[0].entries)
        return [Catalogue(None, list(seen.values()))]

    return Faulty(read=read)


def is_otherless(entry):
    return isinstance(entry.value, dict) and "other" not in entry.value


C = FormatContract
NUMBERS = itertools.count()
F8 = C.test_f6_a_text_comes_back_character_for_character
F15 = C.test_f12_a_damaged_file_is_refused_with_problems_or_read
FAULTS: dict[str, tuple[Format, Clause]] = {
    "bad info": (
        Faulty(info=FormatInfo("My Table", "Table", "table", "json")),
        C.test_f1_the_info_is_well_formed_and_stays_the_same,
    ),
    "unsteady": (
        writing(lambda entries: [Row(e.key, e.value) for e in entries], end=" "),
        C.test_f2_the_same_catalogue_gives_the_same_bytes,
    ),
    "in order of forms": (
        writing(lambda entries: [Row(e.key, e.value) for e in entries]),
        C.test_f2_the_same_catalogue_gives_the_same_bytes,
    ),
    "without the last key": (
        altering(lambda entry: None if entry.key == "save" else entry),
        lambda c, f: c.test_f3_every_key_and_text_comes_back(f, 1),
    ),
    "without plurals": (
        altering(lambda entry: None if entry.is_plural else entry),
        lambda c, f: c.test_f4_plural_forms_come_back(f, "ja"),
    ),
    "without the flag": (
        setting(is_plural=lambda _: False),
        lambda c, f: c.test_f4_plural_forms_come_back(f, "en"),
    ),
    "without descriptions": (
        setting(description=lambda _: ""),
        C.test_f5_descriptions_and_source_texts_come_back,
    ),
    "trimming": (texts(str.strip), lambda c, f: F8(c, f, TEXTS["spaces around"])),
    "normalizing": (
        texts(lambda text: unicodedata.normalize("NFC", text)),
        lambda c, f: F8(c, f, TEXTS["combining marks"]),
    ),
    "lower case": (
        setting(key=lambda entry: entry.key.lower()),
        lambda c, f: c.test_f7_every_legal_key_comes_back(f, "."),
    ),
    "empty texts": (
        writing(lambda entries: [Row(e.key, e.value or "") for e in entries]),
        C.test_f8_an_entry_without_a_text_leaves_the_others_alone,
    ),
    "without plurals that lack other": (
        altering(lambda entry: None if is_otherless(entry) else entry),
        lambda c, f: c.test_f9_forms_that_do_not_come_back_are_told(f, ("one",)),
    ),
    "without clashes": (
        altering(lambda entry: None if entry.key == "qa.b" else entry),
        lambda c, f: c.test_f10_keys_that_clash_come_back_or_are_told(
            f, CLASHES["a text above others"]
        ),
    ),
    "raising": (refusing(lambda: failing(KeyError("row"))), F15),
    "without problems": (refusing(lambda: failing(UnreadableFile("no table"))), F15),
    "garrulous": (refusing(lambda: failing(refused("no table: \udcff"))), F15),
    "with nul": (refusing(lambda: [Catalogue(None, [Entry("a", "\0")])]), F15),
    "lenient": (
        refusing(lambda: [Catalogue(None, [])]),
        C.test_f13_what_the_format_calls_unreadable_is_refused,
    ),
    "failing to recognize": (
        Faulty(recognizes=lambda file: bool(file.content.decode())),
        C.test_f14_recognizing_never_fails,
    ),
    "recognizing nothing": (
        Faulty(recognizes=lambda file: False),
        C.test_f15_its_own_files_are_recognized,
    ),
    "recognizing all": (
        Faulty(recognizes=lambda file: True),
        lambda c, f: c.test_f16_strangers_are_not_recognized(f, "main.py"),
    ),
    "wrong lines": (setting(line=lambda _: 0), C.test_f17_lines_are_in_the_file),
    "wrong language": (
        Faulty(read=lambda *given: [Catalogue("en", Table().read(*given)[0].entries)]),
        C.test_f18_the_language_is_the_one_written_or_not_told,
    ),
    "with a new detail": (
        setting(detail=lambda _: {"n": next(NUMBERS)}),
        C.test_f20_what_was_read_can_be_written_and_reads_the_same,
    ),
    "remembering": (remembering(), C.test_f21_calls_share_nothing),
    "without empty lines": (
        altering(lambda entry: None if entry.value == "\n \n" else entry),
        C.test_f22_any_catalogue_comes_back_or_is_told,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name):
    contract = TestTable()
    fault, clause = FAULTS[name]
    clause(contract, Table())  # the honest one passes

    with pytest.raises((AssertionError, KeyError, UnicodeDecodeError)):
        clause(contract, fault)


def test_an_ability_declared_missing_has_to_be_missing():
    contract = type("Modest", (TestTable,), {"cannot": {"recognize": "too modest"}})()

    with pytest.raises(AssertionError):
        contract.test_f15_its_own_files_are_recognized(Table())


def test_the_clauses_are_those_of_the_document():
    document = Path(__file__).parents[2] / "docs" / "internals" / "contracts.md"
    told = re.findall(r"^- \*\*F(\d+)\*\*", document.read_text("utf-8"), re.M)
    tests = [name for name in vars(FormatContract) if name.startswith("test_")]

    assert told == [str(number) for number in range(1, len(told) + 1)]
    assert [re.sub(r"test_f(\d+)_.*", r"\1", name) for name in tests] == told
