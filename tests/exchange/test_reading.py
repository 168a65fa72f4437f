"""An upload is read by its format and language, however it tells them."""

from collections.abc import Callable, Sequence

import pytest

from locframework.errors import (
    LanguageNotInProject,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
)
from locframework.exchange.reading import UploadReader
from locframework.exchange.records import ReadFile
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
        reader = UploadReader(self._formats, self._project, LANGUAGES, format_, tag)
        self.warnings = reader.warnings
        return reader.read(file)


@pytest.fixture
def read(formats: Formats, project: Project) -> Read:
    return Read(formats, project)


def found(files: list[ReadFile]) -> list[tuple[str, str, str]]:
    return [(file.path, file.format.id, file.language_code) for file in files]


def places(refusal: UnreadableFile) -> list[str]:
    assert isinstance(refusal.details, list)
    return [problem.path for problem in refusal.details]


def test_format_and_language_are_found_by_file_and_name(read: Read) -> None:
    assert found(read(SourceFile("de.json", FLAT))) == [("", "json-flat", "de")]
    assert found(read(SourceFile("app.pt_BR.po", po()))) == [
        ("", "gettext-po", "pt-BR")
    ]


def test_a_language_in_the_file_wins_over_its_name(read: Read) -> None:
    assert found(read(SourceFile("en.po", po("de")))) == [("", "gettext-po", "de")]
    # unless only the one in the name is of the project
    named = read(SourceFile("pt_BR.po", po("pt")))
    assert found(named) == [("", "gettext-po", "pt-BR")]


def test_a_language_that_is_named_wins_over_the_file(read: Read) -> None:
    assert found(read(SourceFile("en.po", po("en")), "de")) == [
        ("", "gettext-po", "de")
    ]
    assert read.warnings == ["the file says that it is in en"]


def test_a_file_whose_language_nobody_tells_is_refused(read: Read) -> None:
    with pytest.raises(ValidationFailed, match=r"form\.languageCode"):
        read(SourceFile("app.json", FLAT))


def test_a_language_that_the_project_lacks_is_refused_by_name(read: Read) -> None:
    for file in (SourceFile("fr.json", FLAT), SourceFile("x.po", po("fr"))):
        with pytest.raises(LanguageNotInProject, match="fr"):
            read(file)


def test_a_format_that_is_named_is_not_guessed(read: Read) -> None:
    files = read(SourceFile("de.txt", FLAT), format_="json-flat")

    assert found(files) == [("", "json-flat", "de")]
    with pytest.raises(UnknownFormat):
        read(SourceFile("de.json", FLAT), format_="xliff")
    with pytest.raises(UnreadableFile):
        read(SourceFile("de.json", FLAT), format_="gettext-po")


def test_every_file_of_an_archive_is_read(read: Read, zipped: Zipped) -> None:
    files = {"de/app.json": FLAT, "locale/pt_BR/LC_MESSAGES/app.po": po("pt_BR")}

    assert found(read(zipped(files))) == [
        ("de/app.json", "json-flat", "de"),
        ("locale/pt_BR/LC_MESSAGES/app.po", "gettext-po", "pt-BR"),
    ]


def test_a_named_format_reads_its_own_files_of_an_archive(
    read: Read, zipped: Zipped
) -> None:
    files = {"de/app.json": FLAT, "de/app.po": po("de")}

    assert found(read(zipped(files), format_="gettext-po")) == [
        ("de/app.po", "gettext-po", "de")
    ]
    assert read.warnings == ["de/app.json is not in a known format"]


def test_a_named_language_chooses_the_files_of_an_archive(
    read: Read, zipped: Zipped
) -> None:
    files = {"de/app.json": FLAT, "en/app.json": FLAT, "more.json": FLAT}

    assert found(read(zipped(files), "de")) == [
        ("de/app.json", "json-flat", "de"),
        ("more.json", "json-flat", "de"),
    ]
    assert read.warnings == ["en/app.json: the texts in 'en' were left out"]


def test_an_archive_without_any_known_file_is_refused(
    read: Read, zipped: Zipped
) -> None:
    with pytest.raises(UnknownFormat, match="no file of a known format: arb, "):
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


class Broken:
    """A format whose code fails."""

    info = FormatInfo("broken", "Broken", ".brk", "text/plain", multilingual=False)

    def recognizes(self, file: SourceFile) -> bool:
        return file.name.endswith(".brk")

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        raise RuntimeError("bug")

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        return WrittenFile(b"")


def test_a_file_that_a_plugin_fails_on_is_named_once(
    project: Project, zipped: Zipped
) -> None:
    read = Read(Formats({"broken": Broken()}, lambda _: "broken"), project)

    with pytest.raises(UnreadableFile) as refused:
        read(zipped({"de/app.brk": b"?"}))

    assert places(refused.value) == ["de/app.brk"]
    assert refused.value.message == (
        "de/app.brk: the format broken cannot read the file"
    )


class Sheet:
    """One column a language: what a multilingual format looks like."""

    info = FormatInfo("sheet", "Sheet", ".xlsx", "text/plain", multilingual=True)

    def recognizes(self, file: SourceFile) -> bool:
        return file.name.endswith(".xlsx")

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        return [Catalogue(tag, [Entry("k", tag)]) for tag in ("en", "de")]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        return WrittenFile(b"")


def test_a_multilingual_file_that_is_a_zip_itself_gives_all_languages_or_one(
    project: Project, zipped: Zipped
) -> None:
    read = Read(Formats({"sheet": Sheet()}, lambda _: "sheets"), project)
    file = SourceFile("texts.xlsx", zipped({"xl/sheet.xml": b"<x/>"}).content)

    assert [tag for _, _, tag in found(read(file))] == ["en", "de"]
    assert [tag for _, _, tag in found(read(file, "de"))] == ["de"]
