"""The formats as the framework gets them, and a short way to read and write."""

from collections.abc import Callable, Sequence

import pytest
from locframework_formats_gettext import GettextPlugin, GettextSettings

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    Format,
    SourceFile,
    UnreadableFile,
)
from tests.gettext_tools import require_gettext

Read = Callable[..., Catalogue]
Write = Callable[..., str]

HEADER = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    '"Language: {language}\\n"\n"Plural-Forms: {rule}\\n"\n\n'
)


@pytest.fixture(scope="session")
def gettext_tools() -> None:
    """Skips where GNU gettext is not installed, unless it has to be."""
    require_gettext()


@pytest.fixture(scope="session")
def formats() -> dict[str, Format]:
    plugin = GettextPlugin(GettextSettings())
    return {format_.info.id: format_ for format_ in plugin.loc_provide_formats()}


@pytest.fixture(scope="session")
def po(formats: dict[str, Format]) -> Format:
    return formats["gettext-po"]


@pytest.fixture(scope="session")
def pot(formats: dict[str, Format]) -> Format:
    return formats["gettext-pot"]


@pytest.fixture(scope="session")
def options() -> FileOptions:
    return FileOptions(key_separator=".", source_language="en")


@pytest.fixture(scope="session")
def read(po: Format, options: FileOptions) -> Read:
    """Reads PO text, or bytes, into its one catalogue."""

    def read(text: str | bytes, *, options: FileOptions = options) -> Catalogue:
        content = text.encode() if isinstance(text, str) else text
        [catalogue] = po.read(SourceFile("x.po", content), options)
        return catalogue

    return read


@pytest.fixture(scope="session")
def refused(read: Read) -> Callable[..., list[tuple[str, str]]]:
    """Where, and by which rules, PO text or bytes are refused."""

    def refused(text: str | bytes) -> list[tuple[str, str]]:
        with pytest.raises(UnreadableFile) as caught:
            read(text)
        return [(problem.path, problem.rule) for problem in caught.value.details]

    return refused


@pytest.fixture(scope="session")
def write(po: Format, options: FileOptions) -> Write:
    """Writes a catalogue, or the entries of one in a language, as PO text."""

    def write(
        what: Catalogue | Sequence[Entry],
        language: str = "de",
        *,
        options: FileOptions = options,
    ) -> str:
        if not isinstance(what, Catalogue):
            what = Catalogue(language, what)
        return po.write([what], options).content.decode()

    return write


@pytest.fixture(scope="session")
def with_header() -> Callable[..., str]:
    """PO text of these messages under a header with a language and a rule."""

    def with_header(
        messages: str, language: str = "de", rule: str = "nplurals=2; plural=(n != 1);"
    ) -> str:
        return HEADER.format(language=language, rule=rule) + messages

    return with_header
