"""Whatever comes in, only UnreadableFile or a catalogue comes out."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile, UnreadableFile

OPTIONS = FileOptions(key_separator=".", source_language="en")
SAMPLE = (
    '# c\n#, fuzzy\nmsgid ""\nmsgstr ""\n"Language: ru\\n"\n'
    '"Content-Type: text/plain; charset=UTF-8\\n"\n'
    '"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>1 ? 1 : 2);\\n"'
    '\n\n#. d\n#: a.c:1\n#, fuzzy, c-format\n#| msgid "old"\nmsgctxt "m"\n'
    'msgid "a \\303\\244 \\x41"\nmsgstr "б"\n\n'
    'msgid "%d f"\nmsgid_plural "%d g"\nmsgstr[0] "1"\nmsgstr[1] "2"\nmsgstr[2] "3"\n'
    '\n#~| msgid "z"\n#~ msgid "y"\n#~ msgstr "x"\n'
).encode()
PIECES = [
    *(b"msgid", b"msgstr", b"msgctxt", b"msgid_plural", b"msgstr[0]", b"msgstr[9999]"),
    *(b'"', b'""', b"\\", b"\\x", b"\\000", b"\n", b"\r\n", b"\r", b"\0", b"\xff"),
    *(b"#", b"#~", b"#|", b"#~|", b"#,", b"#.", b"#:", b" ", b"\xe2\x80\xa8", b";"),
    *(b"charset=", b"charset=hex", b"charset=GB18030", b"nplurals=", b"99", b"(" * 99),
    *(b"/0", b"?", b"Language: ", b"Plural-Forms: ", b"\xef\xbb\xbf", b"key:a.b"),
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """The sample with some stretches taken out, doubled or replaced."""
    content = SAMPLE
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        new = draw(
            st.sampled_from(PIECES)
            | st.binary(max_size=8)
            | st.just(content[start:end] * 2)
        )
        content = content[:start] + new + content[end:]
    return content


def assert_told(error: UnreadableFile) -> None:
    assert error.details
    for problem in error.details:
        assert problem.path.startswith("line ")
        assert len(problem.message) < 400


def assert_sound(catalogue: Catalogue) -> None:
    json.dumps(catalogue.detail)
    for entry in catalogue.entries:
        said = json.dumps([entry.value, entry.source, entry.key_detail, entry.detail])
        assert "\\u0000" not in said
        entry.description.encode()
        said.encode()


@given(mutated() | st.binary(max_size=200))
@example(b"")
@example(SAMPLE)
@example(b"/etc/hostname")
@example(b"#\r\r\n" + SAMPLE)
@pytest.mark.parametrize("id", ["gettext-po", "gettext-pot"])
def test_a_broken_file_is_refused_or_read_and_written_back(formats, id, content):
    format_ = formats[id]
    format_.recognizes(SourceFile("x.po", content))
    try:
        [catalogue] = format_.read(SourceFile("x.po", content), OPTIONS)
    except UnreadableFile as error:
        assert_told(error)
        return

    assert_sound(catalogue)
    written = format_.write([catalogue], OPTIONS).content
    [again] = format_.read(SourceFile("x.po", written), OPTIONS)
    assert [
        (entry.key, entry.key_detail, entry.source, entry.value)
        for entry in again.entries
        if not entry.is_plural
    ] == [
        (entry.key, entry.key_detail, entry.source, entry.value)
        for entry in catalogue.entries
        if not entry.is_plural
    ]
    assert format_.write([again], OPTIONS).content == written


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from('"\\\n\r\t \x1b\x85\u2028'),
    max_size=120,
)
KEY = st.from_regex(r"[A-Za-z0-9_-]{1,8}(\.[A-Za-z0-9_-]{1,8}){0,2}", fullmatch=True)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    is_plural = draw(st.booleans())
    # line breaks at the ends of one text and not of the other make it fuzzy
    filled = TEXT.map(lambda text: text.strip("\n")).filter(bool)
    plural = st.fixed_dictionaries({"one": filled, "few": filled, "many": filled})
    sources = st.fixed_dictionaries({"one": filled, "other": filled})
    key = draw(KEY)
    value = draw(st.none() | (plural if is_plural else filled))
    source = draw(st.none() | (sources if is_plural else filled))
    return Entry(
        key=key,
        value=value,
        is_plural=is_plural,
        description=draw(st.text("ab \u00e9", max_size=9)),
        source=source,
        needs_review=draw(st.booleans()),
    )


@given(st.lists(entries(), unique_by=lambda entry: entry.key, max_size=6))
def test_any_catalogue_comes_back_from_its_file(formats, entries):
    po = formats["gettext-po"]

    written = po.write([Catalogue("ru", entries)], OPTIONS)

    assert written.warnings == []
    [again] = po.read(SourceFile("ru.po", written.content), OPTIONS)
    assert again.language_code == "ru"
    assert [
        (e.key, e.value, e.is_plural, e.description, e.needs_review)
        for e in again.entries
    ] == [(e.key, e.value, e.is_plural, e.description, e.needs_review) for e in entries]
    assert po.write([again], OPTIONS).content == written.content


@given(
    st.dictionaries(
        st.sampled_from(
            ["header", "obsolete", "headerNotes", "comment", "forms", "flags"]
        ),
        st.none() | TEXT | st.lists(TEXT) | st.integers(),
    )
)
def test_a_detail_of_any_shape_does_no_harm(formats, detail):
    entry = Entry("a.b", "text", key_detail=detail, detail=detail)
    catalogue = Catalogue("ru", [entry], detail=detail)

    for format_ in formats.values():
        assert format_.write([catalogue], OPTIONS).content
