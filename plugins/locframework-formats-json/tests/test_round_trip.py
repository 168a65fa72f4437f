"""Whatever is written reads the same, or a warning tells what does not."""

from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    Format,
    SourceFile,
    Text,
)

unhurried = settings(deadline=None)  # the machine may be busy

OPTIONS = FileOptions(key_separator=".", source_language="en")
FORMATS = {
    indent: {
        format.info.id: format
        for format in JsonPlugin(JsonSettings(indent)).loc_provide_formats()
    }
    for indent in (0, 2)
}
indents = st.sampled_from([0, 2])


SEPARATORS = st.sampled_from(".:/|")

# as any text, but often one that means something to a format
texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
) | st.sampled_from(
    [
        "{count, plural, one{1} other{n}}",
        "{n,plural,=0{}=1{{n}} other{{n} x}}",
        "{count, plural, offset:1 other{x}}",
        "{ {} }",
        "}",
        "{",
        "'{'",
        "@@locale",
    ]
)

_plain = st.text("abAB01_-", min_size=1, max_size=4)
_named = st.sampled_from(
    [
        *PLURAL_FORMS,
        "a_other",
        "a_one",
        "a_ordinal",
        "a_ordinal_other",
        "a_b",
        "aB",
        "in",
    ]
)
segments = _plain | _named


@st.composite
def keys(draw: st.DrawFn, separator: str) -> str:
    parts = draw(st.lists(segments, min_size=1, max_size=4))
    return separator.join(parts)


def plurals(*, need_other: bool = True) -> st.SearchStrategy[dict[str, str]]:
    forms = st.dictionaries(st.sampled_from(PLURAL_FORMS), texts, min_size=1)
    if not need_other:
        return forms
    return st.builds(lambda some, other: {**some, "other": other}, forms, texts)


@st.composite
def catalogues(
    draw: st.DrawFn, *, need_other: bool = True, plural: bool = True
) -> tuple[Catalogue, FileOptions]:
    """A catalogue with legal keys, in an order of its own, and its options."""
    separator = draw(SEPARATORS)
    value = texts | plurals(need_other=need_other) if plural else texts
    found = draw(st.dictionaries(keys(separator), value, max_size=8))
    entries = [
        Entry(key, value, is_plural=isinstance(value, dict))
        for key, value in found.items()
    ]
    options = FileOptions(key_separator=separator, source_language="en")
    return Catalogue(draw(st.sampled_from(["en", "pt-BR"])), entries), options


def read(format: Format, content: bytes, options: FileOptions) -> Catalogue:
    (catalogue,) = format.read(SourceFile("x", content), options)
    return catalogue


def texts_of(entries: Sequence[Entry]) -> dict[str, Text | None]:
    assert len({entry.key for entry in entries}) == len(entries)
    return {entry.key: entry.value for entry in entries}


@unhurried
@given(catalogues(), indents)
def test_nested_keeps_every_catalogue(
    made: tuple[Catalogue, FileOptions], indent: int
) -> None:
    catalogue, options = made
    format = FORMATS[indent]["json-nested"]
    written = format.write([catalogue], options)

    found = read(format, written.content, options)

    assert texts_of(found.entries) == texts_of(catalogue.entries)


@unhurried
@given(catalogues(need_other=False), indents)
def test_flat_keeps_every_catalogue_without_a_warning(
    made: tuple[Catalogue, FileOptions], indent: int
) -> None:
    catalogue, options = made
    format = FORMATS[indent]["json-flat"]
    written = format.write([catalogue], options)

    found = read(format, written.content, options)

    assert texts_of(found.entries) == texts_of(catalogue.entries)
    assert [entry.key for entry in found.entries] == [e.key for e in catalogue.entries]
    assert written.warnings == []


@unhurried
@given(catalogues(), indents)
def test_i18next_keeps_what_no_warning_names(
    made: tuple[Catalogue, FileOptions], indent: int
) -> None:
    catalogue, options = made
    format = FORMATS[indent]["json-i18next"]
    written = format.write([catalogue], options)
    found = texts_of(read(format, written.content, options).entries)

    told = [w for w in written.warnings if "keeps its whole name" not in w]
    for key, text in texts_of(catalogue.entries).items():
        assert found.get(key) == text or any(repr(key) in warning for warning in told)
    if not told:
        assert found == texts_of(catalogue.entries)


SAYS_NOTHING = Catalogue("en", [Entry("a", {"zero": "", "other": ""}, is_plural=True)])


@unhurried
@given(catalogues(), indents)
@example((SAYS_NOTHING, OPTIONS), 0)
def test_arb_keeps_every_catalogue(
    made: tuple[Catalogue, FileOptions], indent: int
) -> None:
    catalogue, options = made
    format = FORMATS[indent]["arb"]
    written = format.write([catalogue], options)

    found = read(format, written.content, options)

    assert found.language_code == catalogue.language_code
    assert texts_of(found.entries) == texts_of(catalogue.entries)


@unhurried
@given(catalogues())
def test_the_order_of_the_entries_does_not_change_what_is_read(
    made: tuple[Catalogue, FileOptions],
) -> None:
    catalogue, options = made
    turned = Catalogue(catalogue.language_code, catalogue.entries[::-1])

    for format in FORMATS[2].values():
        one = read(format, format.write([catalogue], options).content, options)
        other = read(format, format.write([turned], options).content, options)
        assert texts_of(one.entries) == texts_of(other.entries)


@unhurried
@given(texts, texts, st.text(max_size=5))
def test_what_an_arb_file_says_besides_comes_back(
    text: str, description: str, note: str
) -> None:
    note = note.replace("\0", "").encode("utf-8", "ignore").decode()
    detail = {"arb": {"attributes": {"context": note, "x-list": [1, note, None]}}}
    entry = Entry("a.b", text, description=description, key_detail=detail)
    format = FORMATS[2]["arb"]
    written = format.write([Catalogue("en", [entry])], OPTIONS)

    (found,) = read(format, written.content, OPTIONS).entries

    assert found.key_detail == detail
    assert found.description == description
    assert found.value == text
