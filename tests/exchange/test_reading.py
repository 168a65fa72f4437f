"""An upload is read by its format and language, however it tells them."""

from collections.abc import Callable, Sequence

import pytest

from locframework.errors import (
    FormatFailed,
    LanguageNotInProject,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
)
from locframework.exchange.reading import UploadReader
from locframework.exchange.records import ImportOptions, ReadFile
from locframework.formats.records import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)
from locframework.formats.service import Formats
from locframework.projects.records import Project

Zipped = Callable[[dict[str, bytes]], SourceFile]

LANGUAGES = ["en", "de", "pt-BR"]
FLAT = b'{"cart.pay": "x"}'


def po(tag: str = "") -> bytes:
    header = f'"Language: {tag}\\n"\n' if tag else ""
    return f'msgid ""\nmsgstr ""\n{header}\nmsgid "Pay"\nmsgstr "x"\n'.encode()


class Read:
    """Reads uploads for a project and remembers the warnings."""

    def __init__(self, formats: Formats, project: Project) -> None:
        self._formats, self._project = formats, project
        self.warnings: list[str] = []

    def __call__(
        self, file: SourceFile, tag: str | None = None, format_: str | None = None
    ) -> list[ReadFile]:
        options = ImportOptions(format=format_)
        reader = UploadReader(self._formats, self._project, LANGUAGES, options, tag)
        self.warnings = reader.warnings
        return reader.read(file)


@pytest.fixture
def read(formats: Formats, project: Project) -> Read:
    return Read(formats, project)


def places(refusal: UnreadableFile) -> list[str]:
    assert isinstance(refusal.details, list)
    return [problem.path for problem in refusal.details]


PT_BR_PO = "locale/pt_BR/LC_MESSAGES/app.po"


@pytest.mark.parametrize(
    ("files", "options", "expected", "warnings"),
    [
        ({"de.json": FLAT}, {}, " json-flat de", []),
        ({"app.pt_BR.po": po()}, {}, " gettext-po pt-BR", []),
        # a language in the file wins over its name
        ({"en.po": po("de")}, {}, " gettext-po de", []),
        # unless only the one in the name is of the project
        ({"pt_BR.po": po("pt")}, {}, " gettext-po pt-BR", []),
        # one that is named wins over the file
        (
            {"en.po": po("en")},
            {"tag": "de"},
            " gettext-po de",
            ["the file says that it is in en"],
        ),
        ({"de.txt": FLAT}, {"format_": "json-flat"}, " json-flat de", []),
        (
            {"de/app.json": FLAT, PT_BR_PO: po("pt_BR")},
            {},
            f"de/app.json json-flat de, {PT_BR_PO} gettext-po pt-BR",
            [],
        ),
        # a named format reads its own files of an archive
        (
            {"de/app.json": FLAT, "de/app.po": po("de")},
            {"format_": "gettext-po"},
            "de/app.po gettext-po de",
            ["de/app.json is not in a known format"],
        ),
        # a named language chooses the files of an archive
        (
            {"de/app.json": FLAT, "en/app.json": FLAT, "more.json": FLAT},
            {"tag": "de"},
            "de/app.json json-flat de, more.json json-flat de",
            ["en/app.json: the texts in 'en' were left out"],
        ),
    ],
)
def test_format_and_language_of_each_file_are_found(
    read: Read,
    zipped: Zipped,
    files: dict[str, bytes],
    options: dict[str, str],
    expected: str,
    warnings: list[str],
) -> None:
    [first, *more] = files.items()
    upload = zipped(files) if more else SourceFile(*first)

    found = read(upload, **options)

    assert expected == ", ".join(
        f"{file.path} {file.format.id} {file.language_code}" for file in found
    )
    assert read.warnings == warnings


@pytest.mark.parametrize(
    ("name", "content", "format_", "error", "match"),
    [
        ("app.json", FLAT, None, ValidationFailed, r"form\.languageCode"),
        ("fr.json", FLAT, None, LanguageNotInProject, "fr"),
        ("x.po", po("fr"), None, LanguageNotInProject, "fr"),
        ("de.json", FLAT, "xliff", UnknownFormat, "xliff"),
        ("de.json", FLAT, "gettext-po", UnreadableFile, "line 1"),
    ],
)
def test_what_cannot_be_read_is_refused(
    read: Read,
    name: str,
    content: bytes,
    format_: str | None,
    error: type[Exception],
    match: str,
) -> None:
    with pytest.raises(error, match=match):
        read(SourceFile(name, content), format_=format_)


def test_an_archive_without_any_known_file_is_refused(
    read: Read, zipped: Zipped
) -> None:
    with pytest.raises(UnknownFormat, match="no file of a known format: android-xml, "):
        read(zipped({"README.md": b"# Texts"}))


def test_an_archive_is_judged_before_any_format_sees_it(
    read: Read, zipped: Zipped
) -> None:
    with pytest.raises(UnreadableFile, match="leads out"):
        read(zipped({"../de.json": FLAT, "de.json": FLAT}))


def test_a_fault_in_an_archive_is_told_with_its_file(
    read: Read, zipped: Zipped
) -> None:
    with pytest.raises(UnreadableFile) as json_refused:
        read(zipped({"de.json": b'{"a": ', "en.json": FLAT}), format_="json-flat")
    with pytest.raises(UnreadableFile) as alone:
        read(SourceFile("de.json", b'{"a": '), format_="json-flat")
    with pytest.raises(LanguageNotInProject, match=r"^fr\.json: .* 'fr'$"):
        read(zipped({"fr.json": FLAT}))

    assert places(json_refused.value) == ["de.json line 1"]
    assert json_refused.value.message == f"de.json {alone.value.message}"
    assert alone.value.message.startswith("line 1")


class Sheet:
    """One column a language: what a multilingual format looks like."""

    info = FormatInfo("sheet", "Sheet", ".xlsx", "text/plain", multilingual=True)

    def recognizes(self, file: SourceFile) -> bool:
        return file.name.endswith(self.info.extension)

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        return [Catalogue(tag, [Entry("k", tag)]) for tag in ("en", "de")]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        return WrittenFile(b"")


class Broken(Sheet):
    """A format whose code fails."""

    info = FormatInfo("broken", "Broken", ".brk", "text/plain", multilingual=False)

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        raise RuntimeError("bug")


def test_a_file_that_a_plugin_fails_on_is_named_once(
    project: Project, zipped: Zipped
) -> None:
    read = Read(Formats({"broken": Broken()}, lambda _: "broken"), project)

    with pytest.raises(FormatFailed) as refused:
        read(zipped({"de/app.brk": b"?"}))

    assert refused.value.message == (
        "the format broken (plugin broken) failed to read de/app.brk; the log of the"
        " service says why"
    )


def test_a_multilingual_file_that_is_a_zip_itself_gives_all_languages_or_one(
    project: Project, zipped: Zipped
) -> None:
    read = Read(Formats({"sheet": Sheet()}, lambda _: "sheets"), project)
    file = SourceFile("texts.xlsx", zipped({"xl/sheet.xml": b"<x/>"}).content)

    assert [each.language_code for each in read(file)] == ["en", "de"]
    assert [each.language_code for each in read(file, "de")] == ["de"]
