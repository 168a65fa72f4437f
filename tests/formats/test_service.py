"""Formats are found by id or by the file, and none of them can break the caller."""

from collections.abc import Sequence

import pytest

from locframework.errors import FormatFailed, Problem, UnknownFormat, UnreadableFile
from locframework.formats.format import Format
from locframework.formats.records import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)
from locframework.formats.service import Formats

OPTIONS = FileOptions(".", "en")
FILE = SourceFile("de.lines", b"a=b")


class Lines:
    """``key=text`` a line; what a small plugin looks like."""

    def __init__(
        self,
        id_: str = "lines",
        *,
        can_import: bool = True,
        can_export: bool = True,
    ) -> None:
        self.info = FormatInfo(
            id_, "Lines", ".lines", "text/plain", can_import, can_export
        )

    def recognizes(self, file: SourceFile) -> bool:
        return b"=" in file.content

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        pairs = (line.split("=") for line in file.content.decode().splitlines())
        return [Catalogue(None, [Entry(key, text) for key, text in pairs])]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        entries = catalogues[0].entries
        return WrittenFile("".join(f"{e.key}={e.value}\n" for e in entries).encode())


class Broken(Lines):
    def recognizes(self, file: SourceFile) -> bool:
        raise RecursionError

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        raise KeyError("secret")


class Numbers(Lines):
    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        return [Catalogue(None, [Entry("pay", 5)])]  # type: ignore[arg-type]


class Picky(Lines):
    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        lines = range(1, 251)
        raise UnreadableFile(
            "no", [Problem(f"line {n}", "syntax", "no") for n in lines]
        )


def formats(*them: Format) -> Formats:
    return Formats({each.info.id: each for each in them}, lambda id_: f"of-{id_}")


def test_formats_are_listed_by_id_with_their_plugin() -> None:
    listed = formats(Lines("b-x"), Lines("a-x")).list_formats()

    assert [(info.id, info.plugin) for info in listed] == [
        ("a-x", "of-a-x"),
        ("b-x", "of-b-x"),
    ]


def test_a_format_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownFormat, match="available: lines"):
        formats(Lines()).to_read("xliff")
    with pytest.raises(UnknownFormat, match="available: none"):
        formats().to_write("x" * 5000)


def test_an_unknown_format_is_refused_with_the_nearest_one() -> None:
    two = formats(Lines("arb"), Lines("json-i18next"))

    with pytest.raises(UnknownFormat) as refused:
        two.to_write("i18next")

    assert refused.value.message == (
        "there is no format 'i18next'; did you mean 'json-i18next'? "
        "available: arb, json-i18next"
    )


def test_a_format_does_only_what_it_says_it_can() -> None:
    two = formats(Lines("in", can_export=False), Lines("out", can_import=False))

    assert two.to_read("in").id == "in"
    assert two.to_write("out").id == "out"
    with pytest.raises(UnknownFormat):
        two.to_write("in")
    with pytest.raises(UnknownFormat):
        two.read("out", FILE, OPTIONS)


def test_the_only_format_that_knows_a_file_is_found() -> None:
    two = formats(Lines(), Lines("other", can_import=False))

    assert two.detect(FILE).id == "lines"


def test_nothing_is_guessed_when_several_know_the_file() -> None:
    with pytest.raises(UnknownFormat, match="any of lines, rows"):
        formats(Lines("rows"), Lines("lines")).detect(FILE)


def test_a_file_that_none_knows_is_refused_and_the_formats_are_told() -> None:
    two = formats(Lines(), Lines("other", can_import=False))

    with pytest.raises(UnknownFormat) as refused:
        two.detect(SourceFile("strings.xml", b""))

    told = "no format recognizes strings.xml; choose one with format: lines"
    assert refused.value.message == told


def test_a_format_that_breaks_while_detecting_knows_nothing_and_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert formats(Broken("broken"), Lines()).detect(FILE).id == "lines"

    told = "format broken of plugin of-broken failed to recognize a file"
    assert told in caplog.messages


def test_a_format_that_breaks_while_reading_is_what_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(FormatFailed) as refused:
        formats(Broken()).read("lines", FILE, OPTIONS)

    assert "secret" not in refused.value.message
    assert "of-lines" in caplog.text


def test_what_a_format_answers_in_place_of_what_is_put_into_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(FormatFailed):
        formats(Numbers()).read("lines", FILE, OPTIONS)

    assert "value=5" in caplog.text
    assert "is not an entry" in caplog.text


def test_a_hundred_problems_are_told_at_most() -> None:
    with pytest.raises(UnreadableFile) as refused:
        formats(Picky()).read("lines", FILE, OPTIONS)

    assert isinstance(refused.value.details, list)
    assert [problem.path for problem in refused.value.details[::99]] == [
        "line 1",
        "line 100",
    ]


def test_a_file_is_read_and_written() -> None:
    one = formats(Lines())
    catalogues = one.read("lines", FILE, OPTIONS)

    assert one.write("lines", catalogues, OPTIONS).content == b"a=b\n"
